// Reshapes to the shape of the output. After popart/popx/op/reshapex.hpp of PopART 3.
#ifndef popart_popx_op_reshapex_hpp
#define popart_popx_op_reshapex_hpp

#include <popart/popx/opx.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class ReshapeBaseOpx : public Opx {
 public:
  ReshapeBaseOpx(Op* op, Devicex* devicex);
  ~ReshapeBaseOpx() override;

  InputCreatorType getInputCreatorType(InIndex index) const final;
  poplar::Tensor unwindTensorLayout(poplar::Tensor tensor, InIndex in, OutIndex out) const final;
  view::RegMap unwindRegion(InIndex in, OutIndex out) const final;
};

/// A copy.
class ReshapeOpx : public ReshapeBaseOpx {
 public:
  ReshapeOpx(Op* op, Devicex* devicex);
  ~ReshapeOpx() override;

  void grow(poplar::program::Sequence& prog) const final;
};

/// A view of the input.
class ReshapeInplaceOpx : public ReshapeBaseOpx {
 public:
  ReshapeInplaceOpx(Op* op, Devicex* devicex);
  ~ReshapeInplaceOpx() override;

  void grow(poplar::program::Sequence& prog) const final;
};

class ReshapeGradOpx : public ReshapeOpx {
 public:
  ReshapeGradOpx(Op* op, Devicex* devicex);
  ~ReshapeGradOpx() override;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
