// The square root. After popart/op/sqrt.hpp of PopART 3.
#ifndef popart_op_sqrt_hpp
#define popart_op_sqrt_hpp

#include <popart/op/elementwise.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class SqrtOp : public ElementWiseUnaryOp {
 public:
  using ElementWiseUnaryOp::ElementWiseUnaryOp;
  ~SqrtOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
};

/// Its gradient, of that of the result, g, and the result y: g / 2y.
class SqrtGradOp : public ElementWiseOutUnaryGradOp {
 public:
  explicit SqrtGradOp(const SqrtOp& fwdOp);
  ~SqrtGradOp() override;

  std::unique_ptr<Op> clone() const final;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
