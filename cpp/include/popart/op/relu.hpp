// Element-wise max(x, 0). After popart/op/relu.hpp of PopART 3.
#ifndef popart_op_relu_hpp
#define popart_op_relu_hpp

#include <popart/op/elementwise.hpp>

#include <memory>
#include <tuple>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class ReluOp : public ElementWiseUnaryOp {
 public:
  using ElementWiseUnaryOp::ElementWiseUnaryOp;
  ~ReluOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::tuple<OperatorIdentifier, float>> inplacePriorityDefault() const override;
  std::unique_ptr<Op> getInplaceVariant(const OperatorIdentifier& id) const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
};

class ReluInplaceOp : public ElementWiseInplaceUnaryOp {
 public:
  using ElementWiseInplaceUnaryOp::ElementWiseInplaceUnaryOp;
  explicit ReluInplaceOp(const ReluOp& op);
  ReluInplaceOp(const ReluInplaceOp&) = default;
  ~ReluInplaceOp() override;

  std::unique_ptr<Op> clone() const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
