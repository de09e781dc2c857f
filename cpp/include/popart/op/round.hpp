// Integers nearest, halves to even ones. After popart/op/round.hpp of PopART 3.
#ifndef popart_op_round_hpp
#define popart_op_round_hpp

#include <popart/op/gradient.hpp>
#include <popart/op/onewayunary.hpp>

#include <memory>
#include <tuple>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class RoundOp : public OneWayUnaryOp {
 public:
  using OneWayUnaryOp::OneWayUnaryOp;
  ~RoundOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::tuple<OperatorIdentifier, float>> inplacePriorityDefault() const override;
  std::unique_ptr<Op> getInplaceVariant(const OperatorIdentifier& id) const override;
};

/// Its variant in place.
class RoundInplaceOp : public OneWayUnaryInPlaceOp {
 public:
  explicit RoundInplaceOp(const RoundOp& op);
  ~RoundInplaceOp() override;

  std::unique_ptr<Op> clone() const final;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
