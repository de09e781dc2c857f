// Integers nearest, halves to even ones, as PopART has them beside Round. After
// popart/op/nearbyint.hpp of PopART 3.
#ifndef popart_op_nearbyint_hpp
#define popart_op_nearbyint_hpp

#include <popart/op/gradient.hpp>
#include <popart/op/onewayunary.hpp>

#include <memory>
#include <tuple>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class NearbyIntOp : public OneWayUnaryOp {
 public:
  using OneWayUnaryOp::OneWayUnaryOp;
  ~NearbyIntOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::tuple<OperatorIdentifier, float>> inplacePriorityDefault() const override;
  std::unique_ptr<Op> getInplaceVariant(const OperatorIdentifier& id) const override;
};

/// Its variant in place.
class NearbyIntInplaceOp : public OneWayUnaryInPlaceOp {
 public:
  explicit NearbyIntInplaceOp(const NearbyIntOp& op);
  ~NearbyIntInplaceOp() override;

  std::unique_ptr<Op> clone() const final;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
