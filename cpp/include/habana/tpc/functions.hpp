// Functions of TPC-C that are more than one instruction, reductions, and the tables of special
// functions.
#ifndef popir_habana_tpc_functions_hpp
#define popir_habana_tpc_functions_hpp

#include "conversions.hpp"

namespace popir_tpc {

#define POPIR_TPC_LANEWISE(name, expression)                \
  template <class V>                                        \
  inline V name(const V& a) {                               \
    return lanes<V>([&](int i) {                            \
      const float x = a.get(i);                             \
      return static_cast<typename V::Computed>(expression); \
    });                                                     \
  }
POPIR_TPC_LANEWISE(fn_exp, std::exp(x))
POPIR_TPC_LANEWISE(fn_log, std::log(x))
POPIR_TPC_LANEWISE(fn_log2, std::log2(x))
POPIR_TPC_LANEWISE(fn_sqrt, std::sqrt(x))
POPIR_TPC_LANEWISE(fn_rsqrt, 1.0 / std::sqrt(static_cast<double>(x)))
POPIR_TPC_LANEWISE(fn_reciprocal, 1.0f / x)
POPIR_TPC_LANEWISE(fn_tanh, std::tanh(x))
POPIR_TPC_LANEWISE(fn_sigmoid, 1.0f / (1.0f + std::exp(-x)))
POPIR_TPC_LANEWISE(fn_sin, std::sin(x))
POPIR_TPC_LANEWISE(fn_cos, std::cos(x))
POPIR_TPC_LANEWISE(fn_tan, std::tan(x))
POPIR_TPC_LANEWISE(fn_erf, std::erf(x))
POPIR_TPC_LANEWISE(fn_asin, std::asin(x))
POPIR_TPC_LANEWISE(fn_acos, std::acos(x))
POPIR_TPC_LANEWISE(fn_atan, std::atan(x))
POPIR_TPC_LANEWISE(fn_sinh, std::sinh(x))
POPIR_TPC_LANEWISE(fn_cosh, std::cosh(x))
POPIR_TPC_LANEWISE(fn_asinh, std::asinh(x))
POPIR_TPC_LANEWISE(fn_acosh, std::acosh(x))
POPIR_TPC_LANEWISE(fn_atanh, std::atanh(x))
POPIR_TPC_LANEWISE(fn_expm1, std::expm1(x))
POPIR_TPC_LANEWISE(fn_pow2, std::exp2(x))
#undef POPIR_TPC_LANEWISE

template <class V, class Function>
inline V reduced(const V& a, const Function& function) {
  // Pairs, then pairs of pairs: in the order of the hardware's shuffles.
  V r = a;
  for (int n = V::kLanes / 2; n > 0; n /= 2)
    for (int i = 0; i < n; ++i)
      r.set(i, static_cast<typename V::Computed>(function(r.get(i), r.get(i + n))));
  return V(r[0]);
}

/// The classes of a number, a bit each: from -inf over -0 and +0 to +inf, then the two NaNs.
inline std::uint32_t float_class(float x) {
  const auto word = bits<std::uint32_t>(x);
  const bool negative = word >> 31;
  const std::uint32_t rest = word & 0x7fffffffu;
  if (rest > 0x7f800000u) return rest & 0x400000u ? 1u << 9 : 1u << 8;
  const int magnitude = rest == 0x7f800000u ? 3 : rest >= 0x800000u ? 2 : rest ? 1 : 0;
  return 1u << (negative ? 3 - magnitude : 4 + magnitude);
}
inline bool is_normal_class(std::uint32_t c) { return c == 1u << 1 || c == 1u << 6; }

/// What a function gives for classes of operands; false if these are not special. Denormal numbers
/// count as zeros.
inline bool special(int function, std::uint32_t a, std::uint32_t b, float& result) {
  const float inf = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  auto value = [&](std::uint32_t c) {
    if (c & 0x300u) return nan;
    if (c & 0x81u) return c & 1u ? -inf : inf;
    if (c & 0x3cu) return c & 0xcu ? -0.0f : 0.0f;
    return c & 2u ? -1.0f : 1.0f;
  };
  const bool negative = (a & 0xfu) != 0;
  const bool plain = is_normal_class(a);
  const float x = value(a);
  switch (function) {
    case SW_RECIP: result = 1.0f / x; return !plain;
    case SW_RSQRT:
      result = negative && plain ? nan : 1.0f / std::sqrt(x);
      return !plain || negative;
    case SW_SQRT: result = std::sqrt(x); return !plain || negative;
    case SW_LOG: result = std::log(x); return !plain || negative;
    case SW_EXP: result = std::exp(x); return !plain;
    case SW_TANH: result = std::tanh(x); return !plain;
    case SW_DIV: result = x / value(b); return !plain || !is_normal_class(b);
    default: fail("it asks for the special values of a function that popir does not know");
  }
}

}  // namespace popir_tpc

