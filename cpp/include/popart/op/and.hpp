// Conjunction of booleans. After popart/op/and.hpp of PopART 3.
#ifndef popart_op_and_hpp
#define popart_op_and_hpp

#include <popart/op/elementwise.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class AndOp : public BinaryComparisonOp {
 public:
  AndOp(const OperatorIdentifier& opid, const Op::Settings& settings);
  ~AndOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
