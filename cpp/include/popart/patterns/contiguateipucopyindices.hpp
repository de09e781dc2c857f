// Copies between IPUs that are no neighbours. After popart/patterns/contiguateipucopyindices.hpp of PopART 3.
#ifndef popart_patterns_contiguateipucopyindices_hpp
#define popart_patterns_contiguateipucopyindices_hpp

#include <popart/patterns/pattern.hpp>

#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// A copy from one IPU to another one becomes one copy for each step between them.
class ContiguateIpuCopyIndicesPattern : public PreAliasPattern {
 public:
  ~ContiguateIpuCopyIndicesPattern() override;
  bool matches(Op* op) const override;
  std::vector<const Tensor*> touches(Op* op) const override;
  bool apply(Op* op) const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
