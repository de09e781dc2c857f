// The instructions of TPC-C on a host, in families: what a family does is a class, and which types
// have it is a line. Long, because there are some hundred families.
#ifndef popir_habana_tpc_intrinsics_hpp
#define popir_habana_tpc_intrinsics_hpp

#include "memory.hpp"

// Switches. Kernels combine these names and, of older sources, the numbers behind them.
enum {
  SW_SAT = 1 << 0,
  SW_NO_SAT = 0,
  SW_UPPER32 = 1 << 7,
  SW_KEEP_RS = 1 << 8,
  SW_KEEP_RS_FOR_ADD = 1 << 9,
  SW_SUP_NAN = 1 << 4,
  SW_MASK_EQ_ZERO = 1 << 5,
  SW_COUNT_ZEROS = 0,
  SW_COUNT_ONES = 1,
  SW_CLIP_FP = 1 << 13,
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
  SW_WR_LOWER_GROUP0 = 1 << 16,
  SW_WR_UPPER_GROUP0 = 1 << 17,
  SW_WR_LOWER_GROUP1 = 1 << 18,
  SW_WR_UPPER_GROUP1 = 1 << 19,
  SW_WR_LOWER_GROUP2 = 1 << 20,
  SW_WR_UPPER_GROUP2 = 1 << 21,
  SW_WR_LOWER_GROUP3 = 1 << 22,
  SW_WR_UPPER_GROUP3 = 1 << 23,
  SW_GROUP0_EN = 1 << 0,
  SW_GROUP1_EN = 1 << 1,
  SW_DUAL_GROUP0_EN = 1 << 2,
  SW_DUAL_GROUP1_EN = 1 << 3,
  SW_DUAL_GROUP2_EN = 1 << 4,
  SW_DUAL_GROUP3_EN = 1 << 5,
  SW_PACK21 = 0,
  SW_PACK41 = 1 << 2,
  SW_IRF44_HIGH = 1 << 0,
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
/// The same of four dual groups, of which 1 is the lower group and 2 the upper.
inline constexpr int MkWrA(int g0, int g1, int g2, int g3) {
  return (g0 | g1 << 2 | g2 << 4 | g3 << 6) << 16;
}

namespace popir_tpc {

inline void refuse(int switches, int which, const char* what) {
  if (switches & which) fail(std::string("it uses ") + what + ", which popir does not have");
}
inline int rounding(int switches) {
  const int mode = switches >> 16 & 7;
  return mode == Round::Register ? static_cast<int>(state().registers[0xca8 / 4] & 7) : mode;
}

// Arithmetic.

template <class R>
constexpr bool of_integers() {
  if constexpr (IsVec<R>::value)
    return std::is_integral<typename R::Element>::value;
  else
    return std::is_integral<R>::value;
}
/// With SW_SAT, integers that are too large are the largest, or the least.
#define POPIR_TPC_SUM(Name, op)                                                    \
  struct Name {                                                                    \
    template <class R>                                                             \
    static R run(int switches, const R&, const R& a, const R& b) {                 \
      if constexpr (of_integers<R>())                                              \
        if (switches & SW_SAT)                                                     \
          return each<R>(                                                          \
              [](auto x, auto y) {                                                 \
                return saturated<decltype(x)>(std::int64_t(x) op std::int64_t(y)); \
              },                                                                   \
              a, b);                                                               \
      return static_cast<R>(a op b);                                               \
    }                                                                              \
  };
POPIR_TPC_SUM(Add, +)
POPIR_TPC_SUM(Difference, -)
#undef POPIR_TPC_SUM
/// With SW_NEG, what is taken away is the first operand.
struct Sub {
  template <class R>
  static R run(int switches, const R& income, const R& a, const R& b) {
    return switches & SW_NEG ? Difference::run(switches, income, b, a)
                             : Difference::run(switches, income, a, b);
  }
};

struct Mul {
  template <class R>
  static R run(int switches, const R&, const R& a, const R& b) {
    if constexpr (sizeof(R) == 4 && of_integers<R>()) {
      typedef std::conditional_t<std::is_signed<R>::value, std::int64_t, std::uint64_t> Wide;
      if (switches & SW_UPPER32) return static_cast<R>(Wide(a) * Wide(b) >> 32);
    }
    if constexpr (of_integers<R>() && !IsVec<R>::value)
      return static_cast<R>(std::int64_t(a) * std::int64_t(b));
    else
      return static_cast<R>(a * b);
  }
};
// Of a number and a NaN these give the number.
#define POPIR_TPC_EXTREME(Name, op)                       \
  struct Name {                                           \
    template <class R>                                    \
    static R run(int, const R&, const R& a, const R& b) { \
      if constexpr (IsVec<R>::value)                      \
        return choose(a op b, a, choose(b == b, b, a));   \
      else                                                \
        return a op b ? a : b == b ? b : a;               \
    }                                                     \
  };
POPIR_TPC_EXTREME(Min, <=)
POPIR_TPC_EXTREME(Max, >=)
#undef POPIR_TPC_EXTREME

struct Abs {
  template <class R>
  static R run(int, const R&, const R& a) {
    return each<R>(
        [](auto x) {
          if constexpr (std::is_integral<decltype(x)>::value)
            return static_cast<decltype(x)>(x < 0 ? -x : x);
          else
            return std::fabs(x);
        },
        a);
  }
};
struct NearbyInt {
  template <class R>
  static R run(int switches, const R&, const R& a) {
    const int mode = rounding(switches);
    return each<R>([&](float x) { return static_cast<float>(rounded(x, mode)); }, a);
  }
};
/// The rounded number beside itself as an integer.
struct NearbyIntConverted {
  template <class R>
  static R run(int switches, const R&, const decltype(R::v1)& a) {
    typedef decltype(R::v2) Whole;
    const auto r = NearbyInt::run(switches, a, a);
    Whole whole;
    for (int i = 0; i < Whole::kLanes; ++i)
      whole.v[i] = converted<typename Whole::Element>(r[i], Round::HalfEven);
    return {r, whole};
  }
};

// Products that are added to something. SW_NEG takes them away from it.

/// Of floats: the product is not rounded before it is added.
struct Mac {
  template <class R>
  static R run(int switches, const R& sum, const R& a, const R& b) {
    const bool negative = switches & SW_NEG;
    return each<R>([=](float x, float y, float z) { return std::fma(negative ? -x : x, y, z); }, a,
                   b, sum);
  }
};
/// Of narrow lanes, to wider ones: element i of n registers is lane i / n of register i % n.
struct MacWide {
  template <class R, class V>
  static R run(int switches, const R& sum, const V& a, const V& b) {
    typedef typename Group<R>::V Wide;
    typedef typename Wide::Element E;
    constexpr int count = Group<R>::kCount;
    R r;
    const auto* from = reinterpret_cast<const Wide*>(&sum);
    auto* to = reinterpret_cast<Wide*>(&r);
    for (int n = 0; n < count; ++n)
      for (int i = 0; i < Wide::kLanes; ++i)
        to[n].v[i] = added<E>(switches, from[n].v[i], a[count * i + n], b[count * i + n]);
    return r;
  }
  template <class Sum, class E>
  static Sum added(int switches, Sum sum, E a, E b) {
    if constexpr (std::is_integral<E>::value) {
      const std::int64_t product = std::int64_t(a) * std::int64_t(b);
      const std::int64_t r = std::int64_t(sum) + (switches & SW_NEG ? -product : product);
      return switches & SW_SAT ? saturated<Sum>(r) : static_cast<Sum>(r);
    } else {
      return std::fma(switches & SW_NEG ? -float(a) : float(a), float(b), sum);
    }
  }
};
struct MacWideScalar {
  template <class R, class E>
  static R run(int switches, const R& sum, const E& a, const E& b) {
    return MacWide::added<R>(switches, sum, a, b);
  }
};
/// A narrow float more, or less.
template <bool Less>
struct SumWide {
  template <class R, class V>
  static R run(int, const R&, const R& a, const V& b) {
    const auto one = V(Less ? -1 : 1);
    if constexpr (IsVec<V>::value)
      return MacWide::run(0, a, b, one);
    else
      return a + static_cast<float>(b) * static_cast<float>(one);
  }
};

/// Two products to one sum.
struct MacTwice {
  template <class R, class V>
  static R run(int switches, const R& sum, const V& a, const V& b, const V& c, const V& d) {
    refuse(switches, SW_SAT, "SW_SAT in a sum of two products");
    return MacWide::run(switches, MacWide::run(switches, sum, a, b), c, d);
  }
};
/// The sum is an operand of its own, and the income another.
template <class Op>
struct Madd {
  template <class R, class V>
  static R run(int switches, const R&, const V& a, const V& b, const R& sum) {
    return Op::run(switches, sum, a, b);
  }
};
/// The product alone.
template <class Op>
struct ProductOf {
  template <class R, class V>
  static R run(int switches, const R&, const V& a, const V& b) {
    return Op::run(switches & ~SW_NEG, nothing<R>(), a, b);
  }
  /// What added to a zero keeps its sign.
  template <class R>
  static R nothing() {
    R r{};
    if constexpr (std::is_same<R, float>::value) {
      r = -0.0f;
    } else if constexpr (std::is_same<typename Group<R>::V, float64>::value) {
      auto* registers = reinterpret_cast<float64*>(&r);
      for (int i = 0; i < Group<R>::kCount; ++i) registers[i] = float64(-0.0f);
    }
    return r;
  }
};
/// Products of twice the bits: the lower words in the first register, the upper in the second.
struct MulSplit {
  template <class V>
  static Pair<V> run(int switches, const Pair<V>&, const V& a, const V& b) {
    refuse(switches, SW_KEEP_RS | SW_KEEP_RS_FOR_ADD, "SW_KEEP_RS");
    typedef typename V::Element E;
    typedef std::conditional_t<std::is_signed<E>::value, std::int64_t, std::uint64_t> Wide;
    Pair<V> r;
    for (int i = 0; i < V::kLanes; ++i) {
      const Wide product = Wide(a.v[i]) * Wide(b.v[i]);
      r.v1.v[i] = static_cast<E>(product);
      r.v2.v[i] = static_cast<E>(product >> 32);
    }
    return r;
  }
};

// Bits, whatever the type.

#define POPIR_TPC_BITS(Name, op)                                          \
  struct Name {                                                           \
    template <class R>                                                    \
    static R run(int, const R&, const R& a, const R& b) {                 \
      if constexpr (sizeof(R) == kBytes)                                  \
        return bits<R>(bits<uint64>(a) op bits<uint64>(b));               \
      else                                                                \
        return each_word<R>([](auto x, auto y) { return x op y; }, a, b); \
    }                                                                     \
  };
POPIR_TPC_BITS(And, &)
POPIR_TPC_BITS(Or, |)
POPIR_TPC_BITS(Xor, ^)
#undef POPIR_TPC_BITS
struct Not {
  template <class R>
  static R run(int, const R&, const R& a) {
    if constexpr (sizeof(R) == kBytes)
      return bits<R>(~bits<uint64>(a));
    else
      return each_word<R>([](auto x) { return ~x; }, a);
  }
};
/// What comes in is zero, and so is all that is shifted by the width or more.
#define POPIR_TPC_SHIFT(Name, op)                                                      \
  struct Name {                                                                        \
    template <class R, class S>                                                        \
    static R run(int, const R&, const R& a, const S& by) {                             \
      return each_word<R>(                                                             \
          [](auto x, auto n) {                                                         \
            return n < 8 * sizeof(x) ? static_cast<decltype(x)>(std::uint64_t(x) op n) \
                                     : decltype(x)(0);                                 \
          },                                                                           \
          a, by);                                                                      \
    }                                                                                  \
  };
POPIR_TPC_SHIFT(Shl, <<)
POPIR_TPC_SHIFT(Shr, >>)
#undef POPIR_TPC_SHIFT
struct BitsReversed {
  template <class R, class A>
  static R run(int, const R&, const A& a) {
    return each_word<R>(
        [](auto x) {
          decltype(x) r = 0;
          for (unsigned i = 0; i < 8 * sizeof(x); ++i)
            if (x >> i & 1) r = static_cast<decltype(x)>(r | 1u << (8 * sizeof(x) - 1 - i));
          return r;
        },
        a);
  }
};
/// How many bits are set; of SW_COUNT_ZEROS, how many are not.
struct CountBits {
  template <class R, class A>
  static R run(int switches, const R&, const A& a) {
    return each_word<R>(
        [=](auto x) {
          const int set = __builtin_popcount(x);
          return switches & SW_COUNT_ONES ? set : static_cast<int>(8 * sizeof(x)) - set;
        },
        a);
  }
};

// Comparisons.

#define POPIR_TPC_COMPARISON_OF(Name, op)                          \
  struct Name {                                                    \
    template <class R, class A>                                    \
    static R run(int switches, const R&, const A& a, const A& b) { \
      return compared(switches, a, b);                             \
    }                                                              \
    template <class A>                                             \
    static auto compared(int switches, const A& a, const A& b) {   \
      refuse(switches, SW_SUP_NAN, "SW_SUP_NAN");                  \
      return a op b;                                               \
    }                                                              \
  };
POPIR_TPC_COMPARISON_OF(NotEqual, !=)
POPIR_TPC_COMPARISON_OF(Less, <)
POPIR_TPC_COMPARISON_OF(LessEqual, <=)
POPIR_TPC_COMPARISON_OF(Greater, >)
POPIR_TPC_COMPARISON_OF(GreaterEqual, >=)
#undef POPIR_TPC_COMPARISON_OF
/// With SW_MASK_EQ_ZERO: whether no bit is set in both.
struct Equal {
  template <class R, class A>
  static R run(int switches, const R&, const A& a, const A& b) {
    return compared(switches, a, b);
  }
  template <class A>
  static auto compared(int switches, const A& a, const A& b) {
    refuse(switches, SW_SUP_NAN, "SW_SUP_NAN");
    if (!(switches & SW_MASK_EQ_ZERO)) return a == b;
    if constexpr (IsVec<A>::value) {
      typedef Vec<Word<typename A::Element>> Words;
      return bits<Words>(And::run(0, a, a, b)) == Words(0);
    } else {
      return bits<Word<A>>(And::run(0, a, a, b)) == 0;
    }
  }
};
/// One of two by a comparison.
template <class Compare>
struct Select {
  template <class R, class V>
  static R run(int switches, const R&, const V& a, const V& b, const R& yes, const R& no) {
    return choose(Compare::compared(switches, a, b), yes, no);
  }
};
/// Beside it the one of the compared values.
template <class Compare>
struct SelectTwo {
  template <class R, class V>
  static Pair<R, V> run(int switches, const Pair<R, V>&, const V& a, const V& b, const R& yes,
                        const R& no) {
    const auto where = Compare::compared(switches, a, b);
    return {choose(where, yes, no), choose(where, a, b)};
  }
};

// Places in a register. It has four dual groups of 64 bytes, each of two groups of 32.

/// Copies bytes `from` a register `to` another, those of the mask.
inline void copy_group(const uchar256& a, int from, uchar256& r, int to, std::uint32_t mask) {
  for (int i = 0; i < 32; ++i)
    if (mask >> i & 1) r.v[32 * to + i] = a.v[32 * from + i];
}
inline void known_dual_groups(int a, int b) {
  if (a < 0 || a > 3 || b < 0 || b > 3) fail("it moves a dual group that is not one of 0 to 3");
}
struct MovDualGroup {
  template <class V>
  static V run(int switches, const V& income, const V& a, std::uint32_t mask, int from, int to) {
    known_dual_groups(from, to);
    const auto source = bits<uchar256>(a);
    auto r = bits<uchar256>(income);
    for (int g = 0; g < 2; ++g)
      if (switches >> g & 1) copy_group(source, 2 * from + g, r, 2 * to + g, mask);
    return bits<V>(r);
  }
};
/// All four at once: where each comes from; two switches for each say which of its groups.
struct MovDualGroupAll {
  template <class V>
  static V run(int switches, const V& income, const V& a, std::uint32_t mask, int g0, int g1,
               int g2, int g3) {
    const int from[4] = {g0, g1, g2, g3};
    V r = income;
    for (int g = 0; g < 4; ++g)
      r = MovDualGroup::run(switches >> (16 + 2 * g), r, a, mask, from[g], g);
    return r;
  }
};
/// The lower groups of the four dual groups, side by side.
struct MovDualGroupPack {
  template <class V>
  static V run(int switches, const V& income, const V& a) {
    refuse(switches, SW_PACK41, "SW_PACK41");
    const auto source = bits<uchar256>(a);
    auto r = bits<uchar256>(income);
    for (int g = 0; g < 4; ++g) copy_group(source, 2 * g, r, g, ~0u);
    return bits<V>(r);
  }
};
/// The two groups of dual groups change places. The switches say which groups are written, in which
/// dual groups.
struct MovGroup {
  template <class V>
  static V run(int switches, const V& income, const V& a, std::uint32_t mask) {
    const auto source = bits<uchar256>(a);
    auto r = bits<uchar256>(income);
    for (int dual = 0; dual < 4; ++dual)
      for (int g = 0; g < 2; ++g)
        if ((switches >> (2 + dual) & 1) && (switches >> g & 1))
          copy_group(source, 2 * dual + 1 - g, r, 2 * dual + g, mask);
    return bits<V>(r);
  }
};
/// Within each dual group; the direction of a lane stands in its first byte.
struct Shuffle {
  template <class V>
  static V run(int, const V& income, const V& a, const uchar256& b) {
    constexpr int size = sizeof(typename V::Stored), group = 32 / size;
    V r = income;
    for (int i = 0; i < V::kLanes; ++i) {
      const int to = b.v[i * size];
      if (to & 0x80)
        r.v[i] = a.v[i / (2 * group) * 2 * group + (to >> 5 & 1) * group + to % 32 % group];
    }
    return r;
  }
};
/// Every second or fourth lane of a group of each dual group, side by side: those of group 0 at the
/// begin of the dual group, those of group 1 behind them.
struct Pack {
  template <class V>
  static V run(int switches, const V& income, const V& a) {
    constexpr int group = 32 / sizeof(typename V::Stored);
    const int stride = switches & SW_STRIDE_4 ? 4 : 2, from = switches & SW_GROUP_1 ? 1 : 0;
    V r = income;
    for (int dual = 0; dual < V::kLanes; dual += 2 * group)
      for (int i = 0; i < group / stride; ++i)
        r.v[dual + from * (group / stride) + i] = a.v[dual + from * group + stride * i];
    return r;
  }
};
struct Unpack {
  template <class V>
  static V run(int switches, const V& income, const V& a) {
    constexpr int group = 32 / sizeof(typename V::Stored);
    const int stride = switches & SW_STRIDE_4 ? 4 : 2;
    const int half = stride == 4 && (switches & SW_GROUP_HALF_1) ? group / 2 : 0;
    const int from = (switches & SW_GROUP_1 ? group : 0) + half;
    V r = income;
    for (int g = 0; g < 4; ++g)
      for (int i = 0; i < 2 * group / stride; ++i)
        r.v[2 * group * g + stride * i] = a.v[2 * group * g + from + i];
    return r;
  }
};

// The parts of floats.

template <class E>
struct FloatFormat {
  typedef typename E::Format F;
  static constexpr int kMantissa = F::kMantissa, kBias = F::kBias;
  static constexpr std::uint32_t kInfinity = F::kInfinity, kSign = F::kSign;
};
template <>
struct FloatFormat<float> {
  static constexpr int kMantissa = 23, kBias = 127;
  static constexpr std::uint32_t kInfinity = 0x7f800000u, kSign = 0x80000000u;
};
/// The exponent, of switch 1 with its bias.
struct ExtractExp {
  template <class R, class A>
  static R run(int switches, const R&, const A& a) {
    if constexpr (IsVec<A>::value) {
      R r;
      for (int i = 0; i < R::kLanes; ++i)
        r.v[i] = static_cast<typename R::Element>(of(switches, a[i]));
      return r;
    } else {
      return static_cast<R>(of(switches, a));
    }
  }
  template <class E>
  static int of(int switches, E value) {
    typedef FloatFormat<E> F;
    const auto word = static_cast<std::uint32_t>(bits<Word<E>>(value));
    const int exponent = static_cast<int>((word & F::kInfinity) >> F::kMantissa);
    return switches & 1 ? exponent : exponent - F::kBias;
  }
};
/// A number of the exponent of one, the sign of another, the mantissa of a third.
struct FormNumber {
  template <class V>
  static V run(int switches, const V&, const V& a, const V& b, const V& c) {
    typedef FloatFormat<typename V::Element> F;
    return each_word<V>(
        [=](std::uint32_t exponent, std::uint32_t sign, std::uint32_t mantissa) {
          std::uint32_t field = switches & SW_EXP_IS_NUM ? exponent << F::kMantissa : exponent;
          if (switches & SW_ADD_BIAS) field += static_cast<std::uint32_t>(F::kBias) << F::kMantissa;
          std::uint32_t top = switches & SW_SIGN_LSB ? (sign & 1u) * F::kSign : sign & F::kSign;
          if (switches & SW_FORCE_SIGN0) top = 0;
          if (switches & SW_FORCE_SIGN1) top = F::kSign;
          return top | (field & F::kInfinity) | (mantissa & ((1u << F::kMantissa) - 1));
        },
        a, b, c);
  }
};

// Coordinates: an operation goes to the dimensions in the mask.
#define POPIR_TPC_INDEX(Name, expression)                                  \
  struct Name {                                                            \
    static int5 run(int, int5 r, const int5& x, const int5& y, int mask) { \
      for (int i = 0; i < 5; ++i) {                                        \
        const int a = x[i], b = y[i];                                      \
        if (mask >> i & 1) r[i] = expression;                              \
      }                                                                    \
      return r;                                                            \
    }                                                                      \
  };
POPIR_TPC_INDEX(IndexAdd, a + b)
POPIR_TPC_INDEX(IndexSub, a - b)
POPIR_TPC_INDEX(IndexMul, a* b)
POPIR_TPC_INDEX(IndexMin, a < b ? a : b)
POPIR_TPC_INDEX(IndexMax, a < b ? b : a)
POPIR_TPC_INDEX(IndexAnd, a& b)
POPIR_TPC_INDEX(IndexOr, a | b)
POPIR_TPC_INDEX(IndexXor, a ^ b)
#undef POPIR_TPC_INDEX
struct IndexDim {
  static int run(int, int, const int5& from, int dim) {
    if (dim < 0 || dim > 4) fail("it asks for dimension " + std::to_string(dim));
    return from[dim];
  }
};

}  // namespace popir_tpc

// Which types have what.

#define POPIR_TPC_TWO_OPERANDS(t, V, E, name, Op) \
  POPIR_TPC_VECTOR(v_##t##_##name, Op, V, V, V)   \
  POPIR_TPC_SCALAR(s_##t##_##name, Op, E, E, E)
#define POPIR_TPC_ONE_OPERAND(t, V, E, name, Op) \
  POPIR_TPC_VECTOR(v_##t##_##name, Op, V, V)     \
  POPIR_TPC_SCALAR(s_##t##_##name, Op, E, E)
#define POPIR_TPC_COMPARE(t, V, E, name, Op)              \
  POPIR_TPC_VECTOR(v_##t##_cmp_##name, Op, V::Mask, V, V) \
  POPIR_TPC_SCALAR(s_##t##_cmp_##name, Op, bool, E, E)
#define POPIR_TPC_ALL(t, V, E)                                                                 \
  POPIR_TPC_TWO_OPERANDS(t, V, E, min, Min)                                                    \
  POPIR_TPC_TWO_OPERANDS(t, V, E, max, Max)                                                    \
  POPIR_TPC_TWO_OPERANDS(t, V, E, and, And)                                                    \
  POPIR_TPC_TWO_OPERANDS(t, V, E, or, Or)                                                      \
  POPIR_TPC_TWO_OPERANDS(t, V, E, xor, Xor)                                                    \
  POPIR_TPC_ONE_OPERAND(t, V, E, not, Not)                                                     \
  POPIR_TPC_ONE_OPERAND(t, V, E, mov, Mov)                                                     \
  POPIR_TPC_VECTOR(v_##t##_mov_x2, Mov, V##_pair_t, V##_pair_t)                                \
  POPIR_TPC_COMPARE(t, V, E, eq, Equal)                                                        \
  POPIR_TPC_COMPARE(t, V, E, neq, NotEqual)                                                    \
  POPIR_TPC_COMPARE(t, V, E, less, Less)                                                       \
  POPIR_TPC_COMPARE(t, V, E, leq, LessEqual)                                                   \
  POPIR_TPC_COMPARE(t, V, E, grt, Greater)                                                     \
  POPIR_TPC_COMPARE(t, V, E, geq, GreaterEqual)                                                \
  POPIR_TPC_VECTOR(v_##t##_mov_dual_group, MovDualGroup, V, V, std::uint32_t, int, int)        \
  POPIR_TPC_VECTOR(v_##t##_mov_dual_group_all, MovDualGroupAll, V, V, std::uint32_t, int, int, \
                   int, int)                                                                   \
  POPIR_TPC_VECTOR(v_##t##_mov_dual_group_pack, MovDualGroupPack, V, V)                        \
  POPIR_TPC_VECTOR(v_##t##_mov_group, MovGroup, V, V, std::uint32_t)                           \
  POPIR_TPC_VECTOR(v_##t##_shuffle, Shuffle, V, V, uchar256)
POPIR_TPC_TYPES(POPIR_TPC_ALL)

// Floats of 8 bits are added to floats.
#define POPIR_TPC_SUMS(t, V, E)             \
  POPIR_TPC_TWO_OPERANDS(t, V, E, add, Add) \
  POPIR_TPC_TWO_OPERANDS(t, V, E, sub, Sub)
#define POPIR_TPC_SUMS8(t, V, E)                                       \
  POPIR_TPC_VECTOR(v_##t##_add, SumWide<false>, float256, float256, V) \
  POPIR_TPC_VECTOR(v_##t##_sub, SumWide<true>, float256, float256, V)  \
  POPIR_TPC_SCALAR(s_##t##_add, SumWide<false>, float, float, E)       \
  POPIR_TPC_SCALAR(s_##t##_sub, SumWide<true>, float, float, E)
POPIR_TPC_FLOATS16(POPIR_TPC_SUMS)
POPIR_TPC_INTEGERS(POPIR_TPC_SUMS)
POPIR_TPC_FLOATS8(POPIR_TPC_SUMS8)

// Shifts and counts: the type of the other operand, or of the result.
#define POPIR_TPC_SHIFTS(t, V, E, W, F)       \
  POPIR_TPC_VECTOR(v_##t##_shl, Shl, V, V, W) \
  POPIR_TPC_VECTOR(v_##t##_shr, Shr, V, V, W) \
  POPIR_TPC_SCALAR(s_##t##_shl, Shl, E, E, F) \
  POPIR_TPC_SCALAR(s_##t##_shr, Shr, E, E, F)
POPIR_TPC_SHIFTS(i32, int64, std::int32_t, int64, std::int32_t)
POPIR_TPC_SHIFTS(u32, uint64, std::uint32_t, int64, std::int32_t)
POPIR_TPC_SHIFTS(i16, short128, std::int16_t, short128, std::int16_t)
POPIR_TPC_SHIFTS(u16, ushort128, std::uint16_t, short128, std::int16_t)
POPIR_TPC_SHIFTS(i8, char256, std::int8_t, char256, std::int8_t)
POPIR_TPC_SHIFTS(u8, uchar256, std::uint8_t, char256, std::int8_t)
POPIR_TPC_SHIFTS(f8, minifloat256, minifloat, char256, std::int8_t)
POPIR_TPC_SHIFTS(h8, minihalf256, minihalf, char256, std::int8_t)
#define POPIR_TPC_COUNTS(t, V, E, W, F)              \
  POPIR_TPC_VECTOR(v_##t##_popcnt, CountBits, W, V)  \
  POPIR_TPC_SCALAR(s_##t##_popcnt, CountBits, F, E)  \
  POPIR_TPC_VECTOR(v_##t##_brev, BitsReversed, W, V) \
  POPIR_TPC_SCALAR(s_##t##_brev, BitsReversed, F, E)
#define POPIR_TPC_COUNTS_OF_INTEGERS(t, V, E) POPIR_TPC_COUNTS(t, V, E, V, E)
POPIR_TPC_INTEGERS(POPIR_TPC_COUNTS_OF_INTEGERS)
POPIR_TPC_COUNTS(f32, float64, float, uint64, std::uint32_t)
POPIR_TPC_COUNTS(bf16, bfloat128, bf16, ushort128, std::uint16_t)
POPIR_TPC_COUNTS(f16, half128, half, ushort128, std::uint16_t)
POPIR_TPC_COUNTS(f8, minifloat256, minifloat, uchar256, std::uint8_t)
POPIR_TPC_COUNTS(h8, minihalf256, minihalf, uchar256, std::uint8_t)

#define POPIR_TPC_PACKS(t, V)                \
  POPIR_TPC_VECTOR(v_##t##_pack, Pack, V, V) \
  POPIR_TPC_VECTOR(v_##t##_unpack, Unpack, V, V)
POPIR_TPC_PACKS(bf16, bfloat128)
POPIR_TPC_PACKS(f16, half128)
POPIR_TPC_PACKS(i16, short128)
POPIR_TPC_PACKS(u16, ushort128)
POPIR_TPC_PACKS(i8, char256)
POPIR_TPC_PACKS(u8, uchar256)
POPIR_TPC_PACKS(f8, minifloat256)
POPIR_TPC_PACKS(h8, minihalf256)

#define POPIR_TPC_WITH_SIGN(t, V, E) POPIR_TPC_ONE_OPERAND(t, V, E, abs, Abs)
POPIR_TPC_FLOATS(POPIR_TPC_WITH_SIGN)
POPIR_TPC_SIGNED(POPIR_TPC_WITH_SIGN)

#define POPIR_TPC_PRODUCTS(t, V, E)               \
  POPIR_TPC_TWO_OPERANDS(t, V, E, mul, Mul)       \
  POPIR_TPC_VECTOR_SUM(v_##t##_mac, Mac, V, V, V) \
  POPIR_TPC_SCALAR_SUM(s_##t##_mac, Mac, E, E, E) \
  POPIR_TPC_VECTOR(v_##t##_madd, Madd<popir_tpc::Mac>, V, V, V, V)
POPIR_TPC_FLOATS16(POPIR_TPC_PRODUCTS)
#define POPIR_TPC_PARTS_OF_FLOATS(t, V, E)             \
  POPIR_TPC_ONE_OPERAND(t, V, E, nearbyint, NearbyInt) \
  POPIR_TPC_VECTOR(v_##t##_form_fp_num, FormNumber, V, V, V, V)
POPIR_TPC_FLOATS(POPIR_TPC_PARTS_OF_FLOATS)
#define POPIR_TPC_EXPONENTS(t, V, E, W, F)                \
  POPIR_TPC_VECTOR(v_##t##_extract_exp, ExtractExp, W, V) \
  POPIR_TPC_SCALAR(s_##t##_extract_exp, ExtractExp, F, E) \
  POPIR_TPC_VECTOR(v_##t##_nearbyint_cnvrt, NearbyIntConverted, V##_##W, V)
POPIR_TPC_EXPONENTS(f32, float64, float, int64, std::int32_t)
POPIR_TPC_EXPONENTS(bf16, bfloat128, bf16, short128, std::int16_t)
POPIR_TPC_EXPONENTS(f16, half128, half, short128, std::int16_t)
POPIR_TPC_EXPONENTS(f8, minifloat256, minifloat, char256, std::int8_t)
POPIR_TPC_EXPONENTS(h8, minihalf256, minihalf, char256, std::int8_t)

// Products and sums in wider lanes: `end` is what the names have for them.
#define POPIR_TPC_WIDE(t, V, E, end, R, S)                                         \
  POPIR_TPC_VECTOR(v_##t##_mul##end, ProductOf<popir_tpc::MacWide>, R, V, V)       \
  POPIR_TPC_SCALAR(s_##t##_mul##end, ProductOf<popir_tpc::MacWideScalar>, S, E, E) \
  POPIR_TPC_VECTOR_SUM(v_##t##_mac##end, MacWide, R, V, V)                         \
  POPIR_TPC_VECTOR_SUM(av_##t##_mac##end, MacWide, R, V, V)                        \
  POPIR_TPC_SCALAR_SUM(s_##t##_mac##end, MacWideScalar, S, E, E)                   \
  POPIR_TPC_VECTOR_SUM(v_##t##_mac_x2##end, MacTwice, R, V, V, V, V)               \
  POPIR_TPC_VECTOR(v_##t##_madd##end, Madd<popir_tpc::MacWide>, R, V, V, R)        \
  POPIR_TPC_ZERO_POINT(v_##t##_mac_zp##end)                                        \
  POPIR_TPC_ZERO_POINT(v_##t##_mac_x2_zp##end)                                     \
  POPIR_TPC_ZERO_POINT(v_##t##_madd_zp##end)
#define POPIR_TPC_ZERO_POINT(name)                                                          \
  POPIR_TPC_REFUSED(name##_b, "where the hardware takes the zero point away is not public") \
  POPIR_TPC_REFUSED(name##_vb, "where the hardware takes the zero point away is not public")
POPIR_TPC_WIDE(bf16, bfloat128, bf16, _acc32, float128, float)
POPIR_TPC_WIDE(f16, half128, half, _acc32, float128, float)
POPIR_TPC_WIDE(f8, minifloat256, minifloat, _acc32, float256, float)
POPIR_TPC_WIDE(h8, minihalf256, minihalf, _acc32, float256, float)
POPIR_TPC_WIDE(i16, short128, std::int16_t, , int128, std::int32_t)
POPIR_TPC_WIDE(u16, ushort128, std::uint16_t, , uint128, std::uint32_t)
POPIR_TPC_WIDE(u16, ushort128, std::uint16_t, _acc32, int128, std::uint32_t)
POPIR_TPC_WIDE(i8, char256, std::int8_t, , int256, std::int32_t)
POPIR_TPC_WIDE(i8, char256, std::int8_t, _acc16, short256, std::int16_t)
POPIR_TPC_WIDE(u8, uchar256, std::uint8_t, , uint256, std::uint32_t)
POPIR_TPC_WIDE(u8, uchar256, std::uint8_t, _acc32, int256, std::uint32_t)
POPIR_TPC_WIDE(u8, uchar256, std::uint8_t, _acc16, ushort256, std::uint16_t)
POPIR_TPC_VECTOR(v_i32_mul, MulSplit, int128, int64, int64)
POPIR_TPC_VECTOR(v_u32_mul, MulSplit, uint128, uint64, uint64)
POPIR_TPC_SCALAR(s_i32_mul, Mul, std::int32_t, std::int32_t, std::int32_t)
POPIR_TPC_SCALAR(s_u32_mul, Mul, std::uint32_t, std::uint32_t, std::uint32_t)

/// R where the lanes of V compare, for all types of as many lanes.
#define POPIR_TPC_SELECT(r, R, t, V, name, Op)                                     \
  POPIR_TPC_VECTOR(v_##r##_sel_##name##_##t, Select<popir_tpc::Op>, R, V, V, R, R) \
  POPIR_TPC_VECTOR(v_##r##_sel2_##name##_##t, SelectTwo<popir_tpc::Op>, R##_##V, V, V, R, R)
#define POPIR_TPC_SELECTS(r, R, t, V)          \
  POPIR_TPC_SELECT(r, R, t, V, eq, Equal)      \
  POPIR_TPC_SELECT(r, R, t, V, neq, NotEqual)  \
  POPIR_TPC_SELECT(r, R, t, V, less, Less)     \
  POPIR_TPC_SELECT(r, R, t, V, leq, LessEqual) \
  POPIR_TPC_SELECT(r, R, t, V, grt, Greater)   \
  POPIR_TPC_SELECT(r, R, t, V, geq, GreaterEqual)
#define POPIR_TPC_SELECTS32(r, R)       \
  POPIR_TPC_SELECTS(r, R, f32, float64) \
  POPIR_TPC_SELECTS(r, R, i32, int64)   \
  POPIR_TPC_SELECTS(r, R, u32, uint64)
#define POPIR_TPC_SELECTS16(r, R)          \
  POPIR_TPC_SELECTS(r, R, bf16, bfloat128) \
  POPIR_TPC_SELECTS(r, R, f16, half128)    \
  POPIR_TPC_SELECTS(r, R, i16, short128)   \
  POPIR_TPC_SELECTS(r, R, u16, ushort128)
#define POPIR_TPC_SELECTS8(r, R)            \
  POPIR_TPC_SELECTS(r, R, f8, minifloat256) \
  POPIR_TPC_SELECTS(r, R, h8, minihalf256)  \
  POPIR_TPC_SELECTS(r, R, i8, char256)      \
  POPIR_TPC_SELECTS(r, R, u8, uchar256)
POPIR_TPC_SELECTS32(f32, float64)
POPIR_TPC_SELECTS32(i32, int64)
POPIR_TPC_SELECTS32(u32, uint64)
POPIR_TPC_SELECTS16(bf16, bfloat128)
POPIR_TPC_SELECTS16(f16, half128)
POPIR_TPC_SELECTS16(i16, short128)
POPIR_TPC_SELECTS16(u16, ushort128)
POPIR_TPC_SELECTS8(f8, minifloat256)
POPIR_TPC_SELECTS8(h8, minihalf256)
POPIR_TPC_SELECTS8(i8, char256)
POPIR_TPC_SELECTS8(u8, uchar256)

// Predicates.
namespace popir_tpc {
struct NotOne {
  static bool run(int, bool, bool a) { return !a; }
};
struct MovAll {
  static bool256 run(int, const bool256&, const bool& a) { return bool256(a); }
};
}  // namespace popir_tpc
POPIR_TPC_SCALAR(s_i1_and, And, bool, bool, bool)
POPIR_TPC_SCALAR(s_i1_or, Or, bool, bool, bool)
POPIR_TPC_SCALAR(s_i1_xor, Xor, bool, bool, bool)
POPIR_TPC_SCALAR(s_i1_not, NotOne, bool, bool)
POPIR_TPC_SCALAR(s_i1_mov, Mov, bool, bool)
POPIR_TPC_VECTOR(v_i1_and, And, bool256, bool256, bool256)
POPIR_TPC_VECTOR(v_i1_or, Or, bool256, bool256, bool256)
POPIR_TPC_VECTOR(v_i1_xor, Xor, bool256, bool256, bool256)
POPIR_TPC_VECTOR(v_i1_not, Not, bool256, bool256)
POPIR_TPC_VECTOR(v_i1_mov, Mov, bool256, bool256)
POPIR_TPC_VECTOR(v_i1_mov_i1, MovAll, bool256, bool)

// Coordinates.
#define POPIR_TPC_INDEX(name, Op) POPIR_TPC_SCALAR(i_i32_##name, Op, int5, int5, int5, int)
POPIR_TPC_INDEX(add, IndexAdd)
POPIR_TPC_INDEX(sub, IndexSub)
POPIR_TPC_INDEX(mul, IndexMul)
POPIR_TPC_INDEX(min, IndexMin)
POPIR_TPC_INDEX(max, IndexMax)
POPIR_TPC_INDEX(and, IndexAnd)
POPIR_TPC_INDEX(or, IndexOr)
POPIR_TPC_INDEX(xor, IndexXor)
POPIR_TPC_SCALAR(mov_irf_dim, IndexDim, int, int5, int)
inline int5 set_indx(int value, int5 income, int mask, int switches = 0, bool predicate = true,
                     bool polarity = false) {
  popir_tpc::refuse(switches, SW_IRF44_HIGH, "coordinates of 44 bits");
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

/// The same bits as another type.
#define POPIR_TPC_AS(name, T)        \
  template <class From>              \
  inline T as_##name(From from) {    \
    return popir_tpc::bits<T>(from); \
  }
#define POPIR_TPC_AS_VECTOR(t, V, E) POPIR_TPC_AS(V, V)
POPIR_TPC_TYPES(POPIR_TPC_AS_VECTOR)
POPIR_TPC_AS(float, float)
POPIR_TPC_AS(int, std::int32_t)
POPIR_TPC_AS(uint, std::uint32_t)
POPIR_TPC_AS(short, std::int16_t)
POPIR_TPC_AS(ushort, std::uint16_t)
POPIR_TPC_AS(char, std::int8_t)
POPIR_TPC_AS(uchar, std::uint8_t)
POPIR_TPC_AS(bfloat, bf16)
POPIR_TPC_AS(bf16, bf16)
POPIR_TPC_AS(half, half)
POPIR_TPC_AS(minifloat, minifloat)
POPIR_TPC_AS(minihalf, minihalf)

#endif
