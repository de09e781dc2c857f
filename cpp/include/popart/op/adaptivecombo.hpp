// A step of AdaGrad, RMSProp or AdaDelta as one operator. After popart/op/adaptivecombo.hpp of
// PopART 3.
#ifndef popart_op_adaptivecombo_hpp
#define popart_op_adaptivecombo_hpp

#include <popart/adaptive.hpp>
#include <popart/op/varupdate.hpp>
#include <popart/optimizer.hpp>
#include <popart/optimizervalue.hpp>

#include <map>
#include <memory>
#include <set>

#pragma GCC visibility push(default)

namespace popart {

/// What PopART takes apart into accumulation, states, RMSPropUpdaterOp or AdaDeltaUpdaterOp, and
/// ScaledVarUpdateOp. The compiler's graph has one operator for them, AdaptiveVarUpdate, and none of
/// these; AdaptiveDecompose takes one of a program's graph apart.
class AdaptiveComboOp : public VarUpdateWithUpdaterOp {
 public:
  AdaptiveComboOp(OptimizerValue initialLr, OptimizerValue initialWd, OptimizerValue initialA,
                  OptimizerValue initialM, OptimizerValue initialEps, OptimizerValue initialLs,
                  OptimizerValue initialGs, AdaptiveMode mode, WeightDecayMode decayMode,
                  bool withGradAccum, OptimizerReductionType reductionType, DataType accumType,
                  DataType accl1Type, DataType accl2Type, DataType accl3Type, bool rmspropTFVariant,
                  const Op::Settings& settings);
  ~AdaptiveComboOp() override;

  static InIndex getLrInIndex() { return 2; }
  static InIndex getWdInIndex() { return 3; }
  static InIndex getAlphaInIndex() { return 4; }
  static InIndex getMomentumInIndex() { return 5; }
  static InIndex getEpsInIndex() { return 6; }
  static InIndex getLsInIndex() { return 7; }
  static InIndex getGsInIndex() { return 8; }
  std::unique_ptr<Op> clone() const final;
  /// Those that are not constant.
  std::map<InIndex, TensorId> optimizerInputs() const final;
  std::set<InIndex> optionalInputs() const final;
  void appendOutlineAttributes(OpSerialiserBase& os) const final;
  /// Negative: shared by nothing.
  float getSubgraphValue() const final { return -1.0f; }

  const OptimizerValue initLr;   // learning rate
  const OptimizerValue initWd;   // weight decay
  const OptimizerValue initA;    // alpha
  const OptimizerValue initM;    // momentum
  const OptimizerValue initEps;  // epsilon
  const OptimizerValue initLs;   // loss scaling
  const OptimizerValue initGs;   // scale of gradients
  const AdaptiveMode mode;
  const WeightDecayMode decayMode;
  const bool withGradAccum;
  const OptimizerReductionType reductionType;
  DataType accumType;
  DataType accl1Type;
  DataType accl2Type;
  DataType accl3Type;
  const bool rmspropTFVariant;  // TensorFlow's variant
};

}  // namespace popart

#pragma GCC visibility pop

#endif
