// The numbers of TPC-C on a host: floats of 16 and 8 bits, rounding, conversions.
#ifndef popir_habana_tpc_numbers_hpp
#define popir_habana_tpc_numbers_hpp

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace popir_tpc {

[[noreturn]] inline void fail(const std::string& why) { throw std::runtime_error(why); }

/// The bits of `from` as another type of the same size.
template <class To, class From>
inline To bits(const From& from) {
  static_assert(sizeof(To) == sizeof(From), "types of different sizes");
  To to;
  std::memcpy(&to, &from, sizeof(To));
  return to;
}

/// How a conversion rounds; the numbers are those of the hardware's field.
enum Round { HalfEven = 0, Zero = 1, Up = 2, Down = 3, Stochastic = 4, Register = 5, HalfAway = 6 };

/// `value` as an integer; stochastic modes need the hardware's generator, which is not here.
inline double rounded(double value, int mode) {
  switch (mode) {
    case Round::HalfEven: return std::nearbyint(value);
    case Round::Zero: return std::trunc(value);
    case Round::Up: return std::ceil(value);
    case Round::Down: return std::floor(value);
    case Round::HalfAway: return std::round(value);
    default: fail("it rounds stochastically, which popir does not do in TPC kernels");
  }
}

/// A format as IEEE 754 has them, in fewer bits: the largest exponent is of infinities and NaNs.
template <int Exponent, int Mantissa>
struct Format {
  static constexpr int kBits = 1 + Exponent + Mantissa;
  typedef std::conditional_t<kBits == 8, std::uint8_t, std::uint16_t> Word;
  static constexpr int kMantissa = Mantissa;
  static constexpr int kBias = (1 << (Exponent - 1)) - 1;
  static constexpr std::uint32_t kInfinity = ((1u << Exponent) - 1) << Mantissa;
  static constexpr std::uint32_t kSign = 1u << (kBits - 1);

  static float decoded(std::uint32_t word) {
    const std::uint32_t sign = (word & kSign) << (32 - kBits), rest = word & (kSign - 1);
    if (rest >= kInfinity)
      return bits<float>(sign | 0x7f800000u | (rest - kInfinity) << (23 - Mantissa));
    if (rest >> Mantissa)
      return bits<float>(
          sign | ((rest << (23 - Mantissa)) + (static_cast<std::uint32_t>(127 - kBias) << 23)));
    const float small = static_cast<float>(static_cast<double>(rest) * power(1 - kBias - Mantissa));
    return bits<float>(sign | bits<std::uint32_t>(small));
  }

  /// With `clipped`, what would be infinite is the largest finite number.
  static Word encoded(double value, int mode, bool clipped = false) {
    const auto word = bits<std::uint64_t>(value), rest = word & ~(std::uint64_t(1) << 63);
    const std::uint64_t infinity = std::uint64_t(0x7ff) << 52;
    const std::uint32_t sign = word >> 63 ? kSign : 0, most = kInfinity - 1;
    if (rest > infinity)
      return static_cast<Word>(sign | kInfinity | 1u << (Mantissa - 1) |
                               (rest - infinity) >> (52 - Mantissa));
    if (rest == infinity) return static_cast<Word>(sign | (clipped ? most : kInfinity));
    int exponent = static_cast<int>(rest >> 52) - 1023;
    if (exponent < 1 - kBias) exponent = 1 - kBias;
    const double steps = value * power(Mantissa - exponent);
    const auto count = static_cast<std::uint32_t>(std::fabs(rounded(steps, mode)));
    // The leading bit of a normal number carries into its exponent.
    const std::uint32_t code =
        count + (static_cast<std::uint32_t>(exponent + kBias - 1) << Mantissa);
    if (code < kInfinity) return static_cast<Word>(sign | code);
    const bool inward =
        mode == Round::Zero || (mode == Round::Up && sign) || (mode == Round::Down && !sign);
    return static_cast<Word>(sign | (clipped || inward ? most : kInfinity));
  }

 private:
  static double power(int exponent) {
    return bits<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
  }
};

// What is common, faster: bfloat16, and half where the processor has it.
inline std::uint16_t float_to_bfloat(float value) {
  const auto word = bits<std::uint32_t>(value);
  if ((word & 0x7fffffffu) > 0x7f800000u) return static_cast<std::uint16_t>(word >> 16 | 0x40u);
  return static_cast<std::uint16_t>((word + 0x7fffu + (word >> 16 & 1u)) >> 16);
}

#if defined(__F16C__)
// The builtins themselves: the header of all instructions would take a third of a kernel's time.
typedef float FourFloats __attribute__((vector_size(16)));
typedef short EightWords __attribute__((vector_size(16)));

inline float half_to_float(std::uint16_t word) {
  return __builtin_ia32_vcvtph2ps(EightWords{static_cast<short>(word)})[0];
}

/// The nearest half, even if there are two.
inline std::uint16_t float_to_half(float value) {
  return static_cast<std::uint16_t>(__builtin_ia32_vcvtps2ph(FourFloats{value}, 0)[0]);
}
#endif

/// A float of 8 or 16 bits. Arithmetic on it is float's.
template <int Exponent, int Mantissa>
struct Narrow {
  typedef popir_tpc::Format<Exponent, Mantissa> Format;
  typedef typename Format::Word Word;
  Word word;

  Narrow() = default;
  template <class A, class = std::enable_if_t<std::is_arithmetic<A>::value>>
  Narrow(A value) : word(nearest(static_cast<float>(value))) {}
  template <int E, int M>
  Narrow(const Narrow<E, M>& value) : word(nearest(static_cast<float>(value))) {}
  operator float() const {
    if constexpr (Exponent == 8)
      return bits<float>(static_cast<std::uint32_t>(word) << (23 - Mantissa));
#if defined(__F16C__)
    if constexpr (Mantissa == 10) return half_to_float(word);
#endif
    return Format::decoded(word);
  }
  static Narrow of(double value, int mode, bool clipped) {
    const float there = static_cast<float>(value);
    Narrow r;
    r.word = mode == Round::HalfEven && !clipped && !(there != value && value == value)
                 ? nearest(there)
                 : Format::encoded(value, mode, clipped);
    return r;
  }

 private:
  static Word nearest(float value) {
    if constexpr (Exponent == 8) return float_to_bfloat(value);
#if defined(__F16C__)
    if constexpr (Mantissa == 10) return float_to_half(value);
#endif
    return Format::encoded(value, Round::HalfEven);
  }
};

template <class T>
struct IsNarrow : std::false_type {};
template <int E, int M>
struct IsNarrow<Narrow<E, M>> : std::true_type {};
template <class T>
constexpr bool is_number = std::is_arithmetic<T>::value || IsNarrow<T>::value;

template <class E>
inline E saturated(std::int64_t value) {
  constexpr std::int64_t least = std::numeric_limits<E>::min(),
                         most = std::numeric_limits<E>::max();
  return static_cast<E>(value < least ? least : value > most ? most : value);
}

/// Integers are saturated, and NaN is 0 as one.
template <class To, class From>
inline To converted(const From& value, int mode, bool clipped = false) {
  if constexpr (std::is_integral<To>::value && std::is_integral<From>::value) {
    return saturated<To>(static_cast<std::int64_t>(value));
  } else if constexpr (std::is_integral<To>::value) {
    const double whole = rounded(static_cast<double>(static_cast<float>(value)), mode);
    if (!(whole == whole)) return To(0);
    if (whole <= static_cast<double>(std::numeric_limits<To>::min()))
      return std::numeric_limits<To>::min();
    if (whole >= static_cast<double>(std::numeric_limits<To>::max()))
      return std::numeric_limits<To>::max();
    return static_cast<To>(whole);
  } else if constexpr (IsNarrow<To>::value) {
    if constexpr (std::is_integral<From>::value)
      return To::of(static_cast<double>(value), mode, clipped);
    else
      return To::of(static_cast<double>(static_cast<float>(value)), mode, clipped);
  } else if constexpr (std::is_integral<From>::value) {
    if (mode == Round::HalfEven) return static_cast<To>(value);
    // Only integers of 32 bits may have no float of their own.
    const double exact = static_cast<double>(value);
    const int over = std::ilogb(exact) - 23;
    if (exact == 0 || over <= 0) return static_cast<To>(value);
    return static_cast<To>(std::ldexp(rounded(std::ldexp(exact, -over), mode), over));
  } else {
    return static_cast<To>(value);
  }
}

/// `value` divided by a power of two, rounded, saturated.
template <class To>
inline To shifted(std::int64_t value, int shift, int mode) {
  if (shift < 0 || shift > 31) fail("it converts with a shift of " + std::to_string(shift));
  return saturated<To>(
      static_cast<std::int64_t>(rounded(std::ldexp(static_cast<double>(value), -shift), mode)));
}

}  // namespace popir_tpc

typedef popir_tpc::Narrow<8, 7> bf16;
typedef popir_tpc::Narrow<5, 10> half;
typedef popir_tpc::Narrow<4, 3> minifloat;
typedef popir_tpc::Narrow<5, 2> minihalf;
typedef half f16;
typedef bf16 _BFloat16;
typedef bf16 bfloat;
typedef bool _Bool;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wliteral-suffix"
inline bf16 operator"" bf(long double value) { return bf16(value); }
#pragma GCC diagnostic pop

#endif
