// The 16-bit floats, HALF and BFLOAT16: what is stored in 16 bits and computed with as float.
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
/// A type that is computed with as float, or float.
inline bool isFloatOrHalf(poplar::Type type) { return type == poplar::FLOAT || isHalf(type); }

/// Exact, but that NaN becomes quiet.
void toFloats(const half* in, float* out, std::int64_t n);
void toFloats(const Bfloat16* in, float* out, std::int64_t n);
/// Rounded as `rounding` says; they are results number `first` and so on of the step.
void fromFloats(const float* in, half* out, std::int64_t n, const Rounding& rounding,
                std::int64_t first);
void fromFloats(const float* in, Bfloat16* out, std::int64_t n, const Rounding& rounding,
                std::int64_t first);

/// One result as a T, a 16-bit float as `rounding` says.
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

/// to[i * stride] = of(i), computed as C, for i < n; the first is result number `first`.
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
