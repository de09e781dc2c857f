// The hyperbolic sine. After popart/op/sinh.hpp of PopART 3.
#ifndef popart_op_sinh_hpp
#define popart_op_sinh_hpp

#include <popart/op/elementwise.hpp>
#include <popart/op/gradient.hpp>

#include <memory>
#include <tuple>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class SinhOp : public ElementWiseUnaryOp {
 public:
  using ElementWiseUnaryOp::ElementWiseUnaryOp;
  ~SinhOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::tuple<OperatorIdentifier, float>> inplacePriorityDefault() const override;
  std::unique_ptr<Op> getInplaceVariant(const OperatorIdentifier& id) const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
};

/// Its gradient, of that of the result and the input.
class SinhGradOp : public ElementWiseNonLinearUnaryGradOp {
 public:
  explicit SinhGradOp(const SinhOp& fwdOp);
  ~SinhGradOp() override;

  std::unique_ptr<Op> clone() const final;
};

/// Its variant in place.
class SinhInplaceOp : public ElementWiseInplaceUnaryOp, public builtin::Origin {
 public:
  explicit SinhInplaceOp(const SinhOp& op);
  ~SinhInplaceOp() override;

  std::unique_ptr<Op> clone() const final;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
