// Ends a run where its input is not 0. After popart/op/abort.hpp of PopART 3.
#ifndef popart_op_abort_hpp
#define popart_op_abort_hpp

#include <popart/op/builtin.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class AbortOp : public Op {
 public:
  AbortOp(const OperatorIdentifier& opid, const Op::Settings& settings);
  ~AbortOp() override;

  static InIndex getInIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  void setup() override;
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
  bool hasSideEffect() const override { return true; }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
