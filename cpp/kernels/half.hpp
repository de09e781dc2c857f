// The 16-bit floats, HALF and BFLOAT16. They are only stored in 16 bits; arithmetic is in float.
#ifndef popir_kernels_half_hpp
#define popir_kernels_half_hpp

#include <cstdint>
#include <cstring>
#include <poplar/HalfFloat.hpp>
#include <poplar/Type.hpp>
#include <type_traits>

#include "kernels/rounding.hpp"

namespace popir {

/// An element of BFLOAT16: the upper half of a float.
struct Bfloat16 {
  std::uint16_t bits = 0;

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
/// True for FLOAT, HALF and BFLOAT16: the types with arithmetic in float.
inline bool isFloatOrHalf(poplar::Type type) { return type == poplar::FLOAT || isHalf(type); }

/// Converts n elements to float. This is exact, except that signaling NaNs of HALF become quiet.
void toFloats(const half* in, float* out, std::int64_t n);
void toFloats(const Bfloat16* in, float* out, std::int64_t n);
/// Rounds n floats to 16 bits as `rounding` says. Element i is result number `first + i` of the
/// step (Rounding::store).
void fromFloats(const float* in, half* out, std::int64_t n, const Rounding& rounding,
                std::int64_t first);
void fromFloats(const float* in, Bfloat16* out, std::int64_t n, const Rounding& rounding,
                std::int64_t first);

/// Converts a result to T. If T is a 16-bit float, rounds as `rounding` says; `number` is the
/// number of the result in the step.
template <class T, class C>
T rounded(C x, const Rounding& rounding, std::int64_t number) {
  if constexpr (kIsHalf<T>) {
    T y;
    fromFloats(&x, &y, 1, rounding, number);
    return y;
  } else {
    return static_cast<T>(x);
  }
}

/// to[i * stride] = of(i) for i < n, where of() returns a C. Element i is result number `first + i`
/// of the step.
template <class C, class T, class Of>
void storeEach(T* to, std::int64_t stride, std::int64_t n, const Rounding& rounding,
               std::int64_t first, const Of& of) {
  if constexpr (kIsHalf<T>) {
    constexpr std::int64_t kBlock = 256;
    C values[kBlock];
    T results[kBlock];
    for (std::int64_t begin = 0; begin < n; begin += kBlock) {
      const std::int64_t m = n - begin < kBlock ? n - begin : kBlock;
      for (std::int64_t i = 0; i < m; ++i) values[i] = of(begin + i);
      fromFloats(values, results, m, rounding, first + begin);
      for (std::int64_t i = 0; i < m; ++i) to[(begin + i) * stride] = results[i];
    }
  } else {
    for (std::int64_t i = 0; i < n; ++i) to[i * stride] = static_cast<T>(of(i));
  }
}

}  // namespace popir

#endif
