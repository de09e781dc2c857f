// Products over dimensions. After popart/op/reduceprod.hpp of PopART 3.
#ifndef popart_op_reduceprod_hpp
#define popart_op_reduceprod_hpp

#include <popart/op/reduce.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class ReduceProdOp : public ReduceOp {
 public:
  using ReduceOp::ReduceOp;
  ~ReduceProdOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
