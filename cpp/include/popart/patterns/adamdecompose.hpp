// Takes a step of the optimizer apart. After popart/patterns/adamdecompose.hpp of PopART 3.
#ifndef popart_patterns_adamdecompose_hpp
#define popart_patterns_adamdecompose_hpp

#include <popart/patterns/optimizerdecompose.hpp>

#pragma GCC visibility push(default)

namespace popart {

/// A step of Adam, AdaMax or Lamb: AccumulateOp of the moments, AdamUpdaterOp, LambSquareOp, AdamVarUpdateOp.
class AdamDecompose : public OptimizerDecompose {
 public:
  ~AdamDecompose() override;
  bool matches(Op* op) const final;
  bool apply(Op* op) const final;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
