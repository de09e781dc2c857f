// The arc sine. After popart/op/asin.hpp of PopART 3.
#ifndef popart_op_asin_hpp
#define popart_op_asin_hpp

#include <popart/op/elementwise.hpp>
#include <popart/op/gradient.hpp>

#include <memory>
#include <tuple>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class AsinOp : public ElementWiseUnaryOp {
 public:
  using ElementWiseUnaryOp::ElementWiseUnaryOp;
  ~AsinOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::tuple<OperatorIdentifier, float>> inplacePriorityDefault() const override;
  std::unique_ptr<Op> getInplaceVariant(const OperatorIdentifier& id) const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
};

/// Its gradient, of that of the result and the input.
class AsinGradOp : public ElementWiseNonLinearUnaryGradOp {
 public:
  explicit AsinGradOp(const AsinOp& fwdOp);
  ~AsinGradOp() override;

  std::unique_ptr<Op> clone() const final;
};

/// Its variant in place.
class AsinInplaceOp : public ElementWiseInplaceUnaryOp, public builtin::Origin {
 public:
  explicit AsinInplaceOp(const AsinOp& op);
  ~AsinInplaceOp() override;

  std::unique_ptr<Op> clone() const final;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
