// Where the first input is greater than the second. After popart/op/greater.hpp of PopART 3.
#ifndef popart_op_greater_hpp
#define popart_op_greater_hpp

#include <popart/op/elementwise.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class GreaterOp : public BinaryComparisonOp {
 public:
  GreaterOp(const OperatorIdentifier& opid, const Op::Settings& settings);
  ~GreaterOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
