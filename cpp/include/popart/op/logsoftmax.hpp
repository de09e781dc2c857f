// Logarithms of probabilities. After popart/op/logsoftmax.hpp of PopART 3.
#ifndef popart_op_logsoftmax_hpp
#define popart_op_logsoftmax_hpp

#include <popart/op/elementwise.hpp>
#include <popart/op/gradient.hpp>

#include <cstdint>
#include <memory>
#include <tuple>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class LogSoftmaxOp : public ElementWiseUnaryOp {
 public:
  LogSoftmaxOp(const OperatorIdentifier& opid, int64_t axis, const Op::Settings& settings)
      : ElementWiseUnaryOp(opid, settings), axis_(axis) {}
  ~LogSoftmaxOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::tuple<OperatorIdentifier, float>> inplacePriorityDefault() const override;
  std::unique_ptr<Op> getInplaceVariant(const OperatorIdentifier& id) const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  int64_t getAxis() const { return axis_; }

 private:
  int64_t axis_;
};

/// Its variant in place.
class LogSoftmaxInplaceOp : public ElementWiseInplaceUnaryOp, public builtin::Origin {
 public:
  explicit LogSoftmaxInplaceOp(const LogSoftmaxOp& op);
  ~LogSoftmaxInplaceOp() override;

  std::unique_ptr<Op> clone() const final;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  int64_t getAxis() const { return axis_; }

 private:
  int64_t axis_;
};

/// Its gradient, of that of the result and the input.
class LogSoftmaxGradOp : public builtin::GradOp {
 public:
  explicit LogSoftmaxGradOp(const LogSoftmaxOp& fwdOp);
  ~LogSoftmaxGradOp() override;

  static InIndex getGradProbsInIndex() { return 0; }
  static InIndex getActsInIndex() { return 1; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const final;
  int64_t getAxis() const { return axis_; }

 private:
  int64_t axis_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
