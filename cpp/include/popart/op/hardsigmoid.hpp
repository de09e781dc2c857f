// alpha x + beta, between 0 and 1. After popart/op/hardsigmoid.hpp of PopART 3.
#ifndef popart_op_hardsigmoid_hpp
#define popart_op_hardsigmoid_hpp

#include <popart/op/elementwise.hpp>
#include <popart/op/gradient.hpp>

#include <memory>
#include <tuple>
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
  std::vector<std::tuple<OperatorIdentifier, float>> inplacePriorityDefault() const override;
  std::unique_ptr<Op> getInplaceVariant(const OperatorIdentifier& id) const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getAlpha() const { return alpha_; }
  float getBeta() const { return beta_; }

 private:
  float alpha_, beta_;
};

/// Its gradient, of that of the result and the input.
class HardSigmoidGradOp : public ElementWiseNonLinearUnaryGradOp {
 public:
  explicit HardSigmoidGradOp(const HardSigmoidOp& fwdOp);
  ~HardSigmoidGradOp() override;

  std::unique_ptr<Op> clone() const final;
  float getAlpha() const { return alpha_; }
  float getBeta() const { return beta_; }

 private:
  float alpha_;
  float beta_;
};

/// Its variant in place.
class HardSigmoidInplaceOp : public ElementWiseInplaceUnaryOp, public builtin::Origin {
 public:
  explicit HardSigmoidInplaceOp(const HardSigmoidOp& op);
  ~HardSigmoidInplaceOp() override;

  std::unique_ptr<Op> clone() const final;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getAlpha() const { return alpha_; }
  float getBeta() const { return beta_; }

 private:
  float alpha_;
  float beta_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
