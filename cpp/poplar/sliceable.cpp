#include "poplar/sliceable.hpp"

#include <algorithm>
#include <numeric>

#include "poplar/tile_mapping.hpp"

namespace popir {
namespace {

GridDim unsplit(std::int64_t n) { return {n, n, n, n}; }

}  // namespace

// The rules are PopLibs' for tensors without a plan.
poplar::Tensor addSliceable(poplar::Graph& graph, const poplar::Type& type,
                            const std::vector<std::size_t>& shape,
                            const std::vector<std::size_t>& dims, std::size_t minGrainSize,
                            unsigned first, const poplar::DebugContext& debugContext) {
  std::vector<std::size_t> memory;
  std::vector<unsigned> back(shape.size());
  const auto put = [&](std::size_t d) {
    back[d] = static_cast<unsigned>(memory.size());
    memory.push_back(shape[d]);
  };
  for (const std::size_t d : dims) put(d);
  std::size_t columns = 1;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (std::count(dims.begin(), dims.end(), d) > 0) continue;
    put(d);
    columns *= shape[d];
  }
  const auto made = graph.addVariable(type, memory, debugContext);
  if (made.numElements() == 0) return made.dimShuffle(back);
  const auto& target = graph.getTarget();
  const std::size_t tiles = target.getNumTiles(), bytes = target.getTypeSize(type),
                    atom = target.getAtomicStoreGranularity();
  auto each = std::max((columns + tiles - 1) / tiles, minGrainSize);
  // Single elements are in whole atoms, where the grain is at least one.
  if (dims.size() == 1 && minGrainSize > 1 && atom > bytes && minGrainSize * bytes >= atom)
    each = (each + atom / bytes - 1) / (atom / bytes) * (atom / bytes);
  // No fewer tiles, but as few columns on each as these need.
  const auto used = (columns + each - 1) / each;
  each = (columns + used - 1) / used;
  Grid all;
  const auto n = static_cast<std::int64_t>(columns),
             part = static_cast<std::int64_t>(std::min(each, columns));
  all.dims = {{n, n, part, part, 1, 0}};
  all.first = first;
  const Dims sizes(memory.begin(), memory.end());
  mapByGrid(graph, made, slicesOf(all, sizes, dims.size()));
  return made.dimShuffle(back);
}

std::optional<poplar::Tensor> addSlicesLike(poplar::Graph& graph, const poplar::Tensor& s,
                                            const std::vector<std::size_t>& numSlices,
                                            const poplar::DebugContext& debugContext) {
  const auto affine = s.view().affine();
  if (!affine || affine->offset != 0 || s.numElements() == 0 ||
      std::count(numSlices.begin(), numSlices.end(), 0) > 0)
    return {};
  const auto& variable = graph.impl()->variable(affine->variable);
  const auto& rule = variable.mapping.rule();
  const auto linear = variable.mapping.linear();
  if (variable.elements != s.view().elements() || (!rule && !linear)) return {};
  // The dimensions of `s` in the variable's order.
  std::vector<unsigned> order(s.rank());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return affine->strides[a] > affine->strides[b]; });
  std::int64_t step = 1;
  for (auto d = order.rbegin(); d != order.rend(); ++d) {
    const auto size = s.view().shape()[*d];
    if (size > 1 && affine->strides[*d] != step) return {};
    step *= size;
  }
  Grid grid;
  if (rule) {
    grid = rule->grid();
    if (grid.channels < grid.dims.size()) grid.channels += numSlices.size();
  } else {
    grid = {{linearDim(linear->shares)}, linear->first};
    grid.ring = {linear->lowest, linear->around};
  }
  auto memory = numSlices;
  std::vector<unsigned> back(numSlices.size() + s.rank());
  std::iota(back.begin(), back.end(), 0u);
  for (std::size_t i = 0; i < order.size(); ++i) {
    memory.push_back(s.dim(order[i]));
    back[numSlices.size() + order[i]] = static_cast<unsigned>(numSlices.size() + i);
  }
  std::vector<GridDim> slices;
  for (const auto n : numSlices) slices.push_back(unsplit(static_cast<std::int64_t>(n)));
  grid.dims.insert(grid.dims.begin(), slices.begin(), slices.end());
  const auto made = graph.addVariable(s.elementType(), memory, debugContext);
  setGrid(graph, made, std::move(grid));
  return made.dimShuffle(back);
}

std::optional<Grid> columnsOf(const GraphImpl& graph, const poplar::Tensor& t, std::size_t sliced) {
  const auto affine = t.view().affine();
  if (!affine) return {};
  const auto& variable = graph.variable(affine->variable);
  const auto& rule = variable.mapping.rule();
  const auto& shape = t.view().shape();
  if (!rule || variable.elements != t.view().elements() || sliced > shape.size()) return {};
  std::int64_t columns = 1;
  for (auto d = shape.size(); d-- > sliced; columns *= shape[d])
    if (shape[d] > 1 && affine->strides[d] != columns) return {};
  Grid found = rule->grid();
  // The last dimensions are the columns; the others have to be on the same tiles.
  auto first = found.dims.end();
  std::int64_t n = 1;
  while (n < columns && first != found.dims.begin()) n *= (--first)->size;
  const bool together =
      std::none_of(found.dims.begin(), first, [](const GridDim& d) { return d.split(); });
  if (n != columns || !together) return {};
  const auto others = static_cast<std::size_t>(first - found.dims.begin());
  if (found.channels < found.dims.size())
    found.channels = found.channels < others ? ~std::size_t{0} : found.channels - others;
  found.dims.erase(found.dims.begin(), first);
  return found;
}

Grid slicesOf(const Grid& columns, const Dims& shape, std::size_t sizes) {
  Grid made = columns;
  if (made.channels < made.dims.size()) made.channels += sizes;
  for (std::size_t d = sizes; d-- > 0;) made.dims.insert(made.dims.begin(), unsplit(shape[d]));
  return made;
}

}  // namespace popir
