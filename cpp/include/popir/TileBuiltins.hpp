// Builtins of a tile's compiler, as functions of the host where they have a meaning there. popc
// includes this where a source names one, and gives all of them names that the host's compiler has
// no rules for. popir's own.
#ifndef popir_TileBuiltins_hpp
#define popir_TileBuiltins_hpp

#include <popir/TileInstructions.hpp>

// clang-format off
#define POPIR_FUNCTIONS(NAME, RESULT, ...)                                      \
  template <class V>                                                            \
  inline V tile_builtin_ipu_##NAME(V v) {                                          \
    return popir::tile::each(v, [](auto x) { return RESULT; });                 \
  }
POPIR_FUNCTIONS(exp, std::exp(x))
POPIR_FUNCTIONS(exp2, std::exp2(x))
POPIR_FUNCTIONS(ln, std::log(x))
POPIR_FUNCTIONS(log2, std::log2(x))
POPIR_FUNCTIONS(tanh, std::tanh(x))
POPIR_FUNCTIONS(sigm, 1.0f / (1.0f + std::exp(-x)))
#undef POPIR_FUNCTIONS

#define POPIR_PAIRS(NAME, RESULT)                                               \
  template <class V>                                                            \
  inline V tile_builtin_ipu_##NAME(V a, V b) {                                     \
    return RESULT;                                                              \
  }
POPIR_PAIRS(max, popir::tile::maximum(a, b))
POPIR_PAIRS(min, popir::tile::minimum(a, b))
POPIR_PAIRS(absadd, popir::tile::each(a, b, [](auto x, auto y) { return std::fabs(x) + std::fabs(y); }))
POPIR_PAIRS(absmax, popir::tile::each(a, b, [](auto x, auto y) { return std::fmax(std::fabs(x), std::fabs(y)); }))
POPIR_PAIRS(cmpeq, popir::tile::compare(a, b, [](auto x, auto y) { return x == y; }))
POPIR_PAIRS(cmpne, popir::tile::compare(a, b, [](auto x, auto y) { return x != y; }))
POPIR_PAIRS(cmpge, popir::tile::compare(a, b, [](auto x, auto y) { return x >= y; }))
POPIR_PAIRS(cmpgt, popir::tile::compare(a, b, [](auto x, auto y) { return x > y; }))
POPIR_PAIRS(cmple, popir::tile::compare(a, b, [](auto x, auto y) { return x <= y; }))
POPIR_PAIRS(cmplt, popir::tile::compare(a, b, [](auto x, auto y) { return x < y; }))
template <class V, class Mask>
inline typename std::enable_if<sizeof(V) == sizeof(Mask), V>::type tile_builtin_ipu_and(V a, Mask b) {
  return popir::tile::bits(a, b, [](unsigned x, unsigned y) { return x & y; });
}
template <class V, class Mask>
inline typename std::enable_if<sizeof(V) == sizeof(Mask), V>::type tile_builtin_ipu_andc(V a, Mask b) {
  return popir::tile::bits(a, b, [](unsigned x, unsigned y) { return x & ~y; });
}
template <class V, class Mask>
inline typename std::enable_if<sizeof(V) == sizeof(Mask), V>::type tile_builtin_ipu_or(V a, Mask b) {
  return popir::tile::bits(a, b, [](unsigned x, unsigned y) { return x | y; });
}
#undef POPIR_PAIRS
template <class V>
inline V tile_builtin_ipu_not(V a) {
  return popir::tile::bits(a, a, [](unsigned x, unsigned) { return ~x; });
}

template <class V, class Limits>
inline V tile_builtin_ipu_clamp(V v, Limits limits) { return popir::tile::clamp(v, limits); }
template <class V>
inline auto tile_builtin_ipu_sum(V v) -> decltype(popir::tile::sum(v)) { return popir::tile::sum(v); }
template <class V>
inline auto tile_builtin_ipu_maxc(V v) -> decltype(popir::tile::maximumOfPairs(v)) { return popir::tile::maximumOfPairs(v); }
template <class V>
inline void tile_builtin_ipu_cmac(V a, V b) { popir::tile::multiplyAccumulate(a, b); }
template <class V>
inline V tile_builtin_ipu_rmask(V v, float probability) { return popir::tile::randomMask(v, probability); }

