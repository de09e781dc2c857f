// The 16-bit floats, HALF and BFLOAT16: what is stored in 16 bits and computed with as float.
#ifndef popir_kernels_half_hpp
#define popir_kernels_half_hpp

#include <cstdint>
#include <cstring>
#include <poplar/HalfFloat.hpp>
#include <poplar/Type.hpp>
#include <type_traits>

namespace popir {

/// An element of BFLOAT16: the upper half of a float.
struct Bfloat16 {
  std::uint16_t bits = 0;

  Bfloat16() = default;
  /// Nearest, ties to even; NaN becomes quiet.
  explicit Bfloat16(float x) {
    std::uint32_t all;
    std::memcpy(&all, &x, sizeof all);
    const std::uint32_t rounded = (all + 0x7fffu + ((all >> 16) & 1u)) >> 16;
    bits = static_cast<std::uint16_t>(x != x ? (all >> 16) | 0x0040u : rounded);
  }
  operator float() const {
    const std::uint32_t all = static_cast<std::uint32_t>(bits) << 16;
    float x;
    std::memcpy(&x, &all, sizeof x);
    return x;
  }
};

/// Whether T is a 16-bit float.
template <class T>
constexpr bool kIsHalf = std::is_same_v<T, half> || std::is_same_v<T, Bfloat16>;
inline bool isHalf(poplar::Type type) { return type == poplar::HALF || type == poplar::BFLOAT16; }
/// A type that is computed with as float, or float.
inline bool isFloatOrHalf(poplar::Type type) { return type == poplar::FLOAT || isHalf(type); }

/// Exact, but that NaN becomes quiet.
void toFloats(const half* in, float* out, std::int64_t n);
void toFloats(const Bfloat16* in, float* out, std::int64_t n);
/// Nearest, ties to even; beyond the largest number of the type, infinity.
void fromFloats(const float* in, half* out, std::int64_t n);
void fromFloats(const float* in, Bfloat16* out, std::int64_t n);

}  // namespace popir

#endif
