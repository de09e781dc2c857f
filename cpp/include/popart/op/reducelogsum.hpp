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
  using ReduceOp::ReduceOp;
  ~ReduceLogSumOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
  bool canBeReplacedByIdentity() const override { return false; }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
