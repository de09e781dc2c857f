// Ids of gradient tensors. After popart/tensornames.hpp of PopART 3.
#ifndef popart_tensornames_hpp
#define popart_tensornames_hpp

#include <popart/names.hpp>

#include <string>

namespace popart {

constexpr const char* reservedGradientPrefix() { return "Gradient___"; }

/// The id of a tensor's gradient.
inline TensorId getGradId(const TensorId& id) { return reservedGradientPrefix() + id; }

}  // namespace popart

#endif
