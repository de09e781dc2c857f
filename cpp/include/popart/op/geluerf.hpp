// Gelu by erf. After popart/op/geluerf.hpp of PopART 3.
#ifndef popart_op_geluerf_hpp
#define popart_op_geluerf_hpp

#include <popart/op/elementwise.hpp>
#include <popart/op/gradient.hpp>

#include <memory>
#include <tuple>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class GeluErfOp : public ElementWiseUnaryOp {
 public:
  using ElementWiseUnaryOp::ElementWiseUnaryOp;
  ~GeluErfOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::tuple<OperatorIdentifier, float>> inplacePriorityDefault() const override;
  std::unique_ptr<Op> getInplaceVariant(const OperatorIdentifier& id) const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
};

/// Its gradient, of that of the result and the input.
class GeluErfGradOp : public ElementWiseNonLinearUnaryGradOp {
 public:
  explicit GeluErfGradOp(const GeluErfOp& fwdOp);
  ~GeluErfGradOp() override;

  std::unique_ptr<Op> clone() const final;
};

/// Its variant in place.
class GeluErfInplaceOp : public ElementWiseInplaceUnaryOp, public builtin::Origin {
 public:
  explicit GeluErfInplaceOp(const GeluErfOp& op);
  explicit GeluErfInplaceOp(const Op::Settings& settings);
  ~GeluErfInplaceOp() override;

  std::unique_ptr<Op> clone() const final;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
