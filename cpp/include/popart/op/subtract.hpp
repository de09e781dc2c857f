// Element-wise subtraction. After popart/op/subtract.hpp of PopART 3.
#ifndef popart_op_subtract_hpp
#define popart_op_subtract_hpp

#include <popart/op/elementwise.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class SubtractOp : public ElementWiseBinaryOp {
 public:
  using ElementWiseBinaryOp::ElementWiseBinaryOp;
  ~SubtractOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
