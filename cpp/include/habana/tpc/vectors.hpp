// The types of TPC-C on a host: vectors of 256 bytes, masks, groups of vectors, coordinates.
#ifndef popir_habana_tpc_vectors_hpp
#define popir_habana_tpc_vectors_hpp

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>

#if defined(__F16C__)
#include <immintrin.h>
#endif

// The attribute of vectors is not part of a type, and g++ says so of each template of them.
#pragma GCC diagnostic ignored "-Wattributes"

namespace popir_tpc {

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

inline std::uint16_t float_to_bfloat(float value) {
  const auto word = bits<std::uint32_t>(value);
  if ((word & 0x7fffffffu) > 0x7f800000u) return static_cast<std::uint16_t>(word >> 16 | 0x40u);
  return static_cast<std::uint16_t>((word + 0x7fffu + (word >> 16 & 1u)) >> 16);
}
inline float bfloat_to_float(std::uint16_t value) {
  return bits<float>(static_cast<std::uint32_t>(value) << 16);
}

inline float half_to_float(std::uint16_t value) {
#if defined(__F16C__)
  return _cvtsh_ss(value);
#else
  const std::uint32_t sign = (value & 0x8000u) << 16, rest = value & 0x7fffu;
  if (rest >= 0x7c00u) return bits<float>(sign | 0x7f800000u | (rest & 0x3ffu) << 13);
  if (rest < 0x400u) {
    const float small = std::ldexp(static_cast<float>(rest), -24);
    return sign ? -small : small;
  }
  return bits<float>(sign | ((rest << 13) + 0x38000000u));
#endif
}
inline std::uint16_t float_to_half(float value) {
#if defined(__F16C__)
  return static_cast<std::uint16_t>(_cvtss_sh(value, 0));
#else
  const auto word = bits<std::uint32_t>(value);
  const std::uint32_t sign = word >> 16 & 0x8000u, rest = word & 0x7fffffffu;
  if (rest > 0x7f800000u) return static_cast<std::uint16_t>(sign | 0x7e00u);
  if (rest >= 0x477ff000u) return static_cast<std::uint16_t>(sign | 0x7c00u);
  if (rest < 0x38800000u) {
    const float scaled = std::nearbyint(std::ldexp(bits<float>(rest), 24));
    return static_cast<std::uint16_t>(sign | static_cast<std::uint32_t>(scaled));
  }
  const std::uint32_t rounded = rest + 0xfffu + (rest >> 13 & 1u);
  return static_cast<std::uint16_t>(sign | (rounded - 0x38000000u) >> 13);
#endif
}

}  // namespace popir_tpc

/// A scalar bfloat16. Arithmetic on it is float's.
struct bf16 {
  std::uint16_t word;
  bf16() = default;
  template <class A, class = std::enable_if_t<std::is_arithmetic<A>::value>>
  bf16(A value) : word(popir_tpc::float_to_bfloat(static_cast<float>(value))) {}
  operator float() const { return popir_tpc::bfloat_to_float(word); }
};

/// A scalar half.
struct half {
  std::uint16_t word;
  half() = default;
  template <class A, class = std::enable_if_t<std::is_arithmetic<A>::value>>
  half(A value) : word(popir_tpc::float_to_half(static_cast<float>(value))) {}
  operator float() const { return popir_tpc::half_to_float(word); }
};
typedef half f16;

namespace popir_tpc {

constexpr int kBytes = 256;

/// What a lane is stored and compared as.
template <class E>
struct Lane {
  typedef E Stored;
  typedef E Computed;
};
template <>
struct Lane<bf16> {
  typedef std::uint16_t Stored;
  typedef float Computed;
};
template <>
struct Lane<half> {
  typedef std::uint16_t Stored;
  typedef float Computed;
};

template <int Bytes>
struct Integer;
template <>
struct Integer<1> {
  typedef std::int8_t Signed;
};
template <>
struct Integer<2> {
  typedef std::int16_t Signed;
};
template <>
struct Integer<4> {
  typedef std::int32_t Signed;
};

/// A predicate for lanes of `Bytes` bytes: all bits of a lane are set, or none. So the three types
/// hold the same bytes, and convert into each other without loss.
template <int Bytes>
struct Mask {
  typedef typename Integer<Bytes>::Signed Element;
  static constexpr int kLanes = kBytes / Bytes;
  typedef Element Native __attribute__((vector_size(kBytes)));
  Native v;

