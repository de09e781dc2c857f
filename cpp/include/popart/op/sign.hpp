// The sign. After popart/op/sign.hpp of PopART 3.
#ifndef popart_op_sign_hpp
#define popart_op_sign_hpp

#include <popart/op/elementwise.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class SignOp : public ElementWiseUnaryOp {
 public:
  using ElementWiseUnaryOp::ElementWiseUnaryOp;
  ~SignOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
  static OperatorIdentifier getOpId(const Ir& ir);
};

}  // namespace popart

#pragma GCC visibility pop

#endif
