// The absolute value. After popart/op/abs.hpp of PopART 3.
#ifndef popart_op_abs_hpp
#define popart_op_abs_hpp

#include <popart/op/elementwise.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class AbsOp : public ElementWiseUnaryOp {
 public:
  using ElementWiseUnaryOp::ElementWiseUnaryOp;
  ~AbsOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
};

/// Its gradient, of that of the result, g, and the input x: g * sign(x).
class AbsGradOp : public ElementWiseNonLinearUnaryGradOp {
 public:
  explicit AbsGradOp(const AbsOp& fwdOp);
  ~AbsGradOp() override;

  std::unique_ptr<Op> clone() const final;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
