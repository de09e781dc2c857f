// Lowers ReplicatedReduceScatter. After popart/popx/op/collectives/replicatedreducescatterx.hpp of PopART 3.
#ifndef popart_popx_op_collectives_replicatedreducescatterx_hpp
#define popart_popx_op_collectives_replicatedreducescatterx_hpp

#include <popart/popx/op/collectives/collectivesx.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class ReplicatedReduceScatterOpx : public either::CollectivesBaseOpx {
 public:
  /// \throws error if the operator is no ReplicatedReduceScatterOp
  ReplicatedReduceScatterOpx(Op* op, Devicex* devicex);
  ~ReplicatedReduceScatterOpx() override;

  void grow(poplar::program::Sequence& prog) const override;
  void grow(snap::program::Sequence& prog) const final { grow(prog.getPoplarSequence()); }
  InputCreatorType getInputCreatorType(InIndex index) const final;
  poplar::Tensor unwindTensorLayout(poplar::Tensor tensor, InIndex in, OutIndex out) const final;
  view::RegMap unwindRegion(InIndex in, OutIndex out) const final;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
