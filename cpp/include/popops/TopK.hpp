// The largest or smallest elements along the last dimension. After popops/TopK.hpp of PopLibs 3.
#ifndef popops_TopK_hpp
#define popops_TopK_hpp

#include <ostream>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <popops/SortOrder.hpp>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace popops {

/// What is chosen of the last dimension.
struct TopKParams {
  unsigned k;           ///< how many elements
  bool largest;         ///< the largest ones, else the smallest
  SortOrder sortOrder;  ///< with NONE too the order is always the same: the best first
  /// Equal elements are always taken, and sorted, by their indices, with and without this.
  bool stableSort;

  TopKParams(unsigned k, bool largest, SortOrder sortOrder, bool stableSort = false) noexcept
      : k(k), largest(largest), sortOrder(sortOrder), stableSort(stableSort) {}
};

std::ostream& operator<<(std::ostream& os, const TopKParams& params);

/// A tensor for the input of topK, on the tiles in rows of the last dimension.
/// \throws poputil::poplibs_error as topK does
poplar::Tensor createTopKInput(poplar::Graph& graph, const poplar::Type& type,
                               const std::vector<std::size_t>& shape, const TopKParams& params,
                               const poplar::DebugContext& debugContext = {});

/// The `params.k` largest or smallest elements along the last dimension of `t`, which becomes k.
/// A NaN is larger than every number. `t` has any type of integers or floating-point numbers.
/// \throws poputil::poplibs_error for a scalar, for another type, and for k beyond the dimension
poplar::Tensor topK(poplar::Graph& graph, poplar::program::Sequence& prog, const poplar::Tensor& t,
                    const TopKParams& params, const poplar::DebugContext& debugContext = {});

/// The same, and their indices in the dimension, as UNSIGNED_INT.
std::pair<poplar::Tensor, poplar::Tensor> topKWithPermutation(
    poplar::Graph& graph, poplar::program::Sequence& prog, const poplar::Tensor& t,
    const TopKParams& params, const poplar::DebugContext& debugContext = {});

/// The same of `keys`, and what `values`, which has their shape, holds where they are: first the
/// keys, then the values.
/// \throws poputil::poplibs_error as topK does, and for another shape of `values`
std::pair<poplar::Tensor, poplar::Tensor> topKKeyValue(
    poplar::Graph& graph, poplar::program::Sequence& prog, const poplar::Tensor& keys,
    const poplar::Tensor& values, const TopKParams& params,
    const poplar::DebugContext& debugContext = {});

}  // namespace popops
#pragma GCC visibility pop

#endif
