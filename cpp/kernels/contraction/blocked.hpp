// Our own convolutions on activations in blocks of channels of one vector: 3 x 3 by Winograd's
// minimal filtering, any by direct sums, and depthwise. The bias and post-ops are applied to sums in
// registers.
#ifndef popir_kernels_contraction_blocked_hpp
#define popir_kernels_contraction_blocked_hpp

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/contraction/contraction.hpp"

namespace popir {
namespace blocked {

/// A convolution of 3 x 3, of stride 1, by tiles of 2 x 2 or of 4 x 4 outputs. A tile of 2 x 2 takes 16
/// multiplications for each pair of channels instead of 36, one of 4 x 4 takes 36 instead of 144.
struct Shape {
  std::int64_t tile;  ///< outputs along a side: 2 or 4
  std::int64_t images, in,
      out;  ///< channels: whole vectors; `out` of two but for gradients of weights
  std::int64_t height, width, outHeight, outWidth, padTop, padLeft;
  /// The weight of output channel o, input channel i and tap t is at o * outStep + i * inStep + t;
  /// if `turned`, at 8 - t, as in the gradient of the input.
  std::int64_t outStep, inStep;
  bool turned;

  const float* weight(const float* weights, std::int64_t o, std::int64_t i, int tap) const {
    return weights + o * outStep + i * inStep + (turned ? 8 - tap : tap);
  }

  std::int64_t tileRows() const { return (outHeight + tile - 1) / tile; }
  std::int64_t tileColumns() const { return (outWidth + tile - 1) / tile; }
  std::int64_t places() const { return (tile + 2) * (tile + 2); }
  std::int64_t tiles() const { return images * tileRows() * tileColumns(); }
  std::int64_t packedFloats() const { return places() * step(in, out); }
  /// Floats from one place to the next, for `count` rows of channels: not whole pages, so that places
  /// do not share a set of the cache.
  static std::int64_t step(std::int64_t count, std::int64_t channels) {
    constexpr std::int64_t kApart = 16;
    return count * channels + kApart;
  }
  /// For `count` tiles by `outs` output channels.
  std::int64_t scratchFloats(std::int64_t count, std::int64_t outs) const {
    return places() * (step(count, in) + step(count, outs)) + count;
  }
  /// Weights that are not packed before are packed for so many input channels at a time; inputs are
  /// transformed to chunks of these.
  std::int64_t chunkIns() const { return in < 64 ? in : 64; }
  std::int64_t chunks() const { return (in + chunkIns() - 1) / chunkIns(); }
  /// The same as scratchFloats() for such weights, in panels of `panel` output channels.
  std::int64_t unpackedFloats(std::int64_t count, std::int64_t panel) const {
    return places() *
               (step(count, chunks() * chunkIns()) + step(count, panel) + step(chunkIns(), panel)) +
           count;
  }
};

/// Tiles [first, first + count), and of these the output channels [o, end).
struct TileRange {
  std::int64_t first, count, o, end;
};

/// The two dimensions over which a filter moves.
struct Field {
  std::int64_t height, width, outHeight, outWidth;
  std::int64_t kernelHeight, kernelWidth, strideHeight, strideWidth;
  std::int64_t dilationHeight, dilationWidth, padTop, padLeft;

  std::int64_t taps() const { return kernelHeight * kernelWidth; }
};

/// A convolution of any filter. Channels are counted within a group. The input's channels are in
/// blocks of `block`, in any strides: of images, blocks, rows and columns. The output's are in blocks
/// of a vector, of which the last one may be a half.
struct DirectShape : Field {
  std::int64_t images, groups, in, out;
  std::int64_t block, imageStep, blockStep, rowStep, columnStep;
  std::int64_t outBlockStep, outColumnStep;

  std::int64_t blocks() const { return in / block; }
  std::int64_t panels(std::int64_t panel) const {
    return (out + panel - 1) / panel;
  }  ///< of a group
};

/// A convolution of groups of `group` channels, and as many outputs: 1, a depthwise one, 2, 4 or 8.
struct DepthShape : Field {
  std::int64_t images, channels;
  std::int64_t group = 1;
  /// The gradient of the input: a convolution of that of the output, with groups of weights turned.
  bool turned = false;
};

/// A post-op, or the bias, with the memory it reads: a number, one for each channel, or for each
/// element, blocked as the output is.
struct Step {
  contraction::PostOp::Kind kind;
  contraction::PostOp::Extent extent;
  float number;
  const float* data;
};

/// The steps of a run, in order.
struct Steps {
  const Step* first;
  std::size_t count;
  const Step* begin() const { return first; }
  const Step* end() const { return first + count; }
};

/// Memory of a run. `weights` are plain, `packed` what the pack function made of them, or null. The
/// gradient of an input reads that of the output and writes that of the input: `in` and `out` are
/// these.
struct Operands {
  const float* in;
  const float* weights;
  const float* packed;
  float* out;
  Steps steps;
};

/// The routines of one instruction set.
struct Routines {
  std::int64_t vector;  ///< channels of a block
  /// Packs output channels [o, end), multiples of two vectors.
  void (*packWinograd)(const Shape& shape, const float* weights, float* packed, std::int64_t o,
                       std::int64_t end);
  /// Computes a part, of whole panels of two vectors. `scratch` has its scratchFloats(), or, if
  /// `operands.packed` is null, its unpackedFloats().
  void (*runWinograd)(const Shape& shape, const Operands& operands, const TileRange& part,
                      float* scratch);
  /// Transforms inputs to u and the gradients of outputs to d, in blocks of a vector of channels for
  /// each place, and adds their products to `sums` [place, out, in], or writes these if the tiles are
  /// the first ones.
  void (*addGradient)(const Shape& shape, const TileRange& part, const float* in,
                      const float* gradient, float* u, float* d, float* sums);
  /// Transforms the sums of output channels [first, end) to the gradient of the weights.
  void (*finishGradient)(const Shape& shape, const float* in, const float* gradient,
                         const float* sums, float* weights, std::int64_t first, std::int64_t end);
  /// Packs panels [panel, lastPanel), counted as below.
  void (*packDirect)(const DirectShape& shape, const float* weights, float* packed,
                     std::int64_t panel, std::int64_t lastPanel);
  /// Computes rows [row, lastRow) and columns [column, lastColumn) of an image's output, for panels
  /// [panel, lastPanel) of two vectors of output channels, counted through groups; the last one of a
  /// group may reach beyond the group.
  void (*runDirect)(const DirectShape& shape, const Operands& operands, std::int64_t image,
                    std::int64_t row, std::int64_t lastRow, std::int64_t column,
                    std::int64_t lastColumn, std::int64_t panel, std::int64_t lastPanel);
  void (*packDepthwise)(const DepthShape& shape, const float* weights, float* packed);
  /// Computes rows [first, end) of the output, counted through blocks of channels and images.
  void (*runDepthwise)(const DepthShape& shape, const Operands& operands, std::int64_t first,
                       std::int64_t end);
  /// Computes the gradients of rows [first, end) of the filters, plain, counted through blocks of
  /// channels.
  void (*runDepthwiseGradient)(const DepthShape& shape, const float* in, const float* gradient,
                               float* weights, std::int64_t first, std::int64_t end);
};

namespace avx2 {
extern const Routines kRoutines;
}
namespace avx512 {
extern const Routines kRoutines;
}

}  // namespace blocked
}  // namespace popir

#endif
