// The conversions of TPC-C on a host, between all types.
#ifndef popir_habana_tpc_conversions_hpp
#define popir_habana_tpc_conversions_hpp

#include "intrinsics.hpp"

/// A register of integers of 4 bits.
struct nibble512 {
  uchar256 bytes;
};
struct unibble512 {
  uchar256 bytes;
};

namespace popir_tpc {

/// The lanes of an operand or a result, whether it is one register or several: element i of n
/// registers is lane i / n of register i % n. With SW_LINEAR the first register has the first.
template <class G>
struct Elements {
  typedef typename Group<G>::V V;
  typedef typename V::Element E;
  static constexpr int kRegisters = Group<G>::kCount, kCount = kRegisters * V::kLanes;
  static E get(const G& from, int i, bool linear) {
    const auto* registers = reinterpret_cast<const V*>(&from);
    return linear ? registers[i / V::kLanes][i % V::kLanes]
                  : registers[i % kRegisters][i / kRegisters];
  }
  static void set(G& to, int i, bool linear, E value) {
    auto* registers = reinterpret_cast<V*>(&to);
    const auto stored = bits<typename V::Stored>(value);
    if (linear)
      registers[i / V::kLanes].v[i % V::kLanes] = stored;
    else
      registers[i % kRegisters].v[i / kRegisters] = stored;
  }
};

/// Elements of a scalar, a register or a group become those of another, as many.
struct Convert {
  template <class R, class A>
  static R run(int switches, const R&, const A& a) {
    const int mode = rounding(switches);
    const bool clipped = switches & SW_CLIP_FP;
    if constexpr (is_number<R>) {
      return converted<R>(a, mode, clipped);
    } else {
      typedef Elements<R> To;
      typedef Elements<A> From;
      static_assert(To::kCount == From::kCount, "groups of different numbers of elements");
      const bool linear = switches & SW_LINEAR;
      R r;
      for (int i = 0; i < To::kCount; ++i)
        To::set(r, i, linear, converted<typename To::E>(From::get(a, i, linear), mode, clipped));
      return r;
    }
  }
};
/// To a register of wider lanes: of each n lanes the first.
struct ConvertUp {
  template <class R, class A>
  static R run(int switches, const R&, const A& a) {
    constexpr int ratio = A::kLanes / R::kLanes;
    const int mode = rounding(switches);
    R r;
    for (int i = 0; i < R::kLanes; ++i)
      r.v[i] = bits<typename R::Stored>(
          converted<typename R::Element>(a[ratio * i], mode, switches & SW_CLIP_FP));
    return r;
  }
};
/// To a register of narrower lanes: one of each n lanes, the others are the income's.
struct ConvertDown {
  template <class R, class A>
  static R run(int switches, const R& income, const A& a, int lane) {
    const int mode = rounding(switches);
    return placed(income, a, lane, [&](auto value, int) {
      return converted<typename R::Element>(value, mode, switches & SW_CLIP_FP);
    });
  }
  template <class R, class A, class Function>
  static R placed(R r, const A& a, int lane, const Function& function) {
    constexpr int ratio = R::kLanes / A::kLanes;
    if (lane < 0 || lane >= ratio)
      fail("it converts to lane " + std::to_string(lane) + " of " + std::to_string(ratio));
    for (int i = 0; i < A::kLanes; ++i)
      r.v[ratio * i + lane] = bits<typename R::Stored>(function(a[i], i));
    return r;
  }
};
struct ConvertSingle {
  template <class R, class A>
  static R run(int switches, const R& income, const A& a) {
    return ConvertDown::run(switches, income, a, 0);
  }
};
/// Integers divided by powers of two. An element may have several lanes of shifts, all the same.
struct ConvertShifted {
  template <class R, class A>
  static R run(int switches, const R&, const A& a, const std::int8_t& shift) {
    return shifted<R>(a, shift, rounding(switches));
  }
  template <class R, class A, class S>
  static R run(int switches, const R& income, const A& a, const S& shift, int lane) {
    const int mode = rounding(switches);
    return ConvertDown::placed(income, a, lane, [&](auto value, int i) {
      return shifted<typename R::Element>(value, of(shift, i, A::kLanes), mode);
    });
  }
  template <class S>
  static int of(const S& shift, int element, int elements) {
    const int each = S::kLanes / elements, first = shift.v[each * element];
    for (int n = 1; n < each; ++n)
      if (shift.v[each * element + n] != first)
        fail("it converts with shifts that differ within one element");
    return first;
  }
};
struct ConvertShiftedAll {
  template <class R, class A, class S>
  static R run(int switches, const R&, const A& a, const S& shift) {
    typedef Elements<R> To;
    const int mode = rounding(switches);
    R r;
    for (int i = 0; i < To::kCount; ++i)
      To::set(r, i, false,
              shifted<typename To::E>(Elements<A>::get(a, i, false),
                                      ConvertShifted::of(shift, i, To::kCount), mode));
    return r;
  }
};

}  // namespace popir_tpc

