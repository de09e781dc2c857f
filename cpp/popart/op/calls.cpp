// Operators that run a graph: calls and loops.
#include <popart/graph.hpp>
#include <popart/op/builtin.hpp>
#include <popart/op/call.hpp>
#include <popart/op/loop.hpp>
#include <popart/operators.hpp>
#include <popart/opserialiser.hpp>
#include <popart/tensor.hpp>

#include <algorithm>

#include "popart/ir_calls.hpp"
#include "popart/op/copy_of.hpp"

namespace popart {

using popir::irCalls;

SubgraphOp::~SubgraphOp() = default;
CallOp::~CallOp() = default;
LoopOp::~LoopOp() = default;

std::unique_ptr<Op> CallOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> LoopOp::clone() const { return copyOf(*this); }

namespace {

/// The graph that an operator of the compiler calls.
Graph& askedFor(const Op& op) {
  const std::vector<Graph*> called = irCalls().calledGraphs(op);
  if (called.size() != 1)
    throw error("{} calls {} graphs; expected was one", op.debugName(), called.size());
  return *called.front();
}

/// Whether it is an operator of the compiler, which is asked, and not one that C++ code has made.
bool isAsked(const Graph* callee, const Op& op) {
  return callee == nullptr && op.link() != nullptr;
}

}  // namespace

// ---- SubgraphOp ----

view::Regions SubgraphOp::modifies(InIndex index) const {
  const auto found = modified_.find(index);
  return found == modified_.end() ? view::Regions{} : found->second;
}

void SubgraphOp::addAlias(InIndex in, OutIndex out, view::Chains forward, view::Chains backward) {
  auto& both = aliases_[{in, out}];
  both.first = both.first.parallel(forward);
  both.second = both.second.parallel(backward);
}

view::Regions SubgraphOp::aliases(InIndex in, OutIndex out) const {
  const auto found = aliases_.find({in, out});
  if (found == aliases_.end()) return {};
  return found->second.second.apply(view::Region::getFull(outShape(out)));
}

view::RegMap SubgraphOp::fwdRegMap(InIndex in, OutIndex out) const {
  const auto found = aliases_.find({in, out});
  if (found == aliases_.end()) return Op::fwdRegMap(in, out);
  return
      [chains = found->second.first](const view::Region& region) { return chains.apply(region); };
}

view::RegMap SubgraphOp::bwdRegMap(InIndex in, OutIndex out) const {
  const auto found = aliases_.find({in, out});
  if (found == aliases_.end()) return Op::bwdRegMap(in, out);
  return
      [chains = found->second.second](const view::Region& region) { return chains.apply(region); };
}

bool SubgraphOp::hasSideEffect() const {
  for (const auto& each : getCalledGraph().getOps())
    if (each.second->hasSideEffect()) return true;
  return false;
}

void SubgraphOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("callee", getCalledGraph().id.str());
}

VGraphIdAndTileSet SubgraphOp::getIntrospectionInVirtualGraphId(InIndex index,
                                                                std::set<OpId>& visited) const {
  visited.insert(id);
  const InIndex inside = opInToSubgraphInIndex(index);
  Graph& graph = getCalledGraph();
  if (inside >= 0 && inside < static_cast<InIndex>(graph.getInputIds().size())) {
    Tensor* tensor = graph.getInputTensor(inside);
    for (const Op* op : tensor->consumers.getOps()) {
      if (visited.count(op->id) != 0) continue;
      for (const InIndex in : op->input->indices(tensor)) {
        const auto found = op->getIntrospectionInVirtualGraphId(in, visited);
        if (found.first != unusedVGraphId) return found;
      }
    }
  }
  return Op::getIntrospectionInVirtualGraphId(index, visited);
}

VGraphIdAndTileSet SubgraphOp::getIntrospectionOutVirtualGraphId(OutIndex index,
                                                                 std::set<OpId>& visited) const {
  visited.insert(id);
  const OutIndex inside = opOutToSubgraphOutIndex(index);
  Graph& graph = getCalledGraph();
  if (inside >= 0 && inside < static_cast<OutIndex>(graph.getOutputIds().size())) {
    Tensor* tensor = graph.getOutputTensor(inside);
    const Op* op = tensor->getProducerUnsafe();
    if (op != nullptr && visited.count(op->id) == 0)
      for (const OutIndex out : op->output->indices(tensor)) {
        const auto found = op->getIntrospectionOutVirtualGraphId(out, visited);
        if (found.first != unusedVGraphId) return found;
      }
  }
  return Op::getIntrospectionOutVirtualGraphId(index, visited);
}

// ---- CallOp ----

CallOp::CallOp(const OperatorIdentifier& opid, Graph& callee,
               const std::vector<int>& modifiedInputsViaAttrs, const Op::Settings& settings)
    : SubgraphOp(opid, settings), callee_(&callee), modifiedInputs_(modifiedInputsViaAttrs) {}

CallGradOp::CallGradOp(CallOp& fwdOp, Graph& bwdGraph,
                       const std::vector<GradInOutMapper>& gradInInfo,
                       const std::map<int, int>& gradOutInfo)
    : CallOp(Onnx::CustomOperators::Call_1, bwdGraph, fwdOp.settings),
      inputs_(gradInInfo),
      outputs_(gradOutInfo) {}

CallGradOp::~CallGradOp() = default;
std::unique_ptr<Op> CallGradOp::clone() const { return std::make_unique<CallGradOp>(*this); }

