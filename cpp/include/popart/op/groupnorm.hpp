// Group normalization. After popart/op/groupnorm.hpp of PopART 3.
#ifndef popart_op_groupnorm_hpp
#define popart_op_groupnorm_hpp

#include <popart/op/builtin.hpp>
#include <popart/op/gradient.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// Inputs x, scale and b; outputs y, the mean and the inverse standard deviation of each group.
class GroupNormOp : public Op {
 public:
  GroupNormOp(const OperatorIdentifier& opid, int64_t numGroups, float epsilon,
              const Op::Settings& settings)
      : Op(opid, settings), numGroups_(numGroups), epsilon_(epsilon) {}
  ~GroupNormOp() override;

  static InIndex getXInIndex() { return 0; }
  static InIndex getScaleInIndex() { return 1; }
  static InIndex getBInIndex() { return 2; }
  static OutIndex getYOutIndex() { return 0; }
  static OutIndex getMeanOutIndex() { return 1; }
  static OutIndex getInvStdDevOutIndex() { return 2; }
  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
  void setup() override;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getSubgraphValue() const override { return getHighSubgraphValue(); }
  bool canShard() const override { return true; }
  bool isNorm() const override { return true; }
  float getEpsilon() const { return epsilon_; }
  int64_t getNumGroups() const { return numGroups_; }

 private:
  int64_t numGroups_;
  float epsilon_;
};

/// The gradients of its inputs, of that of the result and the statistics.
class GroupNormGradOp : public builtin::GradOp {
 public:
  explicit GroupNormGradOp(const GroupNormOp& fwdOp);
  ~GroupNormGradOp() override;

  static InIndex getXInIndex() { return 0; }
  static InIndex getScaleInIndex() { return 1; }
  static InIndex getMeanInIndex() { return 2; }
  static InIndex getInvStdDevInIndex() { return 3; }
  static InIndex getYGradInIndex() { return 4; }
  static OutIndex getXGradOutIndex() { return 0; }
  static OutIndex getScaleOutIndex() { return 1; }
  static OutIndex getBOutIndex() { return 2; }
  std::unique_ptr<Op> clone() const final;
  float getEpsilon() const { return epsilon_; }
  float getSubgraphValue() const final { return getHighSubgraphValue(); }
  bool canShard() const override { return true; }

 private:
  float epsilon_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
