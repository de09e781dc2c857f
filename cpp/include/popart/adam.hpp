// Adam, AdaMax and Lamb. After popart/adam.hpp of PopART 3.
#ifndef popart_adam_hpp
#define popart_adam_hpp

#include <popart/optimizer.hpp>

#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

enum class AdamMode { Adam = 0, AdamNoBias, AdaMax, Lamb, LambNoBias };

/// Adam and its variants: see popir.Adam in Python.
class Adam : public Optimizer {
 public:
  static OptimizerValue getUnsetLearningRate() { return {0.1f, true}; }
  static OptimizerValue getUnsetWeightDecay() { return {0.0f, true}; }
  static OptimizerValue getUnsetBeta1() { return {0.9f, true}; }
  static OptimizerValue getUnsetBeta2() { return {0.999f, true}; }
  static OptimizerValue getUnsetEps() { return {1e-6f, true}; }
  static OptimizerValue getUnsetLossScaling() { return {1.0f, true}; }
  static OptimizerValue getUnsetMaxWeightNorm() { return {10.0f, true}; }

  Adam(OptimizerValue defaultLearningRate, OptimizerValue defaultWeightDecay,
       OptimizerValue defaultBeta1, OptimizerValue defaultBeta2, OptimizerValue defaultEps,
       OptimizerValue lossScaling, OptimizerValue maxWeightNorm, AdamMode adamMode,
       WeightDecayMode weightDecayMode, DataType accumType, DataType accl1Type, DataType accl2Type,
       const std::vector<ClipNormSettings>& clipNormSettings = {},
       bool scaledOptimizerState = false, const DebugContext& debugContext = {});
  Adam(OptimizerValue defaultLearningRate, OptimizerValue defaultWeightDecay,
       OptimizerValue defaultBeta1, OptimizerValue defaultBeta2, OptimizerValue defaultEps,
       OptimizerValue lossScaling, AdamMode adamMode, WeightDecayMode weightDecayMode,
       DataType accumType, DataType accl1Type, DataType accl2Type,
       const std::vector<ClipNormSettings>& clipNormSettings = {},
       bool scaledOptimizerState = false, const DebugContext& debugContext = {});
  Adam(OptimizerValue defaultLearningRate, OptimizerValue defaultWeightDecay,
       OptimizerValue defaultBeta1, OptimizerValue defaultBeta2, OptimizerValue defaultEps,
       OptimizerValue lossScaling, OptimizerValue maxWeightNorm, AdamMode adamMode,
       DataType accumType, DataType accl1Type, DataType accl2Type,
       const std::vector<ClipNormSettings>& clipNormSettings = {},
       bool scaledOptimizerState = false, const DebugContext& debugContext = {});
  Adam(OptimizerValue defaultLearningRate, OptimizerValue defaultWeightDecay,
       OptimizerValue defaultBeta1, OptimizerValue defaultBeta2, OptimizerValue defaultEps,
       OptimizerValue lossScaling, AdamMode adamMode, DataType accumType, DataType accl1Type,
       DataType accl2Type, const std::vector<ClipNormSettings>& clipNormSettings = {},
       bool scaledOptimizerState = false, const DebugContext& debugContext = {});
  /// Values by name ("defaultLearningRate", ..., "lossScaling"), each with true if it is constant.
  Adam(const Params& params, AdamMode adamMode, WeightDecayMode weightDecayMode, DataType accumType,
       DataType accl1Type, DataType accl2Type,
       const std::vector<ClipNormSettings>& clipNormSettings = {},
       bool scaledOptimizerState = false, const DebugContext& debugContext = {});
  ~Adam() override;

  OptimizerType type() const final { return OptimizerType::Adam; }
  std::string type_s() const final { return "Adam"; }
  std::unique_ptr<Optimizer> clone() const final;
  std::unique_ptr<Op> createOp(const Tensor& weight, Graph& graph) const override;
  std::vector<TensorId> getInputIds(const Tensor& weight) const override;
  std::map<TensorId, float> getOptimizerInputs(const Tensor& weight) const override;
  using Optimizer::insertSpecific;
  void insertSpecific(const TensorId& weight, OptimizerValue learningRate,
                      OptimizerValue weightDecay, OptimizerValue beta1, OptimizerValue beta2,
                      OptimizerValue eps, OptimizerValue mwn);
  const OptimizerValueMap& learningRates() const { return values("learningRate"); }
  const OptimizerValueMap& weightDecays() const { return values("weightDecay"); }
  const OptimizerValueMap& beta1s() const { return values("beta1"); }
  const OptimizerValueMap& beta2s() const { return values("beta2"); }
  const OptimizerValueMap& epss() const { return values("eps"); }
  const OptimizerValueMap& maxWeightNorms() const { return values("maxWeightNorm"); }
  const WeightDecayMode& getWeightDecayMode() const { return decay_; }
  bool useScaledOptimizerState() const { return isScaled_; }

 private:
  void describe(Arguments& arguments) const override;
  std::map<std::string, int> form() const override;

  AdamMode mode_;
  WeightDecayMode decay_;
  DataType accumType_, accl1Type_, accl2Type_;
  bool isScaled_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
