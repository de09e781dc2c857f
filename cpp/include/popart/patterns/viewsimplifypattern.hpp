// Shortens chains of identities and reshapes. After popart/patterns/viewsimplifypattern.hpp of PopART 3.
#ifndef popart_patterns_viewsimplifypattern_hpp
#define popart_patterns_viewsimplifypattern_hpp

#include <popart/patterns/pattern.hpp>

#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// What follows another one takes its input. For graphs of a program: the compiler has views.
class ViewSimplifyPattern : public PreAliasPattern {
 public:
  ~ViewSimplifyPattern() override;
  bool matches(Op* op) const override;
  std::vector<const Tensor*> touches(Op* op) const override;
  bool apply(Op* op) const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
