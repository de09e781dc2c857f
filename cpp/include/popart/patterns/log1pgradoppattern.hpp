// Takes a gradient of an element-wise operator apart. After popart/patterns/log1pgradoppattern.hpp of PopART 3.
#ifndef popart_patterns_log1pgradoppattern_hpp
#define popart_patterns_log1pgradoppattern_hpp

#include <popart/patterns/pattern.hpp>

#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// The gradient of log(1 + x) becomes g / (x + 1).
class Log1pGradOpPattern : public PreAliasPattern {
 public:
  ~Log1pGradOpPattern() override;
  bool matches(Op* op) const override;
  std::vector<const Tensor*> touches(Op*) const override;
  bool apply(Op* op) const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