#define POPIR_TPC_FUNCTION(name)                                                    \
  inline float64 v_##name##_f32(float64 a) { return popir_tpc::fn_##name(a); }      \
  inline bfloat128 v_##name##_bf16(bfloat128 a) { return popir_tpc::fn_##name(a); } \
  inline half128 v_##name##_f16(half128 a) { return popir_tpc::fn_##name(a); }      \
  inline float64 v_##name##_fast_f32(float64 a) { return popir_tpc::fn_##name(a); } \
  inline float64 v_##name##_cephes_f32(float64 a) { return popir_tpc::fn_##name(a); }
POPIR_TPC_FUNCTION(exp)
POPIR_TPC_FUNCTION(log)
POPIR_TPC_FUNCTION(log2)
POPIR_TPC_FUNCTION(sqrt)
POPIR_TPC_FUNCTION(rsqrt)
POPIR_TPC_FUNCTION(reciprocal)
POPIR_TPC_FUNCTION(tanh)
POPIR_TPC_FUNCTION(sigmoid)
POPIR_TPC_FUNCTION(sin)
POPIR_TPC_FUNCTION(cos)
POPIR_TPC_FUNCTION(tan)
POPIR_TPC_FUNCTION(erf)
POPIR_TPC_FUNCTION(asin)
POPIR_TPC_FUNCTION(acos)
POPIR_TPC_FUNCTION(atan)
POPIR_TPC_FUNCTION(sinh)
POPIR_TPC_FUNCTION(cosh)
POPIR_TPC_FUNCTION(asinh)
POPIR_TPC_FUNCTION(acosh)
POPIR_TPC_FUNCTION(atanh)
POPIR_TPC_FUNCTION(expm1)
POPIR_TPC_FUNCTION(pow2)
#undef POPIR_TPC_FUNCTION
inline float64 v_div_f32(float64 a, float64 b) { return a / b; }
inline float64 v_div_fast_f32(float64 a, float64 b) { return a / b; }
inline float64 v_exp_cephes_fast_f32(float64 a) { return popir_tpc::fn_exp(a); }
inline bfloat128 v_div_bf16(bfloat128 a, bfloat128 b) { return a / b; }
inline float64 v_pow_f32(float64 a, float64 b) {
  return popir_tpc::lanes<float64>([&](int i) { return std::pow(a.get(i), b.get(i)); });
}
inline float64 v_pow_fast_f32(float64 a, float64 b) { return v_pow_f32(a, b); }

// Older sources call some of them without the prefix; a source may have functions of its own of
// these names, which hide them.
#define POPIR_TPC_OLD_NAME(name)                                                  \
  template <class T, class = std::enable_if_t<std::is_same<T, float64>::value>>   \
  inline T name##_f32(const T& a) {                                               \
    return popir_tpc::fn_##name(a);                                               \
  }                                                                               \
  template <class T, class = std::enable_if_t<std::is_same<T, bfloat128>::value>> \
  inline T name##_bf16(const T& a) {                                              \
    return popir_tpc::fn_##name(a);                                               \
  }
POPIR_TPC_OLD_NAME(exp)
POPIR_TPC_OLD_NAME(log)
POPIR_TPC_OLD_NAME(sqrt)
POPIR_TPC_OLD_NAME(rsqrt)
POPIR_TPC_OLD_NAME(reciprocal)
POPIR_TPC_OLD_NAME(tanh)
POPIR_TPC_OLD_NAME(sigmoid)
POPIR_TPC_OLD_NAME(sin)
POPIR_TPC_OLD_NAME(cos)
#undef POPIR_TPC_OLD_NAME

