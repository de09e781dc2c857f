// Halves on the host. After popfloat/experimental/CastToHalf.hpp of PopLibs 3.
#ifndef popfloat_experimental_CastToHalf_hpp
#define popfloat_experimental_CastToHalf_hpp

#include <popir/Half.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>

namespace popfloat {
namespace experimental {

/// The bits of `value`, rounded to nearest. What is too large becomes the largest half, or NaN with
/// `enNanoo`.
inline std::uint16_t singleToHalf(float value, bool enNanoo = false) {
  popir::Half narrow = static_cast<popir::Half>(value);
  if (std::isfinite(value) && !std::isfinite(static_cast<float>(narrow)))
    narrow = static_cast<popir::Half>(enNanoo ? NAN : std::copysign(65504.0f, value));
  std::uint16_t bits;
  std::memcpy(&bits, &narrow, sizeof bits);
  return bits;
}

inline float halfToSingle(std::uint16_t bits) {
  popir::Half narrow;
  std::memcpy(&narrow, &bits, sizeof bits);
  return static_cast<float>(narrow);
}

}  // namespace experimental
}  // namespace popfloat

#endif
