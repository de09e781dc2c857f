// gemm_own.inc for AVX2 and FMA: 16 registers of 8 floats, or of 4 doubles.
#include <immintrin.h>

#include <utility>

#include "kernels/contraction/gemm_own.hpp"

namespace popir {
namespace gemm {
namespace avx2 {
namespace floats {
namespace {

struct Simd {
  using Scalar = float;
  using V = __m256;
  using Mask = __m256i;
  static constexpr int kWidth = 8;
  /// Rows of a register block, by the number of vectors per row; see gemm_own_avx512.cpp.
  static constexpr int rows(int vectors) {
    return vectors == 1 ? 12 : vectors == 2 ? 6 : vectors == 3 ? 4 : 2;
  }

  /// Up to so many rows a transposed B is not packed, if there are so many steps for each: dot products
  /// along k are computed, whose lanes must be summed at the end.
  static constexpr std::int64_t kDotRows = 4, kDotSteps = 40;
  /// Columns of B per block of dot products with so many rows of A, up to four.
  static constexpr int dotColumns(int rows) { return rows == 1 ? 8 : 2; }
  /// Dot products that sums() adds up together; 0 if there is none.
  static constexpr int kSumsTogether = 0;
  template <int N>
  static void sums(const V (&)[N], Scalar*) {}
  /// Up to so many rows meet several packed panels at a time, so that the sums fill the registers.
  static constexpr int kFewPackedRows = 2;
  static constexpr int panelsOfFew(int) { return 2; }
  /// Steps, and rows, of which the elements of A stay in registers as vectors, beside the sums.
  static constexpr int kRunSteps = 2;
  /// Up to this number of rows a block does not prefetch B.
  static constexpr int kRowsWithoutPrefetch = 3;
  /// Rows that read a large B in long runs; more read it in register blocks as fast, or faster.
  static constexpr int kStreamedRows = 5;

  static V zero() { return _mm256_setzero_ps(); }
  static V set(float x) { return _mm256_set1_ps(x); }
  static V load(const float* p) { return _mm256_loadu_ps(p); }
  static V load(const float* p, Mask mask) { return _mm256_maskload_ps(p, mask); }
  static void store(float* p, V v) { _mm256_storeu_ps(p, v); }
  /// A vector is half a line, and halves of several rows would leave the processor one by one.
  static constexpr bool kStreams = false;
  static void stream(Scalar* p, V v) { store(p, v); }
  static void fence() {}
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
}  // namespace floats

namespace doubles {
namespace {

struct Simd {
  using Scalar = double;
  using V = __m256d;
  using Mask = __m256i;
  static constexpr int kWidth = 4;
  static constexpr int rows(int vectors) { return floats::Simd::rows(vectors); }
  static constexpr std::int64_t kDotRows = floats::Simd::kDotRows,
                                kDotSteps = floats::Simd::kDotSteps;
  static constexpr int dotColumns(int rows) { return floats::Simd::dotColumns(rows); }
  /// Dot products that sums() adds up together; 0 if there is none.
  static constexpr int kSumsTogether = 0;
  template <int N>
  static void sums(const V (&)[N], Scalar*) {}
  /// Up to so many rows meet several packed panels at a time, so that the sums fill the registers.
  static constexpr int kFewPackedRows = 2;
  static constexpr int panelsOfFew(int) { return 2; }
  /// Steps, and rows, of which the elements of A stay in registers as vectors, beside the sums.
  static constexpr int kRunSteps = 2;
  /// Up to this number of rows a block does not prefetch B.
  static constexpr int kRowsWithoutPrefetch = 3;
  /// Rows that read a large B in long runs; more read it in register blocks as fast, or faster.
  static constexpr int kStreamedRows = 5;

  static V zero() { return _mm256_setzero_pd(); }
  static V set(double x) { return _mm256_set1_pd(x); }
  static V load(const double* p) { return _mm256_loadu_pd(p); }
  static V load(const double* p, Mask mask) { return _mm256_maskload_pd(p, mask); }
  static void store(double* p, V v) { _mm256_storeu_pd(p, v); }
  static constexpr bool kStreams = false;
  static void stream(Scalar* p, V v) { store(p, v); }
  static void fence() {}
  static void store(double* p, V v, Mask mask) { _mm256_maskstore_pd(p, mask, v); }
  static V fma(V a, V b, V c) { return _mm256_fmadd_pd(a, b, c); }
  static V add(V a, V b) { return _mm256_add_pd(a, b); }
  static V mul(V a, V b) { return _mm256_mul_pd(a, b); }
  static double sum(V v) {
    const __m128d x = _mm_add_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));
    return _mm_cvtsd_f64(_mm_add_sd(x, _mm_unpackhi_pd(x, x)));
  }
  static Mask first(int n) {
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3));
  }
};

#include "kernels/contraction/gemm_own.inc"

}  // namespace
}  // namespace doubles

const Routines<float> kFloats = floats::kRoutines;
const Routines<double> kDoubles = doubles::kRoutines;

}  // namespace avx2
}  // namespace gemm
}  // namespace popir
