// Takes a gradient of an element-wise operator apart. After popart/patterns/loggradoppattern.hpp of PopART 3.
#ifndef popart_patterns_loggradoppattern_hpp
#define popart_patterns_loggradoppattern_hpp

#include <popart/patterns/pattern.hpp>

#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// The gradient of a logarithm becomes g / x.
class LogGradOpPattern : public PreAliasPattern {
 public:
  ~LogGradOpPattern() override;
  bool matches(Op* op) const override;
  std::vector<const Tensor*> touches(Op*) const override;
  bool apply(Op* op) const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
