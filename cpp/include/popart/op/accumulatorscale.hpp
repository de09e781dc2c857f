// Products of sums of gradients. After popart/op/accumulatorscale.hpp of PopART 3.
#ifndef popart_op_accumulatorscale_hpp
#define popart_op_accumulatorscale_hpp

#include <popart/op/varupdate.hpp>
#include <popart/optimizervalue.hpp>

#include <map>
#include <memory>

#pragma GCC visibility push(default)

namespace popart {

/// Multiplies its variable by a factor in place. The compiler has no such operator: a sum of
/// gradients begins anew in each of its updates.
class AccumulatorScaleOp : public VarUpdateOp {
 public:
  AccumulatorScaleOp(const OptimizerValue factor, const Op::Settings& settings);
  ~AccumulatorScaleOp() override;

  /// Input of the factor, if it is not constant.
  static InIndex getFactorInIndex() { return 2; }
  std::unique_ptr<Op> clone() const override;
  std::map<InIndex, TensorId> optimizerInputs() const override;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
  const OptimizerValue& getFactor() const { return factor_; }

 private:
  OptimizerValue factor_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
