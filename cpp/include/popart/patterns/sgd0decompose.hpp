// Takes a step of the optimizer apart. After popart/patterns/sgd0decompose.hpp of PopART 3.
#ifndef popart_patterns_sgd0decompose_hpp
#define popart_patterns_sgd0decompose_hpp

#include <popart/patterns/optimizerdecompose.hpp>

#pragma GCC visibility push(default)

namespace popart {

/// A step of SGD without momentum: SGD0VarUpdateOp.
class SGD0Decompose : public OptimizerDecompose {
 public:
  ~SGD0Decompose() override;
  bool matches(Op* op) const override;
  bool apply(Op* op) const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
