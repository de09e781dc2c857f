// Takes a gradient of an element-wise operator apart. After popart/patterns/mularggradoppattern.hpp of PopART 3.
#ifndef popart_patterns_mularggradoppattern_hpp
#define popart_patterns_mularggradoppattern_hpp

#include <popart/patterns/pattern.hpp>

#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// The gradients of a and b in a * b become g * b and g * a, summed over what was broadcast.
class MulArgGradOpPattern : public PreAliasPattern {
 public:
  ~MulArgGradOpPattern() override;
  bool matches(Op* op) const override;
  std::vector<const Tensor*> touches(Op*) const override;
  bool apply(Op* op) const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
