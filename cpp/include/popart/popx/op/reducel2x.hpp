// The square root of the sum of squares over dimensions.
// After popart/popx/op/reducel2x.hpp of PopART 3.
#ifndef popart_popx_op_reducel2x_hpp
#define popart_popx_op_reducel2x_hpp

#include <popart/popx/opx.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

/// Of an operator of ReduceOp's class.
class ReduceL2Opx : public Opx {
 public:
  ReduceL2Opx(Op* op, Devicex* devicex);
  ~ReduceL2Opx() override;

  void grow(poplar::program::Sequence& prog) const override;
};

/// The gradient, of that of the output and the input and the output of the operator. Of an operator of ReduceGradOp's class.
class ReduceL2GradOpx : public Opx {
 public:
  ReduceL2GradOpx(Op* op, Devicex* devicex);
  ~ReduceL2GradOpx() override;

  void grow(poplar::program::Sequence& prog) const override;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
