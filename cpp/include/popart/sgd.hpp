// Stochastic gradient descent. After popart/sgd.hpp of PopART 3.
#ifndef popart_sgd_hpp
#define popart_sgd_hpp

#include <popart/optimizer.hpp>

#include <map>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

enum class SGDAccumulatorAndMomentum { Combined = 0, Separate };

/// Stochastic gradient descent, optionally with momentum: see popir.SGD in Python.
class SGD : public Optimizer {
 public:
  static OptimizerValue getUnsetLearningRate() { return {0.1f, true}; }
  static OptimizerValue getUnsetWeightDecay() { return {0.0f, true}; }
  static OptimizerValue getUnsetMomentum() { return {0.0f, true}; }
  static OptimizerValue getUnsetDampening() { return {0.0f, true}; }
  static OptimizerValue getUnsetVelocityScaling() { return {1.0f, true}; }
  static OptimizerValue getUnsetLossScaling() { return {1.0f, true}; }
  static OptimizerValue getUnsetNesterov() { return {0.0f, true}; }

  SGD(OptimizerValue defaultLearningRate, OptimizerValue defaultWeightDecay,
      OptimizerValue defaultMomentum, OptimizerValue defaultDampening,
      OptimizerValue defaultVelocityScaling, OptimizerValue lossScaling, OptimizerValue nesterov,
      const std::vector<ClipNormSettings>& clipNormSettings = {},
      SGDAccumulatorAndMomentum sgdAccMm = SGDAccumulatorAndMomentum::Combined,
      DataType accumType = DataType::UNDEFINED, DataType accl1Type = DataType::UNDEFINED,
      const DebugContext& debugContext = {});
  SGD(OptimizerValue defaultLearningRate, OptimizerValue defaultWeightDecay,
      OptimizerValue defaultMomentum, OptimizerValue defaultDampening,
      OptimizerValue defaultVelocityScaling, OptimizerValue lossScaling,
      const std::vector<ClipNormSettings>& clipNormSettings = {},
      SGDAccumulatorAndMomentum sgdAccMm = SGDAccumulatorAndMomentum::Combined,
      DataType accumType = DataType::UNDEFINED, DataType accl1Type = DataType::UNDEFINED,
      const DebugContext& debugContext = {});
  /// Values by name ("defaultLearningRate", ..., "lossScaling", "nesterov"), each with true if it
  /// is constant.
  SGD(const Params& params, const std::vector<ClipNormSettings>& clipNormSettings = {},
      SGDAccumulatorAndMomentum sgdAccMm = SGDAccumulatorAndMomentum::Combined,
      DataType accumType = DataType::UNDEFINED, DataType accl1Type = DataType::UNDEFINED,
      const DebugContext& debugContext = {});
  SGD() : SGD(Params{}) {}
  ~SGD() override;

  OptimizerType type() const final { return OptimizerType::SGD; }
  std::string type_s() const final { return "SGD"; }
  std::unique_ptr<Optimizer> clone() const final;
  SGDAccumulatorAndMomentum getSGDAccumulatorAndMomentum() const { return form_; }
  std::unique_ptr<Op> createOp(const Tensor& weight, Graph& graph) const override;
  std::vector<TensorId> getInputIds(const Tensor& weight) const override;
  std::map<TensorId, float> getOptimizerInputs(const Tensor& weight) const override;
  using Optimizer::insertSpecific;
  void insertSpecific(const TensorId& weight, OptimizerValue learningRate,
                      OptimizerValue weightDecay, OptimizerValue momentum, OptimizerValue dampening,
                      OptimizerValue velocityScaling, OptimizerValue nesterov);
  const OptimizerValueMap& learningRates() const { return values("learningRate"); }
  const OptimizerValueMap& weightDecays() const { return values("weightDecay"); }
  const OptimizerValueMap& momentums() const { return values("momentum"); }
  const OptimizerValueMap& dampenings() const { return values("dampening"); }
  const OptimizerValueMap& velocityScalings() const { return values("velocityScaling"); }
  const OptimizerValueMap& nesterov() const { return values("nesterov"); }

 private:
  void describe(Arguments& arguments) const override;
  std::map<std::string, int> form() const override;

  SGDAccumulatorAndMomentum form_;
  DataType accumType_;
  DataType accl1Type_;
};

/// SGD with constant hyperparameters.
class ConstSGD : public SGD {
 public:
  ConstSGD(float learningRate, float weightDecay = 0, float lossScaling = 1,
           const std::vector<ClipNormSettings>& clipNormSettings = {})
      : SGD({{"defaultLearningRate", {learningRate, true}},
             {"defaultWeightDecay", {weightDecay, true}},
             {"lossScaling", {lossScaling, true}}},
            clipNormSettings) {}
  ~ConstSGD() override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
