// Prefixes of the ids of tensors that a compiler adds. After popart/tensornames.hpp of PopART 3.
#ifndef popart_tensornames_hpp
#define popart_tensornames_hpp

#include <popart/names.hpp>

#include <string>

namespace popart {

constexpr const char* reservedGradientPrefix() { return "Gradient___"; }
constexpr const char* reservedUpdatedVarPrefix() { return "UpdatedVar___"; }
constexpr const char* reservedAccumPrefix() { return "Accum___"; }
constexpr const char* reservedAcclPrefix() { return "Accl___"; }
constexpr const char* reservedAccl1Prefix() { return "Accl1___"; }
constexpr const char* reservedAccl2Prefix() { return "Accl2___"; }
constexpr const char* reservedStepPrefix() { return "Step___"; }
constexpr const char* reservedCounterPrefix() { return "Counter___"; }
constexpr const char* reservedAdamUpdaterPrefix() { return "AdamUpdater___"; }
constexpr const char* reservedLambR1SqPrefix() { return "LambR1Sq___"; }
constexpr const char* reservedLambR2SqPrefix() { return "LambR2Sq___"; }
constexpr const char* reservedLossScalingPrefix() { return "lossScaling_"; }
constexpr const char* reservedRandomSeedPrefix() { return "RandomSeed___"; }

/// The id of a tensor's gradient.
inline TensorId getGradId(const TensorId& id) { return reservedGradientPrefix() + id; }

}  // namespace popart

#endif