// Which types there are of 32, 16 and 8 bits: M(from, to) for each, where a type is its name in
// instructions, its register, and its groups of two and four.
#define POPIR_TPC_TO_32(M, f, F, G) \
  M(f, F, G, f32, float64)          \
  M(f, F, G, i32, int64)            \
  M(f, F, G, u32, uint64)
#define POPIR_TPC_TO_16(M, f, F, G) \
  M(f, F, G, bf16, bfloat128)       \
  M(f, F, G, f16, half128)          \
  M(f, F, G, i16, short128)         \
  M(f, F, G, u16, ushort128)
#define POPIR_TPC_TO_8(M, f, F, G) \
  M(f, F, G, f8, minifloat256)     \
  M(f, F, G, h8, minihalf256)      \
  M(f, F, G, i8, char256)          \
  M(f, F, G, u8, uchar256)

#define POPIR_TPC_SAME(f, F, G, t, T) POPIR_TPC_VECTOR(v_convert_##f##_to_##t, Convert, T, F)
#define POPIR_TPC_WIDER2(f, F, G, t, T)                     \
  POPIR_TPC_VECTOR(v_convert_##f##_to_##t, ConvertUp, T, F) \
  POPIR_TPC_VECTOR(v_convert_##f##_to_##t##_all, Convert, popir_tpc::Pair<T>, F)
#define POPIR_TPC_WIDER4(f, F, G, t, T)                     \
  POPIR_TPC_VECTOR(v_convert_##f##_to_##t, ConvertUp, T, F) \
  POPIR_TPC_VECTOR(v_convert_##f##_to_##t##_all, Convert, popir_tpc::Four<T>, F)
#define POPIR_TPC_NARROWER(f, F, G, t, T)                                \
  POPIR_TPC_VECTOR(v_convert_##f##_to_##t, ConvertDown, T, F, int)       \
  POPIR_TPC_VECTOR(v_convert_##f##_to_##t##_single, ConvertSingle, T, F) \
  POPIR_TPC_VECTOR(v_convert_##f##_to_##t##_all, Convert, T, G)
#define POPIR_TPC_FROM_32(f, F)                                 \
  POPIR_TPC_TO_32(POPIR_TPC_SAME, f, F, )                       \
  POPIR_TPC_TO_32(POPIR_TPC_SEVERAL, f, F, )                    \
  POPIR_TPC_TO_16(POPIR_TPC_NARROWER, f, F, popir_tpc::Pair<F>) \
  POPIR_TPC_TO_8(POPIR_TPC_NARROWER, f, F, popir_tpc::Four<F>)
#define POPIR_TPC_SEVERAL(f, F, G, t, T)                                                         \
  POPIR_TPC_VECTOR(v_convert_##f##_to_##t##_x2, Convert, popir_tpc::Pair<T>, popir_tpc::Pair<F>) \
  POPIR_TPC_VECTOR(v_convert_##f##_to_##t##_x4, Convert, popir_tpc::Four<T>, popir_tpc::Four<F>)
#define POPIR_TPC_FROM_16(f, F)             \
  POPIR_TPC_TO_32(POPIR_TPC_WIDER2, f, F, ) \
  POPIR_TPC_TO_16(POPIR_TPC_SAME, f, F, )   \
  POPIR_TPC_TO_8(POPIR_TPC_NARROWER, f, F, popir_tpc::Pair<F>)
#define POPIR_TPC_FROM_8(f, F)              \
  POPIR_TPC_TO_32(POPIR_TPC_WIDER4, f, F, ) \
  POPIR_TPC_TO_16(POPIR_TPC_WIDER2, f, F, ) \
  POPIR_TPC_TO_8(POPIR_TPC_SAME, f, F, )
POPIR_TPC_FROM_32(f32, float64)
POPIR_TPC_FROM_32(i32, int64)
POPIR_TPC_FROM_32(u32, uint64)
POPIR_TPC_FROM_16(bf16, bfloat128)
POPIR_TPC_FROM_16(f16, half128)
POPIR_TPC_FROM_16(i16, short128)
POPIR_TPC_FROM_16(u16, ushort128)
POPIR_TPC_FROM_8(f8, minifloat256)
POPIR_TPC_FROM_8(h8, minihalf256)
POPIR_TPC_FROM_8(i8, char256)
POPIR_TPC_FROM_8(u8, uchar256)

// Scalars.
#define POPIR_TPC_SCALAR_TO(f, F, G, t, T) \
  POPIR_TPC_SCALAR(s_convert_##f##_to_##t, Convert, T::Element, F)
#define POPIR_TPC_SCALAR_FROM(f, V, E)         \
  POPIR_TPC_TO_32(POPIR_TPC_SCALAR_TO, f, E, ) \
  POPIR_TPC_TO_16(POPIR_TPC_SCALAR_TO, f, E, ) \
  POPIR_TPC_TO_8(POPIR_TPC_SCALAR_TO, f, E, )
POPIR_TPC_TYPES(POPIR_TPC_SCALAR_FROM)

// With a shift.
#define POPIR_TPC_SHIFTED(f, F, one, G, t, T, S)                                                \
  POPIR_TPC_SCALAR(s_convert_##f##_to_##t, ConvertShifted, T::Element, F::Element, std::int8_t) \
  POPIR_TPC_VECTOR(v_convert_##f##_to_##t, ConvertShifted, T, F, S, int)                        \
  POPIR_TPC_VECTOR(v_convert_##f##_to_##t##_single, ConvertShifted, T, F, one, int)             \
  POPIR_TPC_VECTOR(v_convert_##f##_to_##t##_all, ConvertShiftedAll, T, G, S)
POPIR_TPC_SHIFTED(int32, int64, int64, int128, i16, short128, short128)
POPIR_TPC_SHIFTED(int32, int64, int64, int256, i8, char256, char256)
POPIR_TPC_SHIFTED(uint32, uint64, int64, uint128, u16, ushort128, short128)
POPIR_TPC_SHIFTED(uint32, uint64, int64, uint256, u8, uchar256, char256)
POPIR_TPC_SHIFTED(int16, short128, short128, short256, i8, char256, char256)
POPIR_TPC_SHIFTED(uint16, ushort128, short128, ushort256, u8, uchar256, char256)

POPIR_TPC_REFUSED(v_convert_i4_to_i8_b, "which of 512 integers go to 256 lanes is not public")
POPIR_TPC_REFUSED(v_convert_i4_to_i8_vb, "which of 512 integers go to 256 lanes is not public")
POPIR_TPC_REFUSED(v_convert_u4_to_u8_b, "which of 512 integers go to 256 lanes is not public")
POPIR_TPC_REFUSED(v_convert_u4_to_u8_vb, "which of 512 integers go to 256 lanes is not public")

// Between registers, or groups of them, of as many elements.
namespace popir_tpc {
template <class To, class From>
struct ConvertGroup {
  To operator()(const From& a, int options = 0) const { return Convert::run(options, To{}, a); }
};
}  // namespace popir_tpc
#define POPIR_TPC_CONVERT_GROUP(from, to) \
  inline constexpr popir_tpc::ConvertGroup<to, from> convert_##from##_to_##to{};
#define POPIR_TPC_GROUP_64(from)         \
  POPIR_TPC_CONVERT_GROUP(from, float64) \
  POPIR_TPC_CONVERT_GROUP(from, int64)   \
  POPIR_TPC_CONVERT_GROUP(from, uint64)
#define POPIR_TPC_GROUP_128(from)          \
  POPIR_TPC_CONVERT_GROUP(from, float128)  \
  POPIR_TPC_CONVERT_GROUP(from, bfloat128) \
  POPIR_TPC_CONVERT_GROUP(from, half128)   \
  POPIR_TPC_CONVERT_GROUP(from, int128)    \
  POPIR_TPC_CONVERT_GROUP(from, uint128)   \
  POPIR_TPC_CONVERT_GROUP(from, short128)  \
  POPIR_TPC_CONVERT_GROUP(from, ushort128)
#define POPIR_TPC_GROUP_256(from)             \
  POPIR_TPC_CONVERT_GROUP(from, float256)     \
  POPIR_TPC_CONVERT_GROUP(from, bfloat256)    \
  POPIR_TPC_CONVERT_GROUP(from, half256)      \
  POPIR_TPC_CONVERT_GROUP(from, minifloat256) \
  POPIR_TPC_CONVERT_GROUP(from, minihalf256)  \
  POPIR_TPC_CONVERT_GROUP(from, int256)       \
  POPIR_TPC_CONVERT_GROUP(from, uint256)      \
  POPIR_TPC_CONVERT_GROUP(from, short256)     \
  POPIR_TPC_CONVERT_GROUP(from, ushort256)    \
  POPIR_TPC_CONVERT_GROUP(from, char256)      \
  POPIR_TPC_CONVERT_GROUP(from, uchar256)
#define POPIR_TPC_GROUP_512(from)             \
  POPIR_TPC_CONVERT_GROUP(from, minifloat512) \
  POPIR_TPC_CONVERT_GROUP(from, minihalf512)  \
  POPIR_TPC_CONVERT_GROUP(from, char512)      \
  POPIR_TPC_CONVERT_GROUP(from, uchar512)
POPIR_TPC_GROUP_64(float64)
POPIR_TPC_GROUP_64(int64)
POPIR_TPC_GROUP_64(uint64)
POPIR_TPC_GROUP_128(float128)
POPIR_TPC_GROUP_128(bfloat128)
POPIR_TPC_GROUP_128(half128)
POPIR_TPC_GROUP_128(int128)
POPIR_TPC_GROUP_128(uint128)
POPIR_TPC_GROUP_128(short128)
POPIR_TPC_GROUP_128(ushort128)
POPIR_TPC_GROUP_256(float256)
POPIR_TPC_GROUP_256(bfloat256)
POPIR_TPC_GROUP_256(half256)
POPIR_TPC_GROUP_256(minifloat256)
POPIR_TPC_GROUP_256(minihalf256)
POPIR_TPC_GROUP_256(int256)
POPIR_TPC_GROUP_256(uint256)
POPIR_TPC_GROUP_256(short256)
POPIR_TPC_GROUP_256(ushort256)
POPIR_TPC_GROUP_256(char256)
POPIR_TPC_GROUP_256(uchar256)
POPIR_TPC_GROUP_512(minifloat512)
POPIR_TPC_GROUP_512(minihalf512)
POPIR_TPC_GROUP_512(char512)
POPIR_TPC_GROUP_512(uchar512)

#endif
