// Tensors in a row along a dimension. After popart/popx/op/concatx.hpp of PopART 3.
#ifndef popart_popx_op_concatx_hpp
#define popart_popx_op_concatx_hpp

#include <popart/popx/opx.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

/// Of an operator of ConcatOp's class.
class BaseConcatOpx : public Opx {
 public:
  BaseConcatOpx(Op* op, Devicex* devicex);
  ~BaseConcatOpx() override;

  InputCreatorType getInputCreatorType(InIndex index) const final;
  poplar::Tensor unwindTensorLayout(poplar::Tensor tensor, InIndex in, OutIndex out) const final;
  view::RegMap unwindRegion(InIndex in, OutIndex out) const final;
};

/// A copy.
class ConcatOpx : public BaseConcatOpx {
 public:
  ConcatOpx(Op* op, Devicex* devicex);
  ~ConcatOpx() override;

  void grow(poplar::program::Sequence& prog) const final;
};

/// A view of the inputs.
class ConcatInplaceOpx : public BaseConcatOpx {
 public:
  ConcatInplaceOpx(Op* op, Devicex* devicex);
  ~ConcatInplaceOpx() override;

  void grow(poplar::program::Sequence& prog) const final;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
