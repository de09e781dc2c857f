// Choices between two graphs.
#include <popart/graph.hpp>
#include <popart/graphcoreoperators.hpp>
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
    : IfOp(opid, thenBranchInfo, elseBranchInfo, settings, settings.graph.get().getIr()) {}

IfOp::IfOp(const OperatorIdentifier& opid, const BranchInfo& thenBranchInfo,
           const BranchInfo& elseBranchInfo, const Op::Settings& settings, const Ir& ir)
    : Op(opid, settings), branches_{thenBranchInfo, elseBranchInfo} {
  // Here, since to look for graphs is to ask operators what they call.
  for (int number = 0; number < 2; ++number)
    graphs_[number] = &ir.getGraph(branches_[number].graphId);
}

IfOp::IfOp(const OperatorIdentifier& opid, const std::vector<int64_t>& thenInputs,
           const std::vector<int64_t>& elseInputs, const Op::Settings& settings)
    : Op(opid, settings), branches_{branchOf(thenInputs), branchOf(elseInputs)} {}

IfOp::~IfOp() = default;

std::unique_ptr<Op> IfOp::clone() const { return copyOf(*this); }

namespace {

bool isReal(const TensorInfo& info) {
  return info.dataType() == DataType::FLOAT || info.dataType() == DataType::FLOAT16;
}

/// Adds zeros to a graph, as an output. Returns its index.
int addZeros(Graph& graph, InIndex forInput, const TensorInfo& info) {
  const TensorId id = graph.id.str() + "/zeros_" + std::to_string(forInput);
  const std::vector<char> zeros(static_cast<std::size_t>(info.nbytes()));
  graph.addConstInit(id, info, zeros.data());
  graph.markAsOutput(id);
  return static_cast<int>(graph.getOutputIds().size()) - 1;
}

}  // namespace

std::vector<std::unique_ptr<Op>> IfOp::getGradOps() {
  if (graphs_[0] == nullptr)
    throw error("{}: the gradient of a choice that the compiler has made is the compiler's",
                debugName());
  Ir& ir = getThenGraph().getIr();
  std::vector<GradInOutMapper> mappers{{0, getConditionInIndex(), GradOpInType::In}};
  const auto placeOf = [&mappers](int index, GradOpInType type) {
    for (const GradInOutMapper& each : mappers)
      if (each.iNonGrad == index && each.type == type) return each.iGrad;
    mappers.emplace_back(static_cast<InIndex>(mappers.size()), index, type);
    return mappers.back().iGrad;
  };
  std::vector<InIndex> targets;
  for (const auto& in : input->tensorMap())
    if (isReal(in.second->info)) targets.push_back(in.first);
  if (targets.empty()) return {};
  std::vector<BranchInfo> branches;
  for (int number = 0; number < 2; ++number) {
    const Graph& graph = branch(number);
    std::vector<int64_t> inside;
    std::vector<OutIndex> outside;
    for (const auto& out : output->tensorMap()) {
      if (!isReal(out.second->info)) continue;
      inside.push_back(opOutToSubgraphOutIndex(number, out.first));
      outside.push_back(out.first);
    }
    const BwdGraphInfo made = ir.differentiateGraph(graph, inside, {}, true);
    std::map<int, int> in, out;
    for (std::size_t i = 0; i < made.expectedInputs.size(); ++i) {
      const int index = static_cast<int>(i);
      const TensorId& id = made.expectedInputs[i].fwdId;
      const bool isGradient = i < outside.size();
      const InIndex read =
          isGradient
              ? placeOf(outside[i], GradOpInType::GradOut)
              : placeOf(subgraphInToOpInIndex(number, graph.getInputIndex(id)), GradOpInType::In);
      in[read] = index;
    }
    for (std::size_t i = 0; i < made.expectedOutputs.size(); ++i) {
      const int inner = graph.getInputIndex(made.expectedOutputs[i].fwdId);
      out[subgraphInToOpInIndex(number, inner) - 1] = static_cast<int>(i);
    }
    for (const InIndex target : targets)
      if (out.count(target - 1) == 0)
        out[target - 1] = addZeros(ir.getGraph(made.bwdGraphId), target, inInfo(target));
    branches.emplace_back(made.bwdGraphId, in, out);
  }
  std::vector<std::unique_ptr<Op>> made;
  made.emplace_back(new IfGradOp(*this, mappers, branches[0], branches[1]));
  return made;
}

IfGradOp::IfGradOp(const IfOp& fwdOp, const std::vector<GradInOutMapper>& gradInInfo,
                   const BranchInfo& thenBranchInfo, const BranchInfo& elseBranchInfo)
    : IfOp(Onnx::CustomGradOperators::IfGrad, thenBranchInfo, elseBranchInfo, fwdOp.settings,
           fwdOp.getThenGraph().getIr()),
      inputs_(gradInInfo) {
  for (const auto& [ours, theirs] : thenBranchInfo.outputIndicesMap) outputs_[ours] = ours + 1;
}

IfGradOp::~IfGradOp() = default;

std::unique_ptr<Op> IfGradOp::clone() const { return copyOf(*this); }

const std::vector<GradInOutMapper>& IfGradOp::gradInputInfo() const { return inputs_; }
const std::map<int, int>& IfGradOp::gradOutToNonGradIn() const { return outputs_; }

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
    for (int i = 0; i < inputs; ++i) {
      const InIndex outside = subgraphInToOpInIndex(number, i);
      if (!hasInput(outside))
        throw error("{}: no input is mapped to input {} of the graph '{}'", debugName(), i,
                    graph.id.str());
      const TensorInfo& wanted = graph.getInputTensor(i)->info;
      if (inInfo(outside) != wanted)
        throw error("{}: input {} is {}, and input {} of the graph '{}' {}", debugName(), outside,
                    inInfo(outside), i, graph.id.str(), wanted);
    }
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
