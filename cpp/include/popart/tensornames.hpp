// Prefixes of the ids of tensors that a compiler adds. After popart/tensornames.hpp of PopART 3.
#ifndef popart_tensornames_hpp
#define popart_tensornames_hpp

#include <popart/names.hpp>

#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class Graph;

#define POPIR_RESERVED(NAME, PREFIX) \
  constexpr const char* NAME() { return PREFIX; }
POPIR_RESERVED(reservedAcclPrefix, "Accl___")
POPIR_RESERVED(reservedAccl1Prefix, "Accl1___")
POPIR_RESERVED(reservedAccl2Prefix, "Accl2___")
POPIR_RESERVED(reservedAccl3Prefix, "Accl3___")
POPIR_RESERVED(reservedAcclFinalOutPrefix, "AcclOutOfAcclUpdate___")
POPIR_RESERVED(reservedAcclToReducePrefix, "AcclIntoReduce___")
POPIR_RESERVED(reservedAcclToUpdatePrefix, "AcclIntoUpdate___")
POPIR_RESERVED(reservedAccumPrefix, "Accum___")
POPIR_RESERVED(reservedAdamUpdaterPrefix, "AdamUpdater___")
POPIR_RESERVED(reservedAutomaticLossScalePrefix, "AutomaticLossScaleProxy___")
POPIR_RESERVED(reservedDefaultAdamBeta1Prefix, "adamBeta1___default___")
POPIR_RESERVED(reservedDefaultAdamBeta2Prefix, "adamBeta2___default___")
POPIR_RESERVED(reservedDefaultAdamEpsPrefix, "adamEps___default___")
POPIR_RESERVED(reservedDefaultDampeningScaleFactor1Prefix, "dampeningScaleFactor1___default___")
POPIR_RESERVED(reservedDefaultLearningRatePrefix, "learningRate___default___")
POPIR_RESERVED(reservedDefaultLossScalingPrefix, "lossScaling___default___")
POPIR_RESERVED(reservedDefaultMaxWeightNormPrefix, "maxWeightNorm___default___")
POPIR_RESERVED(reservedDefaultScaledLearningRate0Prefix, "scaledLearningRate0___default___")
POPIR_RESERVED(reservedDefaultScaledLearningRate1Prefix, "scaledLearningRate1___default___")
POPIR_RESERVED(reservedDefaultScaledMomentum1Prefix, "scaledMomentum1___default___")
POPIR_RESERVED(reservedDefaultScaledWeightDecay1Prefix, "scaledWeightDecay1___default___")
POPIR_RESERVED(reservedDefaultStepPrefix, "step___default___")
POPIR_RESERVED(reservedDefaultWeightDecayPrefix, "weightDecay___default___")
POPIR_RESERVED(reservedDefaultWeightDecayScaleFactor0Prefix, "weightDecayScaleFactor0___default___")
POPIR_RESERVED(reservedFinalReducedGradPrefix, "FinalReducedGradient___")
POPIR_RESERVED(reservedLambR1SqPrefix, "LambR1Sq___")
POPIR_RESERVED(reservedLambR2SqPrefix, "LambR2Sq___")
POPIR_RESERVED(reservedLossScalingPrefix, "lossScaling_")
POPIR_RESERVED(reservedRandomSeedPrefix, "randomSeed___")
POPIR_RESERVED(reservedRemoteArgPrefix, "RemoteArg___")
POPIR_RESERVED(reservedRestoredPrefix, "Restored___")
POPIR_RESERVED(reservedSeedModifierPrefix, "randomSeedModifier___")
POPIR_RESERVED(reservedSpecificAdamBeta1Prefix, "adamBeta1___specific___")
POPIR_RESERVED(reservedSpecificAdamBeta2Prefix, "adamBeta2___specific___")
POPIR_RESERVED(reservedSpecificAdamEpsPrefix, "adamEps___specific___")
POPIR_RESERVED(reservedSpecificDampeningScaleFactor1Prefix, "dampeningScaleFactor1___specific___")
POPIR_RESERVED(reservedSpecificLearningRatePrefix, "learningRate___specific___")
POPIR_RESERVED(reservedSpecificLossScalingPrefix, "lossScaling___specific___")
POPIR_RESERVED(reservedSpecificMaxWeightNormPrefix, "maxWeightNorm___specific___")
POPIR_RESERVED(reservedSpecificScaledLearningRate0Prefix, "scaledLearningRate0___specific___")
POPIR_RESERVED(reservedSpecificScaledLearningRate1Prefix, "scaledLearningRate1___specific___")
POPIR_RESERVED(reservedSpecificScaledMomentum1Prefix, "scaledMomentum1___specific___")
POPIR_RESERVED(reservedSpecificScaledWeightDecay1Prefix, "scaledWeightDecay1___specific___")
POPIR_RESERVED(reservedSpecificStepPrefix, "step___specific___")
POPIR_RESERVED(reservedSpecificWeightDecayPrefix, "weightDecay___specific___")
POPIR_RESERVED(reservedSpecificWeightDecayScaleFactor0Prefix,
               "weightDecayScaleFactor0___specific___")
