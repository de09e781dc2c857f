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
  using ReduceOp::ReduceOp;
  ~ReduceLogSumExpOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
  bool canBeReplacedByIdentity() const override { return false; }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
