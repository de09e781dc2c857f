// The instructions of TPC-C on a host, in families: one row of a table a type or an operation. Long,
// because the instructions are many.
//
// Every function ends in (switches, income, predicate, polarity). It gives its result where the
// predicate differs from the polarity, and the income elsewhere; functions named _vb have a
// predicate for each lane.
#ifndef popir_habana_tpc_intrinsics_hpp
#define popir_habana_tpc_intrinsics_hpp

#include "memory.hpp"

// Switches. Kernels combine these names and, of older sources, the numbers behind them.
enum {
  SW_SAT = 1 << 0,
  SW_NO_SAT = 0,
  SW_NO_NEG = 0,
  SW_NEG = 1 << 1,
  e_no_negation = 0,
  e_with_negation = 1,
  e_no_saturation = 0,
  e_saturation = 1,
  SW_RHNE = 0 << 16,
  SW_RZ = 1 << 16,
  SW_RU = 2 << 16,
  SW_RD = 3 << 16,
  SW_SR = 4 << 16,
  SW_CSR = 5 << 16,
  SW_RHAZ = 6 << 16,
  e_round_half_ne = 0,
  e_round_zero = 1,
  e_round_up = 2,
  e_round_down = 3,
  e_stochastic_rounding = 4,
  e_round_csr = 5,
  e_round_half_az = 6,
  SW_LINEAR = 1 << 12,
  SW_GROUP_0 = 0 << 8,
  SW_GROUP_1 = 1 << 8,
  SW_STRIDE_2 = 0 << 9,
  SW_STRIDE_4 = 1 << 9,
  SW_GROUP_HALF_0 = 0 << 10,
  SW_GROUP_HALF_1 = 1 << 10,
  e_group_0 = 0,
  e_group_1 = 1,
  e_every_second_element = 0,
  e_every_forth_element = 1,
  e_lower_half_group = 0,
  e_higher_half_group = 1,
  SW_WR_LOWER_GROUP = 1 << 0,
  SW_WR_UPPER_GROUP = 1 << 1,
  SW_ADD_BIAS = 1 << 0,
  SW_FORCE_SIGN0 = 1 << 1,
  SW_FORCE_SIGN1 = 1 << 2,
  SW_EXP_IS_NUM = 1 << 3,
  SW_SIGN_LSB = 1 << 4,
  SW_RECIP = 0,
  SW_RSQRT = 1,
  SW_SQRT = 2,
  SW_LOG = 3,
  SW_EXP = 4,
  SW_TANH = 5,
  SW_DIV = 6,
  SW_POW = 7,
  e_fp_recip = SW_RECIP,
  e_fp_rsqrt = SW_RSQRT,
  e_fp_sqrt = SW_SQRT,
  e_fp_log = SW_LOG,
  e_fp_exp = SW_EXP,
  e_fp_tanh = SW_TANH,
  e_fp_div = SW_DIV,
  e_fp_pow = SW_POW,
};
/// Which groups of a dual group a move writes.
inline constexpr int MkWr(int lower, int upper) { return (lower ? 1 : 0) | (upper ? 2 : 0); }

