// Products of matrices, and convolutions, of 8-bit integers. popir's own.
#ifndef popir_IntegerProduct_hpp
#define popir_IntegerProduct_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplin/ConvParams.hpp>

#include <optional>

#pragma GCC visibility push(default)
namespace popir {

/// Returns (A - aZeros) (B - bZeros), INT [groups, m, n], for A [groups, m, k] and B [groups, k, n]
/// of SIGNED_CHAR or UNSIGNED_CHAR. The sums wrap around at 32 bits. Zero points have the type of
/// their operand: [1], or [groups, m] for each row of A, [groups, n] for each column of B.
/// The machine model counts a contraction of SHORT.
/// \throws poputil::poplibs_error if shapes or types do not match
poplar::Tensor integerProduct(poplar::Graph& graph, const poplar::Tensor& A,
                              const poplar::Tensor& B, const std::optional<poplar::Tensor>& aZeros,
                              const std::optional<poplar::Tensor>& bZeros,
                              poplar::program::Sequence& prog,
                              const poplar::DebugContext& debugContext = {});

/// Returns the convolution of `in` - inZero and `weights` - weightZeros, INT, for operands of
/// SIGNED_CHAR or UNSIGNED_CHAR with the shapes that `params` has; its types do not count. It pads
/// with inZero. The sums wrap around at 32 bits. Zero points have the type of their operand: inZero
/// [1], weightZeros [1] or one for each output channel.
/// The machine model counts a convolution of SHORT.
/// \throws poputil::poplibs_error if shapes or types do not match, for parameters with other
/// transforms than truncation and padding of the input, dilation of the kernel, and strides, and if
/// windows reach too far (isCompact())
poplar::Tensor integerConvolution(poplar::Graph& graph, const poplar::Tensor& in,
                                  const poplar::Tensor& weights, const poplin::ConvParams& params,
                                  const std::optional<poplar::Tensor>& inZero,
                                  const std::optional<poplar::Tensor>& weightZeros,
                                  poplar::program::Sequence& prog,
                                  const poplar::DebugContext& debugContext = {});

/// Whether the windows of a convolution reach over no more than 16 times the elements of its input
/// and output, and 2^16, in a channel.
bool isCompact(const poplin::ConvParams& params);

}  // namespace popir
#pragma GCC visibility pop

#endif