Graph& CallOp::getCalledGraph() const { return callee_ != nullptr ? *callee_ : askedFor(*this); }

void CallOp::setup() {
  Graph& graph = getCalledGraph();
  for (const auto& out : output->tensorMap())
    outInfo(out.first) = graph.getOutputTensor(out.first)->info;
}

view::Regions CallOp::modifies(InIndex index) const {
  if (isAsked(callee_, *this))
    return irCalls().modifies(*this, index) ? uses(index) : view::Regions{};
  const bool isGiven =
      std::find(modifiedInputs_.begin(), modifiedInputs_.end(), index) != modifiedInputs_.end();
  return isGiven ? uses(index) : SubgraphOp::modifies(index);
}

view::Regions CallOp::aliases(InIndex in, OutIndex out) const {
  if (!isAsked(callee_, *this)) return SubgraphOp::aliases(in, out);
  return irCalls().aliases(*this, in, out) ? uses(in) : view::Regions{};
}

// ---- LoopOp ----

Graph& LoopOp::getCalledGraph() const { return callee_ != nullptr ? *callee_ : askedFor(*this); }

void LoopOp::setup() {
  if (isAsked(callee_, *this)) return irCalls().setup(*this);
  Graph& graph = getCalledGraph();
  const int passedOn = output->n() - scanOutputs_;
  for (const auto& out : output->tensorMap()) {
    TensorInfo info = graph.getOutputTensor(opOutToSubgraphOutIndex(out.first))->info;
    if (out.first >= passedOn) {
      Shape shape = info.shape();
      shape.insert(shape.begin(), trips_);
      info.set(info.dataType(), shape);
    }
    outInfo(out.first) = info;
  }
}

void LoopOp::setTripCountValue(int value) {
  trips_ = value;
  builtin::changed(*this);
}

void LoopOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  SubgraphOp::appendOutlineAttributes(os);
  os.appendAttribute("tripCountValue", trips_);
  os.appendAttribute("numImplicitScanOutputs", scanOutputs_);
}

int LoopOp::getNumExplicitInputs() const {
  return getFirstInputInIndex() + static_cast<int>(getCalledGraph().getOutputIds().size()) -
         scanOutputs_ - getLoopGraphFirstOutputOutIndex();
}

int LoopOp::getNumImplicitInputs() const {
  return static_cast<int>(getCalledGraph().getInputIds().size()) - getNumExplicitInputs();
}

VGraphIdAndTileSet LoopOp::getIntrospectionInVirtualGraphId(InIndex index,
                                                            std::set<OpId>& visited) const {
  const auto read = SubgraphOp::getIntrospectionInVirtualGraphId(index, visited);
  const bool isRead = !hasVirtualGraphId() || read.first != getVirtualGraphId();
  if ((isRead && read.first != unusedVGraphId) || index < getFirstInputInIndex()) return read;
  const OutIndex out = index - getFirstInputInIndex();
  if (index >= getNumExplicitInputs() || !hasOutput(out)) return read;
  return getIntrospectionOutVirtualGraphId(out, visited);
}

void LoopOp::addLoopInput(InIndex index, TensorId tensorId, TensorId subgraphTensorId,
                          bool overwrite) {
  const TensorInfo info = getGraph().getTensor(tensorId)->info;
  if (overwrite && hasInput(index)) {
    disconnectInTensor(index);
  } else {
    const auto after = input->tensorIdMap();
    for (auto each = after.rbegin(); each != after.rend() && each->first >= index; ++each) {
      disconnectInTensor(each->first);
      connectInTensor(each->first + 1, each->second);
    }
  }
  connectInTensor(index, tensorId);
  getCalledGraph().addInput(opInToSubgraphInIndex(index), subgraphTensorId, info, overwrite);
}

void LoopOp::addLoopOutput(OutIndex index, TensorId tensorId, TensorId subgraphTensorId,
                           bool overwrite) {
  if (overwrite && hasOutput(index)) {
    disconnectOutTensor(outTensor(index));
  } else {
    const auto after = output->tensorIdMap();
    for (auto each = after.rbegin(); each != after.rend() && each->first >= index; ++each) {
      disconnectOutTensor(outTensor(each->first));
      connectOutTensor(each->first + 1, each->second);
    }
  }
  if (getGraph().getTensors().contains(tensorId))
    connectOutTensor(index, tensorId);
  else
    createAndConnectOutTensor(index, tensorId);
  Graph& graph = getCalledGraph();
  graph.markAsOutput(opOutToSubgraphOutIndex(index), subgraphTensorId, overwrite);
  outInfo(index) = graph.getTensor(subgraphTensorId)->info;
}

void LoopOp::removeLoopInput(InIndex index) {
  disconnectInTensor(index);
  for (const auto& each : input->tensorIdMap())
    if (each.first > index) {
      disconnectInTensor(each.first);
      connectInTensor(each.first - 1, each.second);
    }
  getCalledGraph().removeInput(opInToSubgraphInIndex(index));
}

void LoopOp::removeLoopOutput(OutIndex index) {
  disconnectOutTensor(outTensor(index));
  for (const auto& each : output->tensorIdMap())
    if (each.first > index) {
      disconnectOutTensor(outTensor(each.first));
      connectOutTensor(each.first - 1, each.second);
    }
  getCalledGraph().removeOutput(opOutToSubgraphOutIndex(index));
}

}  // namespace popart
