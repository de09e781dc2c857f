// x, or alpha x below 0. After popart/op/leakyrelu.hpp of PopART 3.
#ifndef popart_op_leakyrelu_hpp
#define popart_op_leakyrelu_hpp

#include <popart/op/elementwise.hpp>
#include <popart/op/gradient.hpp>

#include <memory>
#include <tuple>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// What the operator, its gradient and its variant have.
class LeakyReluOpBaseAttributes {
 public:
  explicit LeakyReluOpBaseAttributes(float alpha) : alpha_(alpha) {}
  float getAlpha() const { return alpha_; }

 protected:
  float alpha_;
};

class LeakyReluOp : public ElementWiseUnaryOp, public LeakyReluOpBaseAttributes {
 public:
  LeakyReluOp(const OperatorIdentifier& opid, float alpha, const Op::Settings& settings)
      : ElementWiseUnaryOp(opid, settings), LeakyReluOpBaseAttributes(alpha) {}
  ~LeakyReluOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::tuple<OperatorIdentifier, float>> inplacePriorityDefault() const override;
  std::unique_ptr<Op> getInplaceVariant(const OperatorIdentifier& id) const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
};

/// Its gradient, of that of the result and the result.
class LeakyReluGradOp : public ElementWiseOutUnaryGradOp, public LeakyReluOpBaseAttributes {
 public:
  explicit LeakyReluGradOp(const LeakyReluOp& fwdOp);
  ~LeakyReluGradOp() override;

  static InIndex getLeakyReluInIndex() { return 1; }
  static InIndex getGradLeakyReluInIndex() { return 0; }
  std::unique_ptr<Op> clone() const final;
};

/// Its variant in place.
class LeakyReluInplaceOp : public ElementWiseInplaceUnaryOp,
                           public builtin::Origin,
                           public LeakyReluOpBaseAttributes {
 public:
  explicit LeakyReluInplaceOp(const LeakyReluOp& op);
  ~LeakyReluInplaceOp() override;

  std::unique_ptr<Op> clone() const final;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
