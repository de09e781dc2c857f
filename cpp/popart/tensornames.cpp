#include <popart/tensornames.hpp>

#include <popart/error.hpp>
#include <popart/graph.hpp>
#include <popart/util.hpp>

namespace popart {

TensorId getBaseTensorId(const TensorId& id) {
  const std::size_t end = id.rfind("__t");
  if (end == std::string::npos || end == 0 || end + 3 == id.size()) return id;
  return id.find_first_not_of("0123456789", end + 3) == std::string::npos ? id.substr(0, end) : id;
}

const std::vector<std::string>& reservedOptimizerPrefixes() {
  static const std::vector<std::string> all = {
      reservedLossScalingPrefix(),
      reservedAutomaticLossScalePrefix(),
      reservedDefaultAdamBeta1Prefix(),
      reservedDefaultAdamBeta2Prefix(),
      reservedDefaultAdamEpsPrefix(),
      reservedDefaultAdamGradientScalingPrefix(),
      reservedDefaultAdaptiveAlphaPrefix(),
      reservedDefaultAdaptiveEpsPrefix(),
      reservedDefaultAdaptiveGradientScalingPrefix(),
      reservedDefaultAdaptiveMomentumPrefix(),
      reservedDefaultDampeningScaleFactor1Prefix(),
      reservedDefaultDampeningScaleFactor2Prefix(),
      reservedDefaultLearningRatePrefix(),
      reservedDefaultMaxWeightNormPrefix(),
      reservedDefaultNesterovDampeningScaleFactor1Prefix(),
      reservedDefaultNesterovDampeningScaleFactor2Prefix(),
      reservedDefaultNesterovGradScaleFactor1Prefix(),
      reservedDefaultNesterovGradScaleFactor2Prefix(),
      reservedDefaultSGDMomentumPrefix(),
      reservedDefaultSGDWeightDecayPrefix(),
      reservedDefaultScaledLearningRate0Prefix(),
      reservedDefaultScaledLearningRate1Prefix(),
      reservedDefaultScaledLearningRate2Prefix(),
      reservedDefaultScaledMomentum1Prefix(),
      reservedDefaultScaledMomentum2Prefix(),
      reservedDefaultScaledWeightDecay1Prefix(),
      reservedDefaultWeightDecayPrefix(),
      reservedDefaultWeightDecayScaleFactor0Prefix(),
      reservedSpecificAdamBeta1Prefix(),
      reservedSpecificAdamBeta2Prefix(),
      reservedSpecificAdamEpsPrefix(),
      reservedSpecificAdamGradientScalingPrefix(),
      reservedSpecificAdaptiveAlphaPrefix(),
      reservedSpecificAdaptiveEpsPrefix(),
      reservedSpecificAdaptiveGradientScalingPrefix(),
      reservedSpecificAdaptiveMomentumPrefix(),
      reservedSpecificDampeningScaleFactor1Prefix(),
      reservedSpecificDampeningScaleFactor2Prefix(),
      reservedSpecificLearningRatePrefix(),
      reservedSpecificMaxWeightNormPrefix(),
      reservedSpecificNesterovDampeningScaleFactor1Prefix(),
      reservedSpecificNesterovDampeningScaleFactor2Prefix(),
      reservedSpecificNesterovGradScaleFactor1Prefix(),
      reservedSpecificNesterovGradScaleFactor2Prefix(),
      reservedSpecificSGDMomentumPrefix(),
      reservedSpecificSGDWeightDecayPrefix(),
      reservedSpecificScaledLearningRate0Prefix(),
      reservedSpecificScaledLearningRate1Prefix(),
      reservedSpecificScaledLearningRate2Prefix(),
      reservedSpecificScaledMomentum1Prefix(),
      reservedSpecificScaledMomentum2Prefix(),
      reservedSpecificScaledWeightDecay1Prefix(),
      reservedSpecificWeightDecayPrefix(),
      reservedSpecificWeightDecayScaleFactor0Prefix(),
  };
  return all;
}

const std::vector<std::string>& reservedOptimizerStatePrefixes() {
  static const std::vector<std::string> all = {
      reservedAcclPrefix(),         reservedAccl1Prefix(),        reservedAccl2Prefix(),
      reservedAccl3Prefix(),        reservedStepPrefix(),         reservedAcclToReducePrefix(),
      reservedAcclToUpdatePrefix(), reservedAcclFinalOutPrefix(),
  };
  return all;
}

const std::vector<std::string>& reservedAccumulatorPrefixes() {
  static const std::vector<std::string> all = {
      reservedAccumPrefix(),        reservedAcclPrefix(),         reservedAcclToReducePrefix(),
      reservedAcclToUpdatePrefix(), reservedAcclFinalOutPrefix(), reservedCounterPrefix(),
  };
  return all;
}

TensorId getNonGradId(const TensorId& gradId) {
  if (!isGradId(gradId)) throw error("'{}' is no id of a gradient", gradId);
  return gradId.substr(std::string(reservedGradientPrefix()).size());
}

TensorId fwdIdToBwdGradId(const Graph& fwdGraph, const Graph& bwdGraph, const TensorId& fwdId) {
  return addScope(bwdGraph, getGradId(removeScope(fwdGraph, fwdId)));
}

TensorId bwdGradIdToFwdId(const Graph& fwdGraph, const Graph& bwdGraph, const TensorId& bwdId) {
  return addScope(fwdGraph, getNonGradId(removeScope(bwdGraph, bwdId)));
}

TensorId fwdIdToClonedBwdId(const Graph& fwdGraph, const Graph& bwdGraph, const TensorId& fwdId) {
  return addScope(bwdGraph, removeScope(fwdGraph, fwdId));
}

TensorId bwdNonGradIdToFwdId(const Graph& fwdGraph, const Graph& bwdGraph, const TensorId& bwdId) {
  return addScope(fwdGraph, removeScope(bwdGraph, bwdId));
}

TensorId getEdgeGradId(const OpId& opId, const InIndex& index) {
  return getGradId(std::to_string(opId) + "_" + std::to_string(index));
}

}  // namespace popart
