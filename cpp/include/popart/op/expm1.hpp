// exp(x) - 1. After popart/op/expm1.hpp of PopART 3.
#ifndef popart_op_expm1_hpp
#define popart_op_expm1_hpp

#include <popart/op/elementwise.hpp>
#include <popart/op/gradient.hpp>

#include <memory>
#include <tuple>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class Expm1Op : public ElementWiseUnaryOp {
 public:
  using ElementWiseUnaryOp::ElementWiseUnaryOp;
  ~Expm1Op() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::tuple<OperatorIdentifier, float>> inplacePriorityDefault() const override;
  std::unique_ptr<Op> getInplaceVariant(const OperatorIdentifier& id) const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
};

/// Its gradient, of that of the result, g, and the result y: g * (y + 1).
class Expm1GradOp : public ElementWiseOutUnaryGradOp {
 public:
  explicit Expm1GradOp(const Expm1Op& fwdOp);
  ~Expm1GradOp() override;

  std::unique_ptr<Op> clone() const final;
};

/// Its variant in place.
class Expm1InplaceOp : public ElementWiseInplaceUnaryOp, public builtin::Origin {
 public:
  explicit Expm1InplaceOp(const Expm1Op& op);
  ~Expm1InplaceOp() override;

  std::unique_ptr<Op> clone() const final;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
