// Permutations of dimensions. After popart/popx/op/transposex.hpp of PopART 3.
#ifndef popart_popx_op_transposex_hpp
#define popart_popx_op_transposex_hpp

#include <popart/popx/opx.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

/// A copy, of an operator of TransposeBaseOp's class.
class TransposeOpx : public Opx {
 public:
  TransposeOpx(Op* op, Devicex* devicex);
  ~TransposeOpx() override;

  void grow(poplar::program::Sequence& prog) const final;
  InputCreatorType getInputCreatorType(InIndex index) const final;
  poplar::Tensor unwindTensorLayout(poplar::Tensor tensor, InIndex in, OutIndex out) const final;
  view::RegMap unwindRegion(InIndex in, OutIndex out) const final;
};

/// A view of the input.
class TransposeInplaceOpx : public Opx {
 public:
  TransposeInplaceOpx(Op* op, Devicex* devicex);
  ~TransposeInplaceOpx() override;

  void grow(poplar::program::Sequence& prog) const final;
  InputCreatorType getInputCreatorType(InIndex index) const final;
  poplar::Tensor unwindTensorLayout(poplar::Tensor tensor, InIndex in, OutIndex out) const final;
  view::RegMap unwindRegion(InIndex in, OutIndex out) const final;
};

class TransposeGradOpx : public TransposeOpx {
 public:
  TransposeGradOpx(Op* op, Devicex* devicex);
  ~TransposeGradOpx() override;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
