// Takes the hyperbolic cosine apart. After popart/patterns/coshoppattern.hpp of PopART 3.
#ifndef popart_patterns_coshoppattern_hpp
#define popart_patterns_coshoppattern_hpp

#include <popart/patterns/pattern.hpp>

#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// (exp(x) + exp(-x)) / 2. For graphs of a program: the compiler lowers the operator as it is.
class CoshOpPattern : public PreAliasPattern {
 public:
  ~CoshOpPattern() override;
  bool matches(Op* op) const override;
  std::vector<const Tensor*> touches(Op*) const override;
  bool apply(Op* op) const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
