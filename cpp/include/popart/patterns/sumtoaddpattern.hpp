// Makes an addition of a sum of two. After popart/patterns/sumtoaddpattern.hpp of PopART 3.
#ifndef popart_patterns_sumtoaddpattern_hpp
#define popart_patterns_sumtoaddpattern_hpp

#include <popart/patterns/pattern.hpp>

#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// For graphs of a program: the compiler lowers sums as they are.
class SumToAddPattern : public PreAliasPattern {
 public:
  ~SumToAddPattern() override;
  bool matches(Op* op) const override;
  std::vector<const Tensor*> touches(Op*) const override;
  bool apply(Op* op) const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
