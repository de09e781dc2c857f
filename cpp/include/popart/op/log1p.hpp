// log(1 + x). After popart/op/log1p.hpp of PopART 3.
#ifndef popart_op_log1p_hpp
#define popart_op_log1p_hpp

#include <popart/op/elementwise.hpp>
#include <popart/op/gradient.hpp>

#include <memory>
#include <tuple>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class Log1pOp : public ElementWiseUnaryOp {
 public:
  using ElementWiseUnaryOp::ElementWiseUnaryOp;
  ~Log1pOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::tuple<OperatorIdentifier, float>> inplacePriorityDefault() const override;
  std::unique_ptr<Op> getInplaceVariant(const OperatorIdentifier& id) const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
};

/// Its gradient, of that of the result, g, and the input x: g / (1 + x).
class Log1pGradOp : public ElementWiseNonLinearUnaryGradOp {
 public:
  explicit Log1pGradOp(const Log1pOp& fwdOp);
  ~Log1pGradOp() override;

  std::unique_ptr<Op> clone() const final;
};

/// Its variant in place.
class Log1pInplaceOp : public ElementWiseInplaceUnaryOp, public builtin::Origin {
 public:
  explicit Log1pInplaceOp(const Log1pOp& op);
  ~Log1pInplaceOp() override;

  std::unique_ptr<Op> clone() const final;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
