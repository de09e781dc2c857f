// Where the first input is less than the second. After popart/op/less.hpp of PopART 3.
#ifndef popart_op_less_hpp
#define popart_op_less_hpp

#include <popart/op/elementwise.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class LessOp : public BinaryComparisonOp {
 public:
  LessOp(const OperatorIdentifier& opid, const Op::Settings& settings);
  ~LessOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
