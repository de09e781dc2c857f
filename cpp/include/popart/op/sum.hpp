// The sum of any number of tensors. After popart/op/sum.hpp of PopART 3.
#ifndef popart_op_sum_hpp
#define popart_op_sum_hpp

#include <popart/op/builtin.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// Any number of inputs, which are broadcast; one output.
class VariadicOp : public Op {
 public:
  using Op::Op;
  ~VariadicOp() override;

  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override = 0;
  void setup() final;
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
  /// True with a single input.
  bool canBeReplacedByIdentity() const final { return input->n() == 1; }
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
};

/// The sum of the inputs.
class SumOp : public VariadicOp {
 public:
  using VariadicOp::VariadicOp;
  ~SumOp() override;

  std::unique_ptr<Op> clone() const override;
  bool canShard() const override { return true; }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
