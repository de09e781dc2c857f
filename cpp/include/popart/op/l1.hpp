// The scaled L1 norm. After popart/op/l1.hpp of PopART 3.
#ifndef popart_op_l1_hpp
#define popart_op_l1_hpp

#include <popart/op/loss.hpp>

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

}  // namespace popart

#pragma GCC visibility pop

#endif
