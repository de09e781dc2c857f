// Softmax and log-softmax over the last dimension, and their gradients. popir's own.
//
// Types: FLOAT, DOUBLE, and HALF and BFLOAT16 (computed in float). All operands of a function have
// the same shape, of rank 1 or more, and the same type. Finite inputs never overflow. A row that
// contains NaN or +infinity, or only -infinity, gives NaN.
// \throws poputil::poplibs_error if shapes or types do not match
#ifndef popir_Softmax_hpp
#define popir_Softmax_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#pragma GCC visibility push(default)
namespace popir {

/// Returns scale * exp(x) / sum(exp(x)).
poplar::Tensor softmax(poplar::Graph& graph, const poplar::Tensor& x,
                       poplar::program::Sequence& prog,
                       const poplar::DebugContext& debugContext = {}, float scale = 1.0f);
void softmaxInPlace(poplar::Graph& graph, const poplar::Tensor& x, poplar::program::Sequence& prog,
                    const poplar::DebugContext& debugContext = {}, float scale = 1.0f);
/// Returns the gradient of x: y * (g - sum(g * y)). y is softmax(x) and g the gradient of y.
poplar::Tensor softmaxGrad(poplar::Graph& graph, const poplar::Tensor& y, const poplar::Tensor& g,
                           poplar::program::Sequence& prog,
                           const poplar::DebugContext& debugContext = {});

/// Returns x - log(sum(exp(x))).
poplar::Tensor logSoftmax(poplar::Graph& graph, const poplar::Tensor& x,
                          poplar::program::Sequence& prog,
                          const poplar::DebugContext& debugContext = {});
void logSoftmaxInPlace(poplar::Graph& graph, const poplar::Tensor& x,
                       poplar::program::Sequence& prog,
                       const poplar::DebugContext& debugContext = {});
/// Returns the gradient of x: g - exp(y) * sum(g). y is logSoftmax(x) and g the gradient of y.
poplar::Tensor logSoftmaxGrad(poplar::Graph& graph, const poplar::Tensor& y,
                              const poplar::Tensor& g, poplar::program::Sequence& prog,
                              const poplar::DebugContext& debugContext = {});

}  // namespace popir
#pragma GCC visibility pop

#endif