#define POPIR_CLASSES(NAME, RESULT)                                             \
  inline int tile_builtin_ipu_##NAME(float x) { return RESULT; }                   \
  inline popir::int2 tile_builtin_ipu_##NAME(popir::float2 v) {                                  \
    return popir::int2{tile_builtin_ipu_##NAME(v[0]), tile_builtin_ipu_##NAME(v[1])};        \
  }                                                                             \
  inline popir::short2 tile_builtin_ipu_##NAME(popir::half2 v) {                                 \
    popir::short2 out;                                                                 \
    for (int i = 0; i < 2; ++i) out[i] = static_cast<short>(tile_builtin_ipu_##NAME(static_cast<float>(v[i]))); \
    return out;                                                                 \
  }                                                                             \
  inline popir::short4 tile_builtin_ipu_##NAME(popir::half4 v) {                                 \
    popir::short4 out;                                                                 \
    for (int i = 0; i < 4; ++i) out[i] = static_cast<short>(tile_builtin_ipu_##NAME(static_cast<float>(v[i]))); \
    return out;                                                                 \
  }
POPIR_CLASSES(isfinite, std::isfinite(x) ? 1 : 0)
POPIR_CLASSES(isinf, std::isinf(x) ? 1 : 0)
POPIR_CLASSES(isnan, std::isnan(x) ? 1 : 0)
#undef POPIR_CLASSES

