// The logistic function. After popart/op/sigmoid.hpp of PopART 3.
#ifndef popart_op_sigmoid_hpp
#define popart_op_sigmoid_hpp

#include <popart/op/elementwise.hpp>
#include <popart/op/gradient.hpp>

#include <memory>
#include <tuple>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class SigmoidOp : public ElementWiseUnaryOp {
 public:
  using ElementWiseUnaryOp::ElementWiseUnaryOp;
  ~SigmoidOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::tuple<OperatorIdentifier, float>> inplacePriorityDefault() const override;
  std::unique_ptr<Op> getInplaceVariant(const OperatorIdentifier& id) const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
};

/// Its gradient, of that of the result and the result.
class SigmoidGradOp : public ElementWiseOutUnaryGradOp {
 public:
  explicit SigmoidGradOp(const SigmoidOp& fwdOp);
  ~SigmoidGradOp() override;

  std::unique_ptr<Op> clone() const final;
};

/// Its variant in place.
class SigmoidInplaceOp : public ElementWiseInplaceUnaryOp, public builtin::Origin {
 public:
  explicit SigmoidInplaceOp(const SigmoidOp& op);
  ~SigmoidInplaceOp() override;

  std::unique_ptr<Op> clone() const final;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
