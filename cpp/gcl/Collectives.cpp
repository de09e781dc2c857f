#include <gcl/Collectives.hpp>

#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string>

#include "poplar/collective.hpp"
#include "poplar/graph_impl.hpp"
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

bool isReplicated(const Graph& graph) { return graph.impl()->replicas > 1; }

/// Adds a collective of a graph of several replicas.
Tensor collective(Graph& graph, popir::Collective::Kind kind, const Tensor& data,
                  CollectiveOperator op, Sequence& prog, const CommGroup& group,
                  const DebugContext& debugContext) {
  popir::Collective made;
  made.kind = kind;
  made.op = op;
  const unsigned replicas = graph.impl()->replicas, size = group.replicaGroupSize();
  made.grouping.size = group.type() == CommGroupType::ALL || size == 0 ? replicas : size;
  made.grouping.stride = group.replicaGroupStride();
  if (group.type() == CommGroupType::ORTHOGONAL && replicas % made.grouping.size == 0)
    made.grouping.stride = replicas / made.grouping.size;
  return popir::addCollective(graph, prog, made, data, debugContext);
}

const char* const operators[] = {"ADD",         "MEAN",       "MUL",        "MIN",  "MAX",
                                 "LOGICAL_AND", "LOGICAL_OR", "SQUARE_ADD", "LOCAL"};

}  // namespace

std::ostream& operator<<(std::ostream& os, const CollectiveOperator& op) {
  return os << "CollectiveOperator::" << operators[static_cast<std::size_t>(op)];
}

std::istream& operator>>(std::istream& is, CollectiveOperator& op) {
  std::string word;
  is >> word;
  for (char& c : word) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  const std::string prefix = "COLLECTIVEOPERATOR::";
  if (word.compare(0, prefix.size(), prefix) == 0) word.erase(0, prefix.size());
  for (std::size_t i = 0; i < std::size(operators); ++i)
    if (word == operators[i]) {
      op = static_cast<CollectiveOperator>(i);
      return is;
    }
  is.setstate(std::ios::failbit);
  return is;
}

Tensor allReduceWithinReplica(Graph& graph, const Tensor& toReduce, CollectiveOperator op,
                              Sequence& prog, const DebugContext& debugContext,
                              const OptionFlags& options) {
  popir::checkLibraryOptions("gcl::allReduceWithinReplica", popir::Library::Collective, options);
  if (toReduce.rank() == 0)
    throw poputil::poplibs_error(
        "gcl::allReduceWithinReplica: the tensor is a scalar; its first dimension is the IPU");
  const DebugContext own(debugContext, "allReduceWithinReplica");
  if (op == CollectiveOperator::LOCAL) return copyOf(graph, toReduce, prog, own);
  const std::size_t ipus = toReduce.dim(0);
  popops::Operation operation = popops::Operation::ADD;
  switch (op) {
    case CollectiveOperator::MUL: operation = popops::Operation::MUL; break;
    case CollectiveOperator::MIN: operation = popops::Operation::MIN; break;
    case CollectiveOperator::MAX: operation = popops::Operation::MAX; break;
    case CollectiveOperator::LOGICAL_AND: operation = popops::Operation::LOGICAL_AND; break;
    case CollectiveOperator::LOGICAL_OR: operation = popops::Operation::LOGICAL_OR; break;
    case CollectiveOperator::SQUARE_ADD: operation = popops::Operation::SQUARE_ADD; break;
    default: break;
  }
  Tensor reduced = popops::reduce(graph, toReduce, {0}, operation, prog, own);
  if (op == CollectiveOperator::MEAN)
    popops::divInPlace(graph, reduced, static_cast<float>(ipus), prog, own);
  const Tensor rows = reduced.expand({0}).broadcast(static_cast<unsigned>(ipus), 0);
  const Tensor result = graph.clone(reduced.elementType(), toReduce, own);
  prog.add(poplar::program::Copy(rows, result, false, own));
  return result;
}

