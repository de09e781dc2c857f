// Takes a step of the optimizer apart. After popart/patterns/adaptivedecompose.hpp of PopART 3.
#ifndef popart_patterns_adaptivedecompose_hpp
#define popart_patterns_adaptivedecompose_hpp

#include <popart/patterns/optimizerdecompose.hpp>

#pragma GCC visibility push(default)

namespace popart {

/// A step of AdaGrad, RMSProp or AdaDelta: AccumulateOp of the states, RMSPropUpdaterOp or
/// AdaDeltaUpdaterOp, ScaledVarUpdateOp.
class AdaptiveDecompose : public OptimizerDecompose {
 public:
  ~AdaptiveDecompose() override;
  bool matches(Op* op) const final;
  bool apply(Op* op) const final;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
