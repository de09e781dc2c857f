// The sum of squares over dimensions. After popart/popx/op/reducesumsquarex.hpp of PopART 3.
#ifndef popart_popx_op_reducesumsquarex_hpp
#define popart_popx_op_reducesumsquarex_hpp

#include <popart/popx/opx.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

/// Of an operator of ReduceOp's class.
class ReduceSumSquareOpx : public Opx {
 public:
  ReduceSumSquareOpx(Op* op, Devicex* devicex);
  ~ReduceSumSquareOpx() override;

  void grow(poplar::program::Sequence& prog) const override;
};

/// The gradient, of that of the output and the input of the operator. Of an operator of ReduceGradOp's class.
class ReduceSumSquareGradOpx : public Opx {
 public:
  ReduceSumSquareGradOpx(Op* op, Devicex* devicex);
  ~ReduceSumSquareGradOpx() override;

  void grow(poplar::program::Sequence& prog) const override;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