Tensor allReduceCrossReplica(Graph& graph, const Tensor& data, CollectiveOperator op,
                             Sequence& prog, const CommGroup& group,
                             const DebugContext& debugContext, const OptionFlags& options) {
  popir::checkLibraryOptions("gcl::allReduceCrossReplica", popir::Library::Collective, options);
  if (isReplicated(graph))
    return collective(graph, popir::Collective::Kind::AllReduce, data, op, prog, group,
                      debugContext);
  Tensor result = copyOf(graph, data, prog, {debugContext, "allReduce"});
  allReduceInPlaceCrossReplica(graph, result, op, prog, group, debugContext, options);
  return result;
}

Tensor allReduceCrossReplica(Graph& graph, const Tensor& data, CollectiveOperator op,
                             Sequence& prog, const DebugContext& debugContext,
                             const OptionFlags& options) {
  return allReduceCrossReplica(graph, data, op, prog, CommGroup(), debugContext, options);
}

std::vector<Tensor> allReduceCrossReplica(Graph& graph, const std::vector<Tensor>& datas,
                                          CollectiveOperator op, Sequence& prog,
                                          const CommGroup& group, const DebugContext& debugContext,
                                          const OptionFlags& options) {
  std::vector<Tensor> results;
  for (const Tensor& data : datas)
    results.push_back(allReduceCrossReplica(graph, data, op, prog, group, debugContext, options));
  return results;
}

void allReduceInPlaceCrossReplica(Graph& graph, Tensor& data, CollectiveOperator op, Sequence& prog,
                                  const CommGroup& group, const DebugContext& debugContext,
                                  const OptionFlags& options) {
  popir::checkLibraryOptions("gcl::allReduceInPlaceCrossReplica", popir::Library::Collective,
                             options);
  if (isReplicated(graph)) {
    const Tensor result =
        collective(graph, popir::Collective::Kind::AllReduce, data, op, prog, group, debugContext);
    prog.add(poplar::program::Copy(result, data, false, debugContext));
    return;
  }
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
  if (!isReplicated(graph))
    return allReduceCrossReplica(graph, data, op, prog, group, debugContext, options).flatten();
  popir::checkLibraryOptions("gcl::reduceScatterCrossReplica", popir::Library::Collective, options);
  return collective(graph, popir::Collective::Kind::ReduceScatter, data, op, prog, group,
                    debugContext)
      .flatten();
}

Tensor allGatherCrossReplica(Graph& graph, const Tensor& data, Sequence& prog,
                             const CommGroup& group, const DebugContext& debugContext,
                             const OptionFlags& options) {
  popir::checkLibraryOptions("gcl::allGatherCrossReplica", popir::Library::Collective, options);
  if (isReplicated(graph)) {
    const Tensor all = collective(graph, popir::Collective::Kind::AllGather, data,
                                  CollectiveOperator::LOCAL, prog, group, debugContext);
    auto shape = data.shape();
    shape.insert(shape.begin(), all.numElements() / std::max<std::size_t>(data.numElements(), 1));
    return all.reshape(shape);
  }
  return copyOf(graph, data, prog, {debugContext, "allGather"}).expand({0});
}

Tensor allToAllCrossReplica(Graph& graph, const Tensor& data, Sequence& prog,
                            const CommGroup& group, const DebugContext& debugContext,
                            const OptionFlags& options) {
  popir::checkLibraryOptions("gcl::allToAllCrossReplica", popir::Library::Collective, options);
  if (isReplicated(graph))
    return collective(graph, popir::Collective::Kind::AllToAll, data, CollectiveOperator::LOCAL,
                      prog, group, debugContext);
  return copyOf(graph, data, prog, {debugContext, "allToAll"});
}
Tensor allToAllCrossReplica(Graph& graph, const Tensor& data, Sequence& prog,
                            const DebugContext& debugContext, const OptionFlags& options) {
  return allToAllCrossReplica(graph, data, prog, CommGroup(), debugContext, options);
}

}  // namespace gcl
