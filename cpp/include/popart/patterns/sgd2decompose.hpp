// Takes a step of the optimizer apart. After popart/patterns/sgd2decompose.hpp of PopART 3.
#ifndef popart_patterns_sgd2decompose_hpp
#define popart_patterns_sgd2decompose_hpp

#include <popart/patterns/optimizerdecompose.hpp>

#pragma GCC visibility push(default)

namespace popart {

/// A step of SGD with momentum and its own state, Accl1___: SGD2PartialAcclUpdateOp, AccumulateOp, SGD2VarUpdateOp.
class SGD2Decompose : public OptimizerDecompose {
 public:
  ~SGD2Decompose() override;
  bool matches(Op* op) const override;
  bool apply(Op* op) const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
