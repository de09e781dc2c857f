// The sum of several tensors, element by element. After popart/popx/op/sumx.hpp of PopART 3.
#ifndef popart_popx_op_sumx_hpp
#define popart_popx_op_sumx_hpp

#include <popart/popx/opx.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

/// Inputs with the shape of the output get its layout.
class SumOpx : public Opx {
 public:
  SumOpx(Op* op, Devicex* devicex);
  ~SumOpx() override;

  void grow(poplar::program::Sequence& prog) const final;
  InputCreatorType getInputCreatorType(InIndex index) const final;
  poplar::Tensor unwindTensorLayout(poplar::Tensor tensor, InIndex in, OutIndex out) const final;
  view::RegMap unwindRegion(InIndex in, OutIndex out) const final;
};

/// The gradient of an input: a sum over the dimensions that were broadcast.
class SumArgGradOpx : public Opx {
 public:
  SumArgGradOpx(Op* op, Devicex* devicex);
  ~SumArgGradOpx() override;

  void grow(poplar::program::Sequence& prog) const final;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
