// The device's 16-bit float type, IEEE 754 binary16.
// After poplar/HalfFloat.hpp of the Poplar SDK 3.
#ifndef poplar_HalfFloat_hpp
#define poplar_HalfFloat_hpp

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#pragma GCC visibility push(default)

#if defined(__clang__) || !defined(__GNUC__) || __GNUC__ >= 12
using half = _Float16;
#else
/// For compilers without _Float16: 16 bits that convert from and to float.
class half {
 public:
  half() = default;
  template <class T, class = typename std::enable_if<std::is_arithmetic<T>::value>::type>
  half(T value) : bits_(rounded(static_cast<float>(value))) {}
  operator float() const { return widened(bits_); }

  half& operator+=(float v) { return *this = half(float(*this) + v); }
  half& operator-=(float v) { return *this = half(float(*this) - v); }
  half& operator*=(float v) { return *this = half(float(*this) * v); }
  half& operator/=(float v) { return *this = half(float(*this) / v); }

 private:
  /// To nearest, ties to even.
  static std::uint16_t rounded(float value) {
    std::uint32_t b;
    std::memcpy(&b, &value, 4);
    const std::uint32_t sign = b >> 16 & 0x8000, magnitude = b & 0x7fffffff;
    if (magnitude > 0x7f800000) return static_cast<std::uint16_t>(sign | 0x7e00);
    if (magnitude >= 0x477ff000) return static_cast<std::uint16_t>(sign | 0x7c00);
    if (magnitude < 0x38800000) {  // Subnormal: the sum's last bit is worth 2^-24.
      float m;
      std::memcpy(&m, &magnitude, 4);
      m += 0.5f;
      std::memcpy(&b, &m, 4);
      return static_cast<std::uint16_t>(sign | (b - 0x3f000000));
    }
    const std::uint32_t even = magnitude + 0xfff + (magnitude >> 13 & 1);
    return static_cast<std::uint16_t>(sign | (even - 0x38000000) >> 13);
  }
  static float widened(std::uint16_t bits) {
    const std::uint32_t magnitude = bits & 0x7fffu;
    float value;
    if (magnitude < 0x400) {
      value = static_cast<float>(magnitude) * (1.0f / 16777216);
    } else {
      const std::uint32_t b = (magnitude << 13) + (magnitude < 0x7c00 ? 0x38000000u : 0x70000000u);
      std::memcpy(&value, &b, 4);
    }
    return bits & 0x8000 ? -value : value;
  }

  std::uint16_t bits_;
};
#endif

namespace poplar {
using ::half;
}

#pragma GCC visibility pop

#endif
