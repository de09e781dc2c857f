// Products of matrices of few bits with rows of bytes. VNNI multiplies four unsigned bytes, numbers
// of the matrix, with four signed ones, and adds the products to a sum of 32 bits. What the middle
// of the range and the zero points take from the sum of a block is a multiple of the sum of A's
// numbers.
#include <immintrin.h>

#include <cstring>

#include "kernels/contraction/bits.hpp"

namespace popir {
namespace avx512vnni {
namespace {

#define POPIR_INLINE inline __attribute__((always_inline))

constexpr int kLanes = 16, kVectors = 4, kRows = 4;
constexpr std::int64_t kColumns = kVectors * kLanes;
static_assert(kColumns == kMostBitsColumns);
// A mask of all lanes: of the forms without one g++ 12 warns.
constexpr __mmask16 kAll = 0xffff;

/// Four numbers of each column as bytes: numbers 4 j to 4 j + 3 of words.
template <int Bits>
POPIR_INLINE __m512i bytesOf(__m512i words, int j) {
  if (Bits == 8) return words;
  const __m512i mask = _mm512_set1_epi8((1 << Bits) - 1);
  return _mm512_maskz_srli_epi32(kAll, words, static_cast<unsigned>(Bits * j)) & mask;
}

template <int Bits, int R>
void someRows(const BitsRows& a, std::int64_t first, const BitsPanel& p, float* c,
              std::int64_t cRow) {
  constexpr int kQuads = 8 / Bits;
  const std::uint32_t* words = p.words;
  const std::int8_t* numbers = a.numbers + first * a.row;
  const __m512 middle = _mm512_set1_ps(1 << (Bits - 1));
  for (std::int64_t b = 0; b < p.blocks; ++b) {
    __m512i sums[R][kVectors];
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r)
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) sums[r][v] = _mm512_setzero_si512();
    for (std::int64_t w = 0; w < p.wordsOfBlock; ++w, words += kColumns, numbers += 4 * kQuads) {
      __m512i packed[kVectors];
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) packed[v] = _mm512_loadu_si512(words + v * kLanes);
#pragma GCC unroll 4
      for (int j = 0; j < kQuads; ++j) {
        __m512i quads[kVectors];
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) quads[v] = bytesOf<Bits>(packed[v], j);
#pragma GCC unroll 4
        for (int r = 0; r < R; ++r) {
          std::int32_t four;
          std::memcpy(&four, numbers + r * a.row + 4 * j, sizeof four);
          const __m512i x = _mm512_set1_epi32(four);
#pragma GCC unroll 4
          for (int v = 0; v < kVectors; ++v)
            sums[r][v] = _mm512_dpbusd_epi32(sums[r][v], quads[v], x);
        }
      }
    }
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      const std::int64_t at = b * p.row + v * kLanes;
      const __m512 scale = _mm512_loadu_ps(p.scales + at);
      const __m512 zero =
          p.zeros == nullptr ? middle : _mm512_add_ps(middle, _mm512_loadu_ps(p.zeros + at));
#pragma GCC unroll 4
      for (int r = 0; r < R; ++r) {
        const std::int64_t block = (first + r) * p.blocks + b;
        const __m512 sum = _mm512_fnmadd_ps(zero, _mm512_set1_ps(a.sums[block]),
                                            _mm512_maskz_cvtepi32_ps(kAll, sums[r][v]));
        const __m512 by = _mm512_mul_ps(scale, _mm512_set1_ps(a.scales[block]));
        float* const to = c + r * cRow + v * kLanes;
        _mm512_storeu_ps(
            to, b == 0 ? _mm512_mul_ps(sum, by) : _mm512_fmadd_ps(sum, by, _mm512_loadu_ps(to)));
      }
    }
  }
}

template <int Bits, int R>
void lastRows(const BitsRows& a, std::int64_t first, std::int64_t rows, const BitsPanel& p,
              float* c, std::int64_t cRow) {
  if constexpr (R > 0) {
    if (rows == R) return someRows<Bits, R>(a, first, p, c, cRow);
    lastRows<Bits, R - 1>(a, first, rows, p, c, cRow);
  }
}

template <int Bits>
void allRows(const BitsRows& a, std::int64_t first, std::int64_t rows, const BitsPanel& p, float* c,
             std::int64_t cRow) {
  for (; rows > kRows; rows -= kRows, first += kRows, c += kRows * cRow)
    someRows<Bits, kRows>(a, first, p, c, cRow);
  lastRows<Bits, kRows>(a, first, rows, p, c, cRow);
}

void runBytes(const BitsRows& a, std::int64_t first, std::int64_t rows, const BitsPanel& panel,
              float* c, std::int64_t cRow) {
  const auto run = panel.bits == 2 ? allRows<2> : panel.bits == 4 ? allRows<4> : allRows<8>;
  run(a, first, rows, panel, c, cRow);
}

/// A block of smaller numbers is 0: 127 over one of them may be infinite.
constexpr float kLeastMagnitude = 0x1p-120f;

POPIR_INLINE __mmask16 firstLanes(std::int64_t n) {
  return n >= kLanes ? kAll : static_cast<__mmask16>((1u << n) - 1);
}

void roundBlock(const float* a, std::int64_t n, std::int8_t* numbers, float* scale, float* sum) {
  __m512 largest = _mm512_setzero_ps();
  __mmask16 others = 0;
  for (std::int64_t i = 0; i < n; i += kLanes) {
    const __m512 size = _mm512_abs_ps(_mm512_maskz_loadu_ps(firstLanes(n - i), a + i));
    others |= _mm512_cmp_ps_mask(size, _mm512_set1_ps(__FLT_MAX__), _CMP_NLE_UQ);
    largest = _mm512_maskz_max_ps(kAll, largest, size);
  }
  float lanes[kLanes], most = 0;
  _mm512_storeu_ps(lanes, largest);
  for (const float lane : lanes) most = lane > most ? lane : most;
  const bool isFinite = others == 0;
  const float by = isFinite && most >= kLeastMagnitude ? 127 / most : 0;
  __m512i total = _mm512_setzero_si512();
  for (std::int64_t i = 0; i < n; i += kLanes) {
    const __mmask16 valid = isFinite ? firstLanes(n - i) : __mmask16{0};
    const __m512 x = _mm512_mul_ps(_mm512_maskz_loadu_ps(valid, a + i), _mm512_set1_ps(by));
    const __m512i rounded = _mm512_maskz_cvtps_epi32(kAll, x);
    _mm512_mask_cvtepi32_storeu_epi8(numbers + i, firstLanes(n - i), rounded);
    total = _mm512_add_epi32(total, rounded);
  }
  std::int32_t sums[kLanes], all = 0;
  _mm512_storeu_si512(sums, total);
  for (const std::int32_t lane : sums) all += lane;
  *scale = isFinite ? most / 127 : __builtin_nanf("");
  *sum = static_cast<float>(all);
}

void roundRow(const float* a, std::int64_t k, std::int64_t blockSize, std::int8_t* numbers,
              float* scales, float* sums) {
  for (; k > 0; k -= blockSize, a += blockSize, numbers += blockSize) {
    const std::int64_t n = k < blockSize ? k : blockSize;
    roundBlock(a, n, numbers, scales++, sums++);
    std::memset(numbers + n, 0, static_cast<std::size_t>(blockSize - n));
  }
}

#undef POPIR_INLINE

}  // namespace

const BitsOfBytesKernel kBitsOfBytes = {kColumns, runBytes, roundRow};

}  // namespace avx512vnni
}  // namespace popir
