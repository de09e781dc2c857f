#include <popart/op.hpp>

#include <popart/commgroup.hpp>
#include <popart/graph.hpp>
#include <popart/ir.hpp>
#include <popart/opdebuginfo.hpp>
#include <popart/opserialiser.hpp>
#include <popart/replicagrouping.hpp>
#include <popart/tensor.hpp>

#include <mutex>
#include <unordered_map>
#include <utility>

#include "popart/builtins.hpp"
#include "popart/ir_calls.hpp"
#include "popart/link.hpp"

namespace popir {

namespace {
long live = 0;

/// Beside the operators: few are copies.
struct Origins {
  std::mutex mutex;
  std::unordered_map<const popart::Op*, std::shared_ptr<void>> ofCopies;
};

Origins& origins() {
  static auto* const all = new Origins();
  return *all;
}

/// The class of a built-in operator has members for a part of its attributes; a copy keeps the
/// others.
void keepOrigin(const popart::Op& copy, const popart::Op& original) {
  const bool isBuiltin = original.link() != nullptr && builtinClass(original) != nullptr;
  auto origin = isBuiltin ? irCalls().origin(original) : originOf(original);
  if (origin == nullptr) return;
  const std::lock_guard<std::mutex> lock(origins().mutex);
  origins().ofCopies[&copy] = std::move(origin);
}

void forgetOrigin(const popart::Op& copy) {
  std::shared_ptr<void> dead;  // released after the lock, since that takes Python's
  const std::lock_guard<std::mutex> lock(origins().mutex);
  const auto found = origins().ofCopies.find(&copy);
  if (found == origins().ofCopies.end()) return;
  dead = std::move(found->second);
  origins().ofCopies.erase(found);
}

}  // namespace

long liveOps() { return live; }

std::shared_ptr<void> originOf(const popart::Op& op) {
  const std::lock_guard<std::mutex> lock(origins().mutex);
  const auto found = origins().ofCopies.find(&op);
  return found == origins().ofCopies.end() ? nullptr : found->second;
}

}  // namespace popir

