// poplin/ConvUtil.hpp: arithmetic on convolution parameters.
#ifndef poplin_ConvUtil_hpp
#define poplin_ConvUtil_hpp

#include <poplin/ConvParams.hpp>

#pragma GCC visibility push(default)
namespace poplin {

/// Elements that `size` elements take with `dilation` between neighbours.
unsigned getDilatedSize(unsigned size, unsigned dilation);

ConvParams canonicalizeParams(const ConvParams& params);

/// The convolution that takes gradients of the output of `params` to gradients of its input, given
/// weights with channels exchanged and fields reversed (weightsTransposeChansFlipXY, or the flag
/// transposeAndFlipWeights of convolution()).
ConvParams getGradientParams(const ConvParams& params);

}  // namespace poplin
#pragma GCC visibility pop

#endif
