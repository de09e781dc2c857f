// The sum of absolute values over dimensions. After popart/popx/op/reducel1x.hpp of PopART 3.
#ifndef popart_popx_op_reducel1x_hpp
#define popart_popx_op_reducel1x_hpp

#include <popart/popx/opx.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

/// Of an operator of ReduceOp's class.
class ReduceL1Opx : public Opx {
 public:
  ReduceL1Opx(Op* op, Devicex* devicex);
  ~ReduceL1Opx() override;

  void grow(poplar::program::Sequence& prog) const override;
};

/// The gradient, of that of the output and the input of the operator. Of an operator of ReduceGradOp's class.
class ReduceL1GradOpx : public Opx {
 public:
  ReduceL1GradOpx(Op* op, Devicex* devicex);
  ~ReduceL1GradOpx() override;

  void grow(poplar::program::Sequence& prog) const override;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
