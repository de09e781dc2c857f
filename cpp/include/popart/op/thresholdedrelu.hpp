// x above alpha, else 0. After popart/op/thresholdedrelu.hpp of PopART 3.
#ifndef popart_op_thresholdedrelu_hpp
#define popart_op_thresholdedrelu_hpp

#include <popart/op/elementwise.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class ThresholdedReluOp : public ElementWiseUnaryOp {
 public:
  ThresholdedReluOp(const OperatorIdentifier& opid, float alpha, const Op::Settings& settings)
      : ElementWiseUnaryOp(opid, settings), alpha_(alpha) {}
  ~ThresholdedReluOp() override;

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
