// The hyperbolic tangent. After popart/op/tanh.hpp of PopART 3.
#ifndef popart_op_tanh_hpp
#define popart_op_tanh_hpp

#include <popart/op/elementwise.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class TanhOp : public ElementWiseUnaryOp {
 public:
  using ElementWiseUnaryOp::ElementWiseUnaryOp;
  ~TanhOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
};

/// Its gradient, of that of the result and the result.
class TanhGradOp : public ElementWiseOutUnaryGradOp {
 public:
  explicit TanhGradOp(const TanhOp& fwdOp);
  ~TanhGradOp() override;

  std::unique_ptr<Op> clone() const final;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
