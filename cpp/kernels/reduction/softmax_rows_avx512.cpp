// The loops of softmax_rows.hpp for AVX-512.
#include "kernels/reduction/softmax_rows.hpp"

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "kernels/vector/ops.hpp"

namespace popir {
namespace avx512 {
namespace {
#include "kernels/vector/elements.inc"
#include "kernels/vector/exp_avx512.inc"

// The order of reduce_functions.inc: 32 lanes take elements in turns, 1024 elements are a leaf, and leaves
// are joined as a balanced tree.
constexpr std::int64_t kLanes = 32, kLeaf = 32 * kLanes;

struct Pair {
  __m512 a, b;
};

POPIR_FN __m512 part(const float* x, std::int64_t n, __m512 rest) {
  return n >= 16 ? _mm512_loadu_ps(x)
                 : _mm512_mask_loadu_ps(rest, static_cast<__mmask16>((1u << n) - 1), x);
}

/// One number of all lanes: joins lane i with lane i + n/2, halving n each time.
template <class Join>
POPIR_FN float across(Pair lanes, Join join) {
  __m512 v = join(lanes.a, lanes.b);
  v = join(v, _mm512_maskz_shuffle_f32x4(kAll, v, v, 0x4e));
  v = join(v, _mm512_maskz_shuffle_f32x4(kAll, v, v, 0xb1));
  v = join(v, _mm512_maskz_permute_ps(kAll, v, 0x4e));
  v = join(v, _mm512_maskz_permute_ps(kAll, v, 0xb1));
  return _mm512_cvtss_f32(v);
}

POPIR_FN __m512 greater(__m512 a, __m512 b) { return _mm512_maskz_max_ps(kAll, b, a); }
POPIR_FN __m512 lesser(__m512 a, __m512 b) { return _mm512_maskz_min_ps(kAll, b, a); }

/// As reduceFunctions() joins them: keeps a NaN.
POPIR_FN __m512 greaterOrNan(__m512 a, __m512 b) {
  const __mmask16 second =
      _mm512_cmp_ps_mask(b, a, _CMP_GT_OQ) | _mm512_cmp_ps_mask(b, b, _CMP_UNORD_Q);
  return _mm512_mask_blend_ps(second, a, b);
}

void greatest(const float* x, std::int64_t rows, std::int64_t length, float* greatest,
              bool* isNear) {
  const __m512 infinity = _mm512_set1_ps(__builtin_inff());
  const __m512 none = _mm512_set1_ps(-__builtin_inff());
  for (std::int64_t r = 0; r < rows; ++r, x += length) {
    Pair most{none, none}, least{infinity, infinity};
    __mmask16 nan = 0;
    std::int64_t i = 0;
    for (; i + kLanes <= length; i += kLanes) {
      const __m512 a = _mm512_loadu_ps(x + i), b = _mm512_loadu_ps(x + i + 16);
      nan |= _mm512_cmp_ps_mask(a, b, _CMP_UNORD_Q);
      most = {greater(most.a, a), greater(most.b, b)};
      least = {lesser(least.a, a), lesser(least.b, b)};
    }
    for (int half = 0; i < length; i += 16, ++half) {
      const __m512 a = part(x + i, length - i, none), c = part(x + i, length - i, infinity);
      nan |= _mm512_cmp_ps_mask(a, a, _CMP_UNORD_Q);
      (half == 0 ? most.a : most.b) = greater(half == 0 ? most.a : most.b, a);
      least.a = lesser(least.a, c);
    }
    if (nan != 0) {
      most = {none, none};
      for (i = 0; i < length; i += kLanes) {
        most.a = greaterOrNan(most.a, part(x + i, length - i, none));
        if (length - i > 16) most.b = greaterOrNan(most.b, part(x + i + 16, length - i - 16, none));
      }
      greatest[r] = across(most, greaterOrNan);
      isNear[r] = false;
      continue;
    }
    greatest[r] = across(most, greater);
    isNear[r] = across(least, lesser) - greatest[r] >= -87.0f;
  }
}

/// As expDown16(), of what is near.
POPIR_FN __m512 expNear16(__m512 x) {
  const Reduced16 q = reduceExp(x);
  return scaled(expReduced(q.r), q.k);
}

/// The sums of up to a leaf of exponentials, by lane.
template <bool near, bool writes>
POPIR_FN Pair leaf(const float* x, std::int64_t n, __m512 most, float* e) {
  const auto exponential = [&](std::int64_t i) {
    const __m512 d = _mm512_sub_ps(_mm512_loadu_ps(x + i), most);
    const __m512 y = near ? expNear16(d) : expDown16(d);
    if (writes) _mm512_storeu_ps(e + i, y);
    return y;
  };
  Pair sums{_mm512_setzero_ps(), _mm512_setzero_ps()};
  std::int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
    sums = {_mm512_add_ps(sums.a, exponential(i)), _mm512_add_ps(sums.b, exponential(i + 16))};
  if (i == n) return sums;
  const bool isWhole = n - i >= 16;
  if (isWhole) {
    sums.a = _mm512_add_ps(sums.a, exponential(i));
    i += 16;
  }
  if (i == n) return sums;
  const auto rest = static_cast<__mmask16>((1u << (n - i)) - 1);
  const __m512 d = _mm512_sub_ps(_mm512_mask_loadu_ps(most, rest, x + i), most);
  const __m512 y = _mm512_maskz_mov_ps(rest, near ? expNear16(d) : expDown16(d));
  if (writes) _mm512_mask_storeu_ps(e + i, rest, y);
  __m512& lanes = isWhole ? sums.b : sums.a;
  lanes = _mm512_add_ps(lanes, y);
  return sums;
}

POPIR_FN Pair joined(const Pair& a, const Pair& b) {
  return {_mm512_add_ps(a.a, b.a), _mm512_add_ps(a.b, b.b)};
}

template <bool near, bool writes>
float row(const float* x, std::int64_t n, float greatest, float* e) {
  const __m512 most = _mm512_set1_ps(greatest);
  const auto sum = [](const Pair& lanes) {
    return across(lanes, [](__m512 a, __m512 b) { return _mm512_add_ps(a, b); });
  };
  if (n <= kLeaf) return sum(leaf<near, writes>(x, n, most, e));
  Pair pending[48];  // one subtree for each bit of `leaves` that is set
  int depth = 0;
  std::uint64_t leaves = 0;
  for (; n > kLeaf; n -= kLeaf, x += kLeaf, e += writes ? kLeaf : 0) {
    pending[depth] = leaf<near, writes>(x, kLeaf, most, e);
    for (std::uint64_t carry = leaves++; carry & 1; carry >>= 1, --depth)
      pending[depth - 1] = joined(pending[depth - 1], pending[depth]);
    ++depth;
  }
  Pair last = leaf<near, writes>(x, n, most, e);
  for (; depth > 0; --depth) last = joined(pending[depth - 1], last);
  return sum(last);
}

void exponentials(const float* x, std::int64_t rows, std::int64_t length, const float* greatest,
                  const bool* isNear, float* e, float* sums) {
  for (std::int64_t r = 0; r < rows; ++r) {
    const float* const from = x + r * length;
    if (e == nullptr)
      sums[r] = (isNear[r] ? row<true, false> : row<false, false>)(from, length, greatest[r], e);
    else
      sums[r] = (isNear[r] ? row<true, true> : row<false, true>)(from, length, greatest[r],
                                                                 e + r * length);
  }
}

void differences(const float* x, std::int64_t rows, std::int64_t length, const float* a,
                 const float* b, float* y) {
  for (std::int64_t r = 0; r < rows; ++r, x += length, y += length) {
    const __m512 first = _mm512_set1_ps(a[r]), second = _mm512_set1_ps(b[r]);
    std::int64_t i = 0;
    for (; i + 16 <= length; i += 16)
      _mm512_storeu_ps(y + i, _mm512_sub_ps(_mm512_sub_ps(_mm512_loadu_ps(x + i), first), second));
    for (; i < length; ++i) y[i] = (x[i] - a[r]) - b[r];
  }
}

}  // namespace

const SoftmaxRows kSoftmaxRows = {greatest, exponentials, differences};

}  // namespace avx512
}  // namespace popir
