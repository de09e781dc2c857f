// Sums of squares over dimensions. After popart/op/reducesumsquare.hpp of PopART 3.
#ifndef popart_op_reducesumsquare_hpp
#define popart_op_reducesumsquare_hpp

#include <popart/op/reduce.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class ReduceSumSquareOp : public ReduceOp {
 public:
  using ReduceOp::ReduceOp;
  ~ReduceSumSquareOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
  bool canBeReplacedByIdentity() const override { return false; }
};

/// Its gradient, which is the compiler's in graphs that a program makes.
class ReduceSumSquareGradOp : public ReduceGradOp {
 public:
  ReduceSumSquareGradOp(const ReduceSumSquareOp& fwdOp, const Shape& backwardShape);
  ~ReduceSumSquareGradOp() override;

  std::unique_ptr<Op> clone() const override;
  const std::vector<GradInOutMapper>& gradInputInfo() const override;
  static InIndex getFwdInInIndex() { return 1; }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
