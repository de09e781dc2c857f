// Collectives over IPUs and over replicas. After popops/Collectives.hpp of PopLibs 1 to 2.2; later
// ones are gcl's, which these call.
#ifndef popops_Collectives_hpp
#define popops_Collectives_hpp

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <popops/CollectiveTypes.hpp>
#include <popops/Operation.hpp>

#pragma GCC visibility push(default)

namespace popops {

/// Reduces over dimension 0 of `toReduce`, of which each row is that of one IPU. The elements of the
/// result, in the order of the row, are cut into one chunk for each row; the last ones may be
/// shorter by one element.
/// \throws poputil::poplibs_error for a scalar, and for MEAN and LOCAL
Chunks reduceScatter(poplar::Graph& graph, const poplar::Tensor& toReduce, CollectiveOperator op,
                     poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
                     const poplar::OptionFlags& options = {});
/// All chunks, for each IPU: [number of chunks, shape of a row of their original input].
/// \throws poputil::poplibs_error unless the chunks have the elements of such a row
poplar::Tensor allGather(poplar::Graph& graph, const Chunks& toGather,
                         poplar::program::Sequence& prog,
                         const poplar::DebugContext& debugContext = {},
                         const poplar::OptionFlags& options = {});
/// Reduces over dimension 0, of which each row is that of one IPU, and gives each row the result.
poplar::Tensor allReduce(poplar::Graph& graph, const poplar::Tensor& toReduce,
                         CollectiveOperator op, poplar::program::Sequence& prog,
                         const poplar::DebugContext& debugContext = {},
                         const poplar::OptionFlags& options = {});

/// Reduces over all replicas. The form with a parent graph is that of `graph` alone.
poplar::Tensor replicatedAllReduce(poplar::Graph& graph, const poplar::Tensor& data,
                                   CollectiveOperator op, poplar::program::Sequence& prog,
                                   const poplar::DebugContext& debugContext = {},
                                   const poplar::OptionFlags& options = {});
poplar::Tensor replicatedAllReduce(poplar::Graph& graph, poplar::Graph& parentGraph,
                                   const poplar::Tensor& data, CollectiveOperator op,
                                   poplar::program::Sequence& prog,
                                   const poplar::DebugContext& debugContext = {},
                                   const poplar::OptionFlags& options = {});
/// Writes the result to `output`, which has the shape of `data`.
void replicatedAllReduceWithOutput(poplar::Graph& graph, const poplar::Tensor& data,
                                   poplar::Tensor& output, CollectiveOperator op,
                                   poplar::program::Sequence& prog,
                                   const poplar::DebugContext& debugContext = {},
                                   const poplar::OptionFlags& options = {});
void replicatedAllReduceInPlace(poplar::Graph& graph, poplar::Tensor& data, CollectiveOperator op,
                                poplar::program::Sequence& prog,
                                const poplar::DebugContext& debugContext = {},
                                const poplar::OptionFlags& options = {});
/// Each replica gets one part of the reduction: its elements divided by the replicas, rounded up,
/// with zeros beyond the end. Where the replica has several IPUs, the elements on each are divided so,
/// and one part of each follows another.
/// \throws poplibs_error for a tensor that is no vector
poplar::Tensor replicatedReduceScatter(poplar::Graph& graph, const poplar::Tensor& toReduce,
                                       CollectiveOperator op, poplar::program::Sequence& prog,
                                       const poplar::DebugContext& debugContext = {},
                                       const poplar::OptionFlags& options = {});
/// [Number of replicas, shape of `toGather`].
poplar::Tensor replicatedAllGather(poplar::Graph& graph, const poplar::Tensor& toGather,
                                   poplar::program::Sequence& prog,
                                   const poplar::DebugContext& debugContext = {},
                                   const poplar::OptionFlags& options = {});
/// Row i of `input` goes to replica i, which has the rows that it got in the order of the replicas.
poplar::Tensor allToAllPersonalizedExchange(poplar::Graph& graph, const poplar::Tensor& input,
                                            poplar::program::Sequence& prog,
                                            const poplar::DebugContext& debugContext = {},
                                            const poplar::OptionFlags& options = {});

// The same by the operation of a reduction.

inline Chunks reduceScatter(poplar::Graph& graph, const poplar::Tensor& toReduce, Operation op,
                            poplar::program::Sequence& prog,
                            const poplar::DebugContext& debugContext = {},
                            const poplar::OptionFlags& options = {}) {
  return reduceScatter(graph, toReduce, operationToCollectiveOperator(op), prog, debugContext,
                       options);
}
inline poplar::Tensor allReduce(poplar::Graph& graph, const poplar::Tensor& toReduce, Operation op,
                                poplar::program::Sequence& prog,
                                const poplar::DebugContext& debugContext = {},
                                const poplar::OptionFlags& options = {}) {
  return allReduce(graph, toReduce, operationToCollectiveOperator(op), prog, debugContext, options);
}
inline poplar::Tensor replicatedAllReduce(poplar::Graph& graph, const poplar::Tensor& data,
                                          Operation op, poplar::program::Sequence& prog,
                                          const poplar::DebugContext& debugContext = {},
                                          const poplar::OptionFlags& options = {}) {
  return replicatedAllReduce(graph, data, operationToCollectiveOperator(op), prog, debugContext,
                             options);
}
inline poplar::Tensor replicatedAllReduce(poplar::Graph& graph, poplar::Graph& parentGraph,
                                          const poplar::Tensor& data, Operation op,
                                          poplar::program::Sequence& prog,
                                          const poplar::DebugContext& debugContext = {},
                                          const poplar::OptionFlags& options = {}) {
  return replicatedAllReduce(graph, parentGraph, data, operationToCollectiveOperator(op), prog,
                             debugContext, options);
}
inline void replicatedAllReduceWithOutput(poplar::Graph& graph, const poplar::Tensor& data,
                                          poplar::Tensor& output, Operation op,
                                          poplar::program::Sequence& prog,
                                          const poplar::DebugContext& debugContext = {},
                                          const poplar::OptionFlags& options = {}) {
  replicatedAllReduceWithOutput(graph, data, output, operationToCollectiveOperator(op), prog,
                                debugContext, options);
}
inline void replicatedAllReduceInPlace(poplar::Graph& graph, poplar::Tensor& data, Operation op,
                                       poplar::program::Sequence& prog,
                                       const poplar::DebugContext& debugContext = {},
                                       const poplar::OptionFlags& options = {}) {
  replicatedAllReduceInPlace(graph, data, operationToCollectiveOperator(op), prog, debugContext,
                             options);
}
inline poplar::Tensor replicatedReduceScatter(poplar::Graph& graph, const poplar::Tensor& toReduce,
                                              Operation op, poplar::program::Sequence& prog,
                                              const poplar::DebugContext& debugContext = {},
                                              const poplar::OptionFlags& options = {}) {
  return replicatedReduceScatter(graph, toReduce, operationToCollectiveOperator(op), prog,
                                 debugContext, options);
}

}  // namespace popops

#pragma GCC visibility pop

#endif
