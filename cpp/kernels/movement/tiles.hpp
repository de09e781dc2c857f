// Transposition of matrices in memory, by tiles that registers hold.
#ifndef popir_kernels_movement_tiles_hpp
#define popir_kernels_movement_tiles_hpp

#include <immintrin.h>

#include <cstdint>

namespace popir {

/// Transposes tiles of a matrix: `to`[i, j] is `from`[j, i]. Both are strided by rows, in bytes.
/// Elements of other sizes than 4 bytes go one by one.
template <class T>
inline void transposeMatrix(const char* from, std::int64_t fromRow, char* to, std::int64_t toRow,
                            std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t kTile = 4, kBytes = sizeof(T);
  const auto one = [&](std::int64_t i, std::int64_t j) {
    *reinterpret_cast<T*>(to + i * toRow + j * kBytes) =
        *reinterpret_cast<const T*>(from + j * fromRow + i * kBytes);
  };
  std::int64_t i = 0;
  if constexpr (sizeof(T) == 4) {
    for (; i + kTile <= rows; i += kTile) {
      std::int64_t j = 0;
      for (; j + kTile <= columns; j += kTile) {
        // In variables, which stay in registers without unrolling.
        const auto row = [&](std::int64_t k) {
          return _mm_loadu_ps(
              reinterpret_cast<const float*>(from + (j + k) * fromRow + i * kBytes));
        };
        const auto put = [&](std::int64_t k, __m128 values) {
          _mm_storeu_ps(reinterpret_cast<float*>(to + (i + k) * toRow + j * kBytes), values);
        };
        __m128 a = row(0), b = row(1), c = row(2), d = row(3);
        _MM_TRANSPOSE4_PS(a, b, c, d);
        put(0, a);
        put(1, b);
        put(2, c);
        put(3, d);
      }
      for (; j < columns; ++j)
        for (std::int64_t k = 0; k < kTile; ++k) one(i + k, j);
    }
  }
  for (; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) one(i, j);
}

}  // namespace popir

#endif
