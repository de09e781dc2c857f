// The error function. After popart/op/erf.hpp of PopART 3.
#ifndef popart_op_erf_hpp
#define popart_op_erf_hpp

#include <popart/op/elementwise.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class ErfOp : public ElementWiseUnaryOp {
 public:
  using ElementWiseUnaryOp::ElementWiseUnaryOp;
  ~ErfOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
};

/// Its gradient, of that of the result and the input.
class ErfGradOp : public ElementWiseNonLinearUnaryGradOp {
 public:
  explicit ErfGradOp(const ErfOp& fwdOp);
  ~ErfGradOp() override;

  std::unique_ptr<Op> clone() const final;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
