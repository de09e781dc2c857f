// Convolutions in channel blocks for AVX-512: 32 registers of 16 floats.
#include <immintrin.h>

#include <utility>

#include "kernels/contraction/blocked.hpp"

namespace popir {
namespace blocked {
namespace avx512 {
namespace {

typedef float V __attribute__((vector_size(64)));
constexpr int kVector = 16, kRows = 14, kRegisters = 32, kNeighbours = 14;
inline V fma(V a, V b, V c) { return _mm512_fmadd_ps(a, b, c); }
inline V broadcast(float x) { return _mm512_set1_ps(x); }
inline V loadHalf(const float* p) { return _mm512_maskz_loadu_ps(0xff, p); }
inline void storeHalf(float* p, V v) { __builtin_memcpy(p, &v, sizeof v / 2); }
inline bool hasNaN(V v) { return _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q) != 0; }
inline bool anyReaches(V a, V b) { return _mm512_cmp_ps_mask(a, b, _CMP_GE_OQ) != 0; }
inline V absolute(V v) { return _mm512_abs_ps(v); }
inline V fours(const float* p, std::int64_t apart) {
  V v = _mm512_castps128_ps512(_mm_loadu_ps(p));
  v = _mm512_insertf32x4(v, _mm_loadu_ps(p + apart), 1);
  v = _mm512_insertf32x4(v, _mm_loadu_ps(p + 2 * apart), 2);
  return _mm512_insertf32x4(v, _mm_loadu_ps(p + 3 * apart), 3);
}
inline V lowWords(V a, V b) { return _mm512_maskz_unpacklo_ps(0xffff, a, b); }
inline V highWords(V a, V b) { return _mm512_maskz_unpackhi_ps(0xffff, a, b); }
inline V lowPairs(V a, V b) { return (V)_mm512_maskz_unpacklo_pd(0xff, (__m512d)a, (__m512d)b); }
inline V highPairs(V a, V b) { return (V)_mm512_maskz_unpackhi_pd(0xff, (__m512d)a, (__m512d)b); }
inline V larger(V a, V b) { return _mm512_maskz_max_ps(0xffff, a, b); }
inline V orNaN(V a, V b) { return b != b ? b : a; }
inline V smaller(V a, V b) { return _mm512_maskz_min_ps(0xffff, a, b); }

// The others are written with the first.
// clang-format off
#include "kernels/contraction/register_block.inc"
#include "kernels/contraction/runs.inc"
#include "kernels/contraction/depthwise.inc"
#include "kernels/contraction/direct.inc"
#include "kernels/contraction/winograd.inc"
// clang-format on

}  // namespace

const Routines kRoutines = {kVector,        packWinograd,        runWinograd, addGradient,
                            finishGradient, packDirect,          runDirect,   packDepthwise,
                            runDepthwise,   runDepthwiseGradient};

}  // namespace avx512
}  // namespace blocked
}  // namespace popir
