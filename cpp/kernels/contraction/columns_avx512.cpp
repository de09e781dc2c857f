#include <immintrin.h>

#include "kernels/contraction/columns.hpp"

namespace popir {
namespace contraction {
namespace avx512 {

void gatherVectors(const float* channel, const ColumnVector* vectors, std::size_t count,
                   std::int64_t step, float* row) {
  if (step == 1) {
    for (const ColumnVector *v = vectors, *end = v + count; v != end; ++v)
      _mm512_storeu_ps(row + v->to,
                       _mm512_maskz_loadu_ps(static_cast<__mmask16>(v->taken), channel + v->from));
    return;
  }
  const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  if (step == 2) {
    const __m512i even = _mm512_add_epi32(lanes, lanes);
    for (const ColumnVector *v = vectors, *end = v + count; v != end; ++v) {
      const float* const from = channel + v->from;
      const __m512 low = _mm512_maskz_loadu_ps(static_cast<__mmask16>(v->taken), from),
                   high = _mm512_maskz_loadu_ps(static_cast<__mmask16>(v->taken >> 16), from + 16);
      _mm512_storeu_ps(row + v->to, _mm512_permutex2var_ps(low, even, high));
    }
    return;
  }
  const __m512i places = _mm512_mullo_epi32(lanes, _mm512_set1_epi32(static_cast<int>(step)));
  for (const ColumnVector *v = vectors, *end = v + count; v != end; ++v)
    _mm512_storeu_ps(row + v->to,
                     _mm512_mask_i32gather_ps(_mm512_setzero_ps(), static_cast<__mmask16>(v->taken),
                                              places, channel + v->from, sizeof(float)));
}

}  // namespace avx512
}  // namespace contraction
}  // namespace popir
