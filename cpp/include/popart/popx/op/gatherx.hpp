// popart/popx/op/gatherx.hpp: what lowerings of gathers share.
#ifndef popart_popx_op_gatherx_hpp
#define popart_popx_op_gatherx_hpp

#include <popart/popx/opx.hpp>

#include <tuple>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

/// The lowering of a Gather's gradient is the compiler's; these are its tools.
class GatherGradOpx {
 public:
  /// Views for popops::multiUpdateAdd along `axis`: `target` as [entries, the rest], `update` as
  /// [lookups, 1, the rest], `indices` as [lookups, 1] of UNSIGNED_INT. `update` has the shape of
  /// `indices` in place of the target's axis. With several groups the first dimension of all three
  /// is the group, and the views are for popops::groupedMultiUpdateAdd: the group, then as above.
  /// \throws error for a group size below 1, an axis outside of the target or of the groups, and
  /// tensors whose first dimension is not the number of groups.
  static std::tuple<poplar::Tensor, poplar::Tensor, poplar::Tensor> handleNDMultiUpdate(
      poplar::Tensor target, poplar::Tensor update, poplar::Tensor indices, int64_t axis,
      int64_t groupSize = 1);
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
