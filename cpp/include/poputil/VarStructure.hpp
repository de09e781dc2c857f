// How the elements of a tensor are arranged in its variables.
// After poputil/VarStructure.hpp of PopLibs 3.
#ifndef poputil_VarStructure_hpp
#define poputil_VarStructure_hpp

#include <cstddef>
#include <functional>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace poputil {

/// A dimension, and the number of its elements that are contiguous in memory.
using GroupingInfo = std::pair<unsigned, unsigned>;

/// The largest divisor n of the last dimension such that groups of n elements along it are
/// contiguous in one variable and on one tile. 1 if there is none. Only the first row is examined.
unsigned detectInnermostGrouping(const poplar::Graph& graph, const poplar::Tensor& t);

/// The groupings of a tensor, innermost first. The elements of the first grouping are contiguous,
/// groups of the first are contiguous in the second, and so on. A dimension may occur several
/// times. Groupings of size 1 are left out. For example, [n, c / 8, h, w, 8] viewed as [n, c, h, w]
/// has the groupings (1, 8), (3, w), (2, h), (1, c / 8), (0, n).
std::vector<GroupingInfo> detectDimGroupings(const poplar::Graph& graph, const poplar::Tensor& t);

/// A variable whose partitions are contiguous in memory. Dimension d has `nPartitions[d]` of
/// ceil(size / nPartitions[d]) elements each; the last that has elements may be smaller, and those
/// behind it are empty. It has no tile mapping.
/// \throws poputil::poplibs_error if there are not as many partitions as dimensions, or 0
poplar::Tensor createPartitionableTensor(poplar::Graph& graph, const poplar::Type& type,
                                         const std::vector<std::size_t>& shape,
                                         const std::vector<std::size_t>& nPartitions,
                                         const poplar::DebugContext& debugContext = {});

/// Calls `f` with the indices of each partition of a tensor, cut as above, and its slice; the last
/// dimension goes fastest.
/// \throws poputil::poplibs_error as createPartitionableTensor()
void iterateTensorPartitions(const poplar::Tensor& t, const std::vector<std::size_t>& nPartitions,
                             const std::function<void(const std::vector<std::size_t>& indices,
                                                      const poplar::Tensor& slice)>& f);

}  // namespace poputil
#pragma GCC visibility pop

#endif
