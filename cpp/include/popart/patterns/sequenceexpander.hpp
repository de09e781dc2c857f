// Base of patterns that put a chain of operators in place of one. After popart/patterns/sequenceexpander.hpp of PopART 3.
#ifndef popart_patterns_sequenceexpander_hpp
#define popart_patterns_sequenceexpander_hpp

#include <popart/patterns/pattern.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// What sequence() returns takes the place of the operator: each one's input 0 is the output 0 of the
/// one before. The first gets the operator's inputs by their indices, and the last its outputs; both
/// at index 0 where there is one.
class SequenceExpander : public PreAliasPattern {
 public:
  ~SequenceExpander() override;
  std::vector<const Tensor*> touches(Op*) const final { return {}; }
  /// \throws error if the sequence is empty
  bool apply(Op* op) const final;

 private:
  virtual std::vector<std::unique_ptr<Op>> sequence(Op* op) const = 0;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
