// AdaGrad, RMSProp and AdaDelta. After popart/adaptive.hpp of PopART 3.
#ifndef popart_adaptive_hpp
#define popart_adaptive_hpp

#include <popart/optimizer.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

enum class AdaptiveMode { AdaGrad = 0, RMSProp, CenteredRMSProp, AdaDelta };

/// Optimizers with a learning rate of each element: see popir.Adaptive in Python.
class Adaptive : public Optimizer {
 public:
  static OptimizerValue getUnsetLearningRate() { return {0.01f, true}; }
  static OptimizerValue getUnsetWeightDecay() { return {0.0f, true}; }
  static OptimizerValue getUnsetAlpha() { return {0.99f, true}; }
  static OptimizerValue getUnsetMomentum() { return {0.0f, true}; }
  static OptimizerValue getUnsetEps() { return {1e-6f, true}; }
  static OptimizerValue getUnsetLossScaling() { return {1.0f, true}; }

  Adaptive(OptimizerValue defaultLearningRate, OptimizerValue defaultWeightDecay,
           OptimizerValue defaultAlpha, OptimizerValue defaultMomentum, OptimizerValue defaultEps,
           OptimizerValue lossScaling, AdaptiveMode adaptiveMode, WeightDecayMode weightDecayMode,
           DataType accumType, DataType accl1Type, DataType accl2Type, DataType accl3Type,
           bool rmspropTFVariant = false, const DebugContext& debugContext = {});
  /// Values by name ("defaultLearningRate", ..., "lossScaling"), each with true if it is constant.
  Adaptive(const Params& params, AdaptiveMode adaptiveMode, WeightDecayMode weightDecayMode,
           DataType accumType, DataType accl1Type, DataType accl2Type, DataType accl3Type,
           bool rmspropTFVariant = false, const DebugContext& debugContext = {});
  ~Adaptive() override;

  OptimizerType type() const final { return OptimizerType::Adaptive; }
  std::string type_s() const final { return "Adaptive"; }
  std::unique_ptr<Optimizer> clone() const final;
  std::unique_ptr<Op> createOp(const Tensor& weight, Graph& graph) const override;
  std::vector<TensorId> getInputIds(const Tensor& weight) const override;
  std::map<TensorId, float> getOptimizerInputs(const Tensor& weight) const override;
  using Optimizer::insertSpecific;
  void insertSpecific(const TensorId& weight, OptimizerValue learningRate,
                      OptimizerValue weightDecay, OptimizerValue alpha, OptimizerValue momentum,
                      OptimizerValue eps);
  const OptimizerValueMap& learningRates() const { return values("learningRate"); }
  const OptimizerValueMap& weightDecays() const { return values("weightDecay"); }
  const OptimizerValueMap& alphas() const { return values("alpha"); }
  const OptimizerValueMap& momentums() const { return values("momentum"); }
  const OptimizerValueMap& epss() const { return values("eps"); }

 private:
  void describe(Arguments& arguments) const override;
  std::map<std::string, int> form() const override;

  AdaptiveMode mode_;
  WeightDecayMode decay_;
  DataType accumType_, accl1Type_, accl2Type_, accl3Type_;
  bool isTensorFlows_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
