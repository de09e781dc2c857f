// Sums over dimensions. After popart/op/reducesum.hpp of PopART 3.
#ifndef popart_op_reducesum_hpp
#define popart_op_reducesum_hpp

#include <popart/op/reduce.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class ReduceSumOp : public ReduceOp {
 public:
  ReduceSumOp(const OperatorIdentifier& opid, const nonstd::optional<std::vector<int64_t>>& axes,
              int64_t keepdims, const Op::Settings& settings);
  ~ReduceSumOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
};

/// Its gradient, which is the compiler's in graphs that a program makes.
class ReduceSumGradOp : public ReduceGradOp {
 public:
  ReduceSumGradOp(const ReduceSumOp& fwdOp, const Shape& backwardShape);
  ~ReduceSumGradOp() override;

  std::unique_ptr<Op> clone() const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
