// gamma times Elu. After popart/op/selu.hpp of PopART 3.
#ifndef popart_op_selu_hpp
#define popart_op_selu_hpp

#include <popart/op/elementwise.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class SeluOp : public ElementWiseUnaryOp {
 public:
  SeluOp(const OperatorIdentifier& opid, float alpha, float gamma, const Op::Settings& settings)
      : ElementWiseUnaryOp(opid, settings), alpha_(alpha), gamma_(gamma) {}
  ~SeluOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getAlpha() const { return alpha_; }
  float getGamma() const { return gamma_; }

 private:
  float alpha_, gamma_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
