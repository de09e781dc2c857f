// half_panels.inc for AVX2, FMA and F16C: 16 registers of 8 floats.
#include <immintrin.h>

#include <array>
#include <utility>

#include "kernels/contraction/half_panels.hpp"

namespace popir {
namespace half_panels {
namespace avx2 {
namespace {

using V = __m256;
constexpr int kVector = 8, kSums = 12, kRows = 6;
inline V zero() { return _mm256_setzero_ps(); }
inline V broadcast(float x) { return _mm256_set1_ps(x); }
inline V fma(V a, V b, V c) { return _mm256_fmadd_ps(a, b, c); }
inline void store(float* p, V v) { _mm256_storeu_ps(p, v); }
inline V widen(const half* p) {
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
}
inline V widen(const Bfloat16* p) {
  const __m128i bits = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(bits), 16));
}

#include "kernels/contraction/half_panels.inc"

}  // namespace

const Routines<half> kHalves = {kVectors * kVector, kRows, run<half>};
const Routines<Bfloat16> kBfloats = {kVectors * kVector, kRows, run<Bfloat16>};

}  // namespace avx2
}  // namespace half_panels
}  // namespace popir
