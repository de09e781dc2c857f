// Takes away what gives its input unchanged, with the input. After popart/patterns/preunirepl.hpp of PopART 3.
#ifndef popart_patterns_preunirepl_hpp
#define popart_patterns_preunirepl_hpp

#include <popart/patterns/pattern.hpp>

#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// A sum of one tensor, or a pad of nothing, whose input nothing else reads: what makes the input makes
/// the output. For graphs of a program: the compiler has OpToIdentity.
class PreUniRepl : public PreAliasPattern {
 public:
  ~PreUniRepl() override;
  bool matches(Op* op) const override;
  std::vector<const Tensor*> touches(Op* op) const override;
  bool apply(Op* op) const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
