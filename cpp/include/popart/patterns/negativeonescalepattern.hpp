// Makes a negation of a scaling by -1. After popart/patterns/negativeonescalepattern.hpp of PopART 3.
#ifndef popart_patterns_negativeonescalepattern_hpp
#define popart_patterns_negativeonescalepattern_hpp

#include <popart/patterns/sequenceexpander.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// For graphs of a program: the compiler has one pass for each.
class NegativeOneScalePattern : public SequenceExpander {
 public:
  ~NegativeOneScalePattern() override;
  bool matches(Op* op) const override;

 private:
  std::vector<std::unique_ptr<Op>> sequence(Op* op) const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
