// The least of several tensors, element by element. After popart/popx/op/minx.hpp of PopART 3.
#ifndef popart_popx_op_minx_hpp
#define popart_popx_op_minx_hpp

#include <popart/popx/opx.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

/// Inputs with the shape of the output get its layout.
class MinOpx : public Opx {
 public:
  MinOpx(Op* op, Devicex* devicex);
  ~MinOpx() override;

  void grow(poplar::program::Sequence& prog) const final;
  InputCreatorType getInputCreatorType(InIndex index) const override;
  poplar::Tensor unwindTensorLayout(poplar::Tensor tensor, InIndex in, OutIndex out) const override;
  view::RegMap unwindRegion(InIndex in, OutIndex out) const override;
};

/// The gradient of an input, of the output, this input and the gradient of the output.
class MinArgGradOpx : public Opx {
 public:
  MinArgGradOpx(Op* op, Devicex* devicex);
  ~MinArgGradOpx() override;

  void grow(poplar::program::Sequence& prog) const final;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
