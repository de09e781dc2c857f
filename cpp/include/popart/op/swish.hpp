// x sigmoid(x). After popart/op/swish.hpp of PopART 3.
#ifndef popart_op_swish_hpp
#define popart_op_swish_hpp

#include <popart/op/elementwise.hpp>
#include <popart/op/gradient.hpp>

#include <memory>
#include <tuple>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class SwishOp : public ElementWiseUnaryOp {
 public:
  using ElementWiseUnaryOp::ElementWiseUnaryOp;
  ~SwishOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::tuple<OperatorIdentifier, float>> inplacePriorityDefault() const override;
  std::unique_ptr<Op> getInplaceVariant(const OperatorIdentifier& id) const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
};

/// Its gradient, of that of the result and the input.
class SwishGradOp : public ElementWiseNonLinearUnaryGradOp {
 public:
  explicit SwishGradOp(const SwishOp& fwdOp);
  ~SwishGradOp() override;

  std::unique_ptr<Op> clone() const final;
};

/// Its variant in place.
class SwishInplaceOp : public ElementWiseInplaceUnaryOp, public builtin::Origin {
 public:
  explicit SwishInplaceOp(const SwishOp& op);
  explicit SwishInplaceOp(const Op::Settings& settings);
  ~SwishInplaceOp() override;

  std::unique_ptr<Op> clone() const final;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
