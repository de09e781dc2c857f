// Square roots of sums of squares over dimensions. After popart/op/reducel2.hpp of PopART 3.
#ifndef popart_op_reducel2_hpp
#define popart_op_reducel2_hpp

#include <popart/op/reduce.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class ReduceL2Op : public ReduceOp {
 public:
  ReduceL2Op(const OperatorIdentifier& opid, const nonstd::optional<std::vector<int64_t>>& axes,
             int64_t keepdims, const Op::Settings& settings);
  ~ReduceL2Op() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
  bool canBeReplacedByIdentity() const override { return false; }
};

/// Its gradient, which is the compiler's in graphs that a program makes.
class ReduceL2GradOp : public ReduceGradOp {
 public:
  ReduceL2GradOp(const ReduceL2Op& fwdOp, const Shape& backwardShape);
  ~ReduceL2GradOp() override;

  std::unique_ptr<Op> clone() const override;
  const std::vector<GradInOutMapper>& gradInputInfo() const override;
  static InIndex getFwdInInIndex() { return 1; }
  static InIndex getFwdOutInIndex() { return 2; }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
