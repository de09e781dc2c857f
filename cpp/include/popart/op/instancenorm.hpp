// Normalization of each channel of each sample. After popart/op/instancenorm.hpp of PopART 3.
#ifndef popart_op_instancenorm_hpp
#define popart_op_instancenorm_hpp

#include <popart/op/builtin.hpp>
#include <popart/op/gradient.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class InstanceNormOp : public Op {
 public:
  InstanceNormOp(const OperatorIdentifier& opid, float epsilon, const Op::Settings& settings)
      : Op(opid, settings), epsilon_(epsilon) {}
  ~InstanceNormOp() override;

  static InIndex getInputInIndex() { return 0; }
  static InIndex getScaleInIndex() { return 1; }
  static InIndex getBInIndex() { return 2; }
  static OutIndex getOutIndex() { return 0; }
  static OutIndex getMeanOutIndex() { return 1; }
  static OutIndex getInvStdDevOutIndex() { return 2; }
  std::unique_ptr<Op> clone() const override;
  void setup() override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getSubgraphValue() const override { return getHighSubgraphValue(); }
  float getEpsilon() const { return epsilon_; }
  bool isNorm() const override { return true; }

 private:
  float epsilon_;
};

/// The gradients of its inputs. Mean and deviation are read, if the operator gives them.
class InstanceNormGradOp : public builtin::GradOp {
 public:
  explicit InstanceNormGradOp(const InstanceNormOp& fwdOp);
  ~InstanceNormGradOp() override;

  static InIndex getInputInIndex() { return 0; }
  static InIndex getScaleInIndex() { return 1; }
  static InIndex getOutGradInIndex() { return 2; }
  static InIndex getMeanInIndex() { return 3; }
  static InIndex getInvStdDevInIndex() { return 4; }
  static OutIndex getInputOutIndex() { return 0; }
  static OutIndex getScaleOutIndex() { return 1; }
  static OutIndex getBOutIndex() { return 2; }
  std::unique_ptr<Op> clone() const final;
  float getSubgraphValue() const final { return getHighSubgraphValue(); }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
