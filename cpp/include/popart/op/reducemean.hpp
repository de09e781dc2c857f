// Means over dimensions. After popart/op/reducemean.hpp of PopART 3.
#ifndef popart_op_reducemean_hpp
#define popart_op_reducemean_hpp

#include <popart/op/reduce.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class ReduceMeanOp : public ReduceOp {
 public:
  ReduceMeanOp(const OperatorIdentifier& opid, const nonstd::optional<std::vector<int64_t>>& axes,
               int64_t keepdims, const Op::Settings& settings);
  ~ReduceMeanOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
};

/// Its gradient, which is the compiler's in graphs that a program makes.
class ReduceMeanGradOp : public ReduceGradOp {
 public:
  ReduceMeanGradOp(const ReduceMeanOp& fwdOp, const Shape& backwardShape);
  ~ReduceMeanGradOp() override;

  std::unique_ptr<Op> clone() const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
