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
  using ReduceOp::ReduceOp;
  ~ReduceL2Op() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
  bool canBeReplacedByIdentity() const override { return false; }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
