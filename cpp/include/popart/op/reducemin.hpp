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
  using ReduceOp::ReduceOp;
  ~ReduceMinOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
