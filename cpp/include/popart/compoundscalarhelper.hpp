// What updates of weights read: numbers that are made of several hyperparameters.
// After popart/compoundscalarhelper.hpp of PopART 3.
#ifndef popart_compoundscalarhelper_hpp
#define popart_compoundscalarhelper_hpp

#include <popart/names.hpp>
#include <popart/optimizervalue.hpp>

#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class Adam;
class Adaptive;
class SGD;
class Tensor;

/// One number of the updates by an optimizer of the class T: its value for a weight, and the id of
/// the tensor that has it where it is not constant.
///
/// Values are those of the optimizer in C++. Numbers that depend on accumulation or replicas throw
/// error before Optimizer::setFactorsFromOptions().
template <class T>
class CompoundScalarHelper {
 public:
  virtual ~CompoundScalarHelper();

  /// The value for a weight; "" stands for one without values of its own.
  virtual float val(const TensorId& weightId, const T& optimizer) const = 0;
  /// True if all hyperparameters that it is made of are constant.
  virtual bool isConst(const TensorId& weightId, const T& optimizer) const;
  OptimizerValue getFromWeightId(const TensorId& weightId, const T& optimizer) const {
    return {val(weightId, optimizer), isConst(weightId, optimizer)};
  }
  /// The value that the tensor of this id has.
  /// \throws error for an id that is not of this number
  OptimizerValue getFromScalarId(const TensorId& scalarId, const T& optimizer) const;
  /// The weight that the tensor of this id is for alone.
  /// \throws error for an id that is for no single weight
  TensorId getWeightId(const TensorId& scalarId) const;
  bool idMatch(const TensorId& scalarId) const;
  TensorId getScalarId(const Tensor& weight, const T& optimizer) const;
  /// "" for a constant.
  TensorId getScalarIdIfNonConst(const Tensor& weight, const T& optimizer) const;

 protected:
  /// The name as it stands in ids, and the hyperparameters by their names in the optimizer.
  CompoundScalarHelper(std::string name, std::vector<std::string> parts)
      : name_(std::move(name)), parts_(std::move(parts)) {}

 private:
  std::string defaultPrefix() const { return name_ + "___default___"; }
  std::string specificPrefix() const { return name_ + "___specific___"; }

  std::string name_;
  std::vector<std::string> parts_;
};

extern template class CompoundScalarHelper<SGD>;
extern template class CompoundScalarHelper<Adam>;
extern template class CompoundScalarHelper<Adaptive>;

// lr learning rate, wd weight decay, dp and dm dampening, vs velocity scaling, ls loss scaling,
// mm momentum; af accumulation factor and rf replication factor, as far as they belong to the number.