// The names that say the element type.
#define POPIR_TYPED1(PREFIX, T, NAME) inline T tile_builtin_ipu_##PREFIX##NAME(T v) { return tile_builtin_ipu_##NAME(v); }
#define POPIR_TYPED2(PREFIX, T, NAME) inline T tile_builtin_ipu_##PREFIX##NAME(T a, T b) { return tile_builtin_ipu_##NAME(a, b); }
#define POPIR_ALL_TYPES(MACRO, NAME) MACRO(f32, float, NAME) MACRO(f32v2, popir::float2, NAME) MACRO(f16v2, popir::half2, NAME) MACRO(f16v4, popir::half4, NAME)
POPIR_ALL_TYPES(POPIR_TYPED2, max)
POPIR_ALL_TYPES(POPIR_TYPED2, min)
POPIR_ALL_TYPES(POPIR_TYPED2, absadd)
POPIR_ALL_TYPES(POPIR_TYPED2, absmax)
POPIR_ALL_TYPES(POPIR_TYPED2, cmpeq)
POPIR_ALL_TYPES(POPIR_TYPED2, cmpne)
POPIR_ALL_TYPES(POPIR_TYPED2, cmpge)
POPIR_ALL_TYPES(POPIR_TYPED2, cmpgt)
POPIR_ALL_TYPES(POPIR_TYPED2, cmple)
POPIR_ALL_TYPES(POPIR_TYPED2, cmplt)
POPIR_TYPED1(f16v2, popir::half2, exp)
POPIR_TYPED1(f16v2, popir::half2, exp2)
POPIR_TYPED1(f16v2, popir::half2, ln)
POPIR_TYPED1(f16v2, popir::half2, log2)
POPIR_TYPED1(f16v2, popir::half2, tanh)
POPIR_TYPED1(f16v2, popir::half2, sigm)
POPIR_TYPED1(f32, float, sigm)
#undef POPIR_TYPED1
#undef POPIR_TYPED2
#undef POPIR_ALL_TYPES
inline popir::half2 tile_builtin_ipu_f16v2clamp(popir::half2 v, popir::half2 limits) { return popir::tile::clamp(v, limits); }
inline popir::half4 tile_builtin_ipu_f16v4clamp(popir::half4 v, popir::half2 limits) { return popir::tile::clamp(v, limits); }
inline popir::float2 tile_builtin_ipu_f32v2clamp(popir::float2 v, popir::float2 limits) { return popir::tile::clamp(v, limits); }
inline float tile_builtin_ipu_f32clamp(float v, popir::float2 limits) { return popir::tile::clamp(v, limits); }
inline float tile_builtin_ipu_f16v2sum(popir::half2 v) { return popir::tile::sum(v); }
inline popir::float2 tile_builtin_ipu_f16v4sum(popir::half4 v) { return popir::tile::sum(v); }
inline half tile_builtin_ipu_f16v2maxc(popir::half2 v) { return popir::tile::maximumOfPairs(v); }
inline popir::half2 tile_builtin_ipu_f16v4maxc(popir::half4 v) { return popir::tile::maximumOfPairs(v); }
inline void tile_builtin_ipu_f16v2cmac(popir::half2 a, popir::half2 b) { popir::tile::multiplyAccumulate(a, b); }
inline void tile_builtin_ipu_f16v4cmac(popir::half4 a, popir::half4 b) { popir::tile::multiplyAccumulate(a, b); }
inline popir::half4 tile_builtin_ipu_f16v4rmask(popir::half4 v, float p) { return popir::tile::randomMask(v, p); }
inline popir::float2 tile_builtin_ipu_f32v2rmask(popir::float2 v, float p) { return popir::tile::randomMask(v, p); }
inline int tile_builtin_ipu_and_i32(int a, int b) { return a & b; }
inline float tile_builtin_ipu_and_f32(float a, float b) { return tile_builtin_ipu_and(a, b); }
inline popir::float2 tile_builtin_ipu_and_v2f32(popir::float2 a, popir::float2 b) { return tile_builtin_ipu_and(a, b); }
inline int tile_builtin_ipu_andc_i32(int a, int b) { return a & ~b; }
inline float tile_builtin_ipu_andc_f32(float a, float b) { return tile_builtin_ipu_andc(a, b); }
inline popir::float2 tile_builtin_ipu_andc_v2f32(popir::float2 a, popir::float2 b) { return tile_builtin_ipu_andc(a, b); }
inline int tile_builtin_ipu_or_i32(int a, int b) { return a | b; }
inline float tile_builtin_ipu_or_f32(float a, float b) { return tile_builtin_ipu_or(a, b); }
inline popir::float2 tile_builtin_ipu_or_v2f32(popir::float2 a, popir::float2 b) { return tile_builtin_ipu_or(a, b); }
inline float tile_builtin_ipu_not_f32(float a) { return tile_builtin_ipu_not(a); }
inline popir::float2 tile_builtin_ipu_not_v2f32(popir::float2 a) { return tile_builtin_ipu_not(a); }

inline half tile_builtin_ipu_f32tof16(float x) { return static_cast<half>(x); }
inline float tile_builtin_ipu_f16tof32(half x) { return static_cast<float>(x); }

// Random numbers of a worker. popir's are another sequence than a tile's.
inline unsigned tile_builtin_ipu_urand32() { return popir::tile::randomBits(); }
inline unsigned long long tile_builtin_ipu_urand64() { return popir::tile::randomBits64(); }
inline float tile_builtin_ipu_urand_f32() { return popir::tile::uniform(); }
inline half tile_builtin_ipu_urand_f16() { return static_cast<half>(popir::tile::uniform()); }
inline popir::float2 tile_builtin_ipu_f32v2grand() {
  const float first = popir::tile::gaussian();
  return popir::float2{first, popir::tile::gaussian()};
}
inline popir::half2 tile_builtin_ipu_f16v2grand() {
  const half first = static_cast<half>(popir::tile::gaussian());
  return popir::half2{first, static_cast<half>(popir::tile::gaussian())};
}

