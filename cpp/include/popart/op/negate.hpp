// Element-wise negation. After popart/op/negate.hpp of PopART 3.
#ifndef popart_op_negate_hpp
#define popart_op_negate_hpp

#include <popart/op/elementwise.hpp>
#include <popart/op/gradient.hpp>

#include <map>
#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class NegateOp : public ElementWiseUnaryOp {
 public:
  using ElementWiseUnaryOp::ElementWiseUnaryOp;
  ~NegateOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
};

/// Its gradient: -g.
class NegateGradOp : public NegateOp, public builtin::Origin {
 public:
  explicit NegateGradOp(const NegateOp& fwdOp);
  ~NegateGradOp() override;

  std::unique_ptr<Op> clone() const final;
  const std::vector<GradInOutMapper>& gradInputInfo() const final { return builtin::ofResult; }
  const std::map<int, int>& gradOutToNonGradIn() const final { return builtin::ofInput; }
  std::vector<std::unique_ptr<Op>> getGradOps() final { builtin::refuseGradient(*this); }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
