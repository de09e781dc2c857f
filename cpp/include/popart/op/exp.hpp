// The exponential. After popart/op/exp.hpp of PopART 3.
#ifndef popart_op_exp_hpp
#define popart_op_exp_hpp

#include <popart/op/elementwise.hpp>
#include <popart/op/gradient.hpp>

#include <memory>
#include <tuple>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class ExpOp : public ElementWiseUnaryOp {
 public:
  using ElementWiseUnaryOp::ElementWiseUnaryOp;
  ~ExpOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::tuple<OperatorIdentifier, float>> inplacePriorityDefault() const override;
  std::unique_ptr<Op> getInplaceVariant(const OperatorIdentifier& id) const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
};

/// Its gradient, of that of the result, g, and the result y: g * y.
class ExpGradOp : public ElementWiseOutUnaryGradOp {
 public:
  explicit ExpGradOp(const ExpOp& fwdOp);
  ~ExpGradOp() override;

  std::unique_ptr<Op> clone() const final;
};

/// Its variant in place.
class ExpInplaceOp : public ElementWiseInplaceUnaryOp, public builtin::Origin {
 public:
  explicit ExpInplaceOp(const ExpOp& op);
  ~ExpInplaceOp() override;

  std::unique_ptr<Op> clone() const final;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