/// Reductions over a register; every lane gets the result.
#define POPIR_TPC_REDUCE(type, V)                                                \
  inline V v_##type##_reduce_add(V a) {                                          \
    return popir_tpc::reduced(a, [](auto x, auto y) { return x + y; });          \
  }                                                                              \
  inline V v_##type##_reduce_mul(V a) {                                          \
    return popir_tpc::reduced(a, [](auto x, auto y) { return x * y; });          \
  }                                                                              \
  inline V v_##type##_reduce_max(V a) {                                          \
    return popir_tpc::reduced(a, [](auto x, auto y) { return x < y ? y : x; });  \
  }                                                                              \
  inline V v_##type##_reduce_min(V a) {                                          \
    return popir_tpc::reduced(a, [](auto x, auto y) { return y < x ? y : x; });  \
  }                                                                              \
  inline V v_##type##_reduce_nolut_add(V a) { return v_##type##_reduce_add(a); } \
  inline V v_##type##_reduce_nolut_mul(V a) { return v_##type##_reduce_mul(a); } \
  inline V v_##type##_reduce_nolut_max(V a) { return v_##type##_reduce_max(a); } \
  inline V v_##type##_reduce_nolut_min(V a) { return v_##type##_reduce_min(a); }
POPIR_TPC_REDUCE(f32, float64)
POPIR_TPC_REDUCE(bf16, bfloat128)
POPIR_TPC_REDUCE(f16, half128)
POPIR_TPC_REDUCE(i32, int64)
POPIR_TPC_REDUCE(u32, uint64)
POPIR_TPC_REDUCE(i16, short128)
POPIR_TPC_REDUCE(u16, ushort128)
POPIR_TPC_REDUCE(i8, char256)
POPIR_TPC_REDUCE(u8, uchar256)
#undef POPIR_TPC_REDUCE

// The parts of floating-point numbers.

inline float64 v_f32_fclass_b(float64 a, int = 0, float64 income = float64(0),
                              bool predicate = true, bool polarity = false) {
  if (predicate == polarity) return income;
  return float64(popir_tpc::lanes<uint64>([&](int i) { return popir_tpc::float_class(a.get(i)); }));
}
inline float64 v_f32_calc_fp_special_b(float64 a, float64 b, int function, float64 income,
                                       bool predicate = true, bool polarity = false) {
  if (predicate == polarity) return income;
  const auto first = popir_tpc::bits<uint64>(a), second = popir_tpc::bits<uint64>(b);
  for (int i = 0; i < float64::kLanes; ++i) {
    float result;
    if (popir_tpc::special(function, first[i], second[i], result)) income.v[i] = result;
  }
  return income;
}

/// The first byte of each lane of 4 is the exponent.
inline float64 v_f32_form_fp_num_ie_b(char256 a, float64 b, float64 c, int switches = 0,
                                      float64 income = float64(0), bool predicate = true,
                                      bool polarity = false) {
  return v_f32_form_fp_num_b(popir_tpc::bits<float64>(a), b, c, switches | SW_EXP_IS_NUM, income,
                             predicate, polarity);
}
// Tables. A function is approximated by a polynomial in an interval: a first instruction finds the
// interval and its begin, further ones look up the coefficients. The tables of the hardware are
// not public; popir's are its own, and consistent with its intervals. Tables that the kernel
// brings with it (`set_lut_32`) are read as they lie.

enum {
  SW_BV32 = 0,
  SW_LUT_PTR = 1 << 6,
  e_func_variant_default = 0,
  e_func_variant_tanh = 1,
  e_func_variant_sqrt_rsqrt = 2,
  e_func_variant_sin_cos = 3,
  e_func_variant_log = 4,
  SW_LUT_TANH = e_func_variant_tanh << 13,
  SW_LUT_SQRT_RSQRT = e_func_variant_sqrt_rsqrt << 13,
  SW_LUT_SIN_COS = e_func_variant_sin_cos << 13,
  SW_LUT_LOG = e_func_variant_log << 13,
  e_fp32_sin_cos = 0x5c,
};

