// Weights of a convolution that are flipped twice. After popart/patterns/convflipweightsdoubleflippattern.hpp of PopART 3.
#ifndef popart_patterns_convflipweightsdoubleflippattern_hpp
#define popart_patterns_convflipweightsdoubleflippattern_hpp

#include <popart/patterns/pattern.hpp>

#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// The weights are read as they were before the first flip, if both have the same parameters.
class ConvFlipWeightsDoubleFlipPattern : public PreAliasPattern {
 public:
  ~ConvFlipWeightsDoubleFlipPattern() override;
  bool matches(Op* op) const override;
  std::vector<const Tensor*> touches(Op* op) const override;
  bool apply(Op* op) const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
