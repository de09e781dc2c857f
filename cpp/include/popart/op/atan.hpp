// The arc tangent. After popart/op/atan.hpp of PopART 3.
#ifndef popart_op_atan_hpp
#define popart_op_atan_hpp

#include <popart/op/elementwise.hpp>
#include <popart/op/gradient.hpp>

#include <memory>
#include <tuple>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class AtanOp : public ElementWiseUnaryOp {
 public:
  using ElementWiseUnaryOp::ElementWiseUnaryOp;
  ~AtanOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::tuple<OperatorIdentifier, float>> inplacePriorityDefault() const override;
  std::unique_ptr<Op> getInplaceVariant(const OperatorIdentifier& id) const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
};

/// Its gradient, of that of the result and the input.
class AtanGradOp : public ElementWiseNonLinearUnaryGradOp {
 public:
  explicit AtanGradOp(const AtanOp& fwdOp);
  ~AtanGradOp() override;

  std::unique_ptr<Op> clone() const final;
};

/// Its variant in place.
class AtanInplaceOp : public ElementWiseInplaceUnaryOp, public builtin::Origin {
 public:
  explicit AtanInplaceOp(const AtanOp& op);
  ~AtanInplaceOp() override;

  std::unique_ptr<Op> clone() const final;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
