// Logarithms of probabilities. After popart/op/logsoftmax.hpp of PopART 3.
#ifndef popart_op_logsoftmax_hpp
#define popart_op_logsoftmax_hpp

#include <popart/op/elementwise.hpp>

#include <cstdint>
#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class LogSoftmaxOp : public ElementWiseUnaryOp {
 public:
  LogSoftmaxOp(const OperatorIdentifier& opid, int64_t axis, const Op::Settings& settings)
      : ElementWiseUnaryOp(opid, settings), axis_(axis) {}
  ~LogSoftmaxOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  int64_t getAxis() const { return axis_; }

 private:
  int64_t axis_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
