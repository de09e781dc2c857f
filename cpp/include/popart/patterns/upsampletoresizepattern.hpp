// Upsample by Resize. After popart/patterns/upsampletoresizepattern.hpp of PopART 3.
#ifndef popart_patterns_upsampletoresizepattern_hpp
#define popart_patterns_upsampletoresizepattern_hpp

#include <popart/patterns/pattern.hpp>

#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// An UpsampleOp becomes a ResizeOp, as version 10 has it.
class UpsampleToResizePattern : public PreAliasPattern {
 public:
  ~UpsampleToResizePattern() override;
  bool matches(Op* op) const override;
  std::vector<const Tensor*> touches(Op* op) const override;
  bool apply(Op* op) const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
