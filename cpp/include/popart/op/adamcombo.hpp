// A step of Adam as one operator. After popart/op/adamcombo.hpp of PopART 3.
#ifndef popart_op_adamcombo_hpp
#define popart_op_adamcombo_hpp

#include <popart/adam.hpp>
#include <popart/op/varupdate.hpp>
#include <popart/optimizer.hpp>
#include <popart/optimizervalue.hpp>

#include <map>
#include <memory>
#include <set>

#pragma GCC visibility push(default)

namespace popart {

/// What PopART takes apart into accumulation, moments, AdamUpdaterOp and AdamVarUpdateOp. The
/// compiler's graph has the parts at once and none of these; AdamDecompose takes one of a program's
/// graph apart.
class AdamComboOp : public VarUpdateWithUpdaterOp {
 public:
  AdamComboOp(OptimizerValue initialLr, OptimizerValue initialWd, OptimizerValue initialB1,
              OptimizerValue initialB2, OptimizerValue initialEps, OptimizerValue initialLs,
              OptimizerValue initialMwn, OptimizerValue initialGs, AdamMode mode,
              WeightDecayMode decayMode, bool withGradAccum, OptimizerReductionType reductionType,
              DataType accumType, DataType accl1Type, DataType accl2Type, bool scaledOptimizerState,
              const Op::Settings& settings);
  ~AdamComboOp() override;

  static InIndex getLrInIndex() { return 2; }
  static InIndex getWdInIndex() { return 3; }
  static InIndex getBeta1InIndex() { return 4; }
  static InIndex getBeta2InIndex() { return 5; }
  static InIndex getEpsInIndex() { return 6; }
  static InIndex getLsInIndex() { return 7; }
  static InIndex getMwnInIndex() { return 8; }
  static InIndex getGsInIndex() { return 9; }
  std::unique_ptr<Op> clone() const final;
  /// Those that are not constant.
  std::map<InIndex, TensorId> optimizerInputs() const final;
  std::set<InIndex> optionalInputs() const final;
  void appendOutlineAttributes(OpSerialiserBase& os) const final;
  /// Negative: shared by nothing.
  float getSubgraphValue() const final { return -1.0f; }

  const OptimizerValue initLr;   // learning rate
  const OptimizerValue initWd;   // weight decay
  const OptimizerValue initB1;   // beta1
  const OptimizerValue initB2;   // beta2
  const OptimizerValue initEps;  // epsilon
  const OptimizerValue initLs;   // loss scaling
  const OptimizerValue initMwn;  // greatest norm of a weight
  const OptimizerValue initGs;   // scale of gradients
  const AdamMode mode;
  const WeightDecayMode decayMode;
  const bool withGradAccum;
  const OptimizerReductionType reductionType;
  DataType accumType;
  DataType accl1Type;
  DataType accl2Type;
  const bool scaledOptimizerState;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
