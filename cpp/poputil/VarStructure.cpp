#include <poputil/VarStructure.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <numeric>

#include "poplar/view.hpp"

namespace poputil {
namespace {

/// A run of `count` elements of a view, from position `at` on, that is contiguous in a variable.
struct Run {
  std::int64_t at, count;
  unsigned variable;
  std::int64_t place;
};

/// Sorts the dimensions of a box by their step through the view, longest first, and merges adjacent
/// ones.
popir::Nest inOrder(popir::Nest nest) {
  std::stable_sort(nest.dims.begin(), nest.dims.end(),
                   [](const auto& x, const auto& y) { return x.to > y.to; });
  nest.coalesce();
  return nest;
}

/// Removes the innermost contiguous dimension of a sorted box, and returns its length.
std::int64_t takeRun(popir::Nest& nest) {
  if (nest.dims.empty() || nest.dims.back().from != 1 || nest.dims.back().to != 1) return 1;
  const std::int64_t count = nest.dims.back().n;
  nest.dims.pop_back();
  return count;
}

void addRuns(popir::Piece piece, std::vector<Run>& runs) {
  const std::int64_t count = takeRun(piece.nest);
  std::vector<std::int64_t> at(piece.nest.dims.size(), 0);
  for (std::int64_t left = piece.nest.elements(); left > 0; --left) {
    Run run{piece.nest.to, count, piece.variable, piece.nest.from};
    for (std::size_t d = 0; d < at.size(); ++d) {
      run.at += at[d] * piece.nest.dims[d].to;
      run.place += at[d] * piece.nest.dims[d].from;
    }
    runs.push_back(run);
    for (std::size_t d = at.size(); d-- > 0 && ++at[d] == piece.nest.dims[d].n;) at[d] = 0;
  }
}

/// The largest divisor g of the number of elements such that each aligned group of g elements is
/// contiguous in memory.
std::int64_t inMemory(const poplar::Tensor& row) {
  std::int64_t g = row.view().elements();
  std::vector<popir::Piece> pieces = row.view().pieces();
  for (popir::Piece& piece : pieces) piece.nest = inOrder(piece.nest);
  if (pieces.size() == 1) {  // a gap follows each run, and only there
    takeRun(pieces.front().nest);
    for (const popir::NestDim& dim : pieces.front().nest.dims) g = std::gcd(g, dim.to);
    return g;
  }
  std::vector<Run> runs;
  for (const popir::Piece& piece : pieces) addRuns(piece, runs);
  std::sort(runs.begin(), runs.end(), [](const Run& x, const Run& y) { return x.at < y.at; });
  for (std::size_t i = 1; i < runs.size(); ++i)
    if (runs[i].variable != runs[i - 1].variable ||
        runs[i].place != runs[i - 1].place + runs[i - 1].count)
      g = std::gcd(g, runs[i].at);
  return g;
}

/// The same, where each group must also be on one tile.
std::size_t together(const poplar::Graph& graph, const poplar::Tensor& row) {
  const std::size_t n = row.numElements();
  std::size_t g = static_cast<std::size_t>(inMemory(row));
  if (g == 1) return g;
  for (const auto& intervals : graph.getTileMapping(row))
    for (const poplar::Interval& tile : intervals) g = std::gcd(g, std::gcd(tile.begin(), n));
  return g;
}

/// The elements of `t` with index 0 in all dimensions except `dim` and the last.
poplar::Tensor rowOf(poplar::Tensor t, unsigned dim) {
  for (unsigned d = 0; d + 1 < t.rank(); ++d)
    if (d != dim) t = t.slice(0, 1, d);
  return t.flatten();
}

/// Splits `dim` into groups of `size`, and merges the position in the group into the last
/// dimension.
poplar::Tensor grouped(const poplar::Tensor& t, unsigned dim, std::size_t size) {
  std::vector<std::size_t> split = t.shape(), joined = t.shape();
  split[dim] /= size;
  split.insert(split.begin() + dim + 1, size);
  joined[dim] /= size;
  joined.back() *= size;
  std::vector<unsigned> order;
  for (unsigned d = 0; d < split.size(); ++d)
    if (d != dim + 1) order.push_back(d);
  order.insert(order.end() - 1, dim + 1);
  return t.reshape(split).dimShuffle(order).reshape(joined);
}

/// The boundaries of the partitions of each dimension: one more than there are partitions.
std::vector<std::vector<std::size_t>> boundaries(const char* who,
                                                 const std::vector<std::size_t>& shape,
                                                 const std::vector<std::size_t>& nPartitions) {
  if (shape.size() != nPartitions.size() || std::count(nPartitions.begin(), nPartitions.end(), 0U))
    throw poplibs_error(std::string(who) + ": a tensor of " +
                        popir::shapeText({shape.begin(), shape.end()}) + " and " +
                        popir::shapeText({nPartitions.begin(), nPartitions.end()}) +
                        " partitions; each dimension needs a number of at least 1");
  std::vector<std::vector<std::size_t>> found(shape.size());
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const std::size_t each = (shape[d] + nPartitions[d] - 1) / nPartitions[d];
    for (std::size_t i = 0; i <= nPartitions[d]; ++i)
      found[d].push_back(std::min(i * each, shape[d]));
  }
  return found;
}

/// A part of a dimension that divides into partitions of one size.
struct Even {
  std::size_t size, each;
};

/// A tensor in `memory` from `at` on, made of one variable for each combination of `parts` from
/// dimension `chosen.size()` on. In it the partitions lie one after the other.
poplar::Tensor assembled(const poplar::Tensor& memory, const std::vector<std::vector<Even>>& parts,
                         std::vector<Even>& chosen, std::size_t& at) {
  const auto d = static_cast<unsigned>(chosen.size());
  const auto rank = static_cast<unsigned>(parts.size());
  if (d < rank) {
    std::vector<poplar::Tensor> joined;
    for (const Even& part : parts[d]) {
      chosen.push_back(part);
      joined.push_back(assembled(memory, parts, chosen, at));
      chosen.pop_back();
    }
    return poplar::concat(joined, d);
  }
  std::vector<std::size_t> split, sizes;
  std::vector<unsigned> order;
  for (const Even& part : chosen) split.push_back(part.size / part.each);
  for (const Even& part : chosen) split.push_back(part.each);
  for (unsigned i = 0; i < rank; ++i) {
    sizes.push_back(chosen[i].size);
    order.insert(order.end(), {i, rank + i});
  }
  const std::size_t begin = at;
  at += std::accumulate(sizes.begin(), sizes.end(), std::size_t{1}, std::multiplies<>());
  return memory.slice(begin, at).reshape(split).dimShuffle(order).reshape(sizes);
}

}  // namespace

