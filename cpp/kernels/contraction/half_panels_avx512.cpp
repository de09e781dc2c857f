// half_panels.inc for AVX-512: 32 registers of 16 floats.
#include <immintrin.h>

#include <array>
#include <utility>

#include "kernels/contraction/half_panels.hpp"

namespace popir {
namespace half_panels {
namespace avx512 {
namespace {

using V = __m512;
constexpr int kVector = 16, kSums = 24, kRows = 12;
inline V zero() { return _mm512_setzero_ps(); }
inline V broadcast(float x) { return _mm512_set1_ps(x); }
inline V fma(V a, V b, V c) { return _mm512_fmadd_ps(a, b, c); }
inline void store(float* p, V v) { _mm512_storeu_ps(p, v); }
constexpr __mmask16 kAll = 0xffff;
inline V widen(const half* p) {
  return _mm512_maskz_cvtph_ps(kAll, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
}
inline V widen(const Bfloat16* p) {
  const __m256i bits = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  return _mm512_castsi512_ps(
      _mm512_maskz_slli_epi32(kAll, _mm512_maskz_cvtepu16_epi32(kAll, bits), 16));
}

#include "kernels/contraction/half_panels.inc"

}  // namespace

const Routines<half> kHalves = {kVectors * kVector, kRows, run<half>};
const Routines<Bfloat16> kBfloats = {kVectors * kVector, kRows, run<Bfloat16>};

}  // namespace avx512
}  // namespace half_panels
}  // namespace popir
