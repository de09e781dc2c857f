// gemm_own.inc for AVX-512: 32 registers of 16 floats, or of 8 doubles.
#include <immintrin.h>

#include <utility>

#include "kernels/contraction/gemm_own.hpp"

namespace popir {
namespace gemm {
namespace avx512 {
namespace floats {
namespace {

struct Simd {
  using Scalar = float;
  using V = __m512;
  using Mask = __mmask16;
  static constexpr int kWidth = 16;
  /// Rows of a register block, by the number of vectors per row. The accumulators (rows * vectors)
  /// and the vectors of B must fit in 30 of the 32 registers, and there must be enough general
  /// registers for the row addresses.
  static constexpr int rows(int vectors) { return vectors <= 2 ? 14 : 6; }

  /// Up to so many rows a transposed B is not packed, if there are so many steps for each: dot products
  /// along k are computed, whose lanes must be summed at the end.
  static constexpr std::int64_t kDotRows = 15, kDotSteps = 24;
  /// Columns of B per block of dot products with so many rows of A, up to four.
  static constexpr int dotColumns(int rows) { return rows <= 3 ? 8 : 4; }
  /// Dot products that sums() adds up together; 0 if there is none.
  static constexpr int kSumsTogether = 8;
  /// Up to so many rows meet several packed panels at a time, so that the sums fill the registers.
  static constexpr int kFewPackedRows = kFewPackedRowsOfAvx512;
  static constexpr int panelsOfFew(int rows) { return rows <= 3 ? 4 : rows == 4 ? 3 : 2; }
  /// Steps, and rows, of which the elements of A stay in registers as vectors, beside the sums.
  static constexpr int kRunSteps = 4;
  /// Up to this number of rows a block does not prefetch B.
  static constexpr int kRowsWithoutPrefetch = 1;
  /// Rows that read a large B in long runs; more read it in register blocks as fast, or faster.
  static constexpr int kStreamedRows = 1;

