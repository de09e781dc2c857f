// x / (1 + |x|). After popart/op/softsign.hpp of PopART 3.
#ifndef popart_op_softsign_hpp
#define popart_op_softsign_hpp

#include <popart/op/elementwise.hpp>
#include <popart/op/gradient.hpp>

#include <memory>
#include <tuple>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class SoftSignOp : public ElementWiseUnaryOp {
 public:
  using ElementWiseUnaryOp::ElementWiseUnaryOp;
  ~SoftSignOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::tuple<OperatorIdentifier, float>> inplacePriorityDefault() const override;
  std::unique_ptr<Op> getInplaceVariant(const OperatorIdentifier& id) const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
};

/// Its gradient, of that of the result and the input.
class SoftSignGradOp : public ElementWiseNonLinearUnaryGradOp {
 public:
  explicit SoftSignGradOp(const SoftSignOp& fwdOp);
  ~SoftSignGradOp() override;

  std::unique_ptr<Op> clone() const final;
};

/// Its variant in place.
class SoftSignInplaceOp : public ElementWiseInplaceUnaryOp, public builtin::Origin {
 public:
  explicit SoftSignInplaceOp(const SoftSignOp& op);
  ~SoftSignInplaceOp() override;

  std::unique_ptr<Op> clone() const final;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