namespace popir_tpc {

// What each instruction does to one lane.

template <class E>
inline E saturated(std::int64_t value) {
  constexpr std::int64_t least = std::numeric_limits<E>::min(),
                         most = std::numeric_limits<E>::max();
  return static_cast<E>(value < least ? least : value > most ? most : value);
}

template <class V, class Function>
inline V saturating(const V& a, const V& b, const Function& function) {
  typedef typename V::Element E;
  return lanes<V>(
      [&](int i) { return saturated<E>(function(std::int64_t(a[i]), std::int64_t(b[i]))); });
}

#define POPIR_TPC_BINARY(name, plain, wide)                                           \
  template <class V>                                                                  \
  inline V name(const V& a, const V& b, int switches) {                               \
    if constexpr (std::is_integral<typename V::Element>::value)                       \
      if (switches & SW_SAT)                                                          \
        return saturating(a, b, [](std::int64_t x, std::int64_t y) { return wide; }); \
    return plain;                                                                     \
  }
POPIR_TPC_BINARY(op_add, a + b, x + y)
POPIR_TPC_BINARY(op_sub, a - b, x - y)
#undef POPIR_TPC_BINARY
template <class V>
inline V op_mul(const V& a, const V& b, int) {
  return a * b;
}
template <class V>
inline V op_min(const V& a, const V& b, int) {
  return choose(a <= b, a, choose(b == b, b, a));
}
template <class V>
inline V op_max(const V& a, const V& b, int) {
  return choose(a >= b, a, choose(b == b, b, a));
}
// On bits, whatever the type.
template <class V>
inline V op_and(const V& a, const V& b, int) {
  return bits<V>(bits<uint64>(a) & bits<uint64>(b));
}
template <class V>
inline V op_or(const V& a, const V& b, int) {
  return bits<V>(bits<uint64>(a) | bits<uint64>(b));
}
template <class V>
inline V op_xor(const V& a, const V& b, int) {
  return bits<V>(bits<uint64>(a) ^ bits<uint64>(b));
}

template <class V>
inline V op_abs(const V& a, int) {
  if constexpr (std::is_integral<typename V::Element>::value)
    return choose(a < V(0), -a, a);
  else
    return lanes<V>([&](int i) { return std::fabs(a.get(i)); });
}
template <class V>
inline V op_not(const V& a, int) {
  return bits<V>(~bits<uint64>(a));
}
template <class V>
inline V op_mov(const V& a, int) {
  return a;
}

inline int rounding(int switches) {
  const int mode = switches >> 16 & 7;
  return mode == Round::Register ? static_cast<int>(state().registers[0xca8 / 4] & 7) : mode;
}
/// `value` as an integer; the mode `Stochastic` needs the hardware's generator, which is not here.
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
template <class V>
inline V op_nearbyint(const V& a, int switches) {
  const int mode = rounding(switches);
  return lanes<V>(
      [&](int i) { return static_cast<typename V::Computed>(rounded(a.get(i), mode)); });
}

/// A float as a lane of 16 bits, rounded as the switches say.
template <class E>
inline E narrowed(float value, int mode) {
  const E nearest = static_cast<E>(value);
  if (mode == Round::HalfEven || !(std::fabs(value) <= std::numeric_limits<float>::max()))
    return nearest;
  const float there = nearest;
  if (there == value) return nearest;
  // The neighbours that the value lies between.
  auto step = [](E from, bool up) {
    std::uint16_t word = from.word;
    const bool negative = word & 0x8000u;
    if ((word & 0x7fffu) == 0) {
      from.word = static_cast<std::uint16_t>(up ? 0x0001u : 0x8001u);
      return from;
    }
    from.word = static_cast<std::uint16_t>(negative == up ? word - 1 : word + 1);
    return from;
  };
  const E low = there < value ? nearest : step(nearest, false);
  const E high = there < value ? step(nearest, true) : nearest;
  switch (mode) {
    case Round::Zero: return value > 0 ? low : high;
    case Round::Up: return high;
    case Round::Down: return low;
    case Round::HalfAway: {
      const float below = value - float(low), above = float(high) - value;
      return below == above ? (value > 0 ? high : low) : nearest;
    }
    default: fail("it rounds stochastically, which popir does not do in TPC kernels");
  }
}

template <class To, class From>
inline To converted(const From& value, int mode) {
  if constexpr (std::is_integral<To>::value) {
    if constexpr (std::is_integral<From>::value) {
      return saturated<To>(static_cast<std::int64_t>(value));
    } else {
      const double whole = rounded(static_cast<double>(static_cast<float>(value)), mode);
      if (!(whole == whole)) return To(0);
      if (whole <= static_cast<double>(std::numeric_limits<To>::min()))
        return std::numeric_limits<To>::min();
      if (whole >= static_cast<double>(std::numeric_limits<To>::max()))
        return std::numeric_limits<To>::max();
      return static_cast<To>(whole);
    }
  } else if constexpr (sizeof(To) == 2) {
    return narrowed<To>(static_cast<float>(value), mode);
  } else {
    return static_cast<To>(value);
  }
}

/// Vectors of as many lanes.
template <class V, class W>
inline V convert_lanes(const W& a, int switches) {
  const int mode = rounding(switches);
  V r;
  for (int i = 0; i < V::kLanes; ++i) {
    const auto lane = converted<typename V::Element>(a[i], mode);
    r.v[i] = bits<typename V::Stored>(lane);
  }
  return r;
}
/// Lanes of 16 bits become those of 32: even ones go to the first vector, odd ones to the second.
template <class V, class W>
inline Pair<V, V> widen_lanes(const W& a, int switches) {
  const int mode = rounding(switches);
  Pair<V, V> r;
  for (int i = 0; i < V::kLanes; ++i) {
    r.v1.v[i] = converted<typename V::Element>(a[2 * i], mode);
    r.v2.v[i] = converted<typename V::Element>(a[2 * i + 1], mode);
  }
  return r;
}
/// The way back.
template <class V, class W>
inline V narrow_lanes(const Pair<W, W>& a, int switches) {
  typedef typename V::Element E;
  const int mode = rounding(switches);
  V r;
  for (int i = 0; i < W::kLanes; ++i) {
    const E even = converted<E>(a.v1[i], mode), odd = converted<E>(a.v2[i], mode);
    r.v[2 * i] = bits<typename V::Stored>(even);
    r.v[2 * i + 1] = bits<typename V::Stored>(odd);
  }
  return r;
}
/// A register, or several of them under one name: how many there are, and of what.
template <class G>
struct Group {
  typedef G V;
  static constexpr int kCount = 1;
};
template <class A>
struct Group<Pair<A, A>> {
  typedef A V;
  static constexpr int kCount = 2;
};
template <class A>
struct Group<Four<A>> {
  typedef A V;
  static constexpr int kCount = 4;
};

/// Elements of one group become those of another, as many. An element lies where the hardware
/// leaves it when a width changes: neighbours in different registers. With SW_LINEAR the first
/// register has the first elements.
template <class To, class From>
inline To convert_group(const From& from, int switches) {
  typedef typename Group<From>::V A;
  typedef typename Group<To>::V B;
  constexpr int kFrom = Group<From>::kCount, kTo = Group<To>::kCount;
  static_assert(kFrom * A::kLanes == kTo * B::kLanes, "groups of different numbers of elements");
  const int mode = rounding(switches);
  const bool linear = switches & SW_LINEAR;
  const auto* source = reinterpret_cast<const A*>(&from);
  To to;
  auto* target = reinterpret_cast<B*>(&to);
  for (int i = 0; i < kFrom * A::kLanes; ++i) {
    const A& a = source[linear ? i / A::kLanes : i % kFrom];
    const auto value = converted<typename B::Element>(a[linear ? i % A::kLanes : i / kFrom], mode);
    target[linear ? i / B::kLanes : i % kTo].v[linear ? i % B::kLanes : i / kTo] =
        bits<typename B::Stored>(value);
  }
  return to;
}

}  // namespace popir_tpc

// One operand or two of type V, and a result of type R.
#define POPIR_TPC_UNARY(name, R, V, expression)                                                   \
  inline R v_##name##_b(V a, int switches = 0, R income = R(0), bool predicate = true,            \
                        bool polarity = false) {                                                  \
    (void)switches;                                                                               \
    return predicate != polarity ? expression : income;                                           \
  }                                                                                               \
  inline R v_##name##_vb(V a, int switches, R income, R::Mask predicate, bool polarity = false) { \
    (void)switches;                                                                               \
    return popir_tpc::choose(polarity ? ~predicate : predicate, expression, income);              \
  }
