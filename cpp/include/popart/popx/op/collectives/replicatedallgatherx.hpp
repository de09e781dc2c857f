// Lowers ReplicatedAllGather. After popart/popx/op/collectives/replicatedallgatherx.hpp of PopART 3.
#ifndef popart_popx_op_collectives_replicatedallgatherx_hpp
#define popart_popx_op_collectives_replicatedallgatherx_hpp

#include <popart/popx/op/collectives/collectivesx.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class ReplicatedAllGatherOpx : public either::CollectivesBaseOpx {
 public:
  /// \throws error if the operator is no ReplicatedAllGatherOp
  ReplicatedAllGatherOpx(Op* op, Devicex* devicex);
  ~ReplicatedAllGatherOpx() override;

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
