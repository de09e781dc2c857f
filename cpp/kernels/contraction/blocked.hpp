// Convolutions of 3 x 3 by Winograd's minimal filtering F(2x2, 3x3) (Lavin and Gray 2015): a tile of
// 4 x 4 inputs gives 2 x 2 outputs by 16 multiplications for each pair of channels instead of 36.
#ifndef popir_kernels_contraction_winograd_hpp
#define popir_kernels_contraction_winograd_hpp

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/contraction/contraction.hpp"

namespace popir {
namespace winograd {

/// A convolution of stride 1, on activations in blocks of channels of one vector.
struct Shape {
  std::int64_t images, in, out;  ///< channels: multiples of a vector and of two vectors
  std::int64_t height, width, outHeight, outWidth, padTop, padLeft;

  std::int64_t tileRows() const { return (outHeight + 1) / 2; }
  std::int64_t tileColumns() const { return (outWidth + 1) / 2; }
  std::int64_t tiles() const { return images * tileRows() * tileColumns(); }
};

/// A post-op, or the bias, with the memory it reads: a number, one for each channel, or for each
/// element, blocked as the output is.
struct Step {
  contraction::PostOp::Kind kind;
  contraction::PostOp::Extent extent;
  float number;
  const float* data;
};

/// Memory of a run. `weights` are plain, [out, in, 3, 3].
struct Operands {
  const float* in;
  const float* weights;
  const float* packed;
  float* out;
  const std::vector<Step>* steps;
};

/// The routines of one instruction set.
struct Routines {
  std::int64_t vector;  ///< channels of a block
  void (*pack)(const Shape& shape, const float* weights, float* packed);
  /// Computes the tiles [first, first + count). `scratch` has scratchFloats() floats.
  void (*run)(const Shape& shape, const Operands& operands, std::int64_t first, std::int64_t count,
              float* scratch);
};

/// Floats of the packed weights.
inline std::int64_t packedFloats(const Shape& s) { return 16 * s.in * s.out; }
/// For `count` tiles.
inline std::int64_t scratchFloats(const Shape& s, std::int64_t count) {
  return 16 * count * (s.in + s.out);
}

namespace avx2 {
extern const Routines kRoutines;
}
namespace avx512 {
extern const Routines kRoutines;
}

}  // namespace winograd
}  // namespace popir

#endif
