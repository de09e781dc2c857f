// poputil/VarStructure.hpp: how the elements of a tensor lie in its variables.
#ifndef poputil_VarStructure_hpp
#define poputil_VarStructure_hpp

#include <cstddef>
#include <poplar/Graph.hpp>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace poputil {

/// A dimension, and how many of its elements lie together.
using GroupingInfo = std::pair<unsigned, unsigned>;

/// The largest number, a divisor of the last dimension, of elements along it that lie side by side
/// in one variable and on one tile; 1 if none do. Judged by the first row.
unsigned detectInnermostGrouping(const poplar::Graph& graph, const poplar::Tensor& t);

/// The groupings of a tensor, innermost first: elements of the first lie side by side, groups of
/// them that the second counts lie side by side, and so on. A dimension may come more than once;
/// groups of one are left out.
std::vector<GroupingInfo> detectDimGroupings(const poplar::Graph& graph, const poplar::Tensor& t);

}  // namespace poputil
#pragma GCC visibility pop

#endif
