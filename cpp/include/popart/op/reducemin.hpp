// Minima over dimensions. After popart/op/reducemin.hpp of PopART 3.
#ifndef popart_op_reducemin_hpp
#define popart_op_reducemin_hpp

#include <popart/op/reduce.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class ReduceMinOp : public ReduceOp {
 public:
  ReduceMinOp(const OperatorIdentifier& opid, const nonstd::optional<std::vector<int64_t>>& axes,
              int64_t keepdims, const Op::Settings& settings);
  ~ReduceMinOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
};

/// Its gradient, which is the compiler's in graphs that a program makes.
class ReduceMinGradOp : public ReduceGradOp {
 public:
  ReduceMinGradOp(const ReduceMinOp& fwdOp, const Shape& backwardShape);
  ~ReduceMinGradOp() override;

  std::unique_ptr<Op> clone() const override;
  const std::vector<GradInOutMapper>& gradInputInfo() const override;
  static InIndex getFwdInInIndex() { return 1; }
  static InIndex getFwdOutInIndex() { return 2; }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
