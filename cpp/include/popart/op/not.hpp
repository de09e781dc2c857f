// Negation of booleans. After popart/op/not.hpp of PopART 3.
#ifndef popart_op_not_hpp
#define popart_op_not_hpp

#include <popart/op/elementwise.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class NotOp : public ElementWiseUnaryOp {
 public:
  NotOp(const OperatorIdentifier& opid, const Op::Settings& settings);
  ~NotOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
