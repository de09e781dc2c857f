// popart/tensornames.hpp: the ids that the compiler gives to gradients.
#ifndef popart_tensornames_hpp
#define popart_tensornames_hpp

#include <popart/names.hpp>

#include <string>

namespace popart {

constexpr const char* reservedGradientPrefix() { return "Gradient___"; }

/// The id of the gradient of a tensor.
inline TensorId getGradId(const TensorId& id) { return reservedGradientPrefix() + id; }

}  // namespace popart

#endif
