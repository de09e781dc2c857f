// Features, weighted by splines. After popart/op/splineweighting.hpp of PopART 3.
#ifndef popart_op_splineweighting_hpp
#define popart_op_splineweighting_hpp

#include <popart/op/builtin.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class SplineWeightingOp : public Op {
 public:
  using Op::Op;
  ~SplineWeightingOp() override;

  static InIndex inputIndex() { return 0; }
  static InIndex weightIndex() { return 1; }
  static InIndex basisIndex() { return 2; }
  static InIndex weightIndexIndex() { return 3; }
  std::unique_ptr<Op> clone() const override;
  void setup() override;
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
  static OutIndex outputIndex() { return 0; }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