#define POPIR_TPC_BINARY(name, R, V, W, expression)                                         \
  inline R v_##name##_b(V a, W b, int switches = 0, R income = R(0), bool predicate = true, \
                        bool polarity = false) {                                            \
    (void)switches;                                                                         \
    return predicate != polarity ? expression : income;                                     \
  }                                                                                         \
  inline R v_##name##_vb(V a, W b, int switches, R income, R::Mask predicate,               \
                         bool polarity = false) {                                           \
    (void)switches;                                                                         \
    return popir_tpc::choose(polarity ? ~predicate : predicate, expression, income);        \
  }
#define POPIR_TPC_COMPARE(type, V, name, op)                                                  \
  inline V::Mask v_##type##_cmp_##name##_b(V a, V b, int = 0, V::Mask income = V::Mask(0),    \
                                           bool predicate = true, bool polarity = false) {    \
    return predicate != polarity ? a op b : income;                                           \
  }                                                                                           \
  inline V::Mask v_##type##_cmp_##name##_vb(V a, V b, int, V::Mask income, V::Mask predicate, \
                                            bool polarity = false) {                          \
    return popir_tpc::choose(polarity ? ~predicate : predicate, a op b, income);              \
  }
#define POPIR_TPC_SCALAR_COMPARE(type, E, name, op)                                                \
  inline bool s_##type##_cmp_##name(E a, E b, int = 0, bool income = false, bool predicate = true, \
                                    bool polarity = false) {                                       \
    return predicate != polarity ? a op b : income;                                                \
  }
#define POPIR_TPC_SCALAR(type, E, name, expression)                                     \
  inline E s_##type##_##name(E a, E b, int = 0, E income = E(0), bool predicate = true, \
                             bool polarity = false) {                                   \
    return predicate != polarity ? static_cast<E>(expression) : income;                 \
  }

