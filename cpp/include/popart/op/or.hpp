// Disjunction of booleans. After popart/op/or.hpp of PopART 3.
#ifndef popart_op_or_hpp
#define popart_op_or_hpp

#include <popart/op/elementwise.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class OrOp : public BinaryComparisonOp {
 public:
  OrOp(const OperatorIdentifier& opid, const Op::Settings& settings);
  ~OrOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
