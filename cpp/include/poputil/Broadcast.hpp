// Broadcasting of shapes, by numpy's rules. After poputil/Broadcast.hpp of PopLibs 3.
#ifndef poputil_Broadcast_hpp
#define poputil_Broadcast_hpp

#include <cstddef>
#include <poplar/Tensor.hpp>
#include <vector>

#pragma GCC visibility push(default)

namespace poputil {

/// Adds leading dimensions of size 1 to the tensor of lower rank until the ranks are equal.
void expandToMatchRanks(poplar::Tensor& a, poplar::Tensor& b);

/// Broadcasts `a` to `shape` as a view: adds leading dimensions, and repeats dimensions of size 1.
/// \throws poplibs_error naming both shapes if another dimension differs
void broadcastToMatch(poplar::Tensor& a, const std::vector<std::size_t>& shape);
/// Broadcasts all tensors to their common shape, as views. For example, [4, 1] and [3] become [4,
/// 3].
/// \throws poplibs_error if sizes other than 1 differ
void broadcastToMatch(poplar::Tensor& a, poplar::Tensor& b);
void broadcastToMatch(poplar::Tensor& a, poplar::Tensor& b, poplar::Tensor& c);

/// True if broadcastToMatch(a, b) would not throw.
bool canBroadcastToMatch(const poplar::Tensor& a, const poplar::Tensor& b);

}  // namespace poputil

#pragma GCC visibility pop

#endif
