// Casts before it expands. After popart/patterns/expandcast.hpp of PopART 3.
#ifndef popart_patterns_expandcast_hpp
#define popart_patterns_expandcast_hpp

#include <popart/patterns/pattern.hpp>

#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// A Cast of an Expand that nothing else reads. For graphs of a program: the compiler fuses casts.
class ExpandCastPattern : public PreAliasPattern {
 public:
  ~ExpandCastPattern() override;
  bool matches(Op* op) const override;
  std::vector<const Tensor*> touches(Op* op) const override;
  bool apply(Op* op) const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