  Mask() = default;
  explicit Mask(const Native& native) : v(native) {}
  template <class A, class = std::enable_if_t<std::is_arithmetic<A>::value>>
  Mask(A value) {
    const Element lane = value != A(0) ? -1 : 0;
    v = lane - Native{};
  }

  bool operator[](int i) const { return v[i] != 0; }
  void set(int i, bool value) { v[i] = static_cast<Element>(value ? -1 : 0); }

  friend Mask operator&(const Mask& a, const Mask& b) { return Mask(Native(a.v & b.v)); }
  friend Mask operator|(const Mask& a, const Mask& b) { return Mask(Native(a.v | b.v)); }
  friend Mask operator^(const Mask& a, const Mask& b) { return Mask(Native(a.v ^ b.v)); }
  Mask operator~() const { return Mask(Native(~v)); }
  Mask operator!() const { return Mask(Native(~v)); }
  Mask& operator&=(const Mask& b) { return *this = *this & b; }
  Mask& operator|=(const Mask& b) { return *this = *this | b; }
  Mask& operator^=(const Mask& b) { return *this = *this ^ b; }
};

/// A vector register. A number converts to it by going into every lane; another vector converts
/// only if asked, and by its bits.
template <class E>
struct Vec {
  typedef E Element;
  typedef typename Lane<E>::Stored Stored;
  typedef typename Lane<E>::Computed Computed;
  static constexpr int kLanes = kBytes / sizeof(Stored);
  static constexpr bool kNarrowFloat = !std::is_same<Stored, Computed>::value;
  typedef Stored Native __attribute__((vector_size(kBytes)));
  typedef popir_tpc::Mask<sizeof(Stored)> Mask;
  Native v;

  Vec() = default;
  explicit Vec(const Native& native) : v(native) {}
  template <class A,
            class = std::enable_if_t<std::is_arithmetic<A>::value || std::is_same<A, bf16>::value ||
                                     std::is_same<A, half>::value>>
  Vec(A value) {
    const E lane = static_cast<E>(value);
    Stored stored;
    std::memcpy(&stored, &lane, sizeof(stored));
    v = stored - Native{};  // Keeps the sign of a zero.
  }
  template <class F, class = std::enable_if_t<!std::is_same<E, F>::value>>
  explicit Vec(const Vec<F>& from) {
    std::memcpy(&v, &from, kBytes);
  }

