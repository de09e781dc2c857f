// Arithmetic on convolution parameters. After poplin/ConvUtil.hpp of PopLibs 3.
#ifndef poplin_ConvUtil_hpp
#define poplin_ConvUtil_hpp

#include <poplin/ConvParams.hpp>

#pragma GCC visibility push(default)
namespace poplin {

/// Size of a dimension after dilation: (size - 1) * dilation + 1, or 0 for size 0.
unsigned getDilatedSize(unsigned size, unsigned dilation);

/// Equals params.canonicalize().
ConvParams canonicalizeParams(const ConvParams& params);

/// Parameters of the convolution that computes the gradient of the input of `params` from the
/// gradient of its output. The weights must have their channels exchanged and their fields
/// reversed: use weightsTransposeChansFlipXY(), or transposeAndFlipWeights in convolution().
ConvParams getGradientParams(const ConvParams& params);

}  // namespace poplin
#pragma GCC visibility pop

#endif
