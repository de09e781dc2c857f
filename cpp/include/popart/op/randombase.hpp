// Base class of random operators. After popart/op/randombase.hpp of PopART 3.
#ifndef popart_op_randombase_hpp
#define popart_op_randombase_hpp

#include <popart/op/builtin.hpp>

#pragma GCC visibility push(default)

namespace popart {

/// An operator with a seed input.
class RandomBaseOp : public Op {
 public:
  using Op::Op;
  ~RandomBaseOp() override;

  bool requiresRandomSeed() const final { return true; }
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