namespace popart {

using popir::irCalls;

Op::Settings::~Settings() = default;

Ir& Op::Settings::getIr() const { return graph.get().getIr(); }

Op::Op(const OperatorIdentifier& opid_, const Settings& settings_)
    : opid(opid_),
      settings(settings_),
      input(new TensorIndexMap("input", this)),
      output(new TensorIndexMap("output", this)) {
  ++popir::live;
}

Op::Op(const Op& other) : Op(other.opid, other.settings) {
  pruneable = other.pruneable;
  popir::keepOrigin(*this, other);
}

Op::~Op() {
  popir::forgetOrigin(*this);
  --popir::live;
}

void Op::setLink(popir::OpLink* link) { link_.reset(link); }

Ir& Op::getIr() { return getGraph().getIr(); }
const Ir& Op::getIr() const { return getGraph().getIr(); }

void Op::setName(const std::string& name) {
  settings.name = name;
  if (link_) irCalls().setName(*this, name);
}

std::string Op::str() const { return logging::format("{} ({})", opid, id); }

std::string Op::debugName() const {
  const auto ids = [](const TensorIndexMap& tensors) {
    std::vector<std::string> quoted;
    for (const auto& t : tensors.tensorMap()) quoted.push_back("'" + t.second->id + "'");
    return quoted;
  };
  const auto who = logging::format("{}, {}, name='{}'", id, opid, settings.name);
  if (input->n() + output->n() == 0) return logging::format("Op({})", who);
  return logging::format("Op({}, inputs={}, outputs={})", who, ids(*input), ids(*output));
}

void Op::append(std::stringstream& ss) const {
  ss << debugName() << "\n";
  for (const auto& in : input->tensorMap())
    ss << "  input " << in.first << ": '" << in.second->id << "' " << in.second->info << "\n";
  for (const auto& out : output->tensorMap())
    ss << "  output " << out.first << ": '" << out.second->id << "' " << out.second->info << "\n";
}

const OpDebugInfo& Op::getDebugInfo() const {
  if (debugInfo_ == nullptr) debugInfo_.reset(new OpDebugInfo(DebugContext(settings.name), *this));
  return *debugInfo_;
}

void Op::finalizeDebugInfo() { const_cast<OpDebugInfo&>(getDebugInfo()).finalize(); }

void Op::setup() { throw error("{}: the class has no setup()", debugName()); }

void Op::configureForReplicatedTensorSharding(ReplicatedTensorShardingIndices, CommGroup) {
  setup();
}

void Op::configureForReplicatedTensorSharding(ReplicatedTensorShardingIndices,
                                              const ReplicaGrouping&) {
  setup();
}

std::vector<std::unique_ptr<Op>> Op::getGradOps() { return {}; }

const std::vector<GradInOutMapper>& Op::gradInputInfo() const {
  throw error("{} is no gradient operator: it has no gradInputInfo()", debugName());
}

const std::map<int, int>& Op::gradOutToNonGradIn() const {
  throw error("{} is no gradient operator: it has no gradOutToNonGradIn()", debugName());
}

std::vector<const Graph*> Op::getCalledGraphs() const { return {}; }

std::vector<GraphId> Op::getCalledGraphIds() const {
  std::vector<GraphId> ids;
  for (const Graph* graph : getCalledGraphs()) ids.push_back(graph->id);
  return ids;
}

SubgraphIndex Op::getCalledGraphIndex(const GraphId& graphId) const {
  const std::vector<GraphId> ids = getCalledGraphIds();
  for (std::size_t i = 0; i < ids.size(); ++i)
    if (ids[i] == graphId) return static_cast<SubgraphIndex>(i);
  throw error("{} does not call the graph '{}'", debugName(), graphId.str());
}

namespace {

/// `index` if the graph that is called has so many inputs or outputs, else -1.
int within(const Op& op, SubgraphIndex subgraph, int index, bool inputs) {
  const std::vector<const Graph*> called = op.getCalledGraphs();
  if (subgraph < 0 || subgraph >= static_cast<SubgraphIndex>(called.size()))
    throw error("{} calls {} graphs; there is no number {}", op.debugName(), called.size(),
                subgraph);
  const Graph& graph = *called[static_cast<std::size_t>(subgraph)];
  const std::size_t n = inputs ? graph.getInputIds().size() : graph.getOutputIds().size();
  return index >= 0 && index < static_cast<int>(n) ? index : -1;
}

}  // namespace

InIndex Op::opInToSubgraphInIndex(SubgraphIndex subgraph, InIndex index) const {
  return within(*this, subgraph, index, true);
}
InIndex Op::subgraphInToOpInIndex(SubgraphIndex subgraph, InIndex index) const {
  const InIndex same = within(*this, subgraph, index, true);
  return hasInput(same) ? same : -1;
}
OutIndex Op::opOutToSubgraphOutIndex(SubgraphIndex subgraph, OutIndex index) const {
  return within(*this, subgraph, index, false);
}
OutIndex Op::subgraphOutToOpOutIndex(SubgraphIndex subgraph, OutIndex index) const {
  const OutIndex same = within(*this, subgraph, index, false);
  return hasOutput(same) ? same : -1;
}

void Op::appendAttributes(OpSerialiserBase& os) const {
  for (const auto& attribute : settings.extraOutlineAttributes)
    os.appendAttribute(attribute.first, attribute.second);
}

void Op::appendOutlineAttributes(OpSerialiserBase& os) const {
  for (const auto& attribute : settings.extraOutlineAttributes)
    os.appendAttribute(attribute.first, attribute.second);
}

std::vector<std::tuple<OperatorIdentifier, float>> Op::inplacePriorityDefault() const { return {}; }

std::unique_ptr<Op> Op::getInplaceVariant(const OperatorIdentifier& id) const {
  throw error("{} has no in-place variant {}", debugName(), id);
}

view::Regions Op::modifies(InIndex) const { return {}; }

view::Regions Op::uses(InIndex index) const { return {view::Region::getFull(inShape(index))}; }

view::Regions Op::aliases(InIndex, OutIndex) const { return {}; }

namespace {

view::RegMap oneToOne(const Op& op, InIndex in, OutIndex out, const char* function) {
  if (op.inShape(in) != op.outShape(out))
    throw error("{}: input {} and output {} differ in shape, so its class has to say what {} is",
                op.debugName(), in, out, function);
  return [](const view::Region& region) { return view::Regions{region}; };
}

}  // namespace

view::RegMap Op::fwdRegMap(InIndex in, OutIndex out) const {
  return oneToOne(*this, in, out, "fwdRegMap");
}

view::RegMap Op::bwdRegMap(InIndex in, OutIndex out) const {
  return oneToOne(*this, in, out, "bwdRegMap");
}

namespace {

/// Returns `op`.
/// \throws error if it is in no graph: the compiler connects only operators that it knows
Op& placed(Op& op) {
  if (op.link() == nullptr)
    throw error("{} is in no graph, so it cannot be connected; call moveIntoGraph first",
                op.debugName());
  return op;
}

}  // namespace

void Op::connectInTensor(InIndex index, TensorId tensorId) {
  irCalls().connectIn(placed(*this), index, tensorId);
}

void Op::connectInTensor(InIndex index, TensorId tensorId, VGraphId) {
  connectInTensor(index, tensorId);
}

void Op::connectOutTensor(OutIndex index, TensorId tensorId) {
  irCalls().connectOut(placed(*this), index, tensorId);
}

void Op::createAndConnectOutTensor(OutIndex index, TensorId tensorId) {
  irCalls().createAndConnectOut(placed(*this), index, tensorId);
}

void Op::disconnectInTensor(InIndex index) { irCalls().disconnectIn(placed(*this), index); }

void Op::disconnectInTensor(Tensor* tensor) {
  for (int index : input->indices(tensor)) disconnectInTensor(index);
}

void Op::disconnectOutTensor(Tensor* tensor) {
  for (int index : output->indices(tensor)) irCalls().disconnectOut(placed(*this), index);
}

void Op::disconnectAllInputs() {
  for (const auto& indexAndId : input->tensorIdMap()) disconnectInTensor(indexAndId.first);
}

void Op::disconnectAllOutputs() {
  for (const auto& indexAndId : output->tensorIdMap())
    irCalls().disconnectOut(placed(*this), indexAndId.first);
}

const Tensor* Op::inTensor(InIndex index) const {
  return static_cast<const TensorIndexMap&>(*input).tensor(index);
}
const Tensor* Op::outTensor(OutIndex index) const {
  return static_cast<const TensorIndexMap&>(*output).tensor(index);
}

TensorInfo& Op::inInfo(InIndex index) { return inTensor(index)->info; }
const TensorInfo& Op::inInfo(InIndex index) const { return inTensor(index)->info; }
TensorInfo& Op::outInfo(OutIndex index) { return outTensor(index)->info; }
const TensorInfo& Op::outInfo(OutIndex index) const { return outTensor(index)->info; }

void Op::transferBaseProperties(Op* to) const {
  to->settings.scope = settings.scope;
  to->settings.recomputeType = settings.recomputeType;
  to->settings.tensorLocation = settings.tensorLocation;
  to->settings.vgraphId = settings.vgraphId;
  to->settings.pipelineStage = settings.pipelineStage;
  to->settings.executionPhase = settings.executionPhase;
  to->settings.batchSerializedPhase = settings.batchSerializedPhase;
  to->settings.executionContext = settings.executionContext;
  to->settings.schedulePriority = settings.schedulePriority;
  to->settings.debugInfoId = settings.debugInfoId;
}

std::ostream& operator<<(std::ostream& os, const RecomputeType& type) {
  static const char* const names[] = {"Undefined", "Checkpoint", "Recompute", "Recomputed"};
  return os << names[static_cast<int>(type)];
}

std::ostream& operator<<(std::ostream& os, const ExecutionContext& context) {
  static const char* const names[] = {"Normal",
                                      "AccumulateOuterFragment",
                                      "WeightsFromHostFragment",
                                      "WeightsToHostFragment",
                                      "OptimizerFromHostFragment",
                                      "Subgraph"};
  return os << names[static_cast<int>(context)];
}

std::ostream& operator<<(std::ostream& os, const GradOpInType& type) {
  switch (type) {
    case GradOpInType::In: return os << "In";
    case GradOpInType::Out: return os << "Out";
    case GradOpInType::GradOut: return os << "GradOut";
  }
  return os;
}

}  // namespace popart
