// popart/op/randombase.hpp: operators that draw random numbers.
#ifndef popart_op_randombase_hpp
#define popart_op_randombase_hpp

#include <popart/op/builtin.hpp>

#pragma GCC visibility push(default)

namespace popart {

/// An operator with a seed among its inputs.
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