POPIR_RESERVED(reservedStashedPrefix, "Stashed___")
POPIR_RESERVED(reservedStepPrefix, "Step___")
POPIR_RESERVED(reservedUpdatedVarPrefix, "UpdatedVar___")
POPIR_RESERVED(reservedLossScaleUpdateFactorId, "lossScaleUpdateFactor")
POPIR_RESERVED(reservedDefaultScaledLearningRate2Prefix, "scaledLearningRate2___default___")
POPIR_RESERVED(reservedSpecificScaledLearningRate2Prefix, "scaledLearningRate2___specific___")
POPIR_RESERVED(reservedDefaultDampeningScaleFactor2Prefix, "dampeningScaleFactor2___default___")
POPIR_RESERVED(reservedSpecificDampeningScaleFactor2Prefix, "dampeningScaleFactor2___specific___")
POPIR_RESERVED(reservedDefaultScaledMomentum2Prefix, "scaledMomentum2___default___")
POPIR_RESERVED(reservedSpecificScaledMomentum2Prefix, "scaledMomentum2___specific___")
POPIR_RESERVED(reservedDefaultSGDWeightDecayPrefix, "sgdWeightDecay___default___")
POPIR_RESERVED(reservedSpecificSGDWeightDecayPrefix, "sgdWeightDecay___specific___")
POPIR_RESERVED(reservedDefaultSGDMomentumPrefix, "sgdMomentum___default___")
POPIR_RESERVED(reservedSpecificSGDMomentumPrefix, "sgdMomentum___specific___")
POPIR_RESERVED(reservedDefaultNesterovGradScaleFactor1Prefix,
               "nesterovGradScaleFactor1___default___")
POPIR_RESERVED(reservedSpecificNesterovGradScaleFactor1Prefix,
               "nesterovGradScaleFactor1___specific___")
POPIR_RESERVED(reservedDefaultNesterovGradScaleFactor2Prefix,
               "nesterovGradScaleFactor2___default___")
POPIR_RESERVED(reservedSpecificNesterovGradScaleFactor2Prefix,
               "nesterovGradScaleFactor2___specific___")
POPIR_RESERVED(reservedDefaultNesterovDampeningScaleFactor1Prefix,
               "nesterovDampeningScaleFactor1___default___")
POPIR_RESERVED(reservedSpecificNesterovDampeningScaleFactor1Prefix,
               "nesterovDampeningScaleFactor1___specific___")
POPIR_RESERVED(reservedDefaultNesterovDampeningScaleFactor2Prefix,
               "nesterovDampeningScaleFactor2___default___")
POPIR_RESERVED(reservedSpecificNesterovDampeningScaleFactor2Prefix,
               "nesterovDampeningScaleFactor2___specific___")
