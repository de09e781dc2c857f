// popir/Softmax.hpp: softmax and its logarithm over the last dimension, with their gradients.
//
// FLOAT, HALF (computed in float) or DOUBLE; every row is computed as if the largest element were
// subtracted first, so no finite input overflows. A row with a NaN or plus infinity, or of minus
// infinities alone, is NaN. All operands of one function have one shape, of rank 1 or more, and one
// type. \throws poputil::poplibs_error where they do not.
#ifndef popir_Softmax_hpp
#define popir_Softmax_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#pragma GCC visibility push(default)
namespace popir {

/// scale * exp(x) / sum(exp(x)).
poplar::Tensor softmax(poplar::Graph& graph, const poplar::Tensor& x,
                       poplar::program::Sequence& prog,
                       const poplar::DebugContext& debugContext = {}, float scale = 1.0f);
void softmaxInPlace(poplar::Graph& graph, const poplar::Tensor& x, poplar::program::Sequence& prog,
                    const poplar::DebugContext& debugContext = {}, float scale = 1.0f);
/// The gradient with respect to x: y (g - sum(g y)), with y = softmax(x) and g the gradient with
/// respect to y.
poplar::Tensor softmaxGrad(poplar::Graph& graph, const poplar::Tensor& y, const poplar::Tensor& g,
                           poplar::program::Sequence& prog,
                           const poplar::DebugContext& debugContext = {});

/// x - log(sum(exp(x))).
poplar::Tensor logSoftmax(poplar::Graph& graph, const poplar::Tensor& x,
                          poplar::program::Sequence& prog,
                          const poplar::DebugContext& debugContext = {});
void logSoftmaxInPlace(poplar::Graph& graph, const poplar::Tensor& x,
                       poplar::program::Sequence& prog,
                       const poplar::DebugContext& debugContext = {});
/// The gradient with respect to x: g - exp(y) sum(g), with y = logSoftmax(x) and g the gradient
/// with respect to y.
poplar::Tensor logSoftmaxGrad(poplar::Graph& graph, const poplar::Tensor& y,
                              const poplar::Tensor& g, poplar::program::Sequence& prog,
                              const poplar::DebugContext& debugContext = {});

}  // namespace popir
#pragma GCC visibility pop

#endif
