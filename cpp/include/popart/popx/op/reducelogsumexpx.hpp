// The logarithm of the sum of exponentials over dimensions.
// After popart/popx/op/reducelogsumexpx.hpp of PopART 3.
#ifndef popart_popx_op_reducelogsumexpx_hpp
#define popart_popx_op_reducelogsumexpx_hpp

#include <popart/popx/opx.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

/// Of an operator of ReduceOp's class.
class ReduceLogSumExpOpx : public Opx {
 public:
  ReduceLogSumExpOpx(Op* op, Devicex* devicex);
  ~ReduceLogSumExpOpx() override;

  void grow(poplar::program::Sequence& prog) const override;
};

/// The gradient, of that of the output and the input and the output of the operator. Of an operator of ReduceGradOp's class.
class ReduceLogSumExpGradOpx : public Opx {
 public:
  ReduceLogSumExpGradOpx(Op* op, Devicex* devicex);
  ~ReduceLogSumExpGradOpx() override;

  void grow(poplar::program::Sequence& prog) const override;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
