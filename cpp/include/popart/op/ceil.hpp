// The smallest integer that is not below a number. After popart/op/ceil.hpp of PopART 3.
#ifndef popart_op_ceil_hpp
#define popart_op_ceil_hpp

#include <popart/op/elementwise.hpp>
#include <popart/op/gradient.hpp>
#include <popart/op/onewayunary.hpp>

#include <memory>
#include <tuple>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class CeilOp : public ElementWiseUnaryOp {
 public:
  using ElementWiseUnaryOp::ElementWiseUnaryOp;
  ~CeilOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::tuple<OperatorIdentifier, float>> inplacePriorityDefault() const override;
  std::unique_ptr<Op> getInplaceVariant(const OperatorIdentifier& id) const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
};

/// Its variant in place.
class CeilInplaceOp : public OneWayUnaryInPlaceOp {
 public:
  explicit CeilInplaceOp(const CeilOp& op);
  ~CeilInplaceOp() override;

  std::unique_ptr<Op> clone() const final;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
