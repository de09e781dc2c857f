// Convolutions of 8-bit integers minus zero points, with sums of 32 bits that wrap.
#ifndef popir_kernels_contraction_integer_conv_hpp
#define popir_kernels_contraction_integer_conv_hpp

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/contraction/contraction.hpp"
#include "kernels/contraction/integer_product.hpp"

namespace popir {
namespace contraction {

/// out[n, g, o, y] = sum over i, t of (in - zero point)[n, g, i, x] * (weights - zero points)[g, o,
/// i, t], as a ConvSpec's forward pass without dilation of the input; all dense. Padding is as much
/// as the zero point of `in`. Of SIGNED_CHAR or UNSIGNED_CHAR; out is INT.
struct IntegerConvSpec {
  poplar::Type inType, weightsType;
  std::int64_t batch, groups, inChannels, outChannels;  ///< channels per group
  std::vector<std::int64_t> inField, kernel, outField, stride, dilation, padLower;
  ZeroPoints inZero;       ///< None or One
  ZeroPoints weightZeros;  ///< one for each output channel, [groups * outChannels], if Each
};

/// The most elements of a channel with its padding that makeIntegerConv() takes.
constexpr std::uint64_t kMostPadded = std::uint64_t{1} << 31;
/// These elements, as far as windows reach, for the sizes of the window and the output. Saturates.
std::uint64_t paddedElements(const std::vector<std::int64_t>& kernel,
                             const std::vector<std::int64_t>& outField,
                             const std::vector<std::int64_t>& stride,
                             const std::vector<std::int64_t>& dilation);

/// Operands: in, weights, out, then the zero point of `in` and those of the weights, as far as there
/// are any. The weights are packed.
std::unique_ptr<Contraction> makeIntegerConv(const IntegerConvSpec& spec, unsigned threads);

}  // namespace contraction
}  // namespace popir

#endif
