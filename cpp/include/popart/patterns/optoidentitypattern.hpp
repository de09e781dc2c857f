// Makes identities of what gives its input unchanged. After popart/patterns/optoidentitypattern.hpp of PopART 3.
#ifndef popart_patterns_optoidentitypattern_hpp
#define popart_patterns_optoidentitypattern_hpp

#include <popart/patterns/sequenceexpander.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// Operators with one input and one output for which `canBeReplacedByIdentity`.
class OpToIdentityPattern : public SequenceExpander {
 public:
  ~OpToIdentityPattern() override;
  bool matches(Op* op) const override;

 private:
  std::vector<std::unique_ptr<Op>> sequence(Op* op) const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
