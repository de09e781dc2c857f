// Helpers for lowerings of gathers. After popart/popx/op/gatherx.hpp of PopART 3.
#ifndef popart_popx_op_gatherx_hpp
#define popart_popx_op_gatherx_hpp

#include <popart/popx/opx.hpp>

#include <tuple>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

/// Helpers only: the lowering of Gather's gradient is the compiler's.
class GatherGradOpx {
 public:
  /// Returns views of the tensors for popops::multiUpdateAdd along `axis`: `target` as [entries,
  /// rest], `update` as [lookups, 1, rest], `indices` as [lookups, 1] of UNSIGNED_INT. In `update`,
  /// the shape of `indices` replaces the axis of `target`. With several groups the first dimension
  /// of all three is the group; the views have it in front, for popops::groupedMultiUpdateAdd.
  /// \throws error if groupSize < 1, if the axis is outside of the target or is the group
  /// dimension, or if a first dimension is not the number of groups
  static std::tuple<poplar::Tensor, poplar::Tensor, poplar::Tensor> handleNDMultiUpdate(
      poplar::Tensor target, poplar::Tensor update, poplar::Tensor indices, int64_t axis,
      int64_t groupSize = 1);
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
