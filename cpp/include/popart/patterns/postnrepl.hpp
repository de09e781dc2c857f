// Takes away what gives its input unchanged, with the output. After popart/patterns/postnrepl.hpp of PopART 3.
#ifndef popart_patterns_postnrepl_hpp
#define popart_patterns_postnrepl_hpp

#include <popart/patterns/pattern.hpp>

#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// An identity, a sum of one tensor, or a pad of nothing: what reads the output reads the input. The
/// outputs of a graph stay. For graphs of a program: the compiler makes identities views.
class PostNRepl : public PreAliasPattern {
 public:
  ~PostNRepl() override;
  bool matches(Op* op) const override;
  std::vector<const Tensor*> touches(Op* op) const override;
  bool apply(Op* op) const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
