// The types of TPC-C on a host: vectors of 256 bytes, masks, groups of vectors, coordinates.
#ifndef popir_habana_tpc_vectors_hpp
#define popir_habana_tpc_vectors_hpp

#include <cstdio>
#include <cstdlib>
#include <initializer_list>

#include "numbers.hpp"

// The attribute of vectors is not part of a type, and g++ says so of each template of them.
#pragma GCC diagnostic ignored "-Wattributes"

namespace popir_tpc {

constexpr int kBytes = 256;

/// What a lane is stored and compared as.
template <class E>
struct Lane {
  typedef E Stored;
  typedef E Computed;
};
template <int E, int M>
struct Lane<Narrow<E, M>> {
  typedef typename Narrow<E, M>::Word Stored;
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
  template <class A, class = std::enable_if_t<is_number<A>>>
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
      r.v = v ^ static_cast<Stored>(E::Format::kSign);
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

/// Several registers that one name stands for.
template <class A, class B = A>
struct Pair {
  A v1;
  B v2;
};
template <class A>
struct Four {
  A v1, v2, v3, v4;
};

template <class T>
struct IsVec : std::false_type {};
template <class E>
struct IsVec<Vec<E>> : std::true_type {};
template <class T>
struct IsMask : std::false_type {};
template <int Bytes>
struct IsMask<Mask<Bytes>> : std::true_type {};

/// How many registers there are under one name, and of what.
template <class G>
struct Group {
  typedef G V;
  static constexpr int kCount = 1;
};
template <class A, class B>
struct Group<Pair<A, B>> {
  typedef A V;
  static constexpr int kCount = 2;
};
template <class A>
struct Group<Four<A>> {
  typedef A V;
  static constexpr int kCount = 4;
};

}  // namespace popir_tpc

// The types: the name of each in instructions, the vector, the scalar. Floats of 8 bits have fewer
// instructions than those of 16 and more.
#define POPIR_TPC_FLOATS16(M) \
  M(f32, float64, float)      \
  M(bf16, bfloat128, bf16)    \
  M(f16, half128, half)
#define POPIR_TPC_FLOATS8(M)     \
  M(f8, minifloat256, minifloat) \
  M(h8, minihalf256, minihalf)
#define POPIR_TPC_FLOATS(M) POPIR_TPC_FLOATS16(M) POPIR_TPC_FLOATS8(M)
#define POPIR_TPC_SIGNED(M)      \
  M(i32, int64, std::int32_t)    \
  M(i16, short128, std::int16_t) \
  M(i8, char256, std::int8_t)
#define POPIR_TPC_UNSIGNED(M)      \
  M(u32, uint64, std::uint32_t)    \
  M(u16, ushort128, std::uint16_t) \
  M(u8, uchar256, std::uint8_t)
#define POPIR_TPC_INTEGERS(M) POPIR_TPC_SIGNED(M) POPIR_TPC_UNSIGNED(M)
#define POPIR_TPC_TYPES(M) POPIR_TPC_FLOATS(M) POPIR_TPC_INTEGERS(M)

#define POPIR_TPC_VECTOR_TYPE(name, V, E) typedef popir_tpc::Vec<E> V;
POPIR_TPC_TYPES(POPIR_TPC_VECTOR_TYPE)
#undef POPIR_TPC_VECTOR_TYPE
typedef popir_tpc::Mask<4> bool64;
typedef popir_tpc::Mask<2> bool128;
typedef popir_tpc::Mask<1> bool256;

#define POPIR_TPC_TWO(V, two)     \
  typedef popir_tpc::Pair<V> two; \
  typedef two V##_pair_t;
POPIR_TPC_TWO(float64, float128)
POPIR_TPC_TWO(int64, int128)
POPIR_TPC_TWO(uint64, uint128)
POPIR_TPC_TWO(bfloat128, bfloat256)
POPIR_TPC_TWO(half128, half256)
POPIR_TPC_TWO(short128, short256)
POPIR_TPC_TWO(ushort128, ushort256)
POPIR_TPC_TWO(char256, char512)
POPIR_TPC_TWO(uchar256, uchar512)
POPIR_TPC_TWO(minifloat256, minifloat512)
POPIR_TPC_TWO(minihalf256, minihalf512)
#undef POPIR_TPC_TWO
typedef popir_tpc::Four<float64> float256;
typedef popir_tpc::Four<int64> int256;
typedef popir_tpc::Four<uint64> uint256;

// A value beside another of as many lanes: `A_B`, also called `A_B_pair_t`.
#define POPIR_TPC_PAIR(A, B)             \
  typedef popir_tpc::Pair<A, B> A##_##B; \
  typedef A##_##B A##_##B##_pair_t;
#define POPIR_TPC_PAIRS(A, B, C, D) \
  POPIR_TPC_PAIR(A, A) POPIR_TPC_PAIR(A, B) POPIR_TPC_PAIR(A, C) POPIR_TPC_PAIR(A, D)
POPIR_TPC_PAIR(float64, float64)
POPIR_TPC_PAIR(float64, int64)
POPIR_TPC_PAIR(float64, uint64)
POPIR_TPC_PAIR(int64, float64)
POPIR_TPC_PAIR(int64, int64)
POPIR_TPC_PAIR(int64, uint64)
POPIR_TPC_PAIR(uint64, float64)
POPIR_TPC_PAIR(uint64, int64)
POPIR_TPC_PAIR(uint64, uint64)
POPIR_TPC_PAIRS(bfloat128, half128, short128, ushort128)
POPIR_TPC_PAIRS(half128, bfloat128, short128, ushort128)
POPIR_TPC_PAIRS(short128, bfloat128, half128, ushort128)
POPIR_TPC_PAIRS(ushort128, bfloat128, half128, short128)
POPIR_TPC_PAIRS(minifloat256, minihalf256, char256, uchar256)
POPIR_TPC_PAIRS(minihalf256, minifloat256, char256, uchar256)
POPIR_TPC_PAIRS(char256, minifloat256, minihalf256, uchar256)
POPIR_TPC_PAIRS(uchar256, minifloat256, minihalf256, char256)
#undef POPIR_TPC_PAIRS
#undef POPIR_TPC_PAIR
typedef popir_tpc::Pair<std::int32_t> int32_t_pair_t;
typedef popir_tpc::Pair<std::uint32_t> uint32_t_pair_t;
typedef popir_tpc::Pair<std::int16_t> int16_t_pair_t;
typedef popir_tpc::Pair<std::uint16_t> uint16_t_pair_t;
typedef popir_tpc::Pair<std::int8_t> int8_t_pair_t;
typedef popir_tpc::Pair<std::uint8_t> uint8_t_pair_t;

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

/// Coordinates of a tensor or of the index space. In braces, what is left out is 0; a number alone
/// goes to all dimensions.
struct int5 {
  int at[5];
  int5() = default;
  int5(int all) : at{all, all, all, all, all} {}
  int5(std::initializer_list<int> given) : at{} {
    int i = 0;
    for (int each : given)
      if (i < 5) at[i++] = each;
  }
  int& operator[](int i) { return at[i]; }
  const int& operator[](int i) const { return at[i]; }
};
#define POPIR_TPC_COORDINATES(op)                         \
  inline int5 operator op(const int5& a, const int5& b) { \
    int5 r;                                               \
    for (int i = 0; i < 5; ++i) r[i] = a[i] op b[i];      \
    return r;                                             \
  }                                                       \
  inline int5& operator op##=(int5& a, const int5& b) { return a = a op b; }
POPIR_TPC_COORDINATES(+)
POPIR_TPC_COORDINATES(-)
POPIR_TPC_COORDINATES(*)
#undef POPIR_TPC_COORDINATES

#endif
