// Convolutions of 8-bit integers minus zero points, with sums of 32 bits that wrap.
#ifndef popir_kernels_contraction_integer_conv_hpp
#define popir_kernels_contraction_integer_conv_hpp

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "kernels/contraction/contraction.hpp"
#include "kernels/contraction/integer_product.hpp"
#include "kernels/contraction/requantization.hpp"

namespace popir {
namespace contraction {

/// out[n, g, o, y] = sum over i, t of (in - zero point)[n, g, i, x] * (weights - zero points)[g, o,
/// i, t], as a ConvSpec's forward pass without dilation of the input; all dense,
/// or with channels last. Padding is as much
/// as the zero point of `in`. Of SIGNED_CHAR or UNSIGNED_CHAR; out is INT.
struct IntegerConvSpec {
  poplar::Type inType, weightsType;
  std::int64_t batch, groups, inChannels, outChannels;  ///< channels per group
  std::vector<std::int64_t> inField, kernel, outField, stride, dilation, padLower;
  ZeroPoints inZero;       ///< None or One
  ZeroPoints weightZeros;  ///< one for each output channel, [groups * outChannels], if Each
  /// How the sums become bytes or floats; nothing: out is INT.
  std::optional<Requantization> requantization = {};
  /// Whether channels are the last dimension in memory, of `in` and of `out`.
  bool inLast = false, outLast = false;
};

/// Whether makeIntegerConv() takes such sizes: a channel with its padding has at most 16 times the
/// elements of its input and output, and 2^16 more.
bool isCompact(const std::vector<std::int64_t>& inField, const std::vector<std::int64_t>& kernel,
               const std::vector<std::int64_t>& outField, const std::vector<std::int64_t>& stride,
               const std::vector<std::int64_t>& dilation);

/// Operands: in, weights, out, then the zero point of `in` and those of the weights, as far as
/// there are any, then those of the requantization. The weights are packed.
std::unique_ptr<Contraction> makeIntegerConv(const IntegerConvSpec& spec, unsigned threads);

/// Whether makeIntegerDepthwise() takes the convolution: two field dimensions, one channel in and one
/// out in each group.
bool isIntegerDepthwise(const IntegerConvSpec& spec);

/// The same for such a convolution, faster (integer_depthwise.cpp).
std::unique_ptr<Contraction> makeIntegerDepthwise(const IntegerConvSpec& spec, unsigned threads);

}  // namespace contraction
}  // namespace popir

#endif
