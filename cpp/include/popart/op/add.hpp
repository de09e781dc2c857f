// Element-wise addition. After popart/op/add.hpp of PopART 3.
#ifndef popart_op_add_hpp
#define popart_op_add_hpp

#include <popart/op/elementwise.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class AddOp : public ElementWiseBinaryOp {
 public:
  using ElementWiseBinaryOp::ElementWiseBinaryOp;
  ~AddOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
