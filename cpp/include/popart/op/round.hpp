// Integers nearest, halves to even ones. After popart/op/round.hpp of PopART 3.
#ifndef popart_op_round_hpp
#define popart_op_round_hpp

#include <popart/op/onewayunary.hpp>

#include <memory>

#pragma GCC visibility push(default)

namespace popart {

class RoundOp : public OneWayUnaryOp {
 public:
  using OneWayUnaryOp::OneWayUnaryOp;
  ~RoundOp() override;

  std::unique_ptr<Op> clone() const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
