// The natural logarithm. After popart/op/log.hpp of PopART 3.
#ifndef popart_op_log_hpp
#define popart_op_log_hpp

#include <popart/op/elementwise.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class LogOp : public ElementWiseUnaryOp {
 public:
  LogOp(const OperatorIdentifier& opid, const Op::Settings& settings);
  ~LogOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
};

/// Its gradient, of that of the result, g, and the input x: g / x.
class LogGradOp : public ElementWiseNonLinearUnaryGradOp {
 public:
  explicit LogGradOp(const LogOp& fwdOp);
  ~LogGradOp() override;

  std::unique_ptr<Op> clone() const final;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
