// Lowerings of Reverse. After popart/popx/op/reversex.hpp of PopART 3.
#ifndef popart_popx_op_reversex_hpp
#define popart_popx_op_reversex_hpp

#include <popart/popx/opx.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

/// The input with its elements in the opposite order along the operator's dimensions.
class ReverseBaseOpx : public Opx {
 public:
  ReverseBaseOpx(Op* op, Devicex* devicex);
  ~ReverseBaseOpx() override;

  InputCreatorType getInputCreatorType(InIndex) const final { return InputCreatorType::CanUnwind; }
  poplar::Tensor unwindTensorLayout(poplar::Tensor tensor, InIndex in, OutIndex out) const final;

 protected:
  poplar::Tensor reversed(const poplar::Tensor& tensor) const;
};

class ReverseOpx : public ReverseBaseOpx {
 public:
  ReverseOpx(Op* op, Devicex* devicex);
  ~ReverseOpx() override;

  void grow(poplar::program::Sequence& prog) const override;
};

/// A view of the input.
class ReverseInplaceOpx : public ReverseBaseOpx {
 public:
  ReverseInplaceOpx(Op* op, Devicex* devicex);
  ~ReverseInplaceOpx() override;

  void grow(poplar::program::Sequence& prog) const override;
};

class ReverseGradOpx : public ReverseOpx {
 public:
  using ReverseOpx::ReverseOpx;
  ~ReverseGradOpx() override;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
