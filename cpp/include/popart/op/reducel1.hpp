// Sums of absolute values over dimensions. After popart/op/reducel1.hpp of PopART 3.
#ifndef popart_op_reducel1_hpp
#define popart_op_reducel1_hpp

#include <popart/op/reduce.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class ReduceL1Op : public ReduceOp {
 public:
  ReduceL1Op(const OperatorIdentifier& opid, const nonstd::optional<std::vector<int64_t>>& axes,
             int64_t keepdims, const Op::Settings& settings);
  ~ReduceL1Op() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
  bool canBeReplacedByIdentity() const override { return false; }
};

/// Its gradient, which is the compiler's in graphs that a program makes.
class ReduceL1GradOp : public ReduceGradOp {
 public:
  ReduceL1GradOp(const ReduceL1Op& fwdOp, const Shape& backwardShape);
  ~ReduceL1GradOp() override;

  std::unique_ptr<Op> clone() const override;
  const std::vector<GradInOutMapper>& gradInputInfo() const override;
  static InIndex getFwdInInIndex() { return 1; }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
