// x, or alpha x below 0. After popart/op/leakyrelu.hpp of PopART 3.
#ifndef popart_op_leakyrelu_hpp
#define popart_op_leakyrelu_hpp

#include <popart/op/elementwise.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class LeakyReluOp : public ElementWiseUnaryOp {
 public:
  LeakyReluOp(const OperatorIdentifier& opid, float alpha, const Op::Settings& settings)
      : ElementWiseUnaryOp(opid, settings), alpha_(alpha) {}
  ~LeakyReluOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getAlpha() const { return alpha_; }

 private:
  float alpha_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
