// Numbers made of several hyperparameters.
#include <popart/adam.hpp>
#include <popart/adaptive.hpp>
#include <popart/compoundscalarhelper.hpp>
#include <popart/error.hpp>
#include <popart/sgd.hpp>
#include <popart/tensor.hpp>

namespace popart {

template <class T>
CompoundScalarHelper<T>::~CompoundScalarHelper() = default;

template <class T>
bool CompoundScalarHelper<T>::isConst(const TensorId& weightId, const T& optimizer) const {
  for (const std::string& part : parts_)
    if (!optimizer.value(part, weightId).isConst()) return false;
  return true;
}

template <class T>
bool CompoundScalarHelper<T>::idMatch(const TensorId& scalarId) const {
  return scalarId.find(defaultPrefix()) != std::string::npos ||
         scalarId.find(specificPrefix()) != std::string::npos;
}

template <class T>
TensorId CompoundScalarHelper<T>::getWeightId(const TensorId& scalarId) const {
  const std::string prefix = specificPrefix();
  if (scalarId.compare(0, prefix.size(), prefix) != 0)
    throw error("'{}' is of no single weight: the ids of those begin with '{}'", scalarId, prefix);
  return scalarId.substr(prefix.size());
}

template <class T>
OptimizerValue CompoundScalarHelper<T>::getFromScalarId(const TensorId& scalarId,
                                                        const T& optimizer) const {
  if (!idMatch(scalarId))
    throw error("'{}' is not the id of a number '{}': those begin with '{}' or '{}'", scalarId,
                name_, defaultPrefix(), specificPrefix());
  const bool isOfOne = scalarId.find(specificPrefix()) != std::string::npos;
  return getFromWeightId(isOfOne ? getWeightId(scalarId) : "", optimizer);
}

template <class T>
TensorId CompoundScalarHelper<T>::getScalarId(const Tensor& weight, const T& optimizer) const {
  if (optimizer.hasSpecific(weight)) return specificPrefix() + weight.id;
  return defaultPrefix() + weight.info.data_type();
}

template <class T>
TensorId CompoundScalarHelper<T>::getScalarIdIfNonConst(const Tensor& weight,
                                                        const T& optimizer) const {
  return isConst(weight.id, optimizer) ? "" : getScalarId(weight, optimizer);
}

template class CompoundScalarHelper<SGD>;
template class CompoundScalarHelper<Adam>;
template class CompoundScalarHelper<Adaptive>;

namespace {

/// What sums over micro-batches are divided by after them, if they become means then.
float afterAccumulation(const Optimizer& optimizer) {
  return optimizer.postMeanAccumulationEnabled()
             ? static_cast<float>(optimizer.getAccumulationFactor())
             : 1.0f;
}

/// What sums over replicas are divided by after them, if they become means then.
float afterReplicas(const Optimizer& optimizer) {
  return optimizer.postMeanReplicationEnabled()
             ? static_cast<float>(optimizer.getReplicatedGraphCount())
             : 1.0f;
}

/// The replicas, where an accumulator that is the momentum too is summed over them.
float accumulatingReplicas(const Optimizer& optimizer) {
  return optimizer.gradientAccumulationEnabled()
             ? static_cast<float>(optimizer.getReplicatedGraphCount())
             : 1.0f;
}

float meanAccumulation(const Optimizer& optimizer) {
  return optimizer.meanReductionEnabled() ? static_cast<float>(optimizer.getAccumulationFactor())
                                          : 1.0f;
}

/// The replicas for sums that are accumulated, their inverse for means that are not.
float summedReplicas(const Optimizer& optimizer) {
  const bool isAccumulated = optimizer.gradientAccumulationEnabled();
  if (isAccumulated == optimizer.meanReductionEnabled()) return 1.0f;
  const auto replicas = static_cast<float>(optimizer.getReplicatedGraphCount());
  return isAccumulated ? replicas : 1.0f / replicas;
}

/// The loss scaling that is in Adam's states, and whether it is.
bool scalesDecay(const Adam& adam) {
  return adam.useScaledOptimizerState() &&
         adam.getWeightDecayMode() == WeightDecayMode::L2Regularization;
}

float factorOf(const OptimizerValue& lossScaling, bool isUsed) {
  return isUsed ? lossScaling.val() : 1.0f;
}

}  // namespace

float WeightDecayScaleFactor0Helper::val(const TensorId& w, const SGD& o) const {
  return val(o.value("weightDecay", w).val(), o.value("learningRate", w).val(),
             o.value("dampening", w).val());
}
float ScaledLearningRate0Helper::val(const TensorId& w, const SGD& o) const {
  return val(o.value("learningRate", w).val(), o.value("dampening", w).val(),
             o.value("lossScaling", w).val(), afterAccumulation(o), afterReplicas(o));
}
float ScaledWeightDecay1Helper::val(const TensorId& w, const SGD& o) const {
  return val(o.value("dampening", w).val(), o.value("weightDecay", w).val(),
             o.value("velocityScaling", w).val());
}
float ScaledLearningRate1Helper::val(const TensorId& w, const SGD& o) const {
  return val(o.value("learningRate", w).val(), o.value("velocityScaling", w).val(),
             accumulatingReplicas(o));
}
float DampeningScaleFactor1Helper::val(const TensorId& w, const SGD& o) const {
  return val(o.value("dampening", w).val(), o.value("velocityScaling", w).val(),
             o.value("lossScaling", w).val(), meanAccumulation(o), summedReplicas(o));
}
float ScaledMomentum1Helper::val(const TensorId& w, const SGD& o) const {
  return val(o.value("momentum", w).val(), accumulatingReplicas(o));
}
float ScaledLearningRate2Helper::val(const TensorId& w, const SGD& o) const {
  return val(o.value("learningRate", w).val(), o.value("velocityScaling", w).val());
}
float DampeningScaleFactor2Helper::val(const TensorId& w, const SGD& o) const {
  return val(o.value("dampening", w).val(), o.value("velocityScaling", w).val(),
             o.value("lossScaling", w).val(), afterAccumulation(o), afterReplicas(o));
}
float ScaledMomentum2Helper::val(const TensorId& w, const SGD& o) const {
  return val(o.value("momentum", w).val());
}
float SGDWeightDecayHelper::val(const TensorId& w, const SGD& o) const {
  return val(o.value("weightDecay", w).val());
}
float SGDMomentumHelper::val(const TensorId& w, const SGD& o) const {
  return val(o.value("momentum", w).val());
}
float NesterovGradScaleFactor1Helper::val(const TensorId& w, const SGD& o) const {
  return val(o.value("velocityScaling", w).val(), accumulatingReplicas(o));
}
float NesterovGradScaleFactor2Helper::val(const TensorId& w, const SGD& o) const {
  return val(o.value("velocityScaling", w).val());
}
float NesterovDampeningScaleFactor1Helper::val(const TensorId& w, const SGD& o) const {
  return val(o.value("dampening", w).val(), o.value("velocityScaling", w).val(),
             afterAccumulation(o), summedReplicas(o));
}
float NesterovDampeningScaleFactor2Helper::val(const TensorId& w, const SGD& o) const {
  return val(o.value("dampening", w).val(), o.value("velocityScaling", w).val(),
             afterAccumulation(o), afterReplicas(o));
}
float AdamBeta1Helper::val(const TensorId& w, const Adam& o) const {
  return val(o.value("beta1", w).val());
}
float AdamBeta2Helper::val(const TensorId& w, const Adam& o) const {
  return val(o.value("beta2", w).val());
}
float AdamLearningRateHelper::val(const TensorId& w, const Adam& o) const {
  return val(o.value("learningRate", w).val());
}
float AdamWeightDecayHelper::val(const TensorId& w, const Adam& o) const {
  return val(o.value("weightDecay", w).val(), factorOf(o.lossScaling(), scalesDecay(o)));
}
bool AdamWeightDecayHelper::isConst(const TensorId& w, const Adam& o) const {
  return o.value("weightDecay", w).isConst() && (!scalesDecay(o) || o.lossScaling().isConst());
}
float AdamEpsHelper::val(const TensorId& w, const Adam& o) const {
  return val(o.value("eps", w).val(), factorOf(o.lossScaling(), o.useScaledOptimizerState()));
}
bool AdamEpsHelper::isConst(const TensorId& w, const Adam& o) const {
  return o.value("eps", w).isConst() && (!o.useScaledOptimizerState() || o.lossScaling().isConst());
}
float AdamLossScalingHelper::val(const TensorId& w, const Adam& o) const {
  return val(o.value("lossScaling", w).val());
}
float AdamMaxWeightNormHelper::val(const TensorId& w, const Adam& o) const {
  return val(o.value("maxWeightNorm", w).val());
}
float AdamGradientScalingHelper::val(const TensorId&, const Adam& o) const {
  return val(factorOf(o.lossScaling(), !o.useScaledOptimizerState()), afterAccumulation(o),
             afterReplicas(o));
}
bool AdamGradientScalingHelper::isConst(const TensorId&, const Adam& o) const {
  return o.useScaledOptimizerState() || o.lossScaling().isConst();
}
float AdaptiveAlphaHelper::val(const TensorId& w, const Adaptive& o) const {
  return val(o.value("alpha", w).val());
}
float AdaptiveMomentumHelper::val(const TensorId& w, const Adaptive& o) const {
  return val(o.value("momentum", w).val());
}
float AdaptiveLearningRateHelper::val(const TensorId& w, const Adaptive& o) const {
  return val(o.value("learningRate", w).val());
}
float AdaptiveWeightDecayHelper::val(const TensorId& w, const Adaptive& o) const {
  return val(o.value("weightDecay", w).val());
}
float AdaptiveEpsHelper::val(const TensorId& w, const Adaptive& o) const {
  return val(o.value("eps", w).val());
}
float AdaptiveLossScalingHelper::val(const TensorId& w, const Adaptive& o) const {
  return val(o.value("lossScaling", w).val());
}
float AdaptiveGradientScalingHelper::val(const TensorId& w, const Adaptive& o) const {
  return val(o.value("lossScaling", w).val(), afterAccumulation(o), afterReplicas(o));
}

}  // namespace popart