  static V zero() { return _mm512_setzero_ps(); }
  static V set(float x) { return _mm512_set1_ps(x); }
  static V load(const float* p) { return _mm512_loadu_ps(p); }
  static V load(const float* p, Mask mask) { return _mm512_maskz_loadu_ps(mask, p); }
  static void store(float* p, V v) { _mm512_storeu_ps(p, v); }
  /// Past the caches, of a whole line.
  static constexpr bool kStreams = true;
  static void stream(float* p, V v) { _mm512_stream_ps(p, v); }
  /// Behind stream(), before another thread reads.
  static void fence() { _mm_sfence(); }
  static void store(float* p, V v, Mask mask) { _mm512_mask_storeu_ps(p, mask, v); }
  static V fma(V a, V b, V c) { return _mm512_fmadd_ps(a, b, c); }
  static V add(V a, V b) { return _mm512_add_ps(a, b); }
  static V mul(V a, V b) { return _mm512_mul_ps(a, b); }
  // Uses the maskz intrinsics: g++ 12 warns about its own header for the unmasked ones.
  static float sum(V v) {
    const __m256 y = _mm256_add_ps(_mm512_maskz_extractf32x8_ps(0xff, v, 0),
                                   _mm512_maskz_extractf32x8_ps(0xff, v, 1));
    __m128 x = _mm_add_ps(_mm256_castps256_ps128(y), _mm256_extractf128_ps(y, 1));
    x = _mm_add_ps(x, _mm_movehl_ps(x, x));
    return _mm_cvtss_f32(_mm_add_ss(x, _mm_movehdup_ps(x)));
  }
  /// sum() of each of eight, in the same order: halves of vectors meet in one.
  static void sums(const V (&v)[8], float* to) {
    V fours[2];
#pragma GCC unroll 2
    for (int i = 0; i < 2; ++i) {
      V eights[2];
#pragma GCC unroll 2
      for (int j = 0; j < 2; ++j) {
        const V &x = v[4 * i + 2 * j], &y = v[4 * i + 2 * j + 1];
        eights[j] = add(quarters<0x44>(x, y), quarters<0xee>(x, y));
      }
      fours[i] = add(quarters<0x88>(eights[0], eights[1]), quarters<0xdd>(eights[0], eights[1]));
    }
    const V twos = add(_mm512_shuffle_ps(fours[0], fours[1], 0x44),
                       _mm512_shuffle_ps(fours[0], fours[1], 0xee));
    const V ones = add(twos, _mm512_shuffle_ps(twos, twos, 0xb1));
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 2, 6, 10, 14, 0, 0, 0, 0, 0, 0, 0, 0);
    const V ordered = _mm512_maskz_permutexvar_ps(0xff, order, ones);
    _mm256_storeu_ps(to, _mm512_maskz_extractf32x8_ps(0xff, ordered, 0));
  }
  template <int Which>
  static V quarters(V x, V y) {
    return _mm512_maskz_shuffle_f32x4(0xffff, x, y, Which);
  }
  static Mask first(int n) { return static_cast<Mask>((1u << n) - 1); }
};

// The second is written with the first.
// clang-format off
#include "kernels/contraction/gemm_own.inc"
#include "kernels/contraction/gemm_wide.inc"
// clang-format on

}  // namespace
}  // namespace floats

namespace doubles {
namespace {

struct Simd {
  using Scalar = double;
  using V = __m512d;
  using Mask = __mmask8;
  static constexpr int kWidth = 8;
  static constexpr int rows(int vectors) { return floats::Simd::rows(vectors); }
  static constexpr std::int64_t kDotRows = floats::Simd::kDotRows,
                                kDotSteps = floats::Simd::kDotSteps;
  static constexpr int dotColumns(int rows) { return floats::Simd::dotColumns(rows); }
  /// Dot products that sums() adds up together; 0 if there is none.
  static constexpr int kSumsTogether = 0;
  template <int N>
  static void sums(const V (&)[N], Scalar*) {}
  /// Up to so many rows meet several packed panels at a time, so that the sums fill the registers.
  static constexpr int kFewPackedRows = kFewPackedRowsOfAvx512;
  static constexpr int panelsOfFew(int rows) { return rows <= 3 ? 4 : rows == 4 ? 3 : 2; }
  /// Steps, and rows, of which the elements of A stay in registers as vectors, beside the sums.
  static constexpr int kRunSteps = 4;
  /// Up to this number of rows a block does not prefetch B.
  static constexpr int kRowsWithoutPrefetch = 1;
  /// Rows that read a large B in long runs; more read it in register blocks as fast, or faster.
  static constexpr int kStreamedRows = 1;

  static V zero() { return _mm512_setzero_pd(); }
  static V set(double x) { return _mm512_set1_pd(x); }
  static V load(const double* p) { return _mm512_loadu_pd(p); }
  static V load(const double* p, Mask mask) { return _mm512_maskz_loadu_pd(mask, p); }
  static void store(double* p, V v) { _mm512_storeu_pd(p, v); }
  /// Past the caches, of a whole line.
  static constexpr bool kStreams = true;
  static void stream(double* p, V v) { _mm512_stream_pd(p, v); }
  /// Behind stream(), before another thread reads.
  static void fence() { _mm_sfence(); }
  static void store(double* p, V v, Mask mask) { _mm512_mask_storeu_pd(p, mask, v); }
  static V fma(V a, V b, V c) { return _mm512_fmadd_pd(a, b, c); }
  static V add(V a, V b) { return _mm512_add_pd(a, b); }
  static V mul(V a, V b) { return _mm512_mul_pd(a, b); }
  static double sum(V v) {
    const __m256d y = _mm256_add_pd(_mm512_maskz_extractf64x4_pd(0xf, v, 0),
                                    _mm512_maskz_extractf64x4_pd(0xf, v, 1));
    const __m128d x = _mm_add_pd(_mm256_castpd256_pd128(y), _mm256_extractf128_pd(y, 1));
    return _mm_cvtsd_f64(_mm_add_sd(x, _mm_unpackhi_pd(x, x)));
  }
  static Mask first(int n) { return static_cast<Mask>((1u << n) - 1); }
};

#include "kernels/contraction/gemm_own.inc"

}  // namespace
}  // namespace doubles

const Routines<float> kFloats = floats::withWide(floats::kRoutines);
const Routines<double> kDoubles = doubles::kRoutines;

}  // namespace avx512
}  // namespace gemm
}  // namespace popir
