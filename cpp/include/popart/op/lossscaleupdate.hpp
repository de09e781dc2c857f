// The factor of automatic loss scaling. After popart/op/lossscaleupdate.hpp of PopART 3.
#ifndef popart_op_lossscaleupdate_hpp
#define popart_op_lossscaleupdate_hpp

#include <popart/op.hpp>

#include <memory>

#pragma GCC visibility push(default)

namespace popart {

/// Halves the factor in place where, of the counts of gradients below and above a limit, UINT32 [2],
/// the share above is larger than AutomaticLossScalingSettings::thresholdUpperCountProportion of the
/// session; else doubles it.
class LossScaleUpdateOp : public Op {
 public:
  LossScaleUpdateOp(const OperatorIdentifier& opid, const DataType& updateFactorDType,
                    const Op::Settings& settings)
      : Op(opid, settings), type_(updateFactorDType) {}
  ~LossScaleUpdateOp() override;

  static InIndex getLossScaleUpdateFactorInIndex() { return 0; }
  static InIndex getStatisticsTensorInIndex() { return 1; }
  static OutIndex getUpdatedLossScaleUpdateFactorOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  /// \throws error for other statistics
  void setup() final;
  float getSubgraphValue() const final { return getLowSubgraphValue(); }
  DataType getUpdateFactorDType() const { return type_; }
  view::Regions aliases(InIndex in, OutIndex) const override;
  view::Regions modifies(InIndex in) const override;
  void growAliasModel(AliasModel& model) const override;

 private:
  DataType type_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