  E operator[](int i) const {
    const Stored stored = v[i];
    return bits<E>(stored);
  }
  E& operator[](int i) {
    typedef E __attribute__((may_alias)) Aliased;
    return reinterpret_cast<Aliased*>(this)[i];
  }
  Computed get(int i) const { return static_cast<Computed>((*this)[i]); }
  void set(int i, Computed value) {
    const E lane = static_cast<E>(value);
    v[i] = bits<Stored>(lane);
  }

#define POPIR_TPC_OPERATOR(op)                                         \
  friend Vec operator op(const Vec& a, const Vec& b) {                 \
    Vec r;                                                             \
    if constexpr (kNarrowFloat)                                        \
      for (int i = 0; i < kLanes; ++i) r.set(i, a.get(i) op b.get(i)); \
    else                                                               \
      r.v = a.v op b.v;                                                \
    return r;                                                          \
  }                                                                    \
  Vec& operator op##=(const Vec& b) { return *this = *this op b; }
  POPIR_TPC_OPERATOR(+)
  POPIR_TPC_OPERATOR(-)
  POPIR_TPC_OPERATOR(*)
  POPIR_TPC_OPERATOR(/)
#undef POPIR_TPC_OPERATOR
#define POPIR_TPC_OPERATOR(op)                                                             \
  friend Vec operator op(const Vec& a, const Vec& b) {                                     \
    static_assert(std::is_integral<E>::value, "this operator is for vectors of integers"); \
    return Vec(Native(a.v op b.v));                                                        \
  }                                                                                        \
  Vec& operator op##=(const Vec& b) { return *this = *this op b; }
  POPIR_TPC_OPERATOR(%)
  POPIR_TPC_OPERATOR(&)
  POPIR_TPC_OPERATOR(|)
  POPIR_TPC_OPERATOR(^)
  POPIR_TPC_OPERATOR(<<)
  POPIR_TPC_OPERATOR(>>)
#undef POPIR_TPC_OPERATOR
#define POPIR_TPC_COMPARISON(op)                                       \
  friend Mask operator op(const Vec& a, const Vec& b) {                \
    Mask r;                                                            \
    if constexpr (kNarrowFloat)                                        \
      for (int i = 0; i < kLanes; ++i) r.set(i, a.get(i) op b.get(i)); \
    else                                                               \
      r.v = a.v op b.v;                                                \
    return r;                                                          \
  }
  POPIR_TPC_COMPARISON(==)
  POPIR_TPC_COMPARISON(!=)
  POPIR_TPC_COMPARISON(<)
  POPIR_TPC_COMPARISON(<=)
  POPIR_TPC_COMPARISON(>)
  POPIR_TPC_COMPARISON(>=)
#undef POPIR_TPC_COMPARISON

  Vec operator+() const { return *this; }
  Vec operator-() const {
    Vec r;
    if constexpr (kNarrowFloat)
      r.v = v ^ static_cast<Stored>(0x8000);
    else
      r.v = -v;
    return r;
  }
  Vec operator~() const {
    static_assert(std::is_integral<E>::value, "this operator is for vectors of integers");
    return Vec(Native(~v));
  }
  Vec& operator++() { return *this += Vec(1); }
  Vec& operator--() { return *this -= Vec(1); }
  Vec operator++(int) {
    const Vec before = *this;
    *this += Vec(1);
    return before;
  }
  Vec operator--(int) {
    const Vec before = *this;
    *this -= Vec(1);
    return before;
  }
};

/// Lane by lane: `yes` where the mask is set, `no` elsewhere.
template <class E>
inline Vec<E> choose(const typename Vec<E>::Mask& mask, const Vec<E>& yes, const Vec<E>& no) {
  typedef typename Mask<sizeof(typename Vec<E>::Stored)>::Native Bits;
  Bits a, b;
  std::memcpy(&a, &yes, kBytes);
  std::memcpy(&b, &no, kBytes);
  const Bits r = (mask.v & a) | (~mask.v & b);
  Vec<E> result;
  std::memcpy(&result, &r, kBytes);
  return result;
}
template <int Bytes>
inline Mask<Bytes> choose(const Mask<Bytes>& mask, const Mask<Bytes>& yes, const Mask<Bytes>& no) {
  return (mask & yes) | (~mask & no);
}

/// A vector made lane by lane.
template <class V, class Function>
inline V lanes(const Function& function) {
  V r;
  for (int i = 0; i < V::kLanes; ++i) r.set(i, function(i));
  return r;
}

/// Several vectors that one register name stands for.
template <class A, class B>
struct Pair {
  A v1;
  B v2;
};
template <class A>
struct Four {
  A v1, v2, v3, v4;
};

}  // namespace popir_tpc

