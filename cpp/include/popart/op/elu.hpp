// x, or alpha (exp(x) - 1) below 0. After popart/op/elu.hpp of PopART 3.
#ifndef popart_op_elu_hpp
#define popart_op_elu_hpp

#include <popart/op/elementwise.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class EluOp : public ElementWiseUnaryOp {
 public:
  EluOp(const OperatorIdentifier& opid, float alpha, const Op::Settings& settings)
      : ElementWiseUnaryOp(opid, settings), alpha_(alpha) {}
  ~EluOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float alpha() const { return alpha_; }

 private:
  float alpha_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
