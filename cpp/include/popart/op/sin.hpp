// The sine. After popart/op/sin.hpp of PopART 3.
#ifndef popart_op_sin_hpp
#define popart_op_sin_hpp

#include <popart/op/elementwise.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class SinOp : public ElementWiseUnaryOp {
 public:
  SinOp(const OperatorIdentifier& opid, const Op::Settings& settings);
  ~SinOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
};

/// Its gradient, of that of the result, g, and the input x: g * cos(x).
class SinGradOp : public ElementWiseNonLinearUnaryGradOp {
 public:
  explicit SinGradOp(const SinOp& fwdOp);
  ~SinGradOp() override;

  std::unique_ptr<Op> clone() const final;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