/// What all types have.
#define POPIR_TPC_ALL(type, V, E)                                               \
  POPIR_TPC_BINARY(type##_add, V, V, V, popir_tpc::op_add(a, b, switches))      \
  POPIR_TPC_BINARY(type##_sub, V, V, V, popir_tpc::op_sub(a, b, switches))      \
  POPIR_TPC_BINARY(type##_min, V, V, V, popir_tpc::op_min(a, b, switches))      \
  POPIR_TPC_BINARY(type##_max, V, V, V, popir_tpc::op_max(a, b, switches))      \
  POPIR_TPC_BINARY(type##_and, V, V, V, popir_tpc::op_and(a, b, switches))      \
  POPIR_TPC_BINARY(type##_or, V, V, V, popir_tpc::op_or(a, b, switches))        \
  POPIR_TPC_BINARY(type##_xor, V, V, V, popir_tpc::op_xor(a, b, switches))      \
  POPIR_TPC_UNARY(type##_not, V, V, popir_tpc::op_not(a, switches))             \
  POPIR_TPC_UNARY(type##_mov, V, V, popir_tpc::op_mov(a, switches))             \
  POPIR_TPC_COMPARE(type, V, eq, ==)                                            \
  POPIR_TPC_COMPARE(type, V, neq, !=)                                           \
  POPIR_TPC_COMPARE(type, V, less, <)                                           \
  POPIR_TPC_COMPARE(type, V, leq, <=)                                           \
  POPIR_TPC_COMPARE(type, V, grt, >)                                            \
  POPIR_TPC_COMPARE(type, V, geq, >=)                                           \
  POPIR_TPC_SCALAR_COMPARE(type, E, eq, ==)                                     \
  POPIR_TPC_SCALAR_COMPARE(type, E, neq, !=)                                    \
  POPIR_TPC_SCALAR_COMPARE(type, E, less, <)                                    \
  POPIR_TPC_SCALAR_COMPARE(type, E, leq, <=)                                    \
  POPIR_TPC_SCALAR_COMPARE(type, E, grt, >)                                     \
  POPIR_TPC_SCALAR_COMPARE(type, E, geq, >=)                                    \
  POPIR_TPC_SCALAR(type, E, add, a + b)                                         \
  POPIR_TPC_SCALAR(type, E, sub, a - b)                                         \
  POPIR_TPC_SCALAR(type, E, mul, a* b)                                          \
  POPIR_TPC_SCALAR(type, E, min, b < a ? b : a)                                 \
  POPIR_TPC_SCALAR(type, E, max, a < b ? b : a)                                 \
  inline E s_##type##_mov(E a, int = 0, E income = E(0), bool predicate = true, \
                          bool polarity = false) {                              \
    return predicate != polarity ? a : income;                                  \
  }                                                                             \
  POPIR_TPC_DUAL_GROUPS(type, V)                                                \
  POPIR_TPC_SHUFFLE(type, V)

/// What integers have besides.
#define POPIR_TPC_INTEGER(type, V, E, S, U)                                                     \
  POPIR_TPC_SCALAR(type, E, and, a& b)                                                          \
  POPIR_TPC_SCALAR(type, E, or, a | b)                                                          \
  POPIR_TPC_SCALAR(type, E, xor, a ^ b)                                                         \
  POPIR_TPC_SCALAR(type, E, shl, static_cast<std::uint64_t>(b) < 8 * sizeof(E) ? a << b : 0)    \
  POPIR_TPC_SCALAR(                                                                             \
      type, E, shr,                                                                             \
      static_cast<std::uint64_t>(b) < 8 * sizeof(E) ? static_cast<U::Element>(a) >> b : 0)      \
  POPIR_TPC_BINARY(type##_shl, V, V, S, bits_shifted_left<V>(a, b))                             \
  POPIR_TPC_BINARY(type##_shr, V, V, S, bits_shifted_right<V>(a, b))                            \
  POPIR_TPC_UNARY(type##_popcnt, V, V, popir_tpc::lanes<V>([&](int i) {                         \
                    return static_cast<E>(__builtin_popcountll(static_cast<U::Element>(a[i]))); \
                  }))

/// Shifts are of bits: what comes in is zero, and so is all that is shifted by the width or more.
template <class V, class S>
inline V bits_shifted_left(const V& a, const S& by) {
  typedef typename V::Stored Stored;
  V r;
  for (int i = 0; i < V::kLanes; ++i) {
    const auto n = static_cast<std::uint32_t>(by.v[i]);
    const auto word = static_cast<std::uint64_t>(popir_tpc::bits<Stored>(Stored(a.v[i])));
    r.v[i] = static_cast<Stored>(n < 8 * sizeof(Stored) ? word << n : 0);
  }
  return r;
}
template <class V, class S>
inline V bits_shifted_right(const V& a, const S& by) {
  typedef typename V::Stored Stored;
  typedef std::make_unsigned_t<Stored> Unsigned;
  V r;
  for (int i = 0; i < V::kLanes; ++i) {
    const auto n = static_cast<std::uint32_t>(by.v[i]);
    const auto word = static_cast<Unsigned>(a.v[i]);
    r.v[i] = static_cast<Stored>(n < 8 * sizeof(Stored) ? word >> n : 0);
  }
  return r;
}

/// A vector has four dual groups of 64 bytes, each of two groups of 32.
#define POPIR_TPC_DUAL_GROUPS(type, V)                                                   \
  inline V v_##type##_mov_dual_group_b(V a, std::uint32_t bytes, int source, int target, \
                                       int switches, V income, bool predicate = true,    \
                                       bool polarity = false) {                          \
    if (predicate == polarity) return income;                                            \
    if (source < 0 || source > 3 || target < 0 || target > 3)                            \
      popir_tpc::fail("it moves a dual group that is not one of 0 to 3");                \
    const auto from = popir_tpc::bits<uchar256>(a);                                      \
    auto to = popir_tpc::bits<uchar256>(income);                                         \
    for (int i = 0; i < 64; ++i)                                                         \
      if ((switches >> i / 32 & 1) && (bytes >> i % 32 & 1))                             \
        to.v[64 * target + i] = from.v[64 * source + i];                                 \
    return popir_tpc::bits<V>(to);                                                       \
  }
/// Within each dual group; the direction of a lane stands in its first byte.
#define POPIR_TPC_SHUFFLE(type, V)                                                                \
  inline V v_##type##_shuffle_b(V a, uchar256 b, int, V income, bool predicate = true,            \
                                bool polarity = false) {                                          \
    if (predicate == polarity) return income;                                                     \
    constexpr int size = sizeof(V::Stored), group = 32 / size;                                    \
    for (int i = 0; i < V::kLanes; ++i) {                                                         \
      const int to = b.v[i * size];                                                               \
      if (to & 0x80)                                                                              \
        income.v[i] = a.v[i / (2 * group) * 2 * group + (to >> 5 & 1) * group + to % 32 % group]; \
    }                                                                                             \
    return income;                                                                                \
  }

#define POPIR_TPC_UNPACK(type, V)                                                  \
  inline V v_##type##_unpack_b(V a, int switches, V income, bool predicate = true, \
                               bool polarity = false) {                            \
    if (predicate == polarity) return income;                                      \
    constexpr int group = 32 / sizeof(V::Stored);                                  \
    const int stride = switches & SW_STRIDE_4 ? 4 : 2;                             \
    const int half = stride == 4 && (switches & SW_GROUP_HALF_1) ? group / 2 : 0;  \
    const int from = (switches & SW_GROUP_1 ? group : 0) + half;                   \
    for (int g = 0; g < 4; ++g)                                                    \
      for (int i = 0; i < 2 * group / stride; ++i)                                 \
        income.v[2 * group * g + stride * i] = a.v[2 * group * g + from + i];      \
    return income;                                                                 \
  }

POPIR_TPC_ALL(f32, float64, float)
POPIR_TPC_ALL(bf16, bfloat128, bf16)
POPIR_TPC_ALL(f16, half128, half)
POPIR_TPC_ALL(i32, int64, std::int32_t)
POPIR_TPC_ALL(u32, uint64, std::uint32_t)
POPIR_TPC_ALL(i16, short128, std::int16_t)
POPIR_TPC_ALL(u16, ushort128, std::uint16_t)
POPIR_TPC_ALL(i8, char256, std::int8_t)
POPIR_TPC_ALL(u8, uchar256, std::uint8_t)
POPIR_TPC_INTEGER(i32, int64, std::int32_t, int64, uint64)
POPIR_TPC_INTEGER(u32, uint64, std::uint32_t, int64, uint64)
POPIR_TPC_INTEGER(i16, short128, std::int16_t, short128, ushort128)
POPIR_TPC_INTEGER(u16, ushort128, std::uint16_t, short128, ushort128)
POPIR_TPC_INTEGER(i8, char256, std::int8_t, char256, uchar256)
POPIR_TPC_INTEGER(u8, uchar256, std::uint8_t, char256, uchar256)
POPIR_TPC_UNPACK(bf16, bfloat128)
POPIR_TPC_UNPACK(f16, half128)
POPIR_TPC_UNPACK(i16, short128)
POPIR_TPC_UNPACK(u16, ushort128)
POPIR_TPC_UNPACK(i8, char256)
POPIR_TPC_UNPACK(u8, uchar256)

#define POPIR_TPC_SIGNED(type, V, E)                                            \
  POPIR_TPC_UNARY(type##_abs, V, V, popir_tpc::op_abs(a, switches))             \
  inline E s_##type##_abs(E a, int = 0, E income = E(0), bool predicate = true, \
                          bool polarity = false) {                              \
    return predicate != polarity ? (a < E(0) ? E(-a) : a) : income;             \
  }
POPIR_TPC_SIGNED(f32, float64, float)
POPIR_TPC_SIGNED(bf16, bfloat128, bf16)
POPIR_TPC_SIGNED(f16, half128, half)
POPIR_TPC_SIGNED(i32, int64, std::int32_t)
POPIR_TPC_SIGNED(i16, short128, std::int16_t)
POPIR_TPC_SIGNED(i8, char256, std::int8_t)

/// Multiplications of floats, alone and with a sum. SW_NEG takes the product away from the sum.
#define POPIR_TPC_FLOAT(type, V, E)                                                   \
  POPIR_TPC_BINARY(type##_mul, V, V, V, popir_tpc::op_mul(a, b, switches))            \
  POPIR_TPC_UNARY(type##_nearbyint, V, V, popir_tpc::op_nearbyint(a, switches))       \
  inline V v_##type##_mac_b(V a, V b, V sum, int switches = 0, bool predicate = true, \
                            bool polarity = false) {                                  \
    if (predicate == polarity) return sum;                                            \
    return popir_tpc::multiplied_and_added(switches & SW_NEG ? -a : a, b, sum);       \
  }                                                                                   \
  inline V v_##type##_mac_vb(V a, V b, V sum, int switches, V::Mask predicate,        \
                             bool polarity = false) {                                 \
    return popir_tpc::choose(polarity ? ~predicate : predicate,                       \
                             v_##type##_mac_b(a, b, sum, switches), sum);             \
  }                                                                                   \
  inline E s_##type##_mac(E a, E b, E sum, int switches = 0, bool predicate = true,   \
                          bool polarity = false) {                                    \
    if (predicate == polarity) return sum;                                            \
    return static_cast<E>(                                                            \
        std::fma(switches & SW_NEG ? -float(a) : float(a), float(b), float(sum)));    \
  }
namespace popir_tpc {
/// The product is not rounded before it is added.
template <class V>
inline V multiplied_and_added(const V& a, const V& b, const V& sum) {
  return lanes<V>([&](int i) { return std::fma(a.get(i), b.get(i), sum.get(i)); });
}
/// Products of lanes of 16 bits, added as floats: even lanes in the first vector.
template <class V>
inline float128 accumulated(const V& a, const V& b, float128 sum, bool negative) {
  for (int i = 0; i < float64::kLanes; ++i) {
    const float x = a.get(2 * i), y = a.get(2 * i + 1);
    sum.v1.v[i] = std::fma(negative ? -x : x, b.get(2 * i), sum.v1.v[i]);
    sum.v2.v[i] = std::fma(negative ? -y : y, b.get(2 * i + 1), sum.v2.v[i]);
  }
  return sum;
}
}  // namespace popir_tpc
POPIR_TPC_FLOAT(f32, float64, float)
POPIR_TPC_FLOAT(bf16, bfloat128, bf16)
POPIR_TPC_FLOAT(f16, half128, half)
#define POPIR_TPC_ACCUMULATE(type, V)                                                     \
  inline float128 v_##type##_mac_acc32_b(V a, V b, float128 sum, int switches = 0,        \
                                         bool predicate = true, bool polarity = false) {  \
    if (predicate == polarity) return sum;                                                \
    return popir_tpc::accumulated(a, b, sum, switches & SW_NEG);                          \
  }                                                                                       \
  inline float128 av_##type##_mac_acc32_b(V a, V b, float128 sum, int switches = 0,       \
                                          bool predicate = true, bool polarity = false) { \
    return v_##type##_mac_acc32_b(a, b, sum, switches, predicate, polarity);              \
  }
POPIR_TPC_ACCUMULATE(bf16, bfloat128)
POPIR_TPC_ACCUMULATE(f16, half128)

#define POPIR_TPC_WIDE_PRODUCT(type, V, R, F)                                         \
  inline R v_##type##_mul_b(V a, V b, int = 0, R income = R(), bool predicate = true, \
                            bool polarity = false) {                                  \
    return predicate != polarity ? F : income;                                        \
  }
namespace popir_tpc {
/// Products of twice the bits: the lower words in the first vector, the upper in the second.
template <class V>
inline Pair<V, V> split_product(const V& a, const V& b) {
  typedef typename V::Element E;
  typedef std::conditional_t<std::is_signed<E>::value, std::int64_t, std::uint64_t> Wide;
  Pair<V, V> r;
  for (int i = 0; i < V::kLanes; ++i) {
    const Wide product = Wide(a.v[i]) * Wide(b.v[i]);
    r.v1.v[i] = static_cast<E>(product);
    r.v2.v[i] = static_cast<E>(product >> 32);
  }
  return r;
}
/// Products of lanes of 16 bits: even lanes in the first vector, odd ones in the second.
template <class R, class V>
inline Pair<R, R> wide_product(const V& a, const V& b) {
  typedef typename R::Element E;
  Pair<R, R> r;
  for (int i = 0; i < R::kLanes; ++i) {
    r.v1.v[i] = E(a.v[2 * i]) * E(b.v[2 * i]);
    r.v2.v[i] = E(a.v[2 * i + 1]) * E(b.v[2 * i + 1]);
  }
  return r;
}
/// Products of lanes of 8 bits: lane 4i in the first register, 4i + 1 in the second, and so on.
template <class R, class V>
inline Four<R> wider_product(const V& a, const V& b) {
  typedef typename R::Element E;
  Four<R> r;
  auto* to = reinterpret_cast<R*>(&r);
  for (int i = 0; i < V::kLanes; ++i) to[i % 4].v[i / 4] = E(a.v[i]) * E(b.v[i]);
  return r;
}
}  // namespace popir_tpc
POPIR_TPC_WIDE_PRODUCT(i32, int64, int128, popir_tpc::split_product(a, b))
POPIR_TPC_WIDE_PRODUCT(u32, uint64, uint128, popir_tpc::split_product(a, b))
POPIR_TPC_WIDE_PRODUCT(i16, short128, int128, popir_tpc::wide_product<int64>(a, b))
POPIR_TPC_WIDE_PRODUCT(u16, ushort128, uint128, popir_tpc::wide_product<uint64>(a, b))
POPIR_TPC_WIDE_PRODUCT(i8, char256, int256, popir_tpc::wider_product<int64>(a, b))
POPIR_TPC_WIDE_PRODUCT(u8, uchar256, uint256, popir_tpc::wider_product<uint64>(a, b))

#define POPIR_TPC_INTEGER_MAC(type, V, R)                                             \
  inline R v_##type##_mac_b(V a, V b, R sum, int switches = 0, bool predicate = true, \
                            bool polarity = false) {                                  \
    if (predicate == polarity) return sum;                                            \
    return popir_tpc::added(sum, v_##type##_mul_b(a, b), switches & SW_NEG);          \
  }
namespace popir_tpc {
template <class V>
inline Pair<V, V> added(const Pair<V, V>& a, const Pair<V, V>& b, bool negative) {
  if (negative) return {a.v1 - b.v1, a.v2 - b.v2};
  return {a.v1 + b.v1, a.v2 + b.v2};
}
template <class V>
inline Four<V> added(const Four<V>& a, const Four<V>& b, bool negative) {
  if (negative) return {a.v1 - b.v1, a.v2 - b.v2, a.v3 - b.v3, a.v4 - b.v4};
  return {a.v1 + b.v1, a.v2 + b.v2, a.v3 + b.v3, a.v4 + b.v4};
}
}  // namespace popir_tpc
POPIR_TPC_INTEGER_MAC(i16, short128, int128)
POPIR_TPC_INTEGER_MAC(u16, ushort128, uint128)
POPIR_TPC_INTEGER_MAC(i8, char256, int256)
POPIR_TPC_INTEGER_MAC(u8, uchar256, uint256)

/// R where the lanes of V compare.
#define POPIR_TPC_SELECT(result, R, type, V, name, op)                                           \
  inline R v_##result##_sel_##name##_##type##_b(V a, V b, R c, R d, int = 0, R income = R(0),    \
                                                bool predicate = true, bool polarity = false) {  \
    return predicate != polarity ? popir_tpc::choose(a op b, c, d) : income;                     \
  }                                                                                              \
  inline R v_##result##_sel_##name##_##type##_vb(V a, V b, R c, R d, int, R income,              \
                                                 R::Mask predicate, bool polarity = false) {     \
    return popir_tpc::choose(polarity ? ~predicate : predicate, popir_tpc::choose(a op b, c, d), \
                             income);                                                            \
  }
