// x above alpha, else 0. After popart/op/thresholdedrelu.hpp of PopART 3.
#ifndef popart_op_thresholdedrelu_hpp
#define popart_op_thresholdedrelu_hpp

#include <popart/op/elementwise.hpp>
#include <popart/op/gradient.hpp>

#include <memory>
#include <tuple>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class ThresholdedReluOp : public ElementWiseUnaryOp {
 public:
  ThresholdedReluOp(const OperatorIdentifier& opid, float alpha, const Op::Settings& settings)
      : ElementWiseUnaryOp(opid, settings), alpha_(alpha) {}
  ~ThresholdedReluOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::tuple<OperatorIdentifier, float>> inplacePriorityDefault() const override;
  std::unique_ptr<Op> getInplaceVariant(const OperatorIdentifier& id) const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getAlpha() const { return alpha_; }

 private:
  float alpha_;
};

/// Its gradient, of that of the result and the input.
class ThresholdedReluGradOp : public ElementWiseNonLinearUnaryGradOp {
 public:
  explicit ThresholdedReluGradOp(const ThresholdedReluOp& fwdOp);
  ~ThresholdedReluGradOp() override;

  std::unique_ptr<Op> clone() const final;
  float getAlpha() const { return alpha_; }

 private:
  float alpha_;
};

/// Its variant in place.
class ThresholdedReluInplaceOp : public ElementWiseInplaceUnaryOp, public builtin::Origin {
 public:
  explicit ThresholdedReluInplaceOp(const ThresholdedReluOp& op);
  ~ThresholdedReluInplaceOp() override;

  std::unique_ptr<Op> clone() const final;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getAlpha() const { return alpha_; }

 private:
  float alpha_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
