// Transposition of matrices in memory, by tiles that registers hold.
#ifndef popir_kernels_movement_tiles_hpp
#define popir_kernels_movement_tiles_hpp

#include <cstddef>
#include <cstdint>

namespace popir {

/// Writes `to`[i, j] = `from`[j, i] for i < rows, j < columns. Both are strided by rows, in bytes.
using TransposeMatrix = void (*)(const char* from, std::int64_t fromRow, char* to,
                                 std::int64_t toRow, std::int64_t rows, std::int64_t columns);

/// For elements of 1, 2, 4 or 8 bytes, with the best instruction set of this machine.
TransposeMatrix transposeMatrix(std::size_t elementBytes);

namespace base {
TransposeMatrix transposeMatrix(std::size_t elementBytes);
}
namespace avx2 {
TransposeMatrix transposeMatrix(std::size_t elementBytes);
}
namespace avx512 {
TransposeMatrix transposeMatrix(std::size_t elementBytes);
}

}  // namespace popir

#endif
