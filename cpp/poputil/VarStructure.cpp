#include <poputil/VarStructure.hpp>

#include <numeric>

namespace poputil {
namespace {

/// The largest divisor g of the number of elements such that no group of g is torn.
std::size_t together(const poplar::Graph& graph, const poplar::Tensor& row) {
  const std::size_t n = row.numElements();
  std::size_t g = n;
  for (std::size_t i = 1; i < n && g > 1; ++i)
    if (!row.slice(i - 1, i + 1).isContiguous()) g = std::gcd(g, i);
  for (const auto& intervals : graph.getTileMapping(row))
    for (const poplar::Interval& tile : intervals) g = std::gcd(g, std::gcd(tile.begin(), n));
  return g;
}

/// The elements of `t` with index 0 in all dimensions but `dim` and the last.
poplar::Tensor rowOf(poplar::Tensor t, unsigned dim) {
  for (unsigned d = 0; d + 1 < t.rank(); ++d)
    if (d != dim) t = t.slice(0, 1, d);
  return t.flatten();
}

/// Groups of `size` of a dimension go to the front of the last one.
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

}  // namespace

unsigned detectInnermostGrouping(const poplar::Graph& graph, const poplar::Tensor& t) {
  if (t.numElements() == 0) return 1;
  const poplar::Tensor blocks = t.expand({t.rank()});
  return static_cast<unsigned>(together(graph, rowOf(blocks, t.rank() - 1)));
}

std::vector<GroupingInfo> detectDimGroupings(const poplar::Graph& graph, const poplar::Tensor& t) {
  std::vector<GroupingInfo> found;
  if (t.numElements() == 0) return found;
  poplar::Tensor blocks = t.expand({t.rank()});  // the last dimension holds what is grouped so far
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

}  // namespace poputil