unsigned detectInnermostGrouping(const poplar::Graph& graph, const poplar::Tensor& t) {
  if (t.numElements() == 0) return 1;
  const poplar::Tensor blocks = t.expand({t.rank()});
  return static_cast<unsigned>(together(graph, rowOf(blocks, t.rank() - 1)));
}

std::vector<GroupingInfo> detectDimGroupings(const poplar::Graph& graph, const poplar::Tensor& t) {
  std::vector<GroupingInfo> found;
  if (t.numElements() == 0) return found;
  poplar::Tensor blocks = t.expand({t.rank()});  // last dimension: what is grouped so far
  while (true) {
    const std::size_t block = blocks.dim(t.rank());
    std::size_t best = 1;
    unsigned bestDim = 0;
    for (unsigned d = 0; d < t.rank(); ++d) {
      const std::size_t size = together(graph, rowOf(blocks, d));
      if (size % block == 0 && size / block > best) {
        best = size / block;
        bestDim = d;
      }
    }
    if (best == 1) return found;
    found.emplace_back(bestDim, static_cast<unsigned>(best));
    blocks = grouped(blocks, bestDim, best);
  }
}

poplar::Tensor createPartitionableTensor(poplar::Graph& graph, const poplar::Type& type,
                                         const std::vector<std::size_t>& shape,
                                         const std::vector<std::size_t>& nPartitions,
                                         const poplar::DebugContext& debugContext) {
  const auto cuts = boundaries("createPartitionableTensor", shape, nPartitions);
  const std::size_t count =
      std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
  const auto memory = graph.addVariable(type, {count}, debugContext);
  if (count == 0) return memory.reshape(shape);
  std::vector<std::vector<Even>> parts;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const std::size_t each = cuts[d][1], rest = shape[d] % each;
    parts.push_back({{shape[d] - rest, each}});
    if (rest > 0) parts.back().push_back({rest, rest});
  }
  std::vector<Even> chosen;
  std::size_t at = 0;
  return assembled(memory, parts, chosen, at);
}

void iterateTensorPartitions(const poplar::Tensor& t, const std::vector<std::size_t>& nPartitions,
                             const std::function<void(const std::vector<std::size_t>& indices,
                                                      const poplar::Tensor& slice)>& f) {
  const auto cuts = boundaries("iterateTensorPartitions", t.shape(), nPartitions);
  std::vector<std::size_t> i(cuts.size(), 0);
  while (true) {
    std::vector<std::size_t> begin, end;
    for (std::size_t d = 0; d < i.size(); ++d) {
      begin.push_back(cuts[d][i[d]]);
      end.push_back(cuts[d][i[d] + 1]);
    }
    f(i, t.slice(begin, end));
    std::size_t d = i.size();
    while (d-- > 0 && ++i[d] == nPartitions[d]) i[d] = 0;
    if (d == std::size_t(-1)) return;
  }
}

}  // namespace poputil