/// The chosen values, and beside them the compared ones.
#define POPIR_TPC_SELECT2(result, R, type, V, name, op)                                    \
  inline popir_tpc::Pair<R, V> v_##result##_sel2_##name##_##type##_b(                      \
      V a, V b, R c, R d, int = 0, popir_tpc::Pair<R, V> income = popir_tpc::Pair<R, V>(), \
      bool predicate = true, bool polarity = false) {                                      \
    if (predicate == polarity) return income;                                              \
    return {popir_tpc::choose(a op b, c, d), popir_tpc::choose(a op b, a, b)};             \
  }
#define POPIR_TPC_SELECTS(result, R, type, V)    \
  POPIR_TPC_SELECT(result, R, type, V, eq, ==)   \
  POPIR_TPC_SELECT(result, R, type, V, neq, !=)  \
  POPIR_TPC_SELECT(result, R, type, V, less, <)  \
  POPIR_TPC_SELECT(result, R, type, V, leq, <=)  \
  POPIR_TPC_SELECT(result, R, type, V, grt, >)   \
  POPIR_TPC_SELECT(result, R, type, V, geq, >=)  \
  POPIR_TPC_SELECT2(result, R, type, V, less, <) \
  POPIR_TPC_SELECT2(result, R, type, V, leq, <=) \
  POPIR_TPC_SELECT2(result, R, type, V, grt, >)  \
  POPIR_TPC_SELECT2(result, R, type, V, geq, >=)
