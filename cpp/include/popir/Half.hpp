// IEEE 754 binary16, the type that codelets call half. Headers for programs use it by this name,
// since programs may have a half of their own. popir's own.
#ifndef popir_Half_hpp
#define popir_Half_hpp

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#pragma GCC visibility push(default)

#if defined(__clang__) || !defined(__GNUC__) || __GNUC__ >= 12
#define POPIR_HALF_IS_FLOAT16
namespace popir {
using Half = _Float16;
}
#else
namespace popir {
/// For compilers without _Float16: 16 bits that convert from and to float.
class Half {
 public:
  Half() = default;
  template <class T, class = typename std::enable_if<std::is_arithmetic<T>::value>::type>
  Half(T value) : bits_(rounded(static_cast<float>(value))) {}
  struct Bits {
    std::uint16_t bits;
  };
  explicit constexpr Half(Bits value) : bits_(value.bits) {}
  operator float() const { return widened(bits_); }

  Half& operator+=(float v) { return *this = Half(float(*this) + v); }
  Half& operator-=(float v) { return *this = Half(float(*this) - v); }
  Half& operator*=(float v) { return *this = Half(float(*this) * v); }
  Half& operator/=(float v) { return *this = Half(float(*this) / v); }

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
}  // namespace popir
#endif

#ifndef __STDCPP_FLOAT16_T__  // C++23's library has it for _Float16.
template <>
class std::numeric_limits<popir::Half> {
#ifdef POPIR_HALF_IS_FLOAT16
  static constexpr popir::Half of(std::uint16_t bits) {
    return __builtin_bit_cast(popir::Half, bits);
  }
#else
  static constexpr popir::Half of(std::uint16_t bits) {
    return popir::Half(popir::Half::Bits{bits});
  }
#endif

 public:
  static constexpr bool is_specialized = true, is_signed = true, is_integer = false,
                        is_exact = false, is_bounded = true, is_iec559 = true, is_modulo = false,
                        has_infinity = true, has_quiet_NaN = true, has_signaling_NaN = true,
                        traps = false, tinyness_before = false;
  static constexpr int digits = 11, digits10 = 3, max_digits10 = 5, radix = 2, min_exponent = -13,
                       min_exponent10 = -4, max_exponent = 16, max_exponent10 = 4;
  static constexpr float_round_style round_style = round_to_nearest;
  static constexpr float_denorm_style has_denorm = denorm_present;
  static constexpr bool has_denorm_loss = false;

  static constexpr popir::Half min() noexcept { return of(0x0400); }
  static constexpr popir::Half max() noexcept { return of(0x7bff); }
  static constexpr popir::Half lowest() noexcept { return of(0xfbff); }
  static constexpr popir::Half epsilon() noexcept { return of(0x1400); }
  static constexpr popir::Half round_error() noexcept { return of(0x3800); }
  static constexpr popir::Half infinity() noexcept { return of(0x7c00); }
  static constexpr popir::Half quiet_NaN() noexcept { return of(0x7e00); }
  static constexpr popir::Half signaling_NaN() noexcept { return of(0x7d00); }
  static constexpr popir::Half denorm_min() noexcept { return of(0x0001); }
};
#endif
#undef POPIR_HALF_IS_FLOAT16

#pragma GCC visibility pop

#endif
