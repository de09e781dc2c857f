// Squares. After popart/op/square.hpp of PopART 3.
#ifndef popart_op_square_hpp
#define popart_op_square_hpp

#include <popart/op/elementwise.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// x * x, which it becomes before it is lowered.
class SquareOp : public ElementWiseUnaryOp {
 public:
  SquareOp(const OperatorIdentifier& opid, const Op::Settings& settings);
  ~SquareOp() override;

  std::unique_ptr<Op> clone() const final;
  std::vector<std::unique_ptr<Op>> getGradOps() final;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
