// gamma times Elu. After popart/op/selu.hpp of PopART 3.
#ifndef popart_op_selu_hpp
#define popart_op_selu_hpp

#include <popart/op/elementwise.hpp>
#include <popart/op/gradient.hpp>

#include <memory>
#include <tuple>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class SeluOp : public ElementWiseUnaryOp {
 public:
  SeluOp(const OperatorIdentifier& opid, float alpha, float gamma, const Op::Settings& settings)
      : ElementWiseUnaryOp(opid, settings), alpha_(alpha), gamma_(gamma) {}
  ~SeluOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::tuple<OperatorIdentifier, float>> inplacePriorityDefault() const override;
  std::unique_ptr<Op> getInplaceVariant(const OperatorIdentifier& id) const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getAlpha() const { return alpha_; }
  float getGamma() const { return gamma_; }

 private:
  float alpha_, gamma_;
};

/// Its gradient, of that of the result and the input.
class SeluGradOp : public ElementWiseNonLinearUnaryGradOp {
 public:
  explicit SeluGradOp(const SeluOp& fwdOp);
  ~SeluGradOp() override;

  std::unique_ptr<Op> clone() const final;
  float getAlpha() const { return alpha_; }
  float getGamma() const { return gamma_; }

 private:
  float alpha_;
  float gamma_;
};

/// Its variant in place.
class SeluInplaceOp : public ElementWiseInplaceUnaryOp, public builtin::Origin {
 public:
  explicit SeluInplaceOp(const SeluOp& op);
  ~SeluInplaceOp() override;

  std::unique_ptr<Op> clone() const final;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getAlpha() const { return alpha_; }
  float getGamma() const { return gamma_; }

 private:
  float alpha_;
  float gamma_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
