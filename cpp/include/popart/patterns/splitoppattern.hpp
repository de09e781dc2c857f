// Makes slices of a split. After popart/patterns/splitoppattern.hpp of PopART 3.
#ifndef popart_patterns_splitoppattern_hpp
#define popart_patterns_splitoppattern_hpp

#include <popart/patterns/pattern.hpp>

#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// One for each output. For graphs of a program: the compiler has views.
class SplitOpPattern : public PreAliasPattern {
 public:
  ~SplitOpPattern() override;
  bool matches(Op* op) const override;
  std::vector<const Tensor*> touches(Op*) const override;
  bool apply(Op* op) const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
