// Transposes that move nothing. After popart/patterns/transposetoidentityorreshape.hpp of PopART 3.
#ifndef popart_patterns_transposetoidentityorreshape_hpp
#define popart_patterns_transposetoidentityorreshape_hpp

#include <popart/patterns/pattern.hpp>

#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// A Transpose that keeps all dimensions in place becomes an Identity; one that moves dimensions of size 1
/// alone a Reshape.
class TransposeToIdentityOrReshapePattern : public PreAliasPattern {
 public:
  ~TransposeToIdentityOrReshapePattern() override;
  bool matches(Op* op) const override;
  std::vector<const Tensor*> touches(Op* op) const override;
  bool apply(Op* op) const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
