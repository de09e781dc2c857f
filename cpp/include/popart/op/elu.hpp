// x, or alpha (exp(x) - 1) below 0. After popart/op/elu.hpp of PopART 3.
#ifndef popart_op_elu_hpp
#define popart_op_elu_hpp

#include <popart/op/elementwise.hpp>
#include <popart/op/gradient.hpp>

#include <memory>
#include <tuple>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class EluOp : public ElementWiseUnaryOp {
 public:
  EluOp(const OperatorIdentifier& opid, float alpha, const Op::Settings& settings)
      : ElementWiseUnaryOp(opid, settings), alpha_(alpha) {}
  ~EluOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::tuple<OperatorIdentifier, float>> inplacePriorityDefault() const override;
  std::unique_ptr<Op> getInplaceVariant(const OperatorIdentifier& id) const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float alpha() const { return alpha_; }

 private:
  float alpha_;
};

/// Its gradient, of that of the result and the input.
class EluGradOp : public ElementWiseNonLinearUnaryGradOp {
 public:
  explicit EluGradOp(const EluOp& fwdOp);
  ~EluGradOp() override;

  std::unique_ptr<Op> clone() const final;
  float alpha() const { return alpha_; }

 private:
  float alpha_;
};

/// Its variant in place.
class EluInplaceOp : public ElementWiseInplaceUnaryOp, public builtin::Origin {
 public:
  explicit EluInplaceOp(const EluOp& op);
  ~EluInplaceOp() override;

  std::unique_ptr<Op> clone() const final;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float alpha() const { return alpha_; }

 private:
  float alpha_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
