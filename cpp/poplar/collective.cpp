#include "poplar/collective.hpp"

#include <poplar/exceptions.hpp>

#include <algorithm>
#include <sstream>
#include <string>

#include "poplar/graph_impl.hpp"

namespace popir {
namespace {

constexpr const char* kCollectiveMark = "collective:";
constexpr const char* kNames[] = {"allReduce", "reduceScatter", "allGather", "allToAll",
                                  "crossReplicaCopy"};

/// The name of a type as one word.
std::string wordOf(const poplar::Type& type) {
  std::string word = type.toString();
  std::replace(word.begin(), word.end(), ' ', '_');
  return word;
}

}  // namespace

std::vector<unsigned> Grouping::members(unsigned replica) const {
  const unsigned first = replica - indexOf(replica) * stride;
  std::vector<unsigned> all;
  for (unsigned i = 0; i < size; ++i) all.push_back(first + i * stride);
  return all;
}

std::size_t Collective::results() const {
  switch (kind) {
    case Kind::ReduceScatter: return part();
    case Kind::AllGather: return elements * grouping.size;
    default: return elements;
  }
}

std::string Collective::text() const {
  return std::string(kNames[static_cast<int>(kind)]) + (name.empty() ? "" : " '" + name + "'");
}

std::string handleOf(const Collective& collective) {
  std::ostringstream os;
  const auto& grouping = collective.grouping;
  os << kCollectiveMark << static_cast<int>(collective.kind) << " "
     << static_cast<int>(collective.op) << " " << grouping.replicas << " " << grouping.stride << " "
     << grouping.size << " " << wordOf(collective.type) << " " << collective.elements << " ";
  for (const unsigned source : collective.sources) os << source << " ";
  os << collective.name;
  return os.str();
}

std::optional<Collective> collectiveOf(const poplar::HostFunction& function) {
  const std::string mark = kCollectiveMark, handle = function.handle();
  if (handle.compare(0, mark.size(), mark) != 0) return {};
  std::istringstream is(handle.substr(mark.size()));
  Collective found;
  auto& grouping = found.grouping;
  unsigned kind = 0, op = 0;
  std::string type;
  is >> kind >> op >> grouping.replicas >> grouping.stride >> grouping.size >> type >>
      found.elements;
  const auto& inputs = function.inputs();
  const auto& outputs = function.outputs();
  const auto refuse = [&] {
    throw poplar::poplar_error("the host function '" + handle +
                               "' has the handle of a collective, and not its arguments; give it "
                               "another handle");
  };
  // Handles come from files, too.
  if (!is || kind > 4 || op > static_cast<unsigned>(gcl::CollectiveOperator::LOCAL) ||
      inputs.size() != 1 || outputs.size() != 1 || grouping.stride == 0 || grouping.size == 0 ||
      grouping.replicas % grouping.stride != 0 ||
      grouping.replicas / grouping.stride % grouping.size != 0 ||
      inputs[0].numElements != found.elements || wordOf(inputs[0].type) != type ||
      outputs[0].type != inputs[0].type)
    refuse();
  found.kind = static_cast<Collective::Kind>(kind);
  found.op = static_cast<gcl::CollectiveOperator>(op);
  found.type = inputs[0].type;
  if (outputs[0].numElements != found.results()) refuse();
  if (found.kind == Collective::Kind::Permute) {
    std::vector<bool> isThere(grouping.size);
    for (unsigned source = 0; found.sources.size() < grouping.size && is >> source;) {
      if (source >= grouping.size || isThere[source]) refuse();
      isThere[source] = true;
      found.sources.push_back(source);
    }
    if (found.sources.size() < grouping.size) refuse();
  }
  is.get();
  std::getline(is, found.name, '\0');
  return found;
}

poplar::Tensor addCollective(poplar::Graph& graph, poplar::program::Sequence& prog,
                             Collective collective, const poplar::Tensor& data,
                             const poplar::DebugContext& debugContext) {
  auto& impl = *graph.impl();
  auto& grouping = collective.grouping;
  grouping.replicas = impl.replicas;
  collective.type = data.elementType();
  collective.elements = data.numElements();
  collective.name = debugContext.getPathName();
  if (grouping.size == 0) grouping.size = grouping.replicas;
  if (grouping.stride == 0 || grouping.replicas % grouping.stride != 0 ||
      grouping.replicas / grouping.stride % grouping.size != 0)
    throw poplar::poplar_error(collective.text() + ": groups of " + std::to_string(grouping.size) +
                               " replicas with a stride of " + std::to_string(grouping.stride) +
                               " do not divide the " + std::to_string(grouping.replicas) +
                               " replicas of the graph");
  const poplar::Tensor out =
      collective.results() == collective.elements
          ? graph.clone(data, debugContext)
          : graph.addVariable(collective.type, {collective.results()},
                              poplar::VariableMappingMethod::LINEAR, debugContext);
  prog.add(callOf(impl, collective, data, out, debugContext));
  return out;
}

poplar::program::Program callOf(GraphImpl& graph, const Collective& collective,
                                const poplar::Tensor& data, const poplar::Tensor& out,
                                const poplar::DebugContext& debugContext) {
  using Arguments = std::vector<poplar::HostFunctionArgument>;
  const auto handle = handleOf(collective);
  poplar::HostFunction function;
  for (const auto& f : graph.hostFunctions)
    if (f.handle() == handle) function = f;
  if (!function.valid()) {
    graph.hostFunctions.emplace_back(static_cast<int>(graph.hostFunctions.size()), handle,
                                     Arguments{{collective.type, collective.elements}},
                                     Arguments{{collective.type, collective.results()}});
    function = graph.hostFunctions.back();
  }
  return poplar::program::Call(function, {data}, {out}, debugContext);
}

}  // namespace popir