#define POPIR_TPC_SELECTS32(result, R)       \
  POPIR_TPC_SELECTS(result, R, f32, float64) \
  POPIR_TPC_SELECTS(result, R, i32, int64)   \
  POPIR_TPC_SELECTS(result, R, u32, uint64)
#define POPIR_TPC_SELECTS16(result, R)          \
  POPIR_TPC_SELECTS(result, R, bf16, bfloat128) \
  POPIR_TPC_SELECTS(result, R, f16, half128)    \
  POPIR_TPC_SELECTS(result, R, i16, short128)   \
  POPIR_TPC_SELECTS(result, R, u16, ushort128)
#define POPIR_TPC_SELECTS8(result, R)       \
  POPIR_TPC_SELECTS(result, R, i8, char256) \
  POPIR_TPC_SELECTS(result, R, u8, uchar256)
POPIR_TPC_SELECTS32(f32, float64)
POPIR_TPC_SELECTS32(i32, int64)
POPIR_TPC_SELECTS32(u32, uint64)
POPIR_TPC_SELECTS16(bf16, bfloat128)
POPIR_TPC_SELECTS16(f16, half128)
POPIR_TPC_SELECTS16(i16, short128)
POPIR_TPC_SELECTS16(u16, ushort128)
POPIR_TPC_SELECTS8(i8, char256)
POPIR_TPC_SELECTS8(u8, uchar256)

