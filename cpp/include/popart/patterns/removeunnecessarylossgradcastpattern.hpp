// Takes casts of loss scalings away. After popart/patterns/removeunnecessarylossgradcastpattern.hpp
// of PopART 3.
#ifndef popart_patterns_removeunnecessarylossgradcastpattern_hpp
#define popart_patterns_removeunnecessarylossgradcastpattern_hpp

#include <popart/patterns/pattern.hpp>

#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// The gradient of a loss of halves gets its loss scaling, one number that is cast to half, as it was
/// before the cast, where it may be larger than a half. For graphs of a program; the compiler's
/// gradients of losses take a scaling of any type.
class RemoveUnnecessaryLossGradCast : public PreAliasPattern {
 public:
  ~RemoveUnnecessaryLossGradCast() override;
  bool matches(Op* op) const override;
  std::vector<const Tensor*> touches(Op*) const override { return {}; }
  bool apply(Op* op) const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
