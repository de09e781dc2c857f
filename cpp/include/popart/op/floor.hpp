// The largest integer that is not above a number. After popart/op/floor.hpp of PopART 3.
#ifndef popart_op_floor_hpp
#define popart_op_floor_hpp

#include <popart/op/elementwise.hpp>
#include <popart/op/gradient.hpp>
#include <popart/op/onewayunary.hpp>

#include <memory>
#include <tuple>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class FloorOp : public ElementWiseUnaryOp {
 public:
  using ElementWiseUnaryOp::ElementWiseUnaryOp;
  ~FloorOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::tuple<OperatorIdentifier, float>> inplacePriorityDefault() const override;
  std::unique_ptr<Op> getInplaceVariant(const OperatorIdentifier& id) const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
};

/// Its variant in place.
class FloorInplaceOp : public OneWayUnaryInPlaceOp {
 public:
  explicit FloorInplaceOp(const FloorOp& op);
  ~FloorInplaceOp() override;

  std::unique_ptr<Op> clone() const final;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
