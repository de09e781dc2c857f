// Takes a gradient of an element-wise operator apart. After popart/patterns/expm1gradoppattern.hpp of PopART 3.
#ifndef popart_patterns_expm1gradoppattern_hpp
#define popart_patterns_expm1gradoppattern_hpp

#include <popart/patterns/pattern.hpp>

#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// The gradient of exp(x) - 1 becomes g * y + g.
class Expm1GradOpPattern : public PreAliasPattern {
 public:
  ~Expm1GradOpPattern() override;
  bool matches(Op* op) const override;
  std::vector<const Tensor*> touches(Op*) const override;
  bool apply(Op* op) const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
