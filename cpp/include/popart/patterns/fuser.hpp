// Base of patterns that make one operator of two. After popart/patterns/fuser.hpp of PopART 3.
#ifndef popart_patterns_fuser_hpp
#define popart_patterns_fuser_hpp

#include <popart/patterns/pattern.hpp>

#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// An operator of the kind get0(), whose only output only one of the kind get1() reads, as input 0:
/// what moveMergedIntoIr() makes takes the inputs of the first and the outputs of the second.
class Fuser : public PreAliasPattern {
 public:
  ~Fuser() override;
  bool matches(Op* op) const final;
  std::vector<const Tensor*> touches(Op* op) const final;
  bool apply(Op* op) const final;

 private:
  virtual const OperatorIdentifier& get0() const = 0;
  virtual const OperatorIdentifier& get1() const = 0;
  /// Adds the new operator to the graph of the first one, without tensors. Returns its id.
  virtual OpId moveMergedIntoIr(Op* baseOp) const = 0;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
