// Takes a step of the optimizer apart. After popart/patterns/sgd1decompose.hpp of PopART 3.
#ifndef popart_patterns_sgd1decompose_hpp
#define popart_patterns_sgd1decompose_hpp

#include <popart/patterns/optimizerdecompose.hpp>

#pragma GCC visibility push(default)

namespace popart {

/// A step of SGD with momentum and one state, Accl___: AccumulateOp, SGD1VarUpdateOp, then SGD1AcclUpdateOp for the next step.
class SGD1Decompose : public OptimizerDecompose {
 public:
  ~SGD1Decompose() override;
  bool matches(Op* op) const override;
  bool apply(Op* op) const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
