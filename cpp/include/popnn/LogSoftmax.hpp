// popnn/LogSoftmax.hpp: the logarithm of softmax. Its gradient is in popir/Softmax.hpp.
#ifndef popnn_LogSoftmax_hpp
#define popnn_LogSoftmax_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#pragma GCC visibility push(default)
namespace popnn {

/// log(softmax(t)) over the last dimension, as x - max - log(sum(exp(x - max))); FLOAT, HALF or
/// DOUBLE. \throws poputil::poplibs_error for other types and for a scalar.
poplar::Tensor logSoftmax(poplar::Graph& graph, poplar::Tensor t, poplar::program::Sequence& prog,
                          const poplar::DebugContext& debugContext = {});
/// The same, written over `t`.
void logSoftmaxInPlace(poplar::Graph& graph, poplar::Tensor t, poplar::program::Sequence& prog,
                       const poplar::DebugContext& debugContext = {});

}  // namespace popnn
#pragma GCC visibility pop

#endif
