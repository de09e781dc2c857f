#include "program/accesses.hpp"

#include <poplar/exceptions.hpp>

#include "poplar/graph_impl.hpp"

namespace popir {
namespace {

void collect(const GraphImpl& graph, const ProgramNode& node, ProgramAccesses& found) {
  using Kind = ProgramNode::Kind;
  const auto add = [](std::set<unsigned>& to, const poplar::Tensor& t) {
    if (!t.valid()) return;
    for (auto v : t.view().variables()) to.insert(v);
  };
  if (node.kind == Kind::Execute) {
    for (const auto id : graph.computeSets[node.computeSet.getId()].vertices) {
      const auto& vertex = graph.vertices[id];
      for (std::size_t i = 0; i < vertex.fields.size(); ++i) {
        const auto direction = vertex.codelet->fields[i].direction;
        for (const auto& t : vertex.fields[i].tensors) {
          if (direction != CodeletField::Direction::Output) add(found.reads, t);
          if (direction != CodeletField::Direction::Input) add(found.writes, t);
        }
      }
    }
    for (const auto& vertex : graph.computeSets[node.computeSet.getId()].bulk)
      for (const auto& operand : vertex.operands) {
        if (operand.access != Access::Write) add(found.reads, operand.tensor);
        if (operand.access != Access::Read) add(found.writes, operand.tensor);
      }
  }
  if (node.kind == Kind::Call) collect(graph, *graph.functions[node.function.getId()], found);
  for (const auto& t : node.inputs) add(found.reads, t);
  for (const auto& t : node.outputs) add(found.writes, t);
  add(found.reads, node.src);
  add(found.writes, node.dst);
  for (const auto& child : node.children) collect(graph, *child, found);
}

class GraphCheck {
 public:
  explicit GraphCheck(const GraphImpl& graph) : graph_(graph) {}

  void check(const ProgramNode& node) {
    if (!seen_.insert(&node).second) return;
    const auto where = node.name.empty() ? "a program" : "program '" + node.name + "'";
    const auto tensor = [&](const poplar::Tensor& t) {
      if (t.valid() && t.view().graph() != &graph_)
        throw poplar::graph_connection_error("Engine: " + where + " uses " + t.getDebugStr() +
                                             ", a tensor of another graph");
    };
    const auto require = [&](bool known, const std::string& what) {
      if (!known)
        throw poplar::graph_connection_error("Engine: " + where + " uses " + what +
                                             " of another graph");
    };
    tensor(node.src);
    tensor(node.dst);
    for (const auto& t : node.inputs) tensor(t);
    for (const auto& t : node.outputs) tensor(t);
    if (node.kind == ProgramNode::Kind::Execute)
      require(
          node.computeSet.graph() == &graph_ && node.computeSet.getId() < graph_.computeSets.size(),
          "a compute set");
    if (node.stream.valid()) {
      const auto id = static_cast<std::size_t>(node.stream.id());
      require(id < graph_.streams.size() && graph_.streams[id].handle() == node.stream.handle(),
              "stream '" + node.stream.handle() + "'");
    }
    if (node.hostFunction.valid()) {
      const auto id = static_cast<std::size_t>(node.hostFunction.id());
      require(id < graph_.hostFunctions.size() &&
                  graph_.hostFunctions[id].handle() == node.hostFunction.handle(),
              "host function '" + node.hostFunction.handle() + "'");
    }
    if (node.kind == ProgramNode::Kind::Call) {
      require(node.function.graph() == &graph_ && node.function.getId() < graph_.functions.size(),
              "a function");
      if (const auto& body = graph_.functions[node.function.getId()]) check(*body);
    }
    for (const auto& child : node.children) check(*child);
  }

 private:
  const GraphImpl& graph_;
  std::set<const ProgramNode*> seen_;
};

}  // namespace

ProgramAccesses programAccesses(const poplar::Graph& graph,
                                const poplar::program::Program& program) {
  ProgramAccesses found;
  if (program.node()) requireGraph(*graph.impl(), *program.node());
  if (program.node()) collect(*graph.impl(), *program.node(), found);
  return found;
}

void requireGraph(const GraphImpl& graph, const ProgramNode& program) {
  GraphCheck(graph).check(program);
}

}  // namespace popir
