// poputil/Broadcast.hpp: shapes matched as numpy matches them.
#ifndef poputil_Broadcast_hpp
#define poputil_Broadcast_hpp

#include <cstddef>
#include <poplar/Tensor.hpp>
#include <vector>

#pragma GCC visibility push(default)

namespace poputil {

/// Gives the tensor of lower rank leading dimensions of 1, until both have one rank.
void expandToMatchRanks(poplar::Tensor& a, poplar::Tensor& b);

/// Makes `a` a view of `shape`: leading dimensions of 1 are added, and a dimension of 1 is
/// repeated where `shape` has more.
/// \throws poplibs_error naming both shapes where another dimension differs.
void broadcastToMatch(poplar::Tensor& a, const std::vector<std::size_t>& shape);
/// Makes all of them views of one shape: of each dimension, counted from the last, the size that
/// is not 1. \throws poplibs_error where two such sizes differ.
void broadcastToMatch(poplar::Tensor& a, poplar::Tensor& b);
void broadcastToMatch(poplar::Tensor& a, poplar::Tensor& b, poplar::Tensor& c);

bool canBroadcastToMatch(const poplar::Tensor& a, const poplar::Tensor& b);

}  // namespace poputil

#pragma GCC visibility pop

#endif
