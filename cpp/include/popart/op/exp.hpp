// The exponential. After popart/op/exp.hpp of PopART 3.
#ifndef popart_op_exp_hpp
#define popart_op_exp_hpp

#include <popart/op/elementwise.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class ExpOp : public ElementWiseUnaryOp {
 public:
  using ElementWiseUnaryOp::ElementWiseUnaryOp;
  ~ExpOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
};

/// Its gradient, of that of the result, g, and the result y: g * y.
class ExpGradOp : public ElementWiseOutUnaryGradOp {
 public:
  explicit ExpGradOp(const ExpOp& fwdOp);
  ~ExpGradOp() override;

  std::unique_ptr<Op> clone() const final;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
