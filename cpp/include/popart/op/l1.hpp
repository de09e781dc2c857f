// The scaled L1 norm. After popart/op/l1.hpp of PopART 3.
#ifndef popart_op_l1_hpp
#define popart_op_l1_hpp

#include <popart/op/loss.hpp>

#include <map>
#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// lambda * |x|, reduced.
class L1Op : public LossOp {
 public:
  L1Op(const OperatorIdentifier& opid, float lambda, ReductionType reduction,
       const Op::Settings& settings)
      : LossOp(opid, settings, reduction), lambda_(lambda) {}
  ~L1Op() override;

  static InIndex getInIndex() { return 0; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
  void setup() override;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
  float getLambda() const { return lambda_; }

 private:
  float lambda_;
};

/// The gradient of the loss times lambda, or with Mean over the number of elements too, and the sign
/// of the input. For graphs that a program makes.
class L1GradOp : public Op {
 public:
  explicit L1GradOp(const L1Op& op);
  ~L1GradOp() override;

  static InIndex getFwdActInIndex() { return 0; }
  static InIndex getGradInIndex() { return 1; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  void setup() override { outInfo(getOutIndex()) = inInfo(getFwdActInIndex()); }
  const std::vector<GradInOutMapper>& gradInputInfo() const override;
  const std::map<int, int>& gradOutToNonGradIn() const override;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
  float getLambda() const { return lambda_; }
  ReductionType getReductionType() const { return reduction_; }

 private:
  float lambda_;
  ReductionType reduction_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
