// Where two inputs are equal. After popart/op/equal.hpp of PopART 3.
#ifndef popart_op_equal_hpp
#define popart_op_equal_hpp

#include <popart/op/elementwise.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class EqualOp : public BinaryComparisonOp {
 public:
  EqualOp(const OperatorIdentifier& opid, const Op::Settings& settings);
  ~EqualOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
