// The negative log likelihood loss, as PopART's nllloss defines it. popir's own.
//
// p [samples..., classes], FLOAT, HALF, BFLOAT16 or DOUBLE, holds probabilities (the output of a
// softmax) or their logarithms. labels [samples...] are INT, UNSIGNED_INT, LONGLONG or
// UNSIGNED_LONGLONG. The loss of a sample is -log(max(p[label], eps)) with eps = 1e-7 (HALF:
// 6.104e-5), or -p[label] for logarithms.
//
// weights [classes], of the type of p, multiply the loss of each sample by weights[label]. The mean
// is then the weighted mean. A sample with label ignoreIndex has loss 0 and gradient 0, and does
// not count in the mean. If no sample counts, or the weights sum to 0, the mean divides by 1. Any
// other label outside of [0, classes) gives NaN as loss and gradient of its sample; no memory is
// read.
// \throws poputil::poplibs_error if shapes or types do not match
#ifndef popir_Nll_hpp
#define popir_Nll_hpp

#include <popir/NllParams.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#pragma GCC visibility push(default)
namespace popir {

/// Returns the loss in the type of p. By reduction: None, one per sample, [samples...]; Sum, a
/// scalar; Mean, a scalar, over the samples that are not ignored (0 if all are).
/// \param weights weights of the classes, or null
poplar::Tensor nllLoss(poplar::Graph& graph, const poplar::Tensor& p, const poplar::Tensor& labels,
                       const NllParams& params, poplar::program::Sequence& prog,
                       const poplar::DebugContext& debugContext = {},
                       const poplar::Tensor* weights = nullptr);

/// Returns the gradient of p, with its shape. At the label it is -g / max(p[label], 1e-10) (HALF:
/// 6.104e-5), or -g for logarithms; elsewhere 0. For Mean it is divided by the number of samples
/// that are not ignored.
/// \param g gradient of the loss, with its shape (one element for Sum and Mean), of the type of p
/// or FLOAT
poplar::Tensor nllLossGrad(poplar::Graph& graph, const poplar::Tensor& g, const poplar::Tensor& p,
                           const poplar::Tensor& labels, const NllParams& params,
                           poplar::program::Sequence& prog,
                           const poplar::DebugContext& debugContext = {},
                           const poplar::Tensor* weights = nullptr);

/// Returns the gradient of x, where p = softmax(x), or p = logSoftmax(x) with
/// inputIsLogProbability. It is g * (softmax(x) - oneHot(label)), scaled as above.
poplar::Tensor nllSoftmaxGrad(poplar::Graph& graph, const poplar::Tensor& g,
                              const poplar::Tensor& p, const poplar::Tensor& labels,
                              const NllParams& params, poplar::program::Sequence& prog,
                              const poplar::DebugContext& debugContext = {},
                              const poplar::Tensor* weights = nullptr);

}  // namespace popir
#pragma GCC visibility pop

#endif
