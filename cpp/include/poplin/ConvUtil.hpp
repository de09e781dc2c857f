// Arithmetic on convolution parameters. After poplin/ConvUtil.hpp of PopLibs 3.
#ifndef poplin_ConvUtil_hpp
#define poplin_ConvUtil_hpp

#include <poplin/ConvParams.hpp>
#include <popops/Rearrange.hpp>

#include <utility>

#pragma GCC visibility push(default)
namespace poplin {

// Its place in SDK 1.
using popops::rearrange::regroupIfBeneficial;

/// Size of a dimension after dilation: (size - 1) * dilation + 1, or 0 for size 0.
unsigned getDilatedSize(unsigned size, unsigned dilation);

/// Equals params.canonicalize().
ConvParams canonicalizeParams(const ConvParams& params);

/// Parameters of the convolution that computes the gradient of the input of `params` from the
/// gradient of its output. The weights must have their channels exchanged and their fields
/// reversed: use weightsTransposeChansFlipXY(), or transposeAndFlipWeights in convolution().
ConvParams getGradientParams(const ConvParams& params);
/// Parameters of the convolution that computes the gradient of the weights: of the activations with
/// batch and channels exchanged, by the gradient of the output as weights, whose batch is the
/// input's channels. Its result has batch and channels of weights exchanged.
ConvParams getWeightUpdateParams(const ConvParams& fwdParams);

// Which elements meet. Indices are those before all transforms, ranges are half open. `dim` is a
// dimension of the field.

/// The element of the input that an element of the kernel multiplies for an element of the output;
/// ~0U if there is none.
unsigned getInputIndex(unsigned dim, unsigned outputIndex, unsigned kernelIndex,
                       const ConvParams& params);
/// The element of the kernel that multiplies an element of the input for one of the output; ~0U if
/// there is none.
unsigned getKernelIndex(unsigned dim, unsigned outputIndex, unsigned inputIndex,
                        const ConvParams& params);

// The smallest range that holds all elements that meet; {0, 0} if there are none.

std::pair<unsigned, unsigned> getOutputRangeForKernelIndex(
    unsigned dim, std::pair<unsigned, unsigned> outputRange, unsigned kernelIndex,
    const ConvParams& params);
std::pair<unsigned, unsigned> getOutputRangeForInputIndex(unsigned dim,
                                                          std::pair<unsigned, unsigned> outputRange,
                                                          unsigned inputIndex,
                                                          const ConvParams& params);
std::pair<unsigned, unsigned> getOutputRangeForKernelRange(
    unsigned dim, std::pair<unsigned, unsigned> outputRange,
    std::pair<unsigned, unsigned> kernelIndexRange, const ConvParams& params);
std::pair<unsigned, unsigned> getOutputRangeForInputRange(unsigned dim,
                                                          std::pair<unsigned, unsigned> outputRange,
                                                          std::pair<unsigned, unsigned> inputRange,
                                                          const ConvParams& params);
std::pair<unsigned, unsigned> getInputRange(unsigned dim, std::pair<unsigned, unsigned> outputRange,
                                            unsigned kernelIndex, const ConvParams& params);
std::pair<unsigned, unsigned> getKernelRange(unsigned dim,
                                             std::pair<unsigned, unsigned> outputRange,
                                             unsigned inputIndex, const ConvParams& params);
std::pair<unsigned, unsigned> getInputRange(unsigned dim, std::pair<unsigned, unsigned> outputRange,
                                            std::pair<unsigned, unsigned> kernelIndexRange,
                                            const ConvParams& params);
std::pair<unsigned, unsigned> getKernelRange(unsigned dim,
                                             std::pair<unsigned, unsigned> outputRange,
                                             std::pair<unsigned, unsigned> inputRange,
                                             const ConvParams& params);
inline std::pair<unsigned, unsigned> getInputRange(unsigned dim, unsigned outputIndex,
                                                   std::pair<unsigned, unsigned> kernelIndexRange,
                                                   const ConvParams& params) {
  return getInputRange(dim, {outputIndex, outputIndex + 1}, kernelIndexRange, params);
}
inline std::pair<unsigned, unsigned> getInputRange(unsigned dim, unsigned outputIndex,
                                                   const ConvParams& params) {
  return getInputRange(dim, outputIndex, {0, static_cast<unsigned>(params.kernelShape[dim])},
                       params);
}
inline std::pair<unsigned, unsigned> getInputRange(unsigned dim,
                                                   std::pair<unsigned, unsigned> outputRange,
                                                   const ConvParams& params) {
  return getInputRange(dim, outputRange, {0, static_cast<unsigned>(params.kernelShape[dim])},
                       params);
}

}  // namespace poplin
#pragma GCC visibility pop

#endif
