// Collectives under the names that PopLibs had for them before gcl.
#include <gcl/Collectives.hpp>
#include <popops/Collectives.hpp>
#include <popops/Reduce.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "poplar/library_options.hpp"

namespace popops {

using poplar::DebugContext;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::program::Sequence;

namespace {

/// \throws poputil::poplibs_error for an operator that is no reduction
Operation reductionOf(CollectiveOperator op) {
  for (const Operation operation :
       {Operation::ADD, Operation::MUL, Operation::MIN, Operation::MAX, Operation::LOGICAL_AND,
        Operation::LOGICAL_OR, Operation::SQUARE_ADD})
    if (operationToCollectiveOperator(operation) == op) return operation;
  throw poputil::poplibs_error(
      "popops::reduceScatter: expected ADD, MUL, MIN, MAX, LOGICAL_AND, LOGICAL_OR or SQUARE_ADD");
}

}  // namespace

Chunks reduceScatter(Graph& graph, const Tensor& toReduce, CollectiveOperator op, Sequence& prog,
                     const DebugContext& debugContext, const OptionFlags& options) {
  popir::checkLibraryOptions("popops::reduceScatter", popir::Library::Collective, options);
  if (toReduce.rank() == 0)
    throw poputil::poplibs_error(
        "popops::reduceScatter: the tensor is a scalar; its first dimension is the IPU");
  const DebugContext own(debugContext, "reduceScatter");
  const auto parts = static_cast<unsigned>(toReduce.dim(0));
  const Tensor reduced = popops::reduce(graph, toReduce, {0}, reductionOf(op), prog, own).flatten();
  Chunks scattered(parts);
  scattered.originalInput = toReduce;
  const std::size_t all = reduced.numElements(), shortest = parts == 0 ? 0 : all / parts;
  std::size_t start = 0;
  for (unsigned i = 0; i < parts; ++i) {
    const std::size_t end = start + shortest + (i < all % parts ? 1 : 0);
    scattered.chunks[i] = Chunk(reduced.slice(start, end), i, 0);
    start = end;
  }
  return scattered;
}

Tensor allGather(Graph& graph, const Chunks& toGather, Sequence& prog,
                 const DebugContext& debugContext, const OptionFlags& options) {
  popir::checkLibraryOptions("popops::allGather", popir::Library::Collective, options);
  const std::size_t parts = toGather.chunks.size();
  std::vector<Tensor> ordered(parts);
  std::size_t elements = 0;
  for (const Chunk& chunk : toGather.chunks) {
    if (chunk.index >= parts || ordered[chunk.index].valid())
      throw poputil::poplibs_error("popops::allGather: the index " + std::to_string(chunk.index) +
                                   " of a chunk occurs twice, or is not below their number, " +
                                   std::to_string(parts));
    ordered[chunk.index] = chunk.tensor.flatten();
    elements += chunk.tensor.numElements();
  }
  if (!toGather.originalInput.valid() || toGather.originalInput.rank() == 0 ||
      elements * toGather.originalInput.dim(0) != toGather.originalInput.numElements())
    throw poputil::poplibs_error(
        "popops::allGather: the chunks must have the elements of one row of their original input");
  std::vector<std::size_t> shape = toGather.originalInput.shape();
  shape[0] = 1;
  const Tensor row = poplar::concat(ordered).reshape(shape);
  const Tensor rows = row.broadcast(static_cast<unsigned>(parts), 0);
  const DebugContext own(debugContext, "allGather");
  const Tensor gathered = graph.clone(rows, own);
  prog.add(poplar::program::Copy(rows, gathered, false, own));
  return gathered;
}

Tensor allReduce(Graph& graph, const Tensor& toReduce, CollectiveOperator op, Sequence& prog,
                 const DebugContext& debugContext, const OptionFlags& options) {
  return gcl::allReduceWithinReplica(graph, toReduce, op, prog, debugContext, options);
}

Tensor replicatedAllReduce(Graph& graph, const Tensor& data, CollectiveOperator op, Sequence& prog,
                           const DebugContext& debugContext, const OptionFlags& options) {
  return gcl::allReduceCrossReplica(graph, data, op, prog, debugContext, options);
}

Tensor replicatedAllReduce(Graph& graph, Graph&, const Tensor& data, CollectiveOperator op,
                           Sequence& prog, const DebugContext& debugContext,
                           const OptionFlags& options) {
  return gcl::allReduceCrossReplica(graph, data, op, prog, debugContext, options);
}

void replicatedAllReduceWithOutput(Graph& graph, const Tensor& data, Tensor& output,
                                   CollectiveOperator op, Sequence& prog,
                                   const DebugContext& debugContext, const OptionFlags& options) {
  const Tensor result = replicatedAllReduce(graph, data, op, prog, debugContext, options);
  prog.add(poplar::program::Copy(result, output, false, debugContext));
}

void replicatedAllReduceInPlace(Graph& graph, Tensor& data, CollectiveOperator op, Sequence& prog,
                                const DebugContext& debugContext, const OptionFlags& options) {
  gcl::allReduceInPlaceCrossReplica(graph, data, op, prog, debugContext, options);
}

Tensor replicatedReduceScatter(Graph& graph, const Tensor& toReduce, CollectiveOperator op,
                               Sequence& prog, const DebugContext& debugContext,
                               const OptionFlags& options) {
  if (toReduce.rank() != 1)
    throw poputil::poplibs_error("popops::replicatedReduceScatter: a tensor of rank " +
                                 std::to_string(toReduce.rank()) +
                                 " given, expected a vector; flatten it");
  std::map<unsigned, std::vector<poplar::Interval>> ofIpu;
  const auto mapping = graph.getTileMapping(toReduce);
  for (unsigned tile = 0; tile < mapping.size(); ++tile)
    for (const poplar::Interval& each : mapping[tile])
      ofIpu[tile / graph.getTarget().getTilesPerIPU()].push_back(each);
  std::vector<Tensor> parts;
  for (auto& [ipu, intervals] : ofIpu) {
    std::sort(
        intervals.begin(), intervals.end(),
        [](const poplar::Interval& a, const poplar::Interval& b) { return a.begin() < b.begin(); });
    parts.push_back(gcl::reduceScatterCrossReplica(graph,
                                                   poplar::concat(toReduce.slices(intervals)), op,
                                                   prog, gcl::CommGroup(), debugContext, options));
  }
  return parts.empty() ? toReduce : poplar::concat(parts);
}

Tensor replicatedAllGather(Graph& graph, const Tensor& toGather, Sequence& prog,
                           const DebugContext& debugContext, const OptionFlags& options) {
  return gcl::allGatherCrossReplica(graph, toGather, prog, gcl::CommGroup(), debugContext, options);
}

Tensor allToAllPersonalizedExchange(Graph& graph, const Tensor& input, Sequence& prog,
                                    const DebugContext& debugContext, const OptionFlags& options) {
  return gcl::allToAllCrossReplica(graph, input, prog, debugContext, options);
}

}  // namespace popops
