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
  ReduceProdOp(const OperatorIdentifier& opid, const nonstd::optional<std::vector<int64_t>>& axes,
               int64_t keepdims, const Op::Settings& settings);
  ~ReduceProdOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
};

/// Its gradient, which is the compiler's in graphs that a program makes.
class ReduceProdGradOp : public ReduceGradOp {
 public:
  ReduceProdGradOp(const ReduceProdOp& fwdOp, const Shape& backwardShape);
  ~ReduceProdGradOp() override;

  std::unique_ptr<Op> clone() const override;
  const std::vector<GradInOutMapper>& gradInputInfo() const override;
  static InIndex getFwdInInIndex() { return 1; }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
