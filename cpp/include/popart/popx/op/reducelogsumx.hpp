// The logarithm of the sum over dimensions. After popart/popx/op/reducelogsumx.hpp of PopART 3.
#ifndef popart_popx_op_reducelogsumx_hpp
#define popart_popx_op_reducelogsumx_hpp

#include <popart/popx/opx.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

/// Of an operator of ReduceOp's class.
class ReduceLogSumOpx : public Opx {
 public:
  ReduceLogSumOpx(Op* op, Devicex* devicex);
  ~ReduceLogSumOpx() override;

  void grow(poplar::program::Sequence& prog) const override;
};

/// The gradient, of that of the output and the input and the output of the operator. Of an operator of ReduceGradOp's class.
class ReduceLogSumGradOpx : public Opx {
 public:
  ReduceLogSumGradOpx(Op* op, Devicex* devicex);
  ~ReduceLogSumGradOpx() override;

  void grow(poplar::program::Sequence& prog) const override;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
