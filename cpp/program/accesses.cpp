#include "program/accesses.hpp"

#include <poplar/exceptions.hpp>

#include "poplar/graph_impl.hpp"

namespace popir {
namespace {

void collectWrites(const GraphImpl& graph, const ProgramNode& node, std::set<unsigned>& found) {
  using Kind = ProgramNode::Kind;
  const auto add = [&](const poplar::Tensor& t) {
    if (!t.valid()) return;
    for (auto v : t.view().variables()) found.insert(v);
  };
  if (node.kind == Kind::Execute) {
    for (const auto id : graph.computeSets[node.computeSet.getId()].vertices) {
      const auto& vertex = graph.vertices[id];
      for (std::size_t i = 0; i < vertex.fields.size(); ++i) {
        if (vertex.codelet->fields[i].direction == CodeletField::Direction::Input) continue;
        for (const auto& t : vertex.fields[i].tensors) add(t);
      }
    }
    for (const auto& vertex : graph.computeSets[node.computeSet.getId()].bulk)
      for (const auto& operand : vertex.operands)
        if (operand.access != Access::Read) add(operand.tensor);
  }
  if (node.kind == Kind::Call) collectWrites(graph, *graph.functions[node.function.getId()], found);
  for (const auto& t : node.outputs) add(t);
  add(node.dst);
  for (const auto& child : node.children) collectWrites(graph, *child, found);
}

class GraphCheck {
 public:
  explicit GraphCheck(const GraphImpl& graph) : graph_(graph) {}

  void check(const ProgramNode& node) {
    // What is below a node that two nodes share is checked once; nodes with nothing below need no
    // memory of that.
    const bool isLeaf = node.children.empty() && node.kind != ProgramNode::Kind::Call;
    if (!isLeaf && !seen_.insert(&node).second) return;
    const auto where = [&] {
      return node.name.empty() ? "a program" : "program '" + node.name + "'";
    };
    const auto tensor = [&](const poplar::Tensor& t) {
      if (t.valid() && t.view().graph() != &graph_)
        throw poplar::graph_connection_error("Engine: " + where() + " uses " + t.getDebugStr() +
                                             ", a tensor of another graph");
    };
    const auto require = [&](bool known, const std::string& what) {
      if (!known)
        throw poplar::graph_connection_error("Engine: " + where() + " uses " + what +
                                             " of another graph");
    };
    tensor(node.src);
    tensor(node.dst);
    for (const auto& t : node.inputs) tensor(t);
    for (const auto& t : node.outputs) tensor(t);
    if (node.kind == ProgramNode::Kind::Execute)
      require(isOf(node.computeSet.graph()) && node.computeSet.getId() < graph_.computeSets.size(),
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
      require(isOf(node.function.graph()) && node.function.getId() < graph_.functions.size(),
              "a function");
      if (const auto& body = graph_.functions[node.function.getId()]) check(*body);
    }
    for (const auto& child : node.children) check(*child);
  }

 private:
  /// Whether a handle is of this graph; one that was made of a number is of any.
  bool isOf(const GraphImpl* graph) const { return graph == nullptr || graph == &graph_; }

  const GraphImpl& graph_;
  std::set<const ProgramNode*> seen_;
};

}  // namespace

std::set<unsigned> programWrites(const poplar::Graph& graph,
                                 const poplar::program::Program& program) {
  std::set<unsigned> found;
  if (program.node()) requireGraph(*graph.impl(), *program.node());
  if (program.node()) collectWrites(*graph.impl(), *program.node(), found);
  return found;
}

void requireGraph(const GraphImpl& graph, const ProgramNode& program) {
  GraphCheck(graph).check(program);
}

bool mappedAlike(const poplar::Tensor& a, const poplar::Tensor& b) {
  const auto one = a.view().wholeVariable(), other = b.view().wholeVariable();
  const auto* graph = a.view().graph();
  return one && other && graph == b.view().graph() && a.shape() == b.shape() &&
         graph->variable(*one).mapping.sameAs(graph->variable(*other).mapping);
}

}  // namespace popir
