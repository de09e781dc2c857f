// planes.inc for AVX2 and FMA: 16 registers of 8 floats.
#include <immintrin.h>

#include <utility>

#include "kernels/contraction/planes.hpp"

namespace popir {
namespace planes {
namespace avx2 {
namespace {

using V = __m256;
using Mask = __m256i;
constexpr int kVector = 8, kRows = 6;
constexpr int vectorsOf(int rows) { return rows == 1 ? 8 : rows == 2 ? 4 : 2; }
inline V zero() { return _mm256_setzero_ps(); }
inline V broadcast(float x) { return _mm256_set1_ps(x); }
inline V load(const float* p) { return _mm256_loadu_ps(p); }
inline V load(const float* p, Mask mask) { return _mm256_maskload_ps(p, mask); }
inline void store(float* p, V v) { _mm256_storeu_ps(p, v); }
inline void store(float* p, V v, Mask mask) { _mm256_maskstore_ps(p, mask, v); }
inline V fma(V a, V b, V c) { return _mm256_fmadd_ps(a, b, c); }
inline V add(V a, V b) { return _mm256_add_ps(a, b); }
inline V larger(V a, V b) { return _mm256_max_ps(a, b); }
/// Lanes 0, 1, 4 and 5 of both halves of each vector in turns, brought in order.
inline V inOrder(V v) { return _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(v), 0xd8)); }
inline V evens(V a, V b) { return inOrder(_mm256_shuffle_ps(a, b, 0x88)); }
inline V odds(V a, V b) { return inOrder(_mm256_shuffle_ps(a, b, 0xdd)); }
inline Mask first(int n) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
inline Mask between(int low, int high) { return _mm256_andnot_si256(first(low), first(high)); }

#include "kernels/contraction/planes.inc"

}  // namespace

const Routines kRoutines = {kRows, kVector, fill, multiply, copy, filter};

}  // namespace avx2
}  // namespace planes
}  // namespace popir
