// x / (1 + |x|). After popart/op/softsign.hpp of PopART 3.
#ifndef popart_op_softsign_hpp
#define popart_op_softsign_hpp

#include <popart/op/elementwise.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class SoftSignOp : public ElementWiseUnaryOp {
 public:
  using ElementWiseUnaryOp::ElementWiseUnaryOp;
  ~SoftSignOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