/// The factor of a weight in an update of SGD0.
class WeightDecayScaleFactor0Helper : public CompoundScalarHelper<SGD> {
 public:
  WeightDecayScaleFactor0Helper()
      : CompoundScalarHelper("weightDecayScaleFactor0",
                             {"weightDecay", "learningRate", "dampening"}) {}
  float val(float wd, float lr, float dp) const { return 1.0f - lr * (1.0f - dp) * wd; }
  float val(const TensorId& weightId, const SGD& optimizer) const final;
};
/// The factor of a gradient in an update of SGD0.
class ScaledLearningRate0Helper : public CompoundScalarHelper<SGD> {
 public:
  ScaledLearningRate0Helper()
      : CompoundScalarHelper("scaledLearningRate0", {"learningRate", "dampening", "lossScaling"}) {}
  float val(float lr, float dp, float ls, float af, float rf) const {
    return lr * (1.0f - dp) / (ls * af * rf);
  }
  float val(const TensorId& weightId, const SGD& optimizer) const final;
};
/// The factor of a weight in the momentum of SGD1.
class ScaledWeightDecay1Helper : public CompoundScalarHelper<SGD> {
 public:
  ScaledWeightDecay1Helper()
      : CompoundScalarHelper("scaledWeightDecay1",
                             {"dampening", "weightDecay", "velocityScaling"}) {}
  float val(float dm, float wd, float vs) const { return (1.0f - dm) * wd * vs; }
  float val(const TensorId& weightId, const SGD& optimizer) const final;
};
/// The factor of the momentum in an update of SGD1.
class ScaledLearningRate1Helper : public CompoundScalarHelper<SGD> {
 public:
  ScaledLearningRate1Helper()
      : CompoundScalarHelper("scaledLearningRate1", {"learningRate", "velocityScaling"}) {}
  float val(float lr, float vs, float rf) const { return lr / (vs * rf); }
  float val(const TensorId& weightId, const SGD& optimizer) const final;
};
/// The factor of a gradient in the momentum of SGD1.
class DampeningScaleFactor1Helper : public CompoundScalarHelper<SGD> {
 public:
  DampeningScaleFactor1Helper()
      : CompoundScalarHelper("dampeningScaleFactor1",
                             {"dampening", "velocityScaling", "lossScaling"}) {}
  float val(float dm, float vs, float ls, float af, float rf) const {
    return (1.0f - dm) * vs * rf / (ls * af);
  }
  float val(const TensorId& weightId, const SGD& optimizer) const final;
};
/// The factor of the momentum for the next step of SGD1.
class ScaledMomentum1Helper : public CompoundScalarHelper<SGD> {
 public:
  ScaledMomentum1Helper() : CompoundScalarHelper("scaledMomentum1", {"momentum"}) {}
  float val(float mm, float rf) const { return mm / rf; }
  float val(const TensorId& weightId, const SGD& optimizer) const final;
};
/// The factor of the momentum in an update of SGD2.
class ScaledLearningRate2Helper : public CompoundScalarHelper<SGD> {
 public:
  ScaledLearningRate2Helper()
      : CompoundScalarHelper("scaledLearningRate2", {"learningRate", "velocityScaling"}) {}
  float val(float lr, float vs) const { return lr / vs; }
  float val(const TensorId& weightId, const SGD& optimizer) const final;
};
/// The factor of a gradient in the momentum of SGD2.
class DampeningScaleFactor2Helper : public CompoundScalarHelper<SGD> {
 public:
  DampeningScaleFactor2Helper()
      : CompoundScalarHelper("dampeningScaleFactor2",
                             {"dampening", "velocityScaling", "lossScaling"}) {}
  float val(float dm, float vs, float ls, float af, float rf) const {
    return (1.0f - dm) * vs / (ls * af * rf);
  }
  float val(const TensorId& weightId, const SGD& optimizer) const final;
};
/// The factor of the momentum for the next step of SGD2.
class ScaledMomentum2Helper : public CompoundScalarHelper<SGD> {
 public:
  ScaledMomentum2Helper() : CompoundScalarHelper("scaledMomentum2", {"momentum"}) {}
  float val(float mm) const { return mm; }
  float val(const TensorId& weightId, const SGD& optimizer) const final;
};
/// The weight decay, with Nesterov momentum.
class SGDWeightDecayHelper : public CompoundScalarHelper<SGD> {
 public:
  SGDWeightDecayHelper() : CompoundScalarHelper("sgdWeightDecay", {"weightDecay"}) {}
  float val(float wd) const { return wd; }
  float val(const TensorId& weightId, const SGD& optimizer) const final;
};
/// The momentum, with Nesterov momentum.
class SGDMomentumHelper : public CompoundScalarHelper<SGD> {
 public:
  SGDMomentumHelper() : CompoundScalarHelper("sgdMomentum", {"momentum"}) {}
  float val(float mm) const { return mm; }
  float val(const TensorId& weightId, const SGD& optimizer) const final;
};
/// The factor of a gradient in a Nesterov step of SGD1.
class NesterovGradScaleFactor1Helper : public CompoundScalarHelper<SGD> {
 public:
  NesterovGradScaleFactor1Helper()
      : CompoundScalarHelper("nesterovGradScaleFactor1", {"velocityScaling"}) {}
  float val(float vs, float rf) const { return vs * rf; }
  float val(const TensorId& weightId, const SGD& optimizer) const final;
};
/// The factor of a gradient in a Nesterov step of SGD2.
class NesterovGradScaleFactor2Helper : public CompoundScalarHelper<SGD> {
 public:
  NesterovGradScaleFactor2Helper()
      : CompoundScalarHelper("nesterovGradScaleFactor2", {"velocityScaling"}) {}
  float val(float vs) const { return vs; }
  float val(const TensorId& weightId, const SGD& optimizer) const final;
};
/// What undoes the dampening in a Nesterov step of SGD1.
class NesterovDampeningScaleFactor1Helper : public CompoundScalarHelper<SGD> {
 public:
  NesterovDampeningScaleFactor1Helper()
      : CompoundScalarHelper("nesterovDampeningScaleFactor1",
                             {"dampening", "velocityScaling", "lossScaling"}) {}
  float val(float dm, float vs, float af, float rf) const { return af / ((1.0f - dm) * vs * rf); }
  float val(const TensorId& weightId, const SGD& optimizer) const final;
};
/// What undoes the dampening in a Nesterov step of SGD2.
class NesterovDampeningScaleFactor2Helper : public CompoundScalarHelper<SGD> {
 public:
  NesterovDampeningScaleFactor2Helper()
      : CompoundScalarHelper("nesterovDampeningScaleFactor2",
                             {"dampening", "velocityScaling", "lossScaling"}) {}
  float val(float dm, float vs, float af, float rf) const { return af * rf / ((1.0f - dm) * vs); }
  float val(const TensorId& weightId, const SGD& optimizer) const final;
};

