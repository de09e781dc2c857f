// popir/Nll.hpp: the negative log likelihood of labels, as PopART's nllloss defines it.
//
// With p [samples..., classes], FLOAT, HALF or DOUBLE, the probabilities (the output of a softmax)
// or their logarithms, and labels [samples...], INT, UNSIGNED_INT, LONGLONG or UNSIGNED_LONGLONG:
// the loss of a sample is -log(max(p[label], 1e-7)) (HALF: 6.104e-5), or -p[label] for logarithms.
//
// With weights [classes], of the type of p, the loss of a sample is multiplied by that of its
// label, and counts as much in the mean. A sample whose label is ignoreIndex has loss 0 and
// gradient 0, and the mean does not count it; the mean of no sample, or of weights whose sum is 0,
// divides by 1. Any other label that is no class reads nothing, and makes the loss and the gradient
// of its sample NaN. \throws poputil::poplibs_error where shapes and types do not fit each other.
#ifndef popir_Nll_hpp
#define popir_Nll_hpp

#include <cstdint>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#pragma GCC visibility push(default)
namespace popir {

enum class LossReduction { None, Sum, Mean };

struct NllParams {
  LossReduction reduction = LossReduction::Mean;
  bool inputIsLogProbability = false;
  bool hasIgnoreIndex = false;
  std::int64_t ignoreIndex = 0;
};

/// The loss of each sample (None, [samples...]), their sum, or their mean over the samples that are
/// not ignored (scalars; 0 if all are), of the type of p.
/// \param weights  of the classes; null for none.
poplar::Tensor nllLoss(poplar::Graph& graph, const poplar::Tensor& p, const poplar::Tensor& labels,
                       const NllParams& params, poplar::program::Sequence& prog,
                       const poplar::DebugContext& debugContext = {},
                       const poplar::Tensor* weights = nullptr);

/// The gradient with respect to p, of its shape: at the label -g / max(p[label], 1e-10) (HALF:
/// 6.104e-5), or -g for logarithms; elsewhere 0; for the mean divided by the number of samples
/// that are not ignored.
/// \param g  the gradient with respect to the loss, of its shape (one element for Sum and Mean), of
///           the type of p or FLOAT.
poplar::Tensor nllLossGrad(poplar::Graph& graph, const poplar::Tensor& g, const poplar::Tensor& p,
                           const poplar::Tensor& labels, const NllParams& params,
                           poplar::program::Sequence& prog,
                           const poplar::DebugContext& debugContext = {},
                           const poplar::Tensor* weights = nullptr);

/// The gradient with respect to x where p = softmax(x), or p = logSoftmax(x) with
/// inputIsLogProbability: g (softmax(x) - oneHot(label)), scaled as above.
poplar::Tensor nllSoftmaxGrad(poplar::Graph& graph, const poplar::Tensor& g,
                              const poplar::Tensor& p, const poplar::Tensor& labels,
                              const NllParams& params, poplar::program::Sequence& prog,
                              const poplar::DebugContext& debugContext = {},
                              const poplar::Tensor* weights = nullptr);

}  // namespace popir
#pragma GCC visibility pop

#endif
