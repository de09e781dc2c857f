// Convolutions in channel blocks for AVX2: 16 registers of 8 floats.
#include <immintrin.h>

#include <utility>

#include "kernels/contraction/blocked.hpp"

namespace popir {
namespace blocked {
namespace avx2 {
namespace {

typedef float V __attribute__((vector_size(32)));
constexpr int kVector = 8, kRows = 6, kRegisters = 16, kNeighbours = 13;
inline V fma(V a, V b, V c) { return _mm256_fmadd_ps(a, b, c); }
inline V broadcast(float x) { return _mm256_set1_ps(x); }
inline V loadHalf(const float* p) { return _mm256_zextps128_ps256(_mm_loadu_ps(p)); }
inline void storeHalf(float* p, V v) { _mm_storeu_ps(p, _mm256_castps256_ps128(v)); }
inline bool hasNaN(V v) { return _mm256_movemask_ps(_mm256_cmp_ps(v, v, _CMP_UNORD_Q)) != 0; }
inline bool anyReaches(V a, V b) {
  return _mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_GE_OQ)) != 0;
}
inline V absolute(V v) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), v); }
inline V fours(const float* p, std::int64_t apart) {
  return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(p)), _mm_loadu_ps(p + apart), 1);
}
inline V lowWords(V a, V b) { return _mm256_unpacklo_ps(a, b); }
inline V highWords(V a, V b) { return _mm256_unpackhi_ps(a, b); }
inline V lowPairs(V a, V b) { return (V)_mm256_unpacklo_pd((__m256d)a, (__m256d)b); }
inline V highPairs(V a, V b) { return (V)_mm256_unpackhi_pd((__m256d)a, (__m256d)b); }
inline V larger(V a, V b) { return _mm256_max_ps(a, b); }
inline V orNaN(V a, V b) { return _mm256_or_ps(a, _mm256_cmp_ps(b, b, _CMP_UNORD_Q)); }
inline V smaller(V a, V b) { return _mm256_min_ps(a, b); }

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

}  // namespace avx2
}  // namespace blocked
}  // namespace popir
