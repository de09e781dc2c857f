// Where elements are no numbers. After popart/op/isnan.hpp of PopART 3.
#ifndef popart_op_isnan_hpp
#define popart_op_isnan_hpp

#include <popart/op/elementwise.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class IsNaN : public ElementWiseUnaryBooleanOp {
 public:
  using ElementWiseUnaryBooleanOp::ElementWiseUnaryBooleanOp;
  ~IsNaN() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
