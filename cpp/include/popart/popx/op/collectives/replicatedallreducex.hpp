// Lowers ReplicatedAllReduce. After popart/popx/op/collectives/replicatedallreducex.hpp of PopART 3.
#ifndef popart_popx_op_collectives_replicatedallreducex_hpp
#define popart_popx_op_collectives_replicatedallreducex_hpp

#include <popart/popx/op/collectives/collectivesx.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class ReplicatedAllReduceOpx : public either::CollectivesBaseOpx {
 public:
  /// \throws error if the operator is no ReplicatedAllReduceOp
  ReplicatedAllReduceOpx(Op* op, Devicex* devicex);
  ~ReplicatedAllReduceOpx() override;

  void grow(poplar::program::Sequence& prog) const override;
  /// By default calls the other one. A class that derives from this overrides either.
  void grow(snap::program::Sequence& prog) const override { grow(prog.getPoplarSequence()); }
  void growProgram(poplar::program::Sequence& prog) const final;
  InputCreatorType getInputCreatorType(InIndex index) const final;
  poplar::Tensor unwindTensorLayout(poplar::Tensor tensor, InIndex in, OutIndex out) const final;
  view::RegMap unwindRegion(InIndex in, OutIndex out) const final;
};

/// Writes the result to the input.
class ReplicatedAllReduceInplaceOpx : public ReplicatedAllReduceOpx {
 public:
  ReplicatedAllReduceInplaceOpx(Op* op, Devicex* devicex);
  ~ReplicatedAllReduceInplaceOpx() override;

  void grow(poplar::program::Sequence& prog) const final;
  using ReplicatedAllReduceOpx::grow;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
