// Gelu by tanh. After popart/op/gelu.hpp of PopART 3.
#ifndef popart_op_gelu_hpp
#define popart_op_gelu_hpp

#include <popart/op/elementwise.hpp>
#include <popart/op/gradient.hpp>

#include <memory>
#include <tuple>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class GeluOp : public ElementWiseUnaryOp {
 public:
  using ElementWiseUnaryOp::ElementWiseUnaryOp;
  ~GeluOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::tuple<OperatorIdentifier, float>> inplacePriorityDefault() const override;
  std::unique_ptr<Op> getInplaceVariant(const OperatorIdentifier& id) const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
};

/// Its gradient, of that of the result and the input.
class GeluGradOp : public ElementWiseNonLinearUnaryGradOp {
 public:
  explicit GeluGradOp(const GeluOp& fwdOp);
  ~GeluGradOp() override;

  std::unique_ptr<Op> clone() const final;
};

/// Its variant in place.
class GeluInplaceOp : public ElementWiseInplaceUnaryOp, public builtin::Origin {
 public:
  explicit GeluInplaceOp(const GeluOp& op);
  explicit GeluInplaceOp(const Op::Settings& settings);
  ~GeluInplaceOp() override;

  std::unique_ptr<Op> clone() const final;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
