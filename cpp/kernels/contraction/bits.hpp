// Loops of products with a matrix of numbers of 2, 4 or 8 bits, which has a scale and a zero point
// for each block of a column.
//
// The matrix comes in panels of columns. A panel is words of 32 bits [words, columns]: the next 32
// / bits numbers of each column. Number 4 j + i of a word is in byte i, from bit j * bits on, so
// that a shift of whole vectors brings the same number of all columns to the lowest bits.
#ifndef popir_kernels_contraction_bits_hpp
#define popir_kernels_contraction_bits_hpp

#include <cstddef>
#include <cstdint>

namespace popir {

/// The place of number `i` of a word, in bits.
constexpr std::int64_t placeOfBits(std::int64_t i, std::int64_t bits) {
  return 8 * (i % 4) + bits * (i / 4);
}

/// Blocks of a panel, one below the other.
struct BitsPanel {
  int bits;
  std::int64_t blocks, wordsOfBlock;
  const std::uint32_t* words;  ///< [blocks, wordsOfBlock, columns]
  /// Of block b and column c: scales[b * row + c], zeros[b * row + c]. The value is (number -
  /// 2^(bits - 1) - zero) * scale. Null zeros are 0.
  const float *scales, *zeros;
  std::int64_t row;
};

/// The loops of one instruction set.
struct BitsKernel {
  /// The columns of a panel.
  std::int64_t columns;
  /// C [rows, columns] = A B. A: rows of floats, aRow apart, as long as the panel's columns.
  void (*run)(const float* a, std::int64_t aRow, std::int64_t rows, const BitsPanel& panel,
              float* c, std::int64_t cRow);
  /// Writes the values of the panel to rows [blocks * numbers of a block, columns], toRow apart.
  void (*unpack)(const BitsPanel& panel, float* to, std::int64_t toRow);
};

/// Rows of A as bytes, of which each block has a scale: its largest magnitude becomes 127.
struct BitsRows {
  const std::int8_t* numbers;  ///< [rows, blocks * numbers of a block]
  std::int64_t row;            ///< the length of a row
  /// Of each block, [rows, blocks]: the scale, and the sum of the numbers.
  const float *scales, *sums;
};

/// The loops that multiply bytes, for an A that is rounded to bytes.
struct BitsOfBytesKernel {
  /// The same columns as BitsKernel's.
  std::int64_t columns;
  /// C [rows, columns] = A B, for rows of A from `first` on.
  void (*run)(const BitsRows& a, std::int64_t first, std::int64_t rows, const BitsPanel& panel,
              float* c, std::int64_t cRow);
  /// Rounds a row of `k` floats, and fills its last block up with zeros. A block that is not finite
  /// gets the scale NaN.
  void (*round)(const float* a, std::int64_t k, std::int64_t blockSize, std::int8_t* numbers,
                float* scales, float* sums);
};

/// The most columns of a panel.
constexpr std::int64_t kMostBitsColumns = 64;

namespace base {
extern const BitsKernel kBits;
}
namespace avx2 {
extern const BitsKernel kBits;
}
namespace avx512 {
extern const BitsKernel kBits;
}
namespace avx512vnni {
extern const BitsOfBytesKernel kBitsOfBytes;
}

/// The best loops of this machine.
const BitsKernel& bitsKernel();
/// Those of bytes; null on a machine without VNNI, and if POPIR_ISA holds the process to less.
const BitsOfBytesKernel* bitsOfBytesKernel();

}  // namespace popir

#endif
