#include <gcl/Collectives.hpp>

#include <popops/ElementWise.hpp>

#include "poplar/library_options.hpp"

namespace gcl {
namespace {

using poplar::DebugContext;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::program::Sequence;

Tensor copyOf(Graph& graph, const Tensor& data, Sequence& prog, const DebugContext& debugContext) {
  const Tensor copy = graph.clone(data, debugContext);
  prog.add(poplar::program::Copy(data, copy, false, debugContext));
  return copy;
}

}  // namespace

Tensor allReduceCrossReplica(Graph& graph, const Tensor& data, CollectiveOperator op,
                             Sequence& prog, const CommGroup& group,
                             const DebugContext& debugContext, const OptionFlags& options) {
  Tensor result = copyOf(graph, data, prog, {debugContext, "allReduce"});
  allReduceInPlaceCrossReplica(graph, result, op, prog, group, debugContext, options);
  return result;
}

Tensor allReduceCrossReplica(Graph& graph, const Tensor& data, CollectiveOperator op,
                             Sequence& prog, const DebugContext& debugContext,
                             const OptionFlags& options) {
  return allReduceCrossReplica(graph, data, op, prog, CommGroup(), debugContext, options);
}

void allReduceInPlaceCrossReplica(Graph& graph, Tensor& data, CollectiveOperator op, Sequence& prog,
                                  const CommGroup&, const DebugContext& debugContext,
                                  const OptionFlags& options) {
  popir::checkLibraryOptions("gcl::allReduceInPlaceCrossReplica", popir::Library::Collective,
                             options);
  if (op == CollectiveOperator::SQUARE_ADD)
    popops::squareInPlace(graph, data, prog, {debugContext, "allReduce"});
}

void allReduceInPlaceCrossReplica(Graph& graph, Tensor& data, CollectiveOperator op, Sequence& prog,
                                  const DebugContext& debugContext, const OptionFlags& options) {
  allReduceInPlaceCrossReplica(graph, data, op, prog, CommGroup(), debugContext, options);
}

Tensor reduceScatterCrossReplica(Graph& graph, const Tensor& data, CollectiveOperator op,
                                 Sequence& prog, const CommGroup& group,
                                 const DebugContext& debugContext, const OptionFlags& options) {
  return allReduceCrossReplica(graph, data, op, prog, group, debugContext, options).flatten();
}

Tensor allGatherCrossReplica(Graph& graph, const Tensor& data, Sequence& prog, const CommGroup&,
                             const DebugContext& debugContext, const OptionFlags& options) {
  popir::checkLibraryOptions("gcl::allGatherCrossReplica", popir::Library::Collective, options);
  return copyOf(graph, data, prog, {debugContext, "allGather"}).expand({0});
}

Tensor allToAllCrossReplica(Graph& graph, const Tensor& data, Sequence& prog, const CommGroup&,
                            const DebugContext& debugContext, const OptionFlags& options) {
  popir::checkLibraryOptions("gcl::allToAllCrossReplica", popir::Library::Collective, options);
  return copyOf(graph, data, prog, {debugContext, "allToAll"});
}
Tensor allToAllCrossReplica(Graph& graph, const Tensor& data, Sequence& prog,
                            const DebugContext& debugContext, const OptionFlags& options) {
  return allToAllCrossReplica(graph, data, prog, CommGroup(), debugContext, options);
}

}  // namespace gcl
