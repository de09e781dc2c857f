// Choices between two graphs.
#include <popart/graph.hpp>
#include <popart/ir.hpp>
#include <popart/op/if.hpp>
#include <popart/opserialiser.hpp>
#include <popart/tensor.hpp>

#include "popart/ir_calls.hpp"
#include "popart/op/copy_of.hpp"

namespace popart {
namespace {

BranchInfo branchOf(const std::vector<int64_t>& inputs) {
  std::map<int, int> places;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    places[static_cast<int>(inputs[i])] = static_cast<int>(i);
  return {GraphId::root(), places, {}};
}

int forward(const std::map<int, int>& map, int index) {
  const auto found = map.find(index);
  return found == map.end() ? -1 : found->second;
}

int backward(const std::map<int, int>& map, int index) {
  for (const auto& [ours, theirs] : map)
    if (theirs == index) return ours;
  return -1;
}

/// The operator's index for each of a graph's, in order.
std::vector<int64_t> order(const std::map<int, int>& map, std::size_t n) {
  std::vector<int64_t> found;
  for (std::size_t i = 0; i < n; ++i) found.push_back(backward(map, static_cast<int>(i)));
  return found;
}

}  // namespace

IfOp::IfOp(const OperatorIdentifier& opid, const BranchInfo& thenBranchInfo,
           const BranchInfo& elseBranchInfo, const Op::Settings& settings)
    : Op(opid, settings), branches_{thenBranchInfo, elseBranchInfo} {
  // Here, since to look for graphs is to ask operators what they call.
  for (int number = 0; number < 2; ++number)
    graphs_[number] = &getGraph().getIr().getGraph(branches_[number].graphId);
}

IfOp::IfOp(const OperatorIdentifier& opid, const std::vector<int64_t>& thenInputs,
           const std::vector<int64_t>& elseInputs, const Op::Settings& settings)
    : Op(opid, settings), branches_{branchOf(thenInputs), branchOf(elseInputs)} {}

IfOp::~IfOp() = default;

std::unique_ptr<Op> IfOp::clone() const { return copyOf(*this); }

std::vector<std::unique_ptr<Op>> IfOp::getGradOps() {
  throw error(
      "{}: an IfOp that a program makes has no gradient; one of a model has. Differentiate the "
      "graphs (Autodiff::createBwdGraph), and choose between their gradients by another IfOp",
      debugName());
}

Graph& IfOp::branch(int number) const {
  if (graphs_[number] != nullptr) return *graphs_[number];
  const std::vector<Graph*> called = popir::irCalls().calledGraphs(*this);
  return *called.at(static_cast<std::size_t>(number));
}

Graph& IfOp::getThenGraph() const { return branch(0); }
Graph& IfOp::getElseGraph() const { return branch(1); }

const BranchInfo& IfOp::infoOf(SubgraphIndex subgraph) const {
  if (subgraph != 0 && subgraph != 1)
    throw error("{} has the graphs 0 and 1, and no graph {}", debugName(), subgraph);
  return branches_[subgraph];
}

const std::map<InIndex, InIndex>& IfOp::getBranchInIndicesMap(const Graph& graph) const {
  return infoOf(getCalledGraphIndex(graph.id)).inputIndicesMap;
}

const std::map<OutIndex, OutIndex>& IfOp::getBranchOutIndicesMap(const Graph& graph) const {
  return infoOf(getCalledGraphIndex(graph.id)).outputIndicesMap;
}

std::vector<const Graph*> IfOp::getCalledGraphs() const {
  return {&getThenGraph(), &getElseGraph()};
}

InIndex IfOp::opInToSubgraphInIndex(SubgraphIndex subgraph, InIndex index) const {
  return forward(infoOf(subgraph).inputIndicesMap, index);
}

InIndex IfOp::subgraphInToOpInIndex(SubgraphIndex subgraph, InIndex index) const {
  return backward(infoOf(subgraph).inputIndicesMap, index);
}

// The compiler's graphs have the outputs of the operator, in its order.
OutIndex IfOp::opOutToSubgraphOutIndex(SubgraphIndex subgraph, OutIndex index) const {
  const BranchInfo& info = infoOf(subgraph);
  return graphs_[subgraph] == nullptr ? index : forward(info.outputIndicesMap, index);
}

OutIndex IfOp::subgraphOutToOpOutIndex(SubgraphIndex subgraph, OutIndex index) const {
  const BranchInfo& info = infoOf(subgraph);
  return graphs_[subgraph] == nullptr ? index : backward(info.outputIndicesMap, index);
}

void IfOp::setup() {
  if (graphs_[0] == nullptr) return popir::irCalls().setup(*this);
  const TensorInfo& condition = inInfo(getConditionInIndex());
  if (condition.dataType() != DataType::BOOL || condition.nelms() != 1)
    throw error("{}: the condition is {}; it has to be one BOOL", debugName(), condition);
  for (int number = 0; number < 2; ++number) {
    const Graph& graph = branch(number);
    const int inputs = static_cast<int>(graph.getInputIds().size());
    for (int i = 0; i < inputs; ++i)
      if (!hasInput(subgraphInToOpInIndex(number, i)))
        throw error("{}: no input is mapped to input {} of the graph '{}'", debugName(), i,
                    graph.id.str());
    for (const auto& out : output->tensorMap()) {
      const OutIndex inside = opOutToSubgraphOutIndex(number, out.first);
      if (inside < 0 || inside >= static_cast<int>(graph.getOutputIds().size()))
        throw error("{}: output {} is mapped to no output of the graph '{}'", debugName(),
                    out.first, graph.id.str());
      const TensorInfo& info = branch(number).getOutputTensor(inside)->info;
      if (number == 0)
        outInfo(out.first) = info;
      else if (info != outInfo(out.first))
        throw error("{}: output {} is {} of the graph '{}', and {} of '{}'", debugName(), out.first,
                    outInfo(out.first), branch(0).id.str(), info, graph.id.str());
    }
  }
}

void IfOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  const char* const names[2] = {"then", "else"};
  for (int number = 0; number < 2; ++number) {
    const Graph& graph = branch(number);
    const std::string name = names[number];
    os.appendAttribute(name + "Graph", graph.id.str());
    os.appendAttribute(name + "Inputs",
                       order(branches_[number].inputIndicesMap, graph.getInputIds().size()));
    std::vector<int64_t> outputs;
    for (const auto& out : output->tensorMap())
      outputs.push_back(opOutToSubgraphOutIndex(number, out.first));
    os.appendAttribute(name + "Outputs", outputs);
  }
}

}  // namespace popart