// Conversions between types of as many lanes.
#define POPIR_TPC_CONVERT(from, V, to, R) \
  POPIR_TPC_UNARY(convert_##from##_to_##to, R, V, (popir_tpc::convert_lanes<R>(a, switches)))
POPIR_TPC_CONVERT(f32, float64, i32, int64)
POPIR_TPC_CONVERT(f32, float64, u32, uint64)
POPIR_TPC_CONVERT(i32, int64, f32, float64)
POPIR_TPC_CONVERT(u32, uint64, f32, float64)
POPIR_TPC_CONVERT(i32, int64, u32, uint64)
POPIR_TPC_CONVERT(u32, uint64, i32, int64)
POPIR_TPC_CONVERT(bf16, bfloat128, f16, half128)
POPIR_TPC_CONVERT(f16, half128, bf16, bfloat128)
POPIR_TPC_CONVERT(bf16, bfloat128, i16, short128)
POPIR_TPC_CONVERT(bf16, bfloat128, u16, ushort128)
POPIR_TPC_CONVERT(i16, short128, bf16, bfloat128)
POPIR_TPC_CONVERT(u16, ushort128, bf16, bfloat128)
POPIR_TPC_CONVERT(f16, half128, i16, short128)
POPIR_TPC_CONVERT(f16, half128, u16, ushort128)
POPIR_TPC_CONVERT(i16, short128, f16, half128)
POPIR_TPC_CONVERT(u16, ushort128, f16, half128)
POPIR_TPC_CONVERT(i16, short128, u16, ushort128)
POPIR_TPC_CONVERT(u16, ushort128, i16, short128)
POPIR_TPC_CONVERT(i8, char256, u8, uchar256)
POPIR_TPC_CONVERT(u8, uchar256, i8, char256)

#define POPIR_TPC_CONVERT_ALL(narrow, V, wide, R)                                            \
  inline popir_tpc::Pair<R, R> v_convert_##narrow##_to_##wide##_all_b(                       \
      V a, int switches = 0, popir_tpc::Pair<R, R> income = popir_tpc::Pair<R, R>(),         \
      bool predicate = true, bool polarity = false) {                                        \
    return predicate != polarity ? popir_tpc::widen_lanes<R>(a, switches) : income;          \
  }                                                                                          \
  inline V v_convert_##wide##_to_##narrow##_all_b(popir_tpc::Pair<R, R> a, int switches = 0, \
                                                  V income = V(0), bool predicate = true,    \
                                                  bool polarity = false) {                   \
    return predicate != polarity ? popir_tpc::narrow_lanes<V>(a, switches) : income;         \
  }
POPIR_TPC_CONVERT_ALL(bf16, bfloat128, f32, float64)
POPIR_TPC_CONVERT_ALL(f16, half128, f32, float64)
POPIR_TPC_CONVERT_ALL(i16, short128, i32, int64)
POPIR_TPC_CONVERT_ALL(u16, ushort128, u32, uint64)
POPIR_TPC_CONVERT_ALL(i16, short128, f32, float64)

// Conversions between registers, or groups of them, of as many elements.
#define POPIR_TPC_CONVERT_GROUP(from, to)                             \
  inline to convert_##from##_to_##to(from a, const int options = 0) { \
    return popir_tpc::convert_group<to>(a, options);                  \
  }
#define POPIR_TPC_CONVERT_FROM_64(from)  \
  POPIR_TPC_CONVERT_GROUP(from, float64) \
  POPIR_TPC_CONVERT_GROUP(from, int64)   \
  POPIR_TPC_CONVERT_GROUP(from, uint64)
POPIR_TPC_CONVERT_FROM_64(float64)
POPIR_TPC_CONVERT_FROM_64(int64)
POPIR_TPC_CONVERT_FROM_64(uint64)
#define POPIR_TPC_CONVERT_FROM_128(from)   \
  POPIR_TPC_CONVERT_GROUP(from, float128)  \
  POPIR_TPC_CONVERT_GROUP(from, bfloat128) \
  POPIR_TPC_CONVERT_GROUP(from, half128)   \
  POPIR_TPC_CONVERT_GROUP(from, int128)    \
  POPIR_TPC_CONVERT_GROUP(from, uint128)   \
  POPIR_TPC_CONVERT_GROUP(from, short128)  \
  POPIR_TPC_CONVERT_GROUP(from, ushort128)
POPIR_TPC_CONVERT_FROM_128(float128)
POPIR_TPC_CONVERT_FROM_128(bfloat128)
POPIR_TPC_CONVERT_FROM_128(half128)
POPIR_TPC_CONVERT_FROM_128(int128)
POPIR_TPC_CONVERT_FROM_128(uint128)
POPIR_TPC_CONVERT_FROM_128(short128)
POPIR_TPC_CONVERT_FROM_128(ushort128)
#define POPIR_TPC_CONVERT_FROM_256(from)   \
  POPIR_TPC_CONVERT_GROUP(from, float256)  \
  POPIR_TPC_CONVERT_GROUP(from, bfloat256) \
  POPIR_TPC_CONVERT_GROUP(from, half256)   \
  POPIR_TPC_CONVERT_GROUP(from, int256)    \
  POPIR_TPC_CONVERT_GROUP(from, uint256)   \
  POPIR_TPC_CONVERT_GROUP(from, short256)  \
  POPIR_TPC_CONVERT_GROUP(from, ushort256) \
  POPIR_TPC_CONVERT_GROUP(from, char256)   \
  POPIR_TPC_CONVERT_GROUP(from, uchar256)