// Bytes.
inline unsigned tile_builtin_ipu_bitrev8(unsigned x) { return popir::tile::reverseBitsOfBytes(x); }
inline unsigned tile_builtin_ipu_cms(int x) { return popir::tile::leadingSigns(x); }
inline unsigned tile_builtin_ipu_swap8(unsigned x) { return __builtin_bswap32(x); }
// From two words: the bytes of both halves in turns, the even or the odd bytes, the first or the second number.
inline unsigned tile_builtin_ipu_shuf8x8lo(unsigned a, unsigned b) {
  return (a & 0xff) | (b & 0xff) << 8 | (a & 0xff00) << 8 | (b & 0xff00) << 16;
}
inline unsigned tile_builtin_ipu_shuf8x8hi(unsigned a, unsigned b) { return tile_builtin_ipu_shuf8x8lo(a >> 16, b >> 16); }
inline unsigned tile_builtin_ipu_sort8x8lo(unsigned a, unsigned b) {
  return (a & 0xff) | (a >> 8 & 0xff00) | (b & 0xff) << 16 | (b & 0xff0000) << 8;
}
inline unsigned tile_builtin_ipu_sort8x8hi(unsigned a, unsigned b) { return tile_builtin_ipu_sort8x8lo(a >> 8, b >> 8); }
inline popir::float2 tile_builtin_ipu_sort4x32lo(popir::float2 a, popir::float2 b) { return popir::float2{a[0], b[0]}; }
inline popir::float2 tile_builtin_ipu_sort4x32hi(popir::float2 a, popir::float2 b) { return popir::float2{a[1], b[1]}; }

// The clock.
inline unsigned tile_builtin_ipu_get_scount_l() { return static_cast<unsigned>(popir::tile::cycles()); }
inline unsigned tile_builtin_ipu_get_scount_u() { return static_cast<unsigned>(popir::tile::cycles() >> 32); }
inline bool tile_builtin_ipu_is_worker_mode() { return true; }

// An engine looks for this by name in a library of codelets (codelets/library.cpp).
extern "C" __attribute__((weak, visibility("default"))) void popir_set_tile(unsigned tile) { popir::tile::worker().tile = tile; }
inline unsigned tile_builtin_ipu_get_tile_id() { return popir::tile::worker().tile; }

inline popir::float2 tile_builtin_ipu_f32v2axpy(popir::float2 x, popir::float2 y) { return popir::tile::axpy(x, y); }

// What moves data between registers that the host does not have.
#ifdef POPIR_OF_TILE
// Where a codelet is compiled for counting alone: what is left of these calls is defined nowhere, and
// the library with them does not load.
extern "C" int popir_no_meaning();
#define POPIR_NO_MEANING(NAME)              \
  template <class... T>                     \
  inline int tile_builtin_ipu_##NAME(T...) { \
    return popir_no_meaning();              \
  }
#else
#define POPIR_NO_MEANING(NAME)                                                                   \
  template <class... T>                                                                          \
  inline int tile_builtin_ipu_##NAME(T...) {                                                        \
    static_assert(popir::tile::Never<T...>::value,                                               \
                  "the builtin ipu_" #NAME " has no meaning on the host: give the vertex the same " \
                  "in C++, under #ifndef __IPU__");                                              \
    return 0;                                                                                    \
  }
#endif
POPIR_NO_MEANING(put)
POPIR_NO_MEANING(uput)
POPIR_NO_MEANING(uputf)
POPIR_NO_MEANING(get)
POPIR_NO_MEANING(uget)
POPIR_NO_MEANING(ugetf)
POPIR_NO_MEANING(gina)
POPIR_NO_MEANING(f16v2gina)
POPIR_NO_MEANING(f32v2gina)
POPIR_NO_MEANING(f32v2aop)
POPIR_NO_MEANING(aop)
POPIR_NO_MEANING(get_worker_id)
POPIR_NO_MEANING(get_vertex_base)
POPIR_NO_MEANING(tapack)
POPIR_NO_MEANING(ld64putcs)
POPIR_NO_MEANING(ld128putcs)
POPIR_NO_MEANING(class)
POPIR_NO_MEANING(f16v2class)
POPIR_NO_MEANING(f16v4class)
POPIR_NO_MEANING(f32v2class)
POPIR_NO_MEANING(f32class)
POPIR_NO_MEANING(roll32)
POPIR_NO_MEANING(roll8l)
POPIR_NO_MEANING(roll8r)
POPIR_NO_MEANING(sort8)
#undef POPIR_NO_MEANING
// clang-format on

#endif
