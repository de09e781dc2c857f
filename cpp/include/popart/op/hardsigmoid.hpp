// alpha x + beta, between 0 and 1. After popart/op/hardsigmoid.hpp of PopART 3.
#ifndef popart_op_hardsigmoid_hpp
#define popart_op_hardsigmoid_hpp

#include <popart/op/elementwise.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class HardSigmoidOp : public ElementWiseUnaryOp {
 public:
  HardSigmoidOp(const OperatorIdentifier& opid, float alpha, float beta,
                const Op::Settings& settings)
      : ElementWiseUnaryOp(opid, settings), alpha_(alpha), beta_(beta) {}
  ~HardSigmoidOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getAlpha() const { return alpha_; }
  float getBeta() const { return beta_; }

 private:
  float alpha_, beta_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