typedef popir_tpc::Vec<float> float64;
typedef popir_tpc::Vec<bf16> bfloat128;
typedef popir_tpc::Vec<half> half128;
typedef popir_tpc::Vec<std::int32_t> int64;
typedef popir_tpc::Vec<std::uint32_t> uint64;
typedef popir_tpc::Vec<std::int16_t> short128;
typedef popir_tpc::Vec<std::uint16_t> ushort128;
typedef popir_tpc::Vec<std::int8_t> char256;
typedef popir_tpc::Vec<std::uint8_t> uchar256;
typedef popir_tpc::Mask<4> bool64;
typedef popir_tpc::Mask<2> bool128;
typedef popir_tpc::Mask<1> bool256;

typedef popir_tpc::Pair<float64, float64> float128;
typedef popir_tpc::Pair<int64, int64> int128;
typedef popir_tpc::Pair<uint64, uint64> uint128;
typedef popir_tpc::Pair<bfloat128, bfloat128> bfloat256;
typedef popir_tpc::Pair<half128, half128> half256;
typedef popir_tpc::Pair<short128, short128> short256;
typedef popir_tpc::Pair<ushort128, ushort128> ushort256;
typedef popir_tpc::Pair<char256, char256> char512;
typedef popir_tpc::Pair<uchar256, uchar256> uchar512;
typedef popir_tpc::Four<float64> float256;
typedef popir_tpc::Four<int64> int256;
typedef popir_tpc::Four<uint64> uint256;
typedef float128 float64_pair_t;
typedef int128 int64_pair_t;
typedef uint128 uint64_pair_t;
typedef bfloat256 bfloat128_pair_t;
typedef half256 half128_pair_t;
typedef short256 short128_pair_t;
typedef ushort256 ushort128_pair_t;
typedef char512 char256_pair_t;
typedef uchar512 uchar256_pair_t;
typedef popir_tpc::Pair<uint64, float64> uint64_float64;
typedef popir_tpc::Pair<int64, float64> int64_float64;
typedef popir_tpc::Pair<float64, int64> float64_int64;
typedef popir_tpc::Pair<float64, uint64> float64_uint64;
typedef popir_tpc::Pair<int64, uint64> int64_uint64;
typedef popir_tpc::Pair<uint64, int64> uint64_int64;
typedef uint64_float64 uint64_float64_pair_t;
typedef int64_float64 int64_float64_pair_t;
typedef float64_int64 float64_int64_pair_t;
typedef float64_uint64 float64_uint64_pair_t;

#define POPIR_TPC_MASKS(to, bytes)                                       \
  template <int Bytes>                                                   \
  inline popir_tpc::Mask<bytes> to(const popir_tpc::Mask<Bytes>& mask) { \
    return popir_tpc::bits<popir_tpc::Mask<bytes>>(mask);                \
  }
POPIR_TPC_MASKS(to_bool64, 4)
POPIR_TPC_MASKS(to_bool128, 2)
POPIR_TPC_MASKS(to_bool256, 1)
POPIR_TPC_MASKS(from_bool64, 1)
POPIR_TPC_MASKS(from_bool128, 1)
#undef POPIR_TPC_MASKS

/// Coordinates of a tensor or of the index space.
struct int5 {
  int at[5];
  int& operator[](int i) { return at[i]; }
  const int& operator[](int i) const { return at[i]; }
};
#define POPIR_TPC_COORDINATES(op)                                                    \
  inline int5 operator op(const int5& a, const int5& b) {                            \
    int5 r;                                                                          \
    for (int i = 0; i < 5; ++i) r[i] = a[i] op b[i];                                 \
    return r;                                                                        \
  }                                                                                  \
  inline int5 operator op(const int5& a, int b) { return a op int5{b, b, b, b, b}; } \
  inline int5 operator op(int a, const int5& b) { return int5{a, a, a, a, a} op b; } \
  inline int5& operator op##=(int5& a, const int5& b) { return a = a op b; }         \
  inline int5& operator op##=(int5& a, int b) { return a = a op b; }
POPIR_TPC_COORDINATES(+)
POPIR_TPC_COORDINATES(-)
POPIR_TPC_COORDINATES(*)
#undef POPIR_TPC_COORDINATES

#endif
