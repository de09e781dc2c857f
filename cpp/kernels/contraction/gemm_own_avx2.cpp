// gemm_own.inc for AVX2 and FMA: 16 registers of 8 floats.
#include <immintrin.h>

#include <utility>

#include "kernels/contraction/gemm_own.hpp"

namespace popir {
namespace gemm {
namespace avx2 {
namespace {

struct Simd {
  using V = __m256;
  using Mask = __m256i;
  static constexpr int kWidth = 8;
  /// Rows of a register block, by the number of vectors per row; see gemm_own_avx512.cpp.
  static constexpr int rows(int vectors) {
    return vectors == 1 ? 12 : vectors == 2 ? 6 : vectors == 3 ? 4 : 2;
  }

  /// Columns of B per block of dot products, for up to four rows of A.
  static constexpr int kDotColumns = 2;

  static V zero() { return _mm256_setzero_ps(); }
  static V set(float x) { return _mm256_set1_ps(x); }
  static V load(const float* p) { return _mm256_loadu_ps(p); }
  static V load(const float* p, Mask mask) { return _mm256_maskload_ps(p, mask); }
  static void store(float* p, V v) { _mm256_storeu_ps(p, v); }
  static void store(float* p, V v, Mask mask) { _mm256_maskstore_ps(p, mask, v); }
  static V fma(V a, V b, V c) { return _mm256_fmadd_ps(a, b, c); }
  static V add(V a, V b) { return _mm256_add_ps(a, b); }
  static V mul(V a, V b) { return _mm256_mul_ps(a, b); }
  static float sum(V v) {
    __m128 x = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    x = _mm_add_ps(x, _mm_movehl_ps(x, x));
    return _mm_cvtss_f32(_mm_add_ss(x, _mm_movehdup_ps(x)));
  }
  static Mask first(int n) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }
};

#include "kernels/contraction/gemm_own.inc"

}  // namespace

const Routines kRoutines = {run, scratchFloats, 2 * Simd::kWidth};

}  // namespace avx2
}  // namespace gemm
}  // namespace popir
