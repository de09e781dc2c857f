// Lamb's norms. After popart/op/lamb.hpp of PopART 3.
#ifndef popart_op_lamb_hpp
#define popart_op_lamb_hpp

#include <popart/op/builtin.hpp>

#include <memory>

#pragma GCC visibility push(default)

namespace popart {

/// The sum of squares of a tensor, as a scalar FLOAT. popir's AdamVarUpdate computes it; so no graph
/// of popir's own has this operator: it is for those that a program makes.
class LambSquareOp : public Op {
 public:
  explicit LambSquareOp(const Op::Settings& settings);
  ~LambSquareOp() override;

  static InIndex getInIndex() { return 0; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  void setup() override;
  ReplicatedTensorShardingIndices getReplicatedTensorShardingIndices() const override {
    return {{{getInIndex()}, {}}};
  }
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
