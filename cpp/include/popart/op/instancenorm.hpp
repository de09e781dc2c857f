// Normalization of each channel of each sample. After popart/op/instancenorm.hpp of PopART 3.
#ifndef popart_op_instancenorm_hpp
#define popart_op_instancenorm_hpp

#include <popart/op/builtin.hpp>

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
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getSubgraphValue() const override { return getHighSubgraphValue(); }
  float getEpsilon() const { return epsilon_; }
  bool isNorm() const override { return true; }

 private:
  float epsilon_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