namespace popir_tpc {

constexpr int kIntervals = 64;
/// The functions are asked for in [0, pi/4], with some more for rounding.
constexpr double kIntervalWidth = 0.8 / kIntervals;

/// sin(x)/x for the first 64 intervals, then cos.
struct Coefficients {
  float c[2 * kIntervals][3];
  Coefficients() {
    for (int row = 0; row < 2 * kIntervals; ++row) {
      auto f = [row](double x) {
        return row >= kIntervals ? std::cos(x) : x == 0 ? 1.0 : std::sin(x) / x;
      };
      const double begin = static_cast<float>(row % kIntervals * kIntervalWidth);
      // Through the zeros of the Chebyshev polynomial of degree 3.
      double at[3], d[3];
      for (int i = 0; i < 3; ++i) {
        at[i] = kIntervalWidth / 2 * (1 - std::cos((2 * i + 1) * 3.14159265358979323846 / 6));
        d[i] = f(begin + at[i]);
      }
      const double slope = (d[1] - d[0]) / (at[1] - at[0]);
      const double bend = ((d[2] - d[1]) / (at[2] - at[1]) - slope) / (at[2] - at[0]);
      c[row][2] = static_cast<float>(bend);
      c[row][1] = static_cast<float>(slope - bend * (at[0] + at[1]));
      c[row][0] = static_cast<float>(d[0] - slope * at[0] + bend * at[0] * at[1]);
    }
  }
};

/// Entry `part` of a row. Of a table of the kernel's own, tables of single words have 64 words, and
/// tables of three words have ten rows in each 32.
inline float looked_up(std::uint32_t row, int function, int switches, int part, int parts) {
  if (switches & SW_LUT_PTR) {
    const popir_tpc_call* call = state().call;
    if (state().lut < 0 || state().lut >= static_cast<int>(call->tensor_count))
      fail("it looks up a table before it has set one");
    const popir_tpc_tensor& table = call->tensors[state().lut];
    const std::uint64_t base = static_cast<std::uint64_t>(function >> 2) * 64;
    const std::uint64_t at = base + (parts == 1 ? row : row / 10 * 32 + row % 10 * 3 + part);
    if (at >= table.sizes[0])
      fail("it looks up row " + std::to_string(row) + " outside of its table");
    return peek<float>(table.data + 4 * at);
  }
  if (function != e_fp32_sin_cos)
    fail("it looks up table " + std::to_string(function) +
         " of the hardware, which popir does not have; use a function such as v_exp_f32");
  static const Coefficients table;
  return table.c[row % (2 * kIntervals)][part];
}

}  // namespace popir_tpc

/// Makes a tensor the table of lookups with SW_LUT_PTR.
inline void set_lut_32(tensor table) {
  popir_tpc::state().lut = static_cast<int>(table.at - popir_tpc::state().call->tensors);
}

inline uint64_float64 v_f32_get_lut_entry_and_interval_start_b(
    float64 a, const std::int8_t shift, int switches = 0, uint64_float64 income = uint64_float64(),
    bool predicate = true, bool polarity = false) {
  if (predicate == polarity) return income;
  const int variant = switches >> 13 & 7;
  for (int i = 0; i < float64::kLanes; ++i) {
    if (variant == e_func_variant_sin_cos) {
      const double x = std::fabs(a.get(i));
      const int row = x < 0.8 ? static_cast<int>(x / popir_tpc::kIntervalWidth) : 63;
      income.v1.v[i] = static_cast<std::uint32_t>(row);
      income.v2.v[i] = static_cast<float>(row * popir_tpc::kIntervalWidth);
    } else if (variant == e_func_variant_default) {
      const auto word = popir_tpc::bits<std::uint32_t>(a.get(i));
      income.v1.v[i] = (word & 0x7fffffu) >> shift;
      income.v2.v[i] = popir_tpc::bits<float>(word >> shift << shift);
    } else {
      popir_tpc::fail("it uses a variant of tables that popir does not have");
    }
  }
  return income;
}

inline float64 v_f32_lookup_1c(uint64 rows, int function, int switches, float64 income,
                               bool predicate = true, bool polarity = false) {
  if (predicate == polarity) return income;
  return popir_tpc::lanes<float64>(
      [&](int i) { return popir_tpc::looked_up(rows[i], function, switches, 0, 3); });
}
inline float128 v_f32_lookup_2c(uint64 rows, int function, int switches, float128 income,
                                bool predicate = true, bool polarity = false) {
  if (predicate == polarity) return income;
  for (int i = 0; i < float64::kLanes; ++i) {
    income.v1.v[i] = popir_tpc::looked_up(rows[i], function, switches, 1, 3);
    income.v2.v[i] = popir_tpc::looked_up(rows[i], function, switches, 2, 3);
  }
  return income;
}
inline float64 v_f32_lookup(uint64 rows, int function, int switches, float64 income = float64(0),
                            bool predicate = true, bool polarity = false) {
  if (predicate == polarity) return income;
  return popir_tpc::lanes<float64>(
      [&](int i) { return popir_tpc::looked_up(rows[i], function, switches, 0, 1); });
}

#endif
