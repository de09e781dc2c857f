// Where elements are infinite. After popart/op/isinf.hpp of PopART 3.
#ifndef popart_op_isinf_hpp
#define popart_op_isinf_hpp

#include <popart/op/elementwise.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class IsInf : public ElementWiseUnaryBooleanOp {
 public:
  using ElementWiseUnaryBooleanOp::ElementWiseUnaryBooleanOp;
  ~IsInf() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
