// planes.inc for AVX-512: 32 registers of 16 floats.
#include <immintrin.h>

#include <utility>

#include "kernels/contraction/planes.hpp"

namespace popir {
namespace planes {
namespace avx512 {
namespace {

using V = __m512;
using Mask = __mmask16;
constexpr int kVector = 16, kRows = 14;
constexpr int vectorsOf(int rows) { return rows <= 3 ? 8 : rows <= 6 ? 4 : 2; }
inline V zero() { return _mm512_setzero_ps(); }
inline V broadcast(float x) { return _mm512_set1_ps(x); }
inline V load(const float* p) { return _mm512_loadu_ps(p); }
inline V load(const float* p, Mask mask) { return _mm512_maskz_loadu_ps(mask, p); }
inline void store(float* p, V v) { _mm512_storeu_ps(p, v); }
inline void store(float* p, V v, Mask mask) { _mm512_mask_storeu_ps(p, mask, v); }
inline V fma(V a, V b, V c) { return _mm512_fmadd_ps(a, b, c); }
inline V add(V a, V b) { return _mm512_add_ps(a, b); }
// Uses the maskz form: g++ 12 warns about its own header for the unmasked one.
inline V larger(V a, V b) { return _mm512_maskz_max_ps(0xffff, a, b); }
inline V evens(V a, V b) {
  const __m512i lanes = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
  return _mm512_permutex2var_ps(a, lanes, b);
}
inline V odds(V a, V b) {
  const __m512i lanes = _mm512_set_epi32(31, 29, 27, 25, 23, 21, 19, 17, 15, 13, 11, 9, 7, 5, 3, 1);
  return _mm512_permutex2var_ps(a, lanes, b);
}
inline Mask first(int n) { return static_cast<Mask>((1u << n) - 1); }
inline Mask between(int low, int high) { return static_cast<Mask>(first(high) & ~first(low)); }

#include "kernels/contraction/planes.inc"

}  // namespace

const Routines kRoutines = {kRows, kVector, fill, multiply, copy, filter};

}  // namespace avx512
}  // namespace planes
}  // namespace popir