POPIR_TPC_CONVERT_FROM_256(float256)
POPIR_TPC_CONVERT_FROM_256(bfloat256)
POPIR_TPC_CONVERT_FROM_256(half256)
POPIR_TPC_CONVERT_FROM_256(int256)
POPIR_TPC_CONVERT_FROM_256(uint256)
POPIR_TPC_CONVERT_FROM_256(short256)
POPIR_TPC_CONVERT_FROM_256(ushort256)
POPIR_TPC_CONVERT_FROM_256(char256)
POPIR_TPC_CONVERT_FROM_256(uchar256)

#define POPIR_TPC_SCALAR_CONVERT(from, E, to, R)                                             \
  inline R s_convert_##from##_to_##to(E a, int switches = 0, R income = R(0),                \
                                      bool predicate = true, bool polarity = false) {        \
    return predicate != polarity ? popir_tpc::converted<R>(a, popir_tpc::rounding(switches)) \
                                 : income;                                                   \
  }
POPIR_TPC_SCALAR_CONVERT(i32, std::int32_t, f32, float)
POPIR_TPC_SCALAR_CONVERT(u32, std::uint32_t, f32, float)
POPIR_TPC_SCALAR_CONVERT(f32, float, i32, std::int32_t)
POPIR_TPC_SCALAR_CONVERT(f32, float, u32, std::uint32_t)
POPIR_TPC_SCALAR_CONVERT(f32, float, bf16, bf16)
POPIR_TPC_SCALAR_CONVERT(bf16, bf16, f32, float)
POPIR_TPC_SCALAR_CONVERT(f32, float, f16, half)
POPIR_TPC_SCALAR_CONVERT(f16, half, f32, float)
POPIR_TPC_SCALAR_CONVERT(i32, std::int32_t, bf16, bf16)

// Predicates.
#define POPIR_TPC_BOOL(name, expression)                                                       \
  inline bool s_i1_##name(bool a, bool b, int = 0, bool income = false, bool predicate = true, \
                          bool polarity = false) {                                             \
    return predicate != polarity ? (expression) : income;                                      \
  }
POPIR_TPC_BOOL(and, a&& b)
POPIR_TPC_BOOL(or, a || b)
POPIR_TPC_BOOL(xor, a != b)
inline bool s_i1_not(bool a, int = 0, bool income = false, bool predicate = true,
                     bool polarity = false) {
  return predicate != polarity ? !a : income;
}
#define POPIR_TPC_BOOL256(name, op)                                                          \
  inline bool256 v_i1_##name##_b(bool256 a, bool256 b, int = 0, bool256 income = bool256(0), \
                                 bool predicate = true, bool polarity = false) {             \
    return predicate != polarity ? a op b : income;                                          \
  }
POPIR_TPC_BOOL256(and, &)
POPIR_TPC_BOOL256(or, |)
POPIR_TPC_BOOL256(xor, ^)
inline bool256 v_i1_not_b(bool256 a, int = 0, bool256 income = bool256(0), bool predicate = true,
                          bool polarity = false) {
  return predicate != polarity ? ~a : income;
}
inline bool256 v_i1_mov_b(bool256 a, int = 0, bool256 income = bool256(0), bool predicate = true,
                          bool polarity = false) {
  return predicate != polarity ? a : income;
}
inline bool256 v_i1_mov_i1_b(bool a, int = 0, bool256 income = bool256(0), bool predicate = true,
                             bool polarity = false) {
  return predicate != polarity ? bool256(a) : income;
}

// Coordinates: the operation goes to the dimensions in the mask.
#define POPIR_TPC_INDEX(name, expression)                                                       \
  inline int5 i_i32_##name(const int5& x, const int5& y, int mask, int, int5 income,            \
                           bool predicate = true, bool polarity = false) {                      \
    if (predicate != polarity)                                                                  \
      for (int i = 0; i < 5; ++i) {                                                             \
        const int a = x[i], b = y[i];                                                           \
        if (mask >> i & 1) income[i] = expression;                                              \
      }                                                                                         \
    return income;                                                                              \
  }                                                                                             \
  inline int5 i_i32_##name(int a, const int5& b, int mask, int switches, const int5& income,    \
                           bool predicate = true, bool polarity = false) {                      \
    return i_i32_##name(int5{{a, a, a, a, a}}, b, mask, switches, income, predicate, polarity); \
  }
POPIR_TPC_INDEX(add, a + b)
POPIR_TPC_INDEX(sub, a - b)
POPIR_TPC_INDEX(mul, a* b)
POPIR_TPC_INDEX(min, a < b ? a : b)
POPIR_TPC_INDEX(max, a < b ? b : a)
POPIR_TPC_INDEX(and, a& b)
POPIR_TPC_INDEX(or, a | b)
POPIR_TPC_INDEX(xor, a ^ b)
inline int5 set_indx(int value, int5 income, int mask, int = 0, bool predicate = true,
                     bool polarity = false) {
  if (predicate != polarity)
    for (int i = 0; i < 5; ++i)
      if (mask >> i & 1) income[i] = value;
  return income;
}

/// The number of each lane.
#define POPIR_TPC_LANE_ID(name, V, E)                                    \
  inline V name() {                                                      \
    return popir_tpc::lanes<V>([](int i) { return static_cast<E>(i); }); \
  }
POPIR_TPC_LANE_ID(read_lane_id_4b_b, uint64, std::uint32_t)
POPIR_TPC_LANE_ID(read_lane_id_2b_b, ushort128, std::uint16_t)
POPIR_TPC_LANE_ID(read_lane_id_1b_b, uchar256, std::uint8_t)
#define V_LANE_ID_32 read_lane_id_4b_b()
#define V_LANE_ID_16 read_lane_id_2b_b()
#define V_LANE_ID_8 read_lane_id_1b_b()

#endif
