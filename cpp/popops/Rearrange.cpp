#include <popops/Rearrange.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <limits>
#include <numeric>

#include "kernels/movement/transpose.hpp"
#include "machine/estimators/estimators.hpp"
#include "poplar/bulk_vertex.hpp"

namespace popops {
namespace rearrange {
namespace {

using poplar::ComputeSet;
using poplar::DebugContext;
using poplar::Graph;
using poplar::Interval;
using poplar::Tensor;
using poplar::Type;
using poplar::program::Copy;
using poplar::program::Sequence;
using poputil::GroupingInfo;
using poputil::poplibs_error;
using Copies = std::vector<Copy>;
using Sizes = std::vector<std::size_t>;

std::string who(const char* function) { return std::string("popops::rearrange::") + function; }

bool transposes(const Type& type) {
  static const Type all[] = {poplar::QUARTER,        poplar::HALF,  poplar::SHORT,
                             poplar::UNSIGNED_SHORT, poplar::FLOAT, poplar::INT,
                             poplar::UNSIGNED_INT};
  return std::find(std::begin(all), std::end(all), type) != std::end(all);
}

void checkMatrices(const char* function, const Type& type, std::size_t rows, std::size_t columns) {
  constexpr std::size_t most = std::numeric_limits<std::uint16_t>::max();
  if (!transposes(type))
    throw poplibs_error(who(function) + ": elements of " + type.toString() +
                        " have no transpositions; give QUARTER, HALF, SHORT, UNSIGNED_SHORT, "
                        "FLOAT, INT or UNSIGNED_INT");
  if (rows > most || columns > most)
    throw poplibs_error(who(function) + ": matrices of " + std::to_string(rows) + " rows and " +
                        std::to_string(columns) + " columns; give at most " + std::to_string(most) +
                        " of either");
}

/// Transposes `in` [matrices, rows, columns] to `out` [matrices, columns, rows].
void transpose(Graph& graph, const ComputeSet& cs, const Tensor& in, const Tensor& out,
               const DebugContext& debugContext) {
  popir::addBulkVertex(graph, cs, std::make_shared<popir::TransposeKernel>(),
                       {{out, popir::Access::Write}, {in, popir::Access::Read}},
                       debugContext.getPathName());
}

// ---- Groups as dimensions ----

/// Moves the elements of a group to a new last dimension.
Tensor grouped(const Tensor& t, const GroupingInfo& g) {
  return t.reshapePartial(g.first, g.first + 1, {t.dim(g.first) / g.second, g.second})
      .dimRoll(g.first + 1, t.rank());
}

/// The inverse of grouped().
Tensor ungrouped(const Tensor& t, const GroupingInfo& g) {
  return t.dimRoll(t.rank() - 1, g.first + 1).flatten(g.first, g.first + 2);
}

/// Returns [blocks, elements of `to`, elements of `from`]. The last dimension is contiguous.
Tensor blocksOf(const Tensor& t, const GroupingInfo& from, const GroupingInfo& to) {
  const Tensor all = grouped(grouped(t, to), from);
  return all.flatten(0, t.rank());
}

void checkGrouping(const Tensor& t, const char* name, const GroupingInfo& g) {
  if (g.first < t.rank() && g.second > 0 && t.dim(g.first) % g.second == 0) return;
  throw poplibs_error(who("regroupTensor") + ": the grouping '" + name + "' is " +
                      std::to_string(g.second) + " elements of dimension " +
                      std::to_string(g.first) + ", the tensor " + t.shapeToString() +
                      "; give a divisor of one of its dimensions");
}

void check(const Tensor& t, const GroupingInfo& from, const GroupingInfo& to) {
  checkMatrices("regroupTensor", t.elementType(), to.second, from.second);
  checkGrouping(t, "from", from);
  checkGrouping(t, "to", to);
  if (from.first == to.first && t.dim(to.first) / to.second % from.second != 0)
    throw poplibs_error(who("regroupTensor") + ": groups of " + std::to_string(from.second) +
                        " and of " + std::to_string(to.second) + " of one dimension, of " +
                        std::to_string(t.dim(to.first)) +
                        " elements; it must be a multiple of both together");
}

// ---- Distribution of blocks over tiles ----

std::size_t ceilDiv(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

/// Tiles per IPU; for a virtual graph, its tiles per IPU.
std::size_t tilesOfIpu(const Graph& graph) {
  const poplar::Target& target = graph.getTarget();
  return std::min(target.getTilesPerIPU(), target.getNumTiles());
}

/// The number of elements on the IPU with the most.
std::size_t mostOnOneIpu(const Graph& graph, const Tensor& t) {
  const auto mapping = graph.getTileMapping(t);
  const std::size_t tiles = tilesOfIpu(graph);
  Sizes held(ceilDiv(mapping.size(), tiles), 0);
  for (std::size_t tile = 0; tile < mapping.size(); ++tile)
    for (const Interval& i : mapping[tile]) held[tile / tiles] += i.size();
  return *std::max_element(held.begin(), held.end());
}

/// The number of parts into which to split each block, to balance tiles and workers. Limited to
/// what the tiles can process at once, unless strides are too long for an instruction and force
/// more parts.
std::size_t partsOfBlock(const Graph& graph, const Tensor& t, const GroupingInfo& from,
                         const GroupingInfo& to, std::size_t grain) {
  const poplar::Target& target = graph.getTarget();
  const std::size_t tiles = tilesOfIpu(graph), workers = target.getNumWorkerContexts();
  const std::size_t size = std::size_t(from.second) * to.second;
  const std::size_t blocks = ceilDiv(mostOnOneIpu(graph, t), size), units = size / (grain * grain);
  const std::size_t stride = std::max(from.second, to.second) / 4 * 3;
  const std::size_t longest = std::size_t(1) << (target.getNumStrideBits() - 1);
  const std::size_t perTile = std::max<std::size_t>(1, std::min(ceilDiv(stride, longest), workers));
  std::size_t best = 1, least = std::numeric_limits<std::size_t>::max();
  for (std::size_t parts = 1; parts <= units && blocks * parts <= tiles * perTile; ++parts) {
    if (units % parts != 0) continue;
    const std::size_t cost = units / parts * ceilDiv(ceilDiv(blocks * parts, tiles), workers);
    if (cost < least) {
      least = cost;
      best = parts;
    }
  }
  return best;
}

/// Reduces the group sizes if that balances the tiles better.
void refine(const Graph& graph, const Tensor& t, GroupingInfo& from, GroupingInfo& to) {
  const unsigned grain = getMinimumRegroupGrainSize(t.elementType());
  if (from.second % grain != 0 || to.second % grain != 0) return;
  std::size_t parts = partsOfBlock(graph, t, from, to, grain);
  for (GroupingInfo* g : {&from, &to}) {
    const std::size_t taken = std::gcd(parts, std::size_t(g->second / grain));
    g->second /= static_cast<unsigned>(taken);
    parts /= taken;
  }
}

/// The first tile within an IPU. It depends on the tensor, so that blocks of different tensors do
/// not accumulate on the first tiles.
std::size_t startTile(const Tensor& t, const GroupingInfo& from, const GroupingInfo& to) {
  std::size_t mixed = 0;
  const auto mix = [&](std::size_t value) { mixed = (mixed + value) * 1000003; };
  for (const std::size_t n : t.shape()) mix(n);
  for (const GroupingInfo& g : {from, to}) {
    mix(g.first);
    mix(g.second);
  }
  return mixed;
}

/// Maps `to`, which has the blocks of `from`, evenly over the tiles. Each block stays on the IPU of
/// its first element.
void mapBlocks(Graph& graph, const Tensor& from, const Tensor& to, std::size_t start) {
  const auto first = graph.getTileMapping(from.flatten(1, 3).slice(0, 1, 1));
  const std::size_t each = tilesOfIpu(graph);
  for (std::size_t ipu = 0; ipu * each < first.size(); ++ipu) {
    std::vector<Interval> held;
    for (std::size_t tile = ipu * each; tile < std::min(first.size(), (ipu + 1) * each); ++tile)
      held.insert(held.end(), first[tile].begin(), first[tile].end());
    std::sort(held.begin(), held.end(),
              [](const Interval& x, const Interval& y) { return x.begin() < y.begin(); });
    std::size_t count = 0, done = 0;
    for (const Interval& i : held) count += i.size();
    const std::size_t share = ceilDiv(count, each);
    for (const Interval& i : held)
      for (std::size_t b = i.begin(); b < i.end();) {
        const std::size_t end = std::min(i.end(), b + share - done % share);
        const std::size_t tile = ipu * each + (start + done / share) % each;
        graph.setTileMapping(to.slice(b, end, 0), static_cast<unsigned>(tile));
        done += end - b;
        b = end;
      }
  }
}

Tensor regroup(Graph& graph, const Tensor& t, Copies& copies, const ComputeSet& cs,
               GroupingInfo from, GroupingInfo to, const DebugContext& debugContext) {
  if (t.rank() <= 1) return t;
  check(t, from, to);
  if (t.numElements() == 0) return t;
  refine(graph, t, from, to);
  const Tensor blocks = blocksOf(t, from, to);
  const Tensor placed =
      graph.addVariable(t.elementType(), blocks.shape(), {debugContext, "blocks"});
  mapBlocks(graph, blocks, placed, startTile(t, from, to));
  copies.emplace_back(blocks, placed, false, DebugContext(debugContext, "blocks"));
  const Tensor turned = partialTranspose(graph, placed, cs, debugContext);
  Sizes shape = grouped(grouped(t, to), from).shape();
  const Tensor asGiven = turned.dimShuffle({0, 2, 1}).reshape(shape);
  return ungrouped(ungrouped(asGiven, from), to);
}

/// Calls `make(copies, compute set)` and appends both to `prog`.
template <class Make>
Tensor inProgram(Graph& graph, Sequence& prog, const DebugContext& debugContext, const Make& make) {
  Copies copies;
  const ComputeSet cs = graph.addComputeSet({debugContext, "transpose"});
  const Tensor made = make(copies, cs);
  for (const Copy& copy : copies) prog.add(copy);
  if (!copies.empty()) prog.add(poplar::program::Execute(cs, debugContext));
  return made;
}

bool inGrains(const Tensor& t, const std::vector<GroupingInfo>& groupings) {
  return !groupings.empty() &&
         groupings.front().second % getMinimumRegroupGrainSize(t.elementType()) == 0;
}

}  // namespace

bool canUseFastTranspose(const poplar::Target& target, const Type& type, unsigned numRows,
                         unsigned numColumns, unsigned numTranspositions) {
  return transposes(type) &&
         popir::transposesFast(target.spec(), {type, numTranspositions, numRows, numColumns});
}

void addTransposeVertices(
    Graph& graph, const ComputeSet& cs, const Type& dType, unsigned rows, unsigned cols,
    const Graph::TileToTensorMapping& mapping,
    std::function<std::pair<const Tensor, const Tensor>(std::size_t)> getInOut,
    const DebugContext& debugContext) {
  checkMatrices("addTransposeVertices", dType, rows, cols);
  const std::size_t size = std::size_t(rows) * cols;
  std::vector<Tensor> ins, outs;
  for (unsigned tile = 0; tile < mapping.size(); ++tile)
    for (const Interval& numbers : mapping[tile]) {
      if (numbers.end() < numbers.begin())
        throw poplibs_error(who("addTransposeVertices") + ": transpositions from " +
                            std::to_string(numbers.begin()) + " to " +
                            std::to_string(numbers.end()) + " given for tile " +
                            std::to_string(tile) + ", which end before they begin");
      for (std::size_t i = numbers.begin(); i < numbers.end(); ++i) {
        const auto pair = getInOut(i);
        for (const Tensor& t : {pair.first, pair.second})
          if (t.elementType() != dType || t.shape() != Sizes{size})
            throw poplibs_error(who("addTransposeVertices") + ": transposition " +
                                std::to_string(i) + " has a tensor of " +
                                t.elementType().toString() + " " + t.shapeToString() + "; give " +
                                dType.toString() + " [" + std::to_string(size) + "]");
        graph.setTileMapping(pair.second, tile);
        ins.push_back(pair.first.expand({0}));
        outs.push_back(pair.second.expand({0}));
      }
    }
  if (ins.empty() || size == 0) return;
  transpose(graph, cs, poplar::concat(ins).reshape({ins.size(), rows, cols}),
            poplar::concat(outs).reshape({outs.size(), cols, rows}), debugContext);
}

Tensor partialTranspose(Graph& graph, const Tensor& in, const ComputeSet& cs,
                        const DebugContext& debugContext) {
  if (in.rank() < 2)
    throw poplibs_error(who("partialTranspose") + ": the tensor is " + in.shapeToString() +
                        "; give one of rank 2 or more");
  const std::size_t rows = in.dim(in.rank() - 2), columns = in.dim(in.rank() - 1);
  checkMatrices("partialTranspose", in.elementType(), rows, columns);
  Sizes shape = in.shape();
  std::swap(shape[in.rank() - 2], shape[in.rank() - 1]);
  const Tensor out = graph.addVariable(in.elementType(), shape, {debugContext, "partialTranspose"});
  if (in.numElements() == 0) return out;
  const std::size_t matrices = in.numElements() / (rows * columns);
  const Tensor flat = out.reshape({matrices, columns, rows});
  const auto first = graph.getTileMapping(in.reshape({matrices, rows * columns}).slice(0, 1, 1));
  for (unsigned tile = 0; tile < first.size(); ++tile)
    for (const Interval& i : first[tile]) graph.setTileMapping(flat.slice(i, 0), tile);
  transpose(graph, cs, in.reshape({matrices, rows, columns}), flat, debugContext);
  return out;
}

unsigned getMinimumRegroupGrainSize(const Type& type) {
  return transposes(type) ? 8 / static_cast<unsigned>(type.sizeInBytes()) : 1;
}

Tensor regroupTensor(Graph& graph, const Tensor& t, Copies& copies, const ComputeSet& transposeCS,
                     const GroupingInfo& from, const GroupingInfo& to,
                     const DebugContext& debugContext) {
  return regroup(graph, t, copies, transposeCS, from, to, {debugContext, "regroupTensor"});
}

Tensor regroupTensor(Graph& graph, const Tensor& t, Sequence& copies, const ComputeSet& transposeCS,
                     const GroupingInfo& from, const GroupingInfo& to,
                     const DebugContext& debugContext) {
  Copies list;
  const Tensor made = regroupTensor(graph, t, list, transposeCS, from, to, debugContext);
  for (const Copy& copy : list) copies.add(copy);
  return made;
}

Tensor regroupIfPossible(Graph& graph, const Tensor& t, Sequence& prog, const GroupingInfo& to,
                         const DebugContext& debugContext) {
  if (t.rank() <= 1 || to.first >= t.rank() || to.second == 0 || t.dim(to.first) % to.second != 0 ||
      !transposes(t.elementType()))
    return t;
  const auto groupings = poputil::detectDimGroupings(graph, t);
  if (!inGrains(t, groupings) || groupings.front().first == to.first) return t;
  return inProgram(graph, prog, debugContext, [&](Copies& copies, const ComputeSet& cs) {
    return regroupTensor(graph, t, copies, cs, groupings.front(), to, debugContext);
  });
}

Tensor regroupIfBeneficial(Graph& graph, const Tensor& in, const Tensor& ref, Copies& copies,
                           ComputeSet transposeCS, const DebugContext& debugContext) {
  if (in.rank() <= 1 || ref.rank() <= 1 || !transposes(in.elementType())) return in;
  if (in.shape() != ref.shape())
    throw poplibs_error(who("regroupIfBeneficial") + ": the tensor is " + in.shapeToString() +
                        ", the reference " + ref.shapeToString() + "; give tensors of one shape");
  const auto from = poputil::detectDimGroupings(graph, in);
  const auto to = poputil::detectDimGroupings(graph, ref);
  if (!inGrains(in, from) || !inGrains(in, to) || from.front().first == to.front().first) return in;
  return regroupTensor(graph, in, copies, transposeCS, from.front(), to.front(), debugContext);
}

Tensor regroupIfBeneficial(Graph& graph, const Tensor& in, const Tensor& ref, Sequence& prog,
                           const DebugContext& debugContext) {
  return inProgram(graph, prog, debugContext, [&](Copies& copies, const ComputeSet& cs) {
    return regroupIfBeneficial(graph, in, ref, copies, cs, debugContext);
  });
}

Tensor regroupIfBeneficial(Graph& graph, const Tensor& in, std::size_t preferredGrouping,
                           Sequence& prog, const DebugContext& debugContext) {
  if (in.rank() == 0 || !transposes(in.elementType())) return in;
  const unsigned last = in.rank() - 1;
  if (preferredGrouping == 0 || in.dim(last) % preferredGrouping != 0)
    throw poplibs_error(who("regroupIfBeneficial") + ": the tensor is " + in.shapeToString() +
                        ", the preferred grouping " + std::to_string(preferredGrouping) +
                        "; give a divisor of the last dimension");
  if (preferredGrouping % getMinimumRegroupGrainSize(in.elementType()) != 0) return in;
  return regroupIfPossible(graph, in, prog, {last, static_cast<unsigned>(preferredGrouping)},
                           debugContext);
}

}  // namespace rearrange
}  // namespace popops
