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
  std::vector<std::unique_ptr<Op>> getGradOps() override;
};

class ReluInplaceOp : public ElementWiseInplaceUnaryOp {
 public:
  using ElementWiseInplaceUnaryOp::ElementWiseInplaceUnaryOp;
  explicit ReluInplaceOp(const ReluOp& op);
  ReluInplaceOp(const ReluInplaceOp&) = default;
  ~ReluInplaceOp() override;

  std::unique_ptr<Op> clone() const override;
};

/// Its gradient, of that of the result and the result.
class ReluGradOp : public ElementWiseOutUnaryGradOp {
 public:
  explicit ReluGradOp(const ReluOp& fwdOp);
  ~ReluGradOp() override;

  static InIndex getReludInIndex() { return 1; }
  static InIndex getGradReludInIndex() { return 0; }
  std::unique_ptr<Op> clone() const final;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
