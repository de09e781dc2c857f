// Log-softmax. popir/Softmax.hpp has its gradient. After popnn/LogSoftmax.hpp of PopLibs 3.
#ifndef popnn_LogSoftmax_hpp
#define popnn_LogSoftmax_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#pragma GCC visibility push(default)
namespace popnn {

/// Returns log(softmax(t)) over the last dimension, computed as x - max - log(sum(exp(x - max))).
/// FLOAT, HALF, BFLOAT16 or DOUBLE.
/// \throws poputil::poplibs_error for other types and for scalars
poplar::Tensor logSoftmax(poplar::Graph& graph, poplar::Tensor t, poplar::program::Sequence& prog,
                          const poplar::DebugContext& debugContext = {});
/// The same, in place.
void logSoftmaxInPlace(poplar::Graph& graph, poplar::Tensor t, poplar::program::Sequence& prog,
                       const poplar::DebugContext& debugContext = {});

}  // namespace popnn
#pragma GCC visibility pop

#endif
