// Element-wise division. After popart/op/div.hpp of PopART 3.
#ifndef popart_op_div_hpp
#define popart_op_div_hpp

#include <popart/op/elementwise.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class DivOp : public ElementWiseBinaryOp {
 public:
  using ElementWiseBinaryOp::ElementWiseBinaryOp;
  ~DivOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
