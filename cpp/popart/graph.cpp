#include <popart/graph.hpp>
#include <popart/ir.hpp>
#include <popart/util.hpp>

#include <algorithm>
#include <set>
#include <utility>

#include "popart/ir_calls.hpp"
#include "popart/link.hpp"
#include "popart/schedule.hpp"

namespace popart {

using popir::irCalls;

void TopoCons::insert(Op* before, Op* after) { irCalls().addConstraint(graph_, *before, *after); }

void TopoCons::remove(Op* before, Op* after) {
  irCalls().removeConstraint(graph_, *before, *after);
}

void TopoCons::remove(Op* op) {
  for (Op* before : getBefores(op)) remove(before, op);
  for (Op* after : getAfters(op)) remove(op, after);
}

bool TopoCons::contains(Op* before, Op* after) const {
  const std::vector<Op*> befores = getBefores(after);
  return std::find(befores.begin(), befores.end(), before) != befores.end();
}

bool TopoCons::hasConstraint(Op* op) const {
  return !getBefores(op).empty() || !getAfters(op).empty();
}

std::vector<Op*> TopoCons::getBefores(Op* after) const {
  return irCalls().constraints(graph_, *after, true);
}

std::vector<Op*> TopoCons::getAfters(Op* before) const {
  return irCalls().constraints(graph_, *before, false);
}

void TopoCons::insert(const OpsBeforeKey& befores, bool tied) {
  for (const auto& [after, ops] : befores)
    for (Op* before : ops) insert(before, after, tied);
}

void TopoCons::transferToMultiple(Op* from, const std::vector<Op*>& to, bool removeOld) {
  for (Op* op : to) transfer(from, op, false);
  if (removeOld) remove(from);
}

OpsBeforeKey TopoCons::finalConsumerCons(const Tensor* consumed, Op* last) const {
  OpsBeforeKey cons;
  for (Op* reader : consumed->consumers.getOps())
    if (reader != last && !contains(reader, last)) cons[last].push_back(reader);
  return cons;
}

void TopoCons::transfer(Op* from, Op* to, bool removeOld) {
  for (Op* before : getBefores(from)) insert(before, to);
  for (Op* after : getAfters(from)) insert(to, after);
  if (removeOld) remove(from);
}

void TopoCons::transferToSubgraph(Op* replacement, std::map<Op*, std::vector<Op*>, POpCmp> remaps,
                                  bool removeOld) {
  TopoCons& outer = *replacement->getGraph().topoCons;
  const auto order = [&](Op* before, Op* after) {
    const auto first = remaps.find(before), second = remaps.find(after);
    if (first == remaps.end() || second == remaps.end()) {
      outer.insert(first == remaps.end() ? before : replacement,
                   second == remaps.end() ? after : replacement);
      return;
    }
    for (Op* a : first->second)
      for (Op* b : second->second) a->getGraph().topoCons->insert(a, b);
  };
  std::set<std::pair<OpId, OpId>> seen;
  const auto orderOnce = [&](Op* before, Op* after) {
    if (seen.insert({before->id, after->id}).second) order(before, after);
  };
  for (const auto& moved : remaps) {
    for (Op* before : outer.getBefores(moved.first)) orderOnce(before, moved.first);
    for (Op* after : outer.getAfters(moved.first)) orderOnce(moved.first, after);
  }
  if (removeOld)
    for (const auto& moved : remaps) outer.remove(moved.first);
}

Graph::Graph(Ir& ir, const GraphId& graphId, popir::GraphLink* link)
    : id(graphId),
      topoCons(new TopoCons(*this)),
      ir_(&ir),
      own_(&ir),
      tensors_(*this),
      link_(link) {
  ir.main_ = this;
}

Graph::Graph(Ir& ir, const GraphId& graphId)
    : id(graphId), topoCons(new TopoCons(*this)), ir_(&ir), own_(&ir), tensors_(*this) {
  throw error("Graph: '{}' cannot be made by itself; Ir::createGraph() makes graphs",
              graphId.str());
}

Graph::~Graph() {
  forgetOps();
  if (ir_ != own_) ir_->bound_.erase(this);
}

void Graph::forgetOps() const {
  for (auto& op : ops_) static_cast<void>(op.second.release());
  ops_.clear();
}

std::map<OpId, std::unique_ptr<Op>>& Graph::getOps() {
  forgetOps();
  for (OpId opId : getOpIds()) ops_[opId].reset(getOp(opId));
  return ops_;
}

const std::map<OpId, std::unique_ptr<Op>>& Graph::getOps() const {
  return const_cast<Graph*>(this)->getOps();
}

// ---- Inputs and outputs ----

namespace {

std::vector<TensorId> endsOf(const Graph& graph, bool inputs) {
  return irCalls().ends(const_cast<Graph&>(graph), inputs);
}

const char* nameOf(bool inputs) { return inputs ? "input" : "output"; }

}  // namespace

std::vector<TensorId> Graph::getInputIds() const { return endsOf(*this, true); }
std::vector<TensorId> Graph::getOutputIds() const { return endsOf(*this, false); }

void Graph::mark(bool inputs, int index, const TensorId& tensorId, bool overwrite) {
  static_cast<void>(tensors_.get(tensorId));
  std::vector<TensorId> ids = endsOf(*this, inputs);
  if (index < 0 || index > static_cast<int>(ids.size()))
    throw error("{} has {} {}s: '{}' cannot be number {}", getGraphString(), ids.size(),
                nameOf(inputs), tensorId, index);
  const auto at = ids.begin() + index;
  if (overwrite && at != ids.end())
    *at = tensorId;
  else
    ids.insert(at, tensorId);
  irCalls().setEnds(*this, inputs, ids);
}

void Graph::unmark(bool inputs, const TensorId& tensorId) {
  std::vector<TensorId> ids = endsOf(*this, inputs);
  ids.erase(ids.begin() + indexOf(inputs, tensorId));
  irCalls().setEnds(*this, inputs, ids);
}

int Graph::indexOf(bool inputs, const TensorId& tensorId) const {
  const std::vector<TensorId> ids = endsOf(*this, inputs);
  const auto found = std::find(ids.begin(), ids.end(), tensorId);
  if (found == ids.end())
    throw error("{} has no {} '{}'", getGraphString(), nameOf(inputs), tensorId);
  return static_cast<int>(found - ids.begin());
}

void Graph::addInput(const TensorId& tensorId, const TensorInfo& info) {
  addInput(static_cast<InIndex>(getInputIds().size()), tensorId, info, false);
}

void Graph::addInput(const InIndex& index, const TensorId& tensorId, const TensorInfo& info,
                     bool overwrite) {
  tensors_.addActGrad(tensorId);
  tensors_.get(tensorId)->info = info;
  mark(true, index, tensorId, overwrite);
}

TensorId Graph::addInput(const TensorInfo& info) {
  const TensorId made = irCalls().uniqueId(*this, (getScope() / "input").str());
  addInput(made, info);
  return made;
}

void Graph::markAsInput(const TensorId& tensorId) {
  mark(true, static_cast<int>(getInputIds().size()), tensorId, false);
}

void Graph::markAsOutput(const TensorId& tensorId) {
  mark(false, static_cast<int>(getOutputIds().size()), tensorId, false);
}

void Graph::markAsOutput(const OutIndex& index, const TensorId& tensorId, bool overwrite) {
  mark(false, index, tensorId, overwrite);
}

InIndex Graph::getInputIndex(TensorId tensorId) const { return indexOf(true, tensorId); }
OutIndex Graph::getOutputIndex(TensorId tensorId) const { return indexOf(false, tensorId); }

bool Graph::hasInputId(const TensorId& tensorId) const {
  const std::vector<TensorId> ids = getInputIds();
  return std::find(ids.begin(), ids.end(), tensorId) != ids.end();
}

bool Graph::hasOutputId(const TensorId& tensorId) const {
  const std::vector<TensorId> ids = getOutputIds();
  return std::find(ids.begin(), ids.end(), tensorId) != ids.end();
}

void Graph::removeInput(const TensorId& tensorId) { unmark(true, tensorId); }
void Graph::removeOutput(const TensorId& tensorId) { unmark(false, tensorId); }

// ---- Relations to other graphs ----

TensorId Graph::addScope(const TensorId& id) const { return popart::addScope(*this, id); }
TensorId Graph::removeScope(const TensorId& id) const { return popart::removeScope(*this, id); }
Scope Graph::getScope() const { return id == GraphId::root() ? Scope() : Scope() / id.str(); }

std::string Graph::getGraphString() const {
  return id == GraphId::root() ? "The main graph" : "The graph '" + id.str() + "'";
}

std::vector<const Graph*> Graph::getCalledGraphs() const {
  std::vector<const Graph*> found;
  for (const Op* op : irCalls().schedule(const_cast<Graph&>(*this)))
    for (const Graph* graph : op->getCalledGraphs())
      if (std::find(found.begin(), found.end(), graph) == found.end()) found.push_back(graph);
  return found;
}

std::vector<Op*> Graph::getCallSiteOps() const {
  std::vector<Op*> sites;
  for (const Graph* graph : getIr().getAllGraphs())
    for (Op* op : irCalls().schedule(const_cast<Graph&>(*graph))) {
      const std::vector<const Graph*> called = op->getCalledGraphs();
      if (std::find(called.begin(), called.end(), this) != called.end()) sites.push_back(op);
    }
  return sites;
}

std::vector<Op*> Graph::getCallSiteOps(std::size_t num) const {
  std::vector<Op*> sites = getCallSiteOps();
  if (sites.size() > num) sites.resize(num);
  return sites;
}

// ---- Order ----

std::vector<Op*> Graph::getOpSchedule(const OpsBeforeKey& constraints,
                                      RequireOptimalSchedule) const {
  const std::vector<Op*> own = irCalls().schedule(const_cast<Graph&>(*this));
  if (constraints.empty()) return own;
  return popir::requireOrder(*this, own, constraints, false);
}

std::map<OpId, std::unordered_set<OpId>> Graph::getEdgeMap() const {
  std::map<OpId, std::unordered_set<OpId>> edges;
  for (const auto& each : getOps()) {
    std::unordered_set<OpId>& after = edges[each.first];
    for (const auto& out : each.second->output->tensorMap())
      for (const Op* reader : out.second->consumers.getOps()) after.insert(reader->id);
    for (const Op* op : topoCons->getAfters(each.second.get())) after.insert(op->id);
  }
  return edges;
}

bool Graph::isSchedulable(const OpsBeforeKey& constraints, bool respectExecutionPhases) const {
  std::vector<Op*> all;
  for (const auto& each : getOps()) all.push_back(each.second.get());
  return static_cast<bool>(popir::orderOf(*this, all, constraints, respectExecutionPhases));
}

const std::map<int64_t, int> Graph::getVirtualGraphCounts() const {
  std::map<int64_t, int> counts;
  for (const auto& each : getOps())
    ++counts[each.second->hasVirtualGraphId() ? each.second->getVirtualGraphId() : NoVGraph];
  return counts;
}

const std::set<int64_t> Graph::getAllVirtualGraphIds(bool includeInvalid) const {
  std::set<int64_t> ids;
  for (const auto& each : getVirtualGraphCounts())
    if (includeInvalid || each.first != NoVGraph) ids.insert(each.first);
  return ids;
}

void Graph::removeIsolatedTensors(bool retainUsedIOTensors, bool retainAllIOTensors,
                                  bool retainVarTensors, bool retainConstTensors) {
  for (Tensor* tensor : tensors_.getAll()) {
    const TensorId name = tensor->id;
    const TensorType type = tensor->tensorType();
    const bool isEnd = hasInputId(name) || hasOutputId(name);
    const bool isAnchor = id == GraphId::root() && getIr().isAnchored(name);
    if (tensor->hasProducer() || tensor->consumers.getTotal() != 0) continue;
    if (id != GraphId::root() ? isEnd : retainAllIOTensors && isEnd) continue;
    if (retainUsedIOTensors && isAnchor) continue;
    if (retainVarTensors && type == TensorType::Variable) continue;
    if (retainConstTensors && type == TensorType::Const) continue;
    if (hasInputId(name)) removeInput(name);
    if (hasOutputId(name)) removeOutput(name);
    if (tensors_.contains(name)) tensors_.remove(name);
  }
}

std::pair<bool, std::vector<Op*>> Graph::getDirectViewChain(Tensor* from, Tensor* to) {
  for (const Tensor* tensor : {from, to})
    if (!tensors_.contains(tensor->id) || &tensor->getGraph() != this)
      throw error("Graph::getDirectViewChain: '{}' is in another graph than {}", tensor->id,
                  id.str());
  std::vector<Op*> chain;
  for (Tensor* current = to; current != from;) {
    Op* producer = current->getProducerUnsafe();
    if (producer == nullptr || !producer->isInplaceViewChange()) return {false, {}};
    chain.push_back(producer);
    current = producer->input->tensorMap().begin()->second;
  }
  std::reverse(chain.begin(), chain.end());
  return {true, chain};
}

void Graph::replaceTensor(const TensorId& oldId, const TensorId& newId) {
  Tensor* old = getTensor(oldId);
  for (Op* op : old->consumers.getOps())
    for (const int index : op->input->indices(old)) {
      op->disconnectInTensor(index);
      op->connectInTensor(index, newId);
    }
}

Op* Graph::getOp(OpId opId) const {
  if (Op* op = irCalls().op(const_cast<Graph&>(*this), opId)) return op;
  throw error("{} has no operator {}", getGraphString(), opId);
}

Op* Graph::getOpUnsafe(OpId opId) const { return irCalls().op(const_cast<Graph&>(*this), opId); }

std::vector<OpId> Graph::getOpIds() const { return irCalls().opIds(const_cast<Graph&>(*this)); }

OpId Graph::moveIntoGraph(std::unique_ptr<Op> op) {
  const OptionalTensorLocation& place = op->settings.tensorLocation;
  if (place && *place != TensorLocation(TensorStorage::OnChip))
    throw error(
        "{}: its outputs are to be at {}; a single operator's are on chip, and the options of a "
        "session (activationTensorLocationSettings) move tensors of a kind",
        op->debugName(), *place);
  if (!op->settings.inferTensorMappingToFrom.empty())
    throw error(
        "{}: its settings (inferTensorMappingToFrom) say that input {} lies where input {} does; "
        "where "
        "tensors lie is the compiler's",
        op->debugName(), op->settings.inferTensorMappingToFrom.begin()->first,
        op->settings.inferTensorMappingToFrom.begin()->second);
  return irCalls().moveIntoGraph(*this, std::move(op));
}

void Graph::copyFrom(const Graph& other, CopyInputMarkings copyInputMarkings,
                     CopyOutputMarkings copyOutputMarkings) {
  const auto own = [&](const TensorId& theirs) {
    return popart::addScope(*this, popart::removeScope(other, theirs));
  };
  for (const Tensor* tensor : other.getTensors().getAll())
    if (tensors_.contains(own(tensor->id)))
      throw error("Graph::copyFrom: {} has a tensor '{}' already", getGraphString(),
                  own(tensor->id));
  const bool isMain = id == GraphId::root();
  for (Tensor* tensor : other.getTensors().getAll()) {
    const TensorId made = own(tensor->id);
    if (tensor->tensorType() == TensorType::Const) {
      tensors_.addConstInit(made, tensor->info, tensor->tensorData()->data());
    } else if (tensor->tensorType() == TensorType::Variable) {
      tensors_.addVarInit(made, tensor->info, tensor->tensorData()->data());
    } else if (isMain && copyInputMarkings == CopyInputMarkings::Yes &&
               other.hasInputId(tensor->id)) {
      tensors_.addStream(made, tensor->info);
    } else {
      tensors_.addActGrad(made);
      tensors_.get(made)->info = tensor->info;
    }
  }
  if (copyInputMarkings == CopyInputMarkings::Yes && !isMain)
    for (const TensorId& each : other.getInputIds()) markAsInput(own(each));
  for (const Graph* called : other.getCalledGraphs())
    if (&called->getIr() != &getIr())
      throw error("Graph::copyFrom: {} calls '{}', a graph of its own Ir, which is another one",
                  other.getGraphString(), called->id.str());
  std::map<const Op*, Op*> copies;
  for (const Op* op : other.getOpSchedule({}, RequireOptimalSchedule::No)) {
    std::unique_ptr<Op> made = op->clone();
    Op* copy = copies[op] = made.get();
    copy->settings.graph = *this;
    copy->settings.scope = getScope();
    moveIntoGraph(std::move(made));
    for (const auto& in : op->input->tensorMap())
      copy->connectInTensor(in.first, own(in.second->id));
    for (const auto& out : op->output->tensorMap())
      copy->connectOutTensor(out.first, own(out.second->id));
    copy->setup();
  }
  for (const auto& [op, copy] : copies)
    for (const Op* after : other.topoCons->getAfters(const_cast<Op*>(op)))
      topoCons->insert(copy, copies.at(after));
  if (copyOutputMarkings == CopyOutputMarkings::Yes)
    for (const TensorId& each : other.getOutputIds()) markAsOutput(own(each));
}

void Graph::eraseOp(OpId opId) { irCalls().eraseOp(*this, opId); }

void Graph::connect(Op* op, const std::map<InIndex, TensorId>& in,
                    const std::map<OutIndex, TensorId>& out) {
  for (const auto& input : in) op->connectInTensor(input.first, input.second);
  for (const auto& output : out) {
    Tensor* tensor = irCalls().tensor(*this, output.second);
    if (tensor == nullptr) {
      op->createAndConnectOutTensor(output.first, output.second);
      continue;
    }
    if (Op* producer = tensor->getProducerUnsafe()) producer->disconnectOutTensor(tensor);
    op->connectOutTensor(output.first, output.second);
  }
  op->setup();
}

TensorId addScope(const Scope& scope, const TensorId& id) { return (scope / id).str(); }
TensorId addScope(const Graph& graph, const TensorId& id) { return addScope(graph.getScope(), id); }

TensorId removeScope(const Scope& scope, const TensorId& id) {
  const TensorId names = addScope(scope, "");
  if (id.compare(0, names.size(), names) != 0)
    throw error("Cannot remove scope '{}' from '{}', which does not begin with it", names, id);
  return id.substr(names.size());
}
TensorId removeScope(const Graph& graph, const TensorId& id) {
  return removeScope(graph.getScope(), id);
}

}  // namespace popart
