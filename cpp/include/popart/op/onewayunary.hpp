// Functions of one input whose derivative is 0. After popart/op/onewayunary.hpp of PopART 3.
#ifndef popart_op_onewayunary_hpp
#define popart_op_onewayunary_hpp

#include <popart/op/elementwise.hpp>
#include <popart/op/gradient.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// Base of Round and NearbyInt.
class OneWayUnaryOp : public ElementWiseUnaryOp {
 public:
  using ElementWiseUnaryOp::ElementWiseUnaryOp;
  ~OneWayUnaryOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
};

/// Base of their variants in place.
class OneWayUnaryInPlaceOp : public ElementWiseInplaceUnaryOp, public builtin::Origin {
 public:
  OneWayUnaryInPlaceOp(const OperatorIdentifier& opid, const Op::Settings& settings)
      : ElementWiseInplaceUnaryOp(opid, settings), Origin(opid) {}
  OneWayUnaryInPlaceOp(const OperatorIdentifier& opid, const ElementWiseUnaryOp& op,
                       const OperatorIdentifier& known);
  ~OneWayUnaryInPlaceOp() override;
  std::unique_ptr<Op> clone() const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
