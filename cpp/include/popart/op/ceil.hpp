// The smallest integer that is not below a number. After popart/op/ceil.hpp of PopART 3.
#ifndef popart_op_ceil_hpp
#define popart_op_ceil_hpp

#include <popart/op/elementwise.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class CeilOp : public ElementWiseUnaryOp {
 public:
  using ElementWiseUnaryOp::ElementWiseUnaryOp;
  ~CeilOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
