// The gradient of flipped weights. After popart/patterns/convflipweightsgradoppattern.hpp of PopART 3.
#ifndef popart_patterns_convflipweightsgradoppattern_hpp
#define popart_patterns_convflipweightsgradoppattern_hpp

#include <popart/patterns/pattern.hpp>

#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// A ConvFlipWeightsGradOp becomes a ConvFlipWeightsOp, which it is.
class ConvFlipWeightsGradOpPattern : public PreAliasPattern {
 public:
  ~ConvFlipWeightsGradOpPattern() override;
  bool matches(Op* op) const override;
  std::vector<const Tensor*> touches(Op* op) const override;
  bool apply(Op* op) const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
