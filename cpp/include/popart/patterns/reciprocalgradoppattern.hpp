// Takes a gradient of an element-wise operator apart. After popart/patterns/reciprocalgradoppattern.hpp of PopART 3.
#ifndef popart_patterns_reciprocalgradoppattern_hpp
#define popart_patterns_reciprocalgradoppattern_hpp

#include <popart/patterns/pattern.hpp>

#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// The gradient of a reciprocal becomes -g / (x * x).
class ReciprocalGradOpPattern : public PreAliasPattern {
 public:
  ~ReciprocalGradOpPattern() override;
  bool matches(Op* op) const override;
  std::vector<const Tensor*> touches(Op*) const override;
  bool apply(Op* op) const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
