// Stochastic gradient descent. After popart/sgd.hpp of PopART 3.
#ifndef popart_sgd_hpp
#define popart_sgd_hpp

#include <popart/datatype.hpp>
#include <popart/optimizer.hpp>

#include <map>
#include <string>
#include <utility>

#pragma GCC visibility push(default)

namespace popart {

enum class SGDAccumulatorAndMomentum { Combined = 0, Separate };

/// Stochastic gradient descent, optionally with momentum. Only stored; see Optimizer.
class SGD : public Optimizer {
 public:
  /// Hyperparameters by name ("defaultLearningRate", "defaultWeightDecay", "defaultMomentum", ...,
  /// "lossScaling"). Each is a value, and true if it is constant.
  SGD(const std::map<std::string, std::pair<float, bool>>& params,
      SGDAccumulatorAndMomentum sgdAccMm = SGDAccumulatorAndMomentum::Combined,
      DataType accumType = DataType::UNDEFINED, DataType accl1Type = DataType::UNDEFINED)
      : Optimizer(value(params, "lossScaling", 1)),
        learningRate_(value(params, "defaultLearningRate", 0.1f)),
        weightDecay_(value(params, "defaultWeightDecay", 0)),
        sgdAccMm_(sgdAccMm),
        accumType_(accumType),
        accl1Type_(accl1Type) {}
  ~SGD() override;

  OptimizerType type() const override { return OptimizerType::SGD; }
  std::unique_ptr<Optimizer> clone() const override {
    return std::unique_ptr<Optimizer>(new SGD(*this));
  }
  const OptimizerValue& learningRate() const { return learningRate_; }
  const OptimizerValue& weightDecay() const { return weightDecay_; }
  SGDAccumulatorAndMomentum getSGDAccumulatorAndMomentum() const { return sgdAccMm_; }

 private:
  static OptimizerValue value(const std::map<std::string, std::pair<float, bool>>& params,
                              const char* name, float otherwise) {
    const auto found = params.find(name);
    return found == params.end() ? OptimizerValue(otherwise, true) : OptimizerValue(found->second);
  }

  OptimizerValue learningRate_;
  OptimizerValue weightDecay_;
  SGDAccumulatorAndMomentum sgdAccMm_;
  DataType accumType_;
  DataType accl1Type_;
};

/// SGD with constant hyperparameters.
class ConstSGD : public SGD {
 public:
  explicit ConstSGD(float learningRate, float weightDecay = 0, float lossScaling = 1)
      : SGD({{"defaultLearningRate", {learningRate, true}},
             {"defaultWeightDecay", {weightDecay, true}},
             {"lossScaling", {lossScaling, true}}}) {}
  ~ConstSGD() override;

  std::unique_ptr<Optimizer> clone() const override {
    return std::unique_ptr<Optimizer>(new ConstSGD(*this));
  }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
