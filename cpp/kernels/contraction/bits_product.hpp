// Products with a matrix of numbers of 2, 4 or 8 bits.
#ifndef popir_kernels_contraction_bits_product_hpp
#define popir_kernels_contraction_bits_product_hpp

#include <cstdint>
#include <memory>
#include <tuple>

#include "kernels/contraction/contraction.hpp"

namespace popir {

/// A matrix W [n, k] of numbers of 2, 4 or 8 bits. Each `blockSize` numbers of a row, a multiple of
/// 16, are a block, the last of which may reach beyond k. The numbers are [n, blocks, bytes of a
/// block], the lowest bits of a byte first; scales and zero points are [blocks, n]. The value of a
/// number is (number - 2^(bits - 1) - zero point) * scale.
struct BitsMatrix {
  std::int64_t n, k, blockSize, bits;
  bool hasZeros;
  /// Products may round blocks of their other operand to bytes.
  bool roundsRows;

  auto state() const { return std::tie(n, k, blockSize, bits, hasZeros, roundsRows); }
  std::int64_t blocks() const { return (k + blockSize - 1) / blockSize; }
  std::int64_t bytesOfBlock() const { return blockSize * bits / 8; }
  /// Number `i` of a row, from the row's bytes.
  std::int64_t number(const std::uint8_t* row, std::int64_t i) const {
    return row[i * bits / 8] >> (i * bits % 8) & ((1 << bits) - 1);
  }
};

namespace contraction {

/// C [m, n] = A [m, k] W^T, of FLOAT. The columns of A have stride 1, C is dense. Operands: A, the
/// numbers of W, C, the scales, followed by the zero points if there are any. The numbers are
/// packed.
std::unique_ptr<Contraction> makeBitsProduct(const BitsMatrix& w, std::int64_t m, std::int64_t aRow,
                                             unsigned threads);

/// With fewer columns of W^T, rows of W, most of a panel would be empty.
std::int64_t leastBitsColumns();

}  // namespace contraction
}  // namespace popir

#endif
