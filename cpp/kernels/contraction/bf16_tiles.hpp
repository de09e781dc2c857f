// Matrix products of floats on tiles of bfloat16, in which AMX multiplies.
//
// A float is the sum of three bfloat16, its parts: x = h + m + l, each the rounded rest of x. A
// product of floats is the sum of products of parts, which a tile instruction adds up in float.
// Products of parts that are smaller than a float's rounding are left out.
#ifndef popir_kernels_contraction_bf16_tiles_hpp
#define popir_kernels_contraction_bf16_tiles_hpp

#include <cstddef>
#include <cstdint>

#include "kernels/fp_math.hpp"

namespace popir {
namespace tiles {

/// Steps over k that a tile instruction sums, and the rows and columns of a block of four tiles.
constexpr std::int64_t kDepth = 32, kBlock = 32;

/// A is multiplied by this before it is split, so that the parts of small numbers are no denormals,
/// which tiles take for zero. What overflows is found in the result.
constexpr float kLift = 0x1p64f;

constexpr int partsOf(FpMath math) {
  return math == FpMath::Highest ? 3 : math == FpMath::High ? 2 : 1;
}

/// Bytes of the parts of kBlock rows of A, or columns of B, in `steps` steps over k.
constexpr std::size_t partBytes(FpMath math, std::int64_t steps) {
  return static_cast<std::size_t>(partsOf(math) * steps * kDepth * kBlock) * 2;
}

/// Rows of a matrix of floats.
struct Rows {
  const float* first;
  std::int64_t count;        ///< at most kBlock
  std::int64_t length;       ///< elements of a row
  std::int64_t row, column;  ///< strides
  float scale;               ///< by which elements are multiplied
};

/// The loops of one implementation, for one FpMath. Memory of parts is 64-byte aligned.
struct Loops {
  /// Writes the parts of a block of A: [step][part][row][kDepth]. Rows beyond the last are zero.
  void (*splitRows)(const Rows& rows, void* parts);
  /// Writes the parts of a block of B, given as rows of its transpose:
  /// [step][part][half of the columns][pair of k][column][2].
  void (*splitColumns)(const Rows& columns, void* parts);
  /// sums[kBlock][kBlock] = A * B by the parts of a block of each. Only the first `rows` rows are
  /// written, in groups of 16.
  void (*multiply)(const void* a, const void* b, std::int64_t steps, std::int64_t rows,
                   float* sums);
};

/// The loops for tiles of AMX.
const Loops& amxLoops(FpMath math);
/// The same loops with tile instructions that are emulated, bit for bit, on any machine.
const Loops& emulatedLoops(FpMath math);

/// True if the machine has tiles of bfloat16, the operating system grants their use, and POPIR_ISA
/// selects no instruction set.
bool haveAmx();

}  // namespace tiles
}  // namespace popir

#endif
