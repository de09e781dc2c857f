// Integers nearest, halves to even ones, as PopART has them beside Round. After
// popart/op/nearbyint.hpp of PopART 3.
#ifndef popart_op_nearbyint_hpp
#define popart_op_nearbyint_hpp

#include <popart/op/onewayunary.hpp>

#include <memory>

#pragma GCC visibility push(default)

namespace popart {

class NearbyIntOp : public OneWayUnaryOp {
 public:
  using OneWayUnaryOp::OneWayUnaryOp;
  ~NearbyIntOp() override;

  std::unique_ptr<Op> clone() const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