POPIR_RESERVED(reservedDefaultAdamGradientScalingPrefix, "adamGradientScaling___default___")
POPIR_RESERVED(reservedSpecificAdamGradientScalingPrefix, "adamGradientScaling___specific___")
POPIR_RESERVED(reservedDefaultAdaptiveAlphaPrefix, "adaptiveAlpha___default___")
POPIR_RESERVED(reservedSpecificAdaptiveAlphaPrefix, "adaptiveAlpha___specific___")
POPIR_RESERVED(reservedDefaultAdaptiveEpsPrefix, "adaptiveEps___default___")
POPIR_RESERVED(reservedSpecificAdaptiveEpsPrefix, "adaptiveEps___specific___")
POPIR_RESERVED(reservedDefaultAdaptiveGradientScalingPrefix, "adaptiveGradientScaling___default___")
POPIR_RESERVED(reservedSpecificAdaptiveGradientScalingPrefix,
               "adaptiveGradientScaling___specific___")
POPIR_RESERVED(reservedDefaultAdaptiveMomentumPrefix, "adaptiveMomentum___default___")
POPIR_RESERVED(reservedSpecificAdaptiveMomentumPrefix, "adaptiveMomentum___specific___")
POPIR_RESERVED(reservedCounterPrefix, "Counter___")
POPIR_RESERVED(reservedAdaptiveUpdaterPrefix, "AdaptiveUpdater___")
POPIR_RESERVED(anchorSumPrefix, "anchorSum___")
POPIR_RESERVED(anchorFinalPrefix, "anchorFinal___")
POPIR_RESERVED(reservedConcatInitPrefix, "ConcatInit___")
POPIR_RESERVED(reservedConstValuePrefix, "ConstValue___")
POPIR_RESERVED(cycleCountPrefix, "cycleCount___")
POPIR_RESERVED(reservedGlobalNormPrefix, "GlobalNorm___")
POPIR_RESERVED(reservedGradientPrefix, "Gradient___")
POPIR_RESERVED(reservedIndexPrefix, "Index___")
POPIR_RESERVED(reservedInitPrefix, "Init___")
POPIR_RESERVED(reservedLoopIteratorPrefix, "Iterator___")
POPIR_RESERVED(reservedLoopCondPrefix, "LoopCond___")
POPIR_RESERVED(reservedLossScalingRatioPrefix, "LossScalingRatio_")
POPIR_RESERVED(reservedPreviousLossScalingPrefix, "PreviousLossScaling_")
#undef POPIR_RESERVED

/// The prefixes of what an optimizer gives, such as learning rates; of what it keeps for each weight;
/// and of the sums of gradients.
const std::vector<std::string>& reservedOptimizerPrefixes();
const std::vector<std::string>& reservedOptimizerStatePrefixes();
const std::vector<std::string>& reservedAccumulatorPrefixes();

/// The id of a tensor's gradient.
inline TensorId getGradId(const TensorId& id) { return reservedGradientPrefix() + id; }
/// The reverse.
/// \throws error for an id that is none of a gradient
TensorId getNonGradId(const TensorId& gradId);
inline bool isGradId(const TensorId& id) { return id.rfind(reservedGradientPrefix(), 0) == 0; }
/// The id of the gradient of an operator's input.
TensorId getEdgeGradId(const OpId& opId, const InIndex& index);
// Ids in a graph that is called and in the graph of its gradients: of a tensor and its gradient, and
// of a tensor that both have.
TensorId fwdIdToBwdGradId(const Graph& fwdGraph, const Graph& bwdGraph, const TensorId& fwdId);
/// \throws error for an id that is none of a gradient
TensorId bwdGradIdToFwdId(const Graph& fwdGraph, const Graph& bwdGraph, const TensorId& bwdId);
TensorId fwdIdToClonedBwdId(const Graph& fwdGraph, const Graph& bwdGraph, const TensorId& fwdId);
TensorId bwdNonGradIdToFwdId(const Graph& fwdGraph, const Graph& bwdGraph, const TensorId& bwdId);
/// The id of the number of a remote buffer's row, in which a tensor is kept.
inline TensorId getRemoteArgTensorId(const TensorId& id) { return reservedRemoteArgPrefix() + id; }
/// The id of a weight after its update.
inline TensorId getUpdatedVarId(const TensorId& id) { return reservedUpdatedVarPrefix() + id; }

}  // namespace popart

#pragma GCC visibility pop

#endif
