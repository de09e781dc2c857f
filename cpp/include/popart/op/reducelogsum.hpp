// Logarithms of sums over dimensions. After popart/op/reducelogsum.hpp of PopART 3.
#ifndef popart_op_reducelogsum_hpp
#define popart_op_reducelogsum_hpp

#include <popart/op/reduce.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class ReduceLogSumOp : public ReduceOp {
 public:
  ReduceLogSumOp(const OperatorIdentifier& opid, const nonstd::optional<std::vector<int64_t>>& axes,
                 int64_t keepdims, const Op::Settings& settings);
  ~ReduceLogSumOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
  bool canBeReplacedByIdentity() const override { return false; }
};

/// Its gradient, which is the compiler's in graphs that a program makes.
class ReduceLogSumGradOp : public ReduceGradOp {
 public:
  ReduceLogSumGradOp(const ReduceLogSumOp& fwdOp, const Shape& backwardShape);
  ~ReduceLogSumGradOp() override;

  std::unique_ptr<Op> clone() const override;
  const std::vector<GradInOutMapper>& gradInputInfo() const override;
  static InIndex getFwdOutInIndex() { return 1; }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