class AdamBeta1Helper : public CompoundScalarHelper<Adam> {
 public:
  AdamBeta1Helper() : CompoundScalarHelper("adamBeta1", {"beta1"}) {}
  float val(float b1) const { return b1; }
  float val(const TensorId& weightId, const Adam& optimizer) const final;
};
class AdamBeta2Helper : public CompoundScalarHelper<Adam> {
 public:
  AdamBeta2Helper() : CompoundScalarHelper("adamBeta2", {"beta2"}) {}
  float val(float b2) const { return b2; }
  float val(const TensorId& weightId, const Adam& optimizer) const final;
};
class AdamLearningRateHelper : public CompoundScalarHelper<Adam> {
 public:
  AdamLearningRateHelper() : CompoundScalarHelper("learningRate", {"learningRate"}) {}
  float val(float lr) const { return lr; }
  float val(const TensorId& weightId, const Adam& optimizer) const final;
};
/// With the loss scaling where states are scaled and the decay is part of the gradient.
class AdamWeightDecayHelper : public CompoundScalarHelper<Adam> {
 public:
  AdamWeightDecayHelper() : CompoundScalarHelper("weightDecay", {"weightDecay", "lossScaling"}) {}
  float val(float wd, float ls) const { return wd * ls; }
  float val(const TensorId& weightId, const Adam& optimizer) const final;
  bool isConst(const TensorId& weightId, const Adam& optimizer) const final;
};
/// With the loss scaling where states are scaled.
class AdamEpsHelper : public CompoundScalarHelper<Adam> {
 public:
  AdamEpsHelper() : CompoundScalarHelper("adamEps", {"eps", "lossScaling"}) {}
  float val(float eps, float ls) const { return eps * ls; }
  float val(const TensorId& weightId, const Adam& optimizer) const final;
  bool isConst(const TensorId& weightId, const Adam& optimizer) const final;
};
class AdamLossScalingHelper : public CompoundScalarHelper<Adam> {
 public:
  AdamLossScalingHelper() : CompoundScalarHelper("lossScaling", {"lossScaling"}) {}
  float val(float ls) const { return ls; }
  float val(const TensorId& weightId, const Adam& optimizer) const final;
};
class AdamMaxWeightNormHelper : public CompoundScalarHelper<Adam> {
 public:
  AdamMaxWeightNormHelper() : CompoundScalarHelper("maxWeightNorm", {"maxWeightNorm"}) {}
  float val(float mwn) const { return mwn; }
  float val(const TensorId& weightId, const Adam& optimizer) const final;
};
/// The factor of a gradient, without the loss scaling where states are scaled.
class AdamGradientScalingHelper : public CompoundScalarHelper<Adam> {
 public:
  AdamGradientScalingHelper() : CompoundScalarHelper("adamGradientScaling", {"lossScaling"}) {}
  float val(float ls, float af, float rf) const { return 1 / (ls * af * rf); }
  float val(const TensorId& weightId, const Adam& optimizer) const final;
  bool isConst(const TensorId& weightId, const Adam& optimizer) const final;
};

class AdaptiveAlphaHelper : public CompoundScalarHelper<Adaptive> {
 public:
  AdaptiveAlphaHelper() : CompoundScalarHelper("adaptiveAlpha", {"alpha"}) {}
  float val(float a) const { return a; }
  float val(const TensorId& weightId, const Adaptive& optimizer) const final;
};
class AdaptiveMomentumHelper : public CompoundScalarHelper<Adaptive> {
 public:
  AdaptiveMomentumHelper() : CompoundScalarHelper("adaptiveMomentum", {"momentum"}) {}
  float val(float a) const { return a; }
  float val(const TensorId& weightId, const Adaptive& optimizer) const final;
};
class AdaptiveLearningRateHelper : public CompoundScalarHelper<Adaptive> {
 public:
  AdaptiveLearningRateHelper() : CompoundScalarHelper("learningRate", {"learningRate"}) {}
  float val(float lr) const { return lr; }
  float val(const TensorId& weightId, const Adaptive& optimizer) const final;
};
class AdaptiveWeightDecayHelper : public CompoundScalarHelper<Adaptive> {
 public:
  AdaptiveWeightDecayHelper() : CompoundScalarHelper("weightDecay", {"weightDecay"}) {}
  float val(float wd) const { return wd; }
  float val(const TensorId& weightId, const Adaptive& optimizer) const final;
};
class AdaptiveEpsHelper : public CompoundScalarHelper<Adaptive> {
 public:
  AdaptiveEpsHelper() : CompoundScalarHelper("adaptiveEps", {"eps"}) {}
  float val(float eps) const { return eps; }
  float val(const TensorId& weightId, const Adaptive& optimizer) const final;
};
class AdaptiveLossScalingHelper : public CompoundScalarHelper<Adaptive> {
 public:
  AdaptiveLossScalingHelper() : CompoundScalarHelper("lossScaling", {"lossScaling"}) {}
  float val(float ls) const { return ls; }
  float val(const TensorId& weightId, const Adaptive& optimizer) const final;
};
/// The factor of a gradient.
class AdaptiveGradientScalingHelper : public CompoundScalarHelper<Adaptive> {
 public:
  AdaptiveGradientScalingHelper()
      : CompoundScalarHelper("adaptiveGradientScaling", {"lossScaling"}) {}
  float val(float ls, float af, float rf) const { return 1 / (ls * af * rf); }
  float val(const TensorId& weightId, const Adaptive& optimizer) const final;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
