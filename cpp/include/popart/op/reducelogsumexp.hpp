// Logarithms of sums of exponentials over dimensions. After popart/op/reducelogsumexp.hpp of
// PopART 3.
#ifndef popart_op_reducelogsumexp_hpp
#define popart_op_reducelogsumexp_hpp

#include <popart/op/reduce.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class ReduceLogSumExpOp : public ReduceOp {
 public:
  ReduceLogSumExpOp(const OperatorIdentifier& opid,
                    const nonstd::optional<std::vector<int64_t>>& axes, int64_t keepdims,
                    const Op::Settings& settings);
  ~ReduceLogSumExpOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
  bool canBeReplacedByIdentity() const override { return false; }
};

/// Its gradient, which is the compiler's in graphs that a program makes.
class ReduceLogSumExpGradOp : public ReduceGradOp {
 public:
  ReduceLogSumExpGradOp(const ReduceLogSumExpOp& fwdOp, const Shape& backwardShape);
  ~ReduceLogSumExpGradOp() override;

  std::unique_ptr<Op> clone() const override;
  const std::vector<GradInOutMapper>& gradInputInfo() const override;
  static InIndex getFwdInInIndex() { return 1; }
  static InIndex getFwdOutInIndex() { return 2; }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
