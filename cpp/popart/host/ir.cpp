// popart::Ir: the graphs of a session, or of a program that makes them without one.
#include <popart/devicemanager.hpp>
#include <popart/filereader.hpp>
#include <popart/ir.hpp>
#include <popart/logging.hpp>
#include <popart/op/exchange/hostcopy.hpp>
#include <popart/op/exchange/multiexchange.hpp>
#include <popart/opserialiser.hpp>
#include <popart/optimizer.hpp>
#include <popart/tensornames.hpp>
#include <popart/transforms/transform.hpp>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <sstream>
#include <string>
#include <utility>

#include "popart/host/python.hpp"
#include "popart/host/settings.hpp"
#include "popart/ir_calls.hpp"
#include "popart/transforms/remote_setup.hpp"

namespace popart {

namespace python = popir::python;
using popir::irCalls;

namespace {

uint64_t nextId() {
  static std::atomic<uint64_t> made(0);
  return made++;
}

bool isAsUsual(const InputSettings& settings) {
  return settings.tileSet() == TileSet::Compute &&
         settings.exchangeStrategy() == ExchangeStrategy::JustInTime;
}

/// As the compiler reads it.
std::string textOf(const InputSettings& settings) {
  std::ostringstream text;
  text << settings.tileSet() << " " << settings.exchangeStrategy();
  return text.str();
}

}  // namespace

Ir::Ir() : id_(nextId()) {}

Ir::~Ir() {
  // The graphs may outlive this object: others may hold the session.
  for (Graph* graph : std::exchange(bound_, {})) graph->ir_ = graph->own_;
}

// ---- Graphs ----

Graph& Ir::bound(Graph* graph) const {
  if (graph->ir_ != this) {
    if (graph->ir_ != graph->own_) graph->ir_->bound_.erase(graph);
    graph->ir_ = const_cast<Ir*>(this);
    bound_.insert(graph);
  }
  return *graph;
}

void Ir::take(const std::shared_ptr<void>& graph) {
  main_ = &bound(&const_cast<Ir*>(python::bridge().ir(graph))->main());
  held_ = graph;
  for (const TensorId& id : python::get(held_, "broadcast").texts())
    if (main_->getTensors().contains(id))
      main_->getTensor(id)->setReplicatedStreamMode(ReplicatedStreamMode::Broadcast);
}

void Ir::takeOwn(const std::shared_ptr<void>& graph) {
  take(graph);
  python::set(held_, "isTraining", isTraining_);
}

Graph& Ir::main() const {
  if (main_ == nullptr) const_cast<Ir*>(this)->takeOwn(python::make("ir.Graph"));
  return *main_;
}

std::vector<Graph*> Ir::graphs() const {
  Graph& graph = main();  // It starts the compiler, of which irCalls() are.
  std::vector<Graph*> all = irCalls().graphs(graph);
  for (Graph* each : all) bound(each);
  return all;
}

Graph& Ir::createGraph(const GraphId& id) {
  Graph& graph = main();
  return bound(irCalls().createGraph(graph, id.str()));
}

void Ir::removeGraph(const GraphId& id) {
  Graph& graph = main();
  irCalls().removeGraph(graph, id.str());
}

void Ir::removeIsolatedTensors(bool retainUsedIOTensors, bool retainAllIOTensors,
                               bool retainVarTensors, bool retainConstTensors) {
  main().removeIsolatedTensors(retainUsedIOTensors, retainAllIOTensors, retainVarTensors,
                               retainConstTensors);
}

namespace {

/// The tensors of copies between the host and the device, by stream.
std::map<TensorId, std::vector<Tensor*>> exchanged(const Ir& ir, ExchangeDirection direction) {
  const bool loads = direction == ExchangeDirection::Load;
  std::map<TensorId, std::vector<Tensor*>> found;
  for (Op* op : ir.getAllOps()) {
    if (const auto* load = dynamic_cast<const HostLoadOp*>(op); load != nullptr && loads)
      found[load->getHostStreamTensorId()].push_back(op->outTensor(0));
    if (const auto* store = dynamic_cast<const HostStoreOp*>(op); store != nullptr && !loads)
      found[store->getHostStreamTensorId()].push_back(op->inTensor(0));
    const auto* several = dynamic_cast<const MultiExchangeOp*>(op);
    for (int i = 0; several != nullptr && i < several->getNumExchanges(); ++i) {
      const ExchangeDescriptor each = several->getExchangeDescriptor(i);
      if (each.isHostExchange() && each.getDirection() == direction)
        found[each.getHostStreamTensorId()].push_back(
            op->inTensor(several->descriptorIndexToInIndices(i).front()));
    }
  }
  return found;
}

}  // namespace

std::map<TensorId, std::vector<Tensor*>> Ir::getHostLoadTensors() const {
  return exchanged(*this, ExchangeDirection::Load);
}
std::map<TensorId, std::vector<Tensor*>> Ir::getHostStoreTensors() const {
  return exchanged(*this, ExchangeDirection::Store);
}

void Ir::removeIsolatedGraphs() {
  const auto reached = getGraphSchedule();
  // A graph that calls others goes before these, which are then called by none.
  std::vector<const Graph*> isolated;
  for (const Graph* graph : graphs())
    if (std::find(reached.begin(), reached.end(), graph) == reached.end())
      isolated.push_back(graph);
  std::vector<GraphId> order;
  for (const Graph* graph : isolated)
    for (const Graph* called : getGraphSchedule(graph->id)) {
      const auto earlier = std::find(order.begin(), order.end(), called->id);
      if (earlier != order.end()) order.erase(earlier);
      order.push_back(called->id);
    }
  for (const GraphId& id : order)
    if (std::any_of(isolated.begin(), isolated.end(),
                    [&](const Graph* graph) { return graph->id == id; }))
      removeGraph(id);
}

bool Ir::hasGraph(const GraphId& id) const {
  for (const Graph* graph : graphs())
    if (graph->id == id) return true;
  return false;
}

Graph& Ir::getGraph(const GraphId& id) const {
  for (Graph* graph : graphs())
    if (graph->id == id) return *graph;
  throw error("The model has no graph '{}'", id.str());
}

GraphId Ir::createUniqueSubgraphId(const GraphId& base) {
  GraphId id = base;
  do {
    id = GraphId(base.str() + "_subgraph(" + std::to_string(subgraphs_++) + ")");
  } while (hasGraph(id));
  return id;
}

ClonedGraphMaps Ir::cloneGraph(GraphId originalGraphId, GraphId newGraphId) {
  if (originalGraphId == GraphId::root())
    throw error("Ir::cloneGraph: the main graph cannot be copied; name one that it calls");
  Graph& from = getGraph(originalGraphId);
  const std::vector<Op*> ops = from.getOpSchedule({}, RequireOptimalSchedule::No);
  std::set<TensorId> copyable;
  for (const TensorId& id : from.getInputIds()) copyable.insert(id);
  for (const Tensor* constant : from.getTensors().getOfType(TensorType::Const))
    copyable.insert(constant->id);
  for (const Op* op : ops)
    for (const auto& out : op->output->tensorMap()) copyable.insert(out.second->id);
  std::vector<TensorId> read = from.getOutputIds();
  for (const Op* op : ops)
    for (const auto& in : op->input->tensorMap()) read.push_back(in.second->id);
  for (const TensorId& id : read)
    if (copyable.count(id) == 0)
      throw error(
          "Ir::cloneGraph: '{}' is read in the graph '{}'; variables and streams of called graphs "
          "cannot be copied, so make it an input of the graph",
          id, originalGraphId.str());
  Graph& to = createGraph(newGraphId);
  ClonedGraphMaps maps;
  const auto copied = [&](const TensorId& id) {
    const TensorId made = addScope(to, removeScope(from, id));
    maps.tensorIdMap[id] = made;
    maps.tensorIdMap[made] = id;
    return made;
  };
  for (const TensorId& id : from.getInputIds()) to.addInput(copied(id), from.getTensor(id)->info);
  for (Tensor* constant : from.getTensors().getOfType(TensorType::Const))
    to.addConstInit(copied(constant->id), constant->info, constant->tensorData()->data());
  for (Op* op : ops) {
    std::unique_ptr<Op> copy = op->clone();
    copy->settings.graph = to;
    copy->setScope(to.getScope());
    Op* made = to.getOp(to.moveIntoGraph(std::move(copy)));
    maps.opIdMap[op->id] = made->id;
    maps.opIdMap[made->id] = op->id;
    for (const auto& in : op->input->tensorMap())
      made->connectInTensor(in.first, maps.tensorIdMap.at(in.second->id));
    for (const auto& out : op->output->tensorMap())
      made->createAndConnectOutTensor(out.first, copied(out.second->id));
    made->setup();
  }
  for (Op* op : ops)
    for (Op* after : from.topoCons->getAfters(op))
      to.topoCons->insert(to.getOp(maps.opIdMap.at(op->id)), to.getOp(maps.opIdMap.at(after->id)));
  for (const TensorId& id : from.getOutputIds()) to.markAsOutput(maps.tensorIdMap.at(id));
  return maps;
}

std::map<GraphId, Graph*> Ir::getGraphs() const {
  std::map<GraphId, Graph*> all;
  for (Graph* graph : graphs()) all[graph->id] = graph;
  return all;
}

std::vector<const Graph*> Ir::getAllGraphs() const {
  const std::vector<Graph*> all = graphs();
  return {all.begin(), all.end()};
}

std::vector<const Graph*> Ir::getGraphSchedule(GraphId root) const {
  std::vector<const Graph*> order;
  std::set<const Graph*> seen;
  // Depth first, and each graph after all that it calls; then the reverse.
  const std::function<void(const Graph*)> visit = [&](const Graph* graph) {
    if (!seen.insert(graph).second) return;
    const std::vector<const Graph*> called = graph->getCalledGraphs();
    for (auto each = called.rbegin(); each != called.rend(); ++each) visit(*each);
    order.push_back(graph);
  };
  visit(&getGraph(root));
  std::reverse(order.begin(), order.end());
  return order;
}

// ---- Preparing ----

void Ir::prepare(const IrBundle& bundle, const HashesMap&, std::size_t) {
  if (held_ != nullptr)
    throw error("Ir::prepare: this Ir has graphs already; prepare one that was just made");
  const bool trains = bundle.optimizer != nullptr;
  python::List arguments = {python::Bytes{io::getSerializedModel(bundle.modelProto)},
                            python::toPython(bundle.dataFlow)};
  if (trains) {
    arguments.push_back(bundle.loss);
    arguments.push_back(bundle.optimizer->handle());
  }
  arguments.push_back(bundle.deviceInfo.handle());
  python::Dict named = {{"inputShapeInfo", python::toPython(bundle.inputShapeInfo)},
                        {"userOptions", python::toPython(bundle.userOptions)},
                        {"patterns", python::toPython(bundle.patterns)}};
  if (!bundle.sessionName.empty()) named["name"] = bundle.sessionName;
  setUserOptions(bundle.userOptions);
  model_ = std::make_shared<ONNX_NAMESPACE::ModelProto>(bundle.modelProto);
  isImported_ = true;
  show(python::make(trains ? "TrainingSession" : "InferenceSession", arguments, named));
  setDataFlow(bundle.dataFlow);
  setInputShapeInfo(bundle.inputShapeInfo);
  setPatterns(bundle.patterns);
  setSessionName(bundle.sessionName);
  if (!bundle.loss.empty() && containsTensor(bundle.loss)) setFinalLoss(bundle.loss);
  updateVertices();
}

void Ir::setOnnxModel(const ONNX_NAMESPACE::ModelProto& model) {
  const bool isEmpty = model.graph().node_size() == 0 && model.graph().output_size() == 0;
  if (held_ != nullptr && isEmpty) return;  // As programs do that fill the graphs themselves.
  if (held_ != nullptr)
    throw error(
        "Ir::setOnnxModel: this Ir has graphs already; give the model to one that was just "
        "made");
  model_ = std::make_shared<ONNX_NAMESPACE::ModelProto>(model);
}

const ONNX_NAMESPACE::ModelProto& Ir::getModel() const {
  if (model_ == nullptr) throw error("This Ir has no model: setOnnxModel() was not called");
  return *model_;
}

void Ir::registerInputTensors() {
  if (held_ != nullptr)
    throw error(
        "Ir::registerInputTensors: this Ir has graphs already, so it cannot import a model");
  takeOwn(python::make(
      "onnxio.importer.import_model",
      {python::Bytes{io::getSerializedModel(getModel())}, python::toPython(inputShapeInfo_)}));
  isImported_ = true;
}

void Ir::constructForwards() {
  static_cast<void>(getModel());
  if (!isImported_) registerInputTensors();
}

void Ir::show(const std::shared_ptr<void>& session) {
  take(python::get(session, "graph").object());
  session_ = session;
  isPrepared_ = true;
  const SessionOptions& options = getSessionOptions();
  for (Graph* graph : graphs()) {
    const std::map<TensorId, bool> again = irCalls().recomputed(*graph);
    if (again.empty()) continue;
    for (const auto& each : graph->getOps()) {
      RecomputeType& type = each.second->settings.recomputeType;
      type = RecomputeType::Checkpoint;
      for (const auto& out : each.second->output->tensorMap()) {
        const auto found = again.find(out.second->id);
        if (found == again.end()) continue;
        // With recomputation in the graph, what is computed a second time is a Recomputed of its
        // own, and the first time is as good as any other operator.
        if (found->second)
          type = RecomputeType::Recomputed;
        else if (!options.explicitRecomputation)
          type = RecomputeType::Recompute;
      }
    }
  }
}

std::shared_ptr<void> Ir::sessionOn(const std::string& who,
                                    const std::shared_ptr<DeviceInfo>& deviceInfo,
                                    const std::string& name) {
  if (!isPrepared_ && held_ == nullptr)
    throw error(
        "{}::createFromIr: Ir must be prepared. Given was one without graphs; Ir::prepare() makes "
        "those of a model, and createOp() and its kin put operators into getMainGraph()",
        who);
  if (std::exchange(isRun_, true))
    throw error(
        "{}::createFromIr: this Ir belongs to another session already; prepare or fill another one",
        who);
  if (session_ != nullptr) {
    python::call(session_, "_run_on", {deviceInfo->handle(), name});
    return session_;
  }
  static_cast<void>(main());
  python::Dict sent;
  for (const auto& [anchor, id] : remap_.leftMap()) sent[anchor] = id;
  python::set(held_, "remapped", sent);
  checkRemoteRows(*this);
  python::Dict rows;
  for (const auto& [id, info] : remoteBuffers_) rows[std::to_string(id)] = info.repeats;
  python::set(held_, "remote_rows", rows);
  python::Set broadcast;
  for (const Tensor* stream : dataStreamTensors())
    if (stream->getReplicatedStreamMode() == ReplicatedStreamMode::Broadcast)
      broadcast.items.push_back(stream->id);
  python::set(held_, "broadcast", broadcast);
  python::Dict exchanges;
  for (const Tensor* stream : dataStreamTensors())
    if (!isAsUsual(stream->inputSettings()))
      exchanges[stream->id] = textOf(stream->inputSettings());
  python::call(held_, "setExchanges", {exchanges});
  // An Ir that was told no data flow sends nothing to the host, in a step of one batch.
  const DataFlow flow = dataFlow_.batchesPerStep() == 0 ? DataFlow(1) : dataFlow_;
  session_ = python::make("InferenceSession", {held_, python::toPython(flow), deviceInfo->handle()},
                          {{"userOptions", python::toPython(getSessionOptions())}, {"name", name}});
  isPrepared_ = true;
  return session_;
}

namespace {

/// FNV-1a, of 64 bits.
class Hash {
 public:
  void add(const void* data, std::size_t size) {
    const auto* bytes = static_cast<const unsigned char*>(data);
    for (std::size_t i = 0; i < size; ++i) value_ = (value_ ^ bytes[i]) * 1099511628211ull;
  }
  void add(const std::string& text) {
    add(text.data(), text.size());
    add("", 1);
  }
  std::size_t value() const { return static_cast<std::size_t>(value_); }

 private:
  uint64_t value_ = 14695981039346656037ull;
};

}  // namespace

std::size_t Ir::getHash() const {
  if (session_ == nullptr) {
    if (main_ == nullptr)
      throw error("Ir::getHash: there is no graph yet; prepare() makes one of a model");
    Hash hash;
    std::stringstream operators;
    serialise(SerialiseFormat::JSON, operators);
    hash.add(operators.str());
    for (const Graph* graph : graphs()) {
      for (const auto& ids : {graph->getInputIds(), graph->getOutputIds()})
        for (const TensorId& id : ids) hash.add(id);
      for (const TensorType type : {TensorType::Const, TensorType::Variable, TensorType::Stream})
        for (const Tensor* tensor : graph->getTensors().getOfType(type)) {
          std::ostringstream text;
          text << tensor->id << " " << static_cast<int>(type) << " " << tensor->info;
          hash.add(text.str());
          if (type == TensorType::Const)
            hash.add(tensor->tensorData()->data(), static_cast<std::size_t>(tensor->info.nbytes()));
        }
    }
    hash.add(isTraining() ? "trained" : "");
    hash.add(std::to_string(dataFlow_.batchesPerStep()));
    for (const TensorId& id : dataFlow_.anchors()) hash.add(id);
    return hash.value();
  }
  return static_cast<std::size_t>(
      std::stoull(python::call(session_, "_hash_text").text(), nullptr, 10));
}

void Ir::setUserOptions(const SessionOptions& options) {
  options_ = options;
  hasOptions_ = true;
}

void Ir::setExecutionMode(const ExecutionMode& mode) {
  isTraining_ = mode == ExecutionMode::Training;
  if (held_ != nullptr) python::set(held_, "isTraining", isTraining_);
}

const SessionOptions& Ir::getSessionOptions() const {
  if (!hasOptions_ && main_ != nullptr) irCalls().sessionOptions(*main_, options_);
  return options_;
}

SessionOptions& Ir::getSessionOptions() {
  static_cast<void>(std::as_const(*this).getSessionOptions());
  hasOptions_ = true;
  return options_;
}

bool Ir::isTraining() const {
  return main_ == nullptr ? isTraining_ : irCalls().isTraining(*main_);
}

bool Ir::hasConstructedBackwards() const {
  // The compiler's gradients, or those of constructBackwards().
  Graph& graph = main();
  return irCalls().hasGradients(graph) ||
         (!loss_.empty() && main().getTensors().contains(getGradId(loss_)));
}

bool Ir::hasDecomposedOptimizers() const {
  Graph& graph = main();
  return irCalls().hasUpdates(graph);
}

bool Ir::virtualGraphsEnabled() const {
  return getSessionOptions().virtualGraphMode != VirtualGraphMode::Off;
}

void Ir::applyTransform(std::size_t transformId, Graph& graph) {
  if (transformsOff_.count(transformId) == 0) Transform::applyTransform(transformId, graph);
}

void Ir::enableTransform(std::size_t transformId, bool enable) {
  if (enable)
    transformsOff_.erase(transformId);
  else
    transformsOff_.insert(transformId);
}

namespace {

/// The tensors that the host gets, and the loss.
python::List keptOf(const Ir& ir, const DataFlow& flow, const TensorId& loss) {
  python::List kept;
  for (const TensorId& id : flow.anchors())
    kept.push_back(ir.getAnchorRemap().hasLeft(id) ? ir.getAnchorRemap().getRight(id) : id);
  if (!loss.empty()) kept.push_back(loss);
  return kept;
}

}  // namespace

void Ir::applyPreAliasPatterns(Graph& graph) {
  python::call(
      nullptr, "transforms.given_patterns.apply_to",
      {held_, graph.id.str(), python::toPython(patterns_), keptOf(*this, dataFlow_, loss_)});
}

void Ir::applyInplacePattern(Graph& graph) {
  python::call(nullptr, "transforms.given_patterns.overwrite",
               {held_, graph.id.str(), keptOf(*this, dataFlow_, loss_)});
}

// ---- Tensors ----

Tensor* Ir::getTensor(const TensorId& id) const {
  for (Graph* graph : graphs())
    if (graph->getTensors().contains(id)) return graph->getTensor(id);
  throw error("No graph of the model has a tensor '{}'", id);
}

bool Ir::containsTensor(const TensorId& id) const {
  for (const Graph* graph : graphs())
    if (graph->getTensors().contains(id)) return true;
  return false;
}

std::vector<TensorId> Ir::getTensorIds(TensorType type) const {
  return main().getTensors().getIds(type);
}

std::set<TensorId> Ir::getAllTensorIds() const {
  std::set<TensorId> all;
  for (const Graph* graph : graphs()) {
    const std::vector<TensorId> ids = graph->getTensors().getAllTensorIds();
    all.insert(ids.begin(), ids.end());
  }
  return all;
}

std::vector<Tensor*> Ir::dataStreamTensors() const {
  return main().getTensors().getOfType(TensorType::Stream);
}

void Ir::addAdditionalModelProtoTensor(const TensorId& id) {
  Graph& graph = main();
  irCalls().saveVariable(graph, id);
  additional_.insert(id);
}
void Ir::addAdditionalModelProtoTensor(Tensor* tensor) {
  if (tensor == nullptr)
    throw error("addAdditionalModelProtoTensor: a tensor was expected; given was a null pointer");
  addAdditionalModelProtoTensor(tensor->id);
}

std::vector<Tensor*> Ir::optimizerTensors() const {
  std::vector<Tensor*> found;
  for (Tensor* stream : dataStreamTensors())
    if (stream->isOptimizerTensor()) found.push_back(stream);
  return found;
}

std::vector<Tensor*> Ir::optimizerStateTensors() const {
  std::vector<Tensor*> found;
  for (Tensor* variable : main().getTensors().getOfType(TensorType::Variable))
    if (variable->isOptimizerStateTensor()) found.push_back(variable);
  for (const TensorId& id : additional_)
    if (containsTensor(id) && getTensor(id)->isOptimizerStateTensor() &&
        std::find(found.begin(), found.end(), getTensor(id)) == found.end())
      found.push_back(getTensor(id));
  return found;
}

std::map<TensorId, Tensor*> Ir::getAllTensors() const {
  std::map<TensorId, Tensor*> all;
  for (const TensorId& id : getAllTensorIds()) all[id] = getTensor(id);
  return all;
}

bool Ir::hasReplicatedTensorSharding() const {
  const SessionOptions& options = getSessionOptions();
  const auto isSharded = [](const TensorLocation& location) {
    return location.replicatedTensorSharding == ReplicatedTensorSharding::On;
  };
  for (const TensorLocationSettings* settings :
       {&options.weightTensorLocationSettings, &options.optimizerStateTensorLocationSettings,
        &options.accumulatorTensorLocationSettings})
    if (isSharded(settings->location)) return true;
  return std::any_of(options.tensorLocationSettingsOverride.begin(),
                     options.tensorLocationSettingsOverride.end(),
                     [&](const auto& each) { return isSharded(each.second); });
}

PipelineStage Ir::getMaxPipelineStage() const {
  PipelineStage last = 0;
  for (const Op* op : getAllOps())
    if (op->hasPipelineStage()) last = std::max(last, op->getPipelineStage());
  return last;
}

TensorId Ir::createIntermediateTensorId(const TensorId& base) {
  Graph& graph = main();
  return irCalls().uniqueId(graph, base + "__t" + std::to_string(made_++));
}

void Ir::setDataFlow(const DataFlow& dataFlow) {
  dataFlow_ = dataFlow;
  remap_ = {};
  for (const TensorId& id : dataFlow.anchors()) remap_.insert(id, id);
}

std::set<TensorId> Ir::getAnchors() const {
  std::set<TensorId> ids;
  for (const auto& each : remap_.rightMap()) ids.insert(each.first);
  return ids;
}

std::set<TensorId> Ir::getRootAnchors() const {
  return {dataFlow_.anchors().begin(), dataFlow_.anchors().end()};
}

// ---- Operators ----

std::vector<Op*> Ir::getAllOps() const {
  std::vector<Op*> ops;
  for (const Graph* graph : graphs())
    for (OpId id : graph->getOpIds()) ops.push_back(graph->getOp(id));
  return ops;
}

Op* Ir::getOp(OpId id) const {
  for (const Graph* graph : graphs())
    if (Op* op = graph->getOpUnsafe(id)) return op;
  throw error("No graph of the model has an operator {}", id);
}

std::vector<Op*> Ir::opsOfType(const OperatorIdentifier& opid) const {
  std::vector<Op*> ops;
  for (Op* op : getAllOps())
    if (op->opid == opid) ops.push_back(op);
  return ops;
}

std::set<Tensor*, PTensorCmp> Ir::getAdditionalModelProtoTensors() const {
  std::set<Tensor*, PTensorCmp> tensors;
  for (const TensorId& id : additional_) tensors.insert(getTensor(id));
  return tensors;
}

bool Ir::containsInitialisers() const {
  return hasOnnxModel() && getModel().graph().initializer_size() != 0;
}

bool Ir::tensorExistsInInitialisers(TensorId id) const {
  if (!hasOnnxModel()) return false;
  const auto& weights = getModel().graph().initializer();
  return std::any_of(weights.begin(), weights.end(),
                     [&](const auto& weight) { return weight.name() == id; });
}

void Ir::unsetAllVirtualGraphIds() {
  for (Op* op : getAllOps()) op->setVirtualGraphId({});
}

void Ir::finalizeOpDebugInfo() {
  for (Op* op : getAllOps()) op->finalizeDebugInfo();
}

bool Ir::isConsumedByOpOfType(TensorId id, const OperatorIdentifier& opid) {
  for (const Op* op : getTensor(id)->consumers.getOps())
    if (op->opid == opid) return true;
  return false;
}

std::vector<Op*> Ir::getOpSchedule(const OpsBeforeKey& constraints,
                                   RequireOptimalSchedule optimal) const {
  std::vector<Op*> all;
  for (const Graph* graph : getGraphSchedule()) {
    const std::vector<Op*> ops = graph->getOpSchedule(constraints, optimal);
    all.insert(all.end(), ops.begin(), ops.end());
  }
  return all;
}

bool Ir::isSchedulable(const OpsBeforeKey& constraints) const {
  for (const Graph* graph : graphs())
    if (!graph->isSchedulable(constraints)) return false;
  return true;
}

bool POpCmp::operator()(const Op* a, const Op* b) const { return a->id < b->id; }

// ---- The loss ----

void Ir::setFinalLoss(const TensorId& loss) {
  static_cast<void>(main().getTensor(loss));
  loss_ = loss;
  main().setLoss(loss);
}

OpId Ir::getFinalLossOpId() const {
  if (loss_.empty()) throw error("The model has no loss: setFinalLoss() was not called");
  return main().getTensor(loss_)->getProducer()->id;
}

namespace {

/// The operators that can be reached from some, these among them: from an operator to those that
/// read its outputs, or to those that compute its inputs.
std::set<Op*> reached(std::vector<Op*> from, bool forward) {
  std::set<Op*> seen(from.begin(), from.end());
  const auto visit = [&](Op* op) {
    if (op != nullptr && seen.insert(op).second) from.push_back(op);
  };
  while (!from.empty()) {
    const Op* op = from.back();
    from.pop_back();
    if (forward)
      for (const auto& out : op->output->tensorMap())
        for (Op* reader : out.second->consumers.getOps()) visit(reader);
    else
      for (const auto& in : op->input->tensorMap()) visit(in.second->getProducerUnsafe());
  }
  return seen;
}

}  // namespace

void Ir::updateVertices() {
  Graph& graph = main();
  std::vector<Op*> forward, backward;
  // What the compiler has differentiated, it knows: the loss itself may have been removed since.
  for (const OpId id : irCalls().passOf(graph, false))
    if (Op* op = graph.getOpUnsafe(id)) forward.push_back(op);
  for (const OpId id : irCalls().passOf(graph, true)) {
    Op* op = graph.getOpUnsafe(id);
    if (op != nullptr && op->settings.recomputeType != RecomputeType::Recomputed)
      backward.push_back(op);
  }
  if (!loss_.empty() && graph.getTensors().contains(loss_))
    if (Op* op = graph.getTensor(loss_)->getProducerUnsafe()) forward.push_back(op);
  // What constructBackwards() has added begins at the gradient of the loss.
  if (!loss_.empty() && graph.getTensors().contains(getGradId(loss_))) {
    Tensor* seed = graph.getTensor(getGradId(loss_));
    if (Op* op = seed->getProducerUnsafe()) backward.push_back(op);
    for (Op* op : seed->consumers.getOps()) backward.push_back(op);
  }
  const std::set<Op*> after = reached(backward, true);
  // Operators that others have been made into have other ids: what gradients read is before the
  // loss.
  for (const Op* op : after)
    for (const auto& in : op->input->tensorMap())
      if (Op* producer = in.second->getProducerUnsafe(); producer && after.count(producer) == 0)
        if (producer->settings.recomputeType != RecomputeType::Recomputed)
          forward.push_back(producer);
  const std::set<Op*> before = reached(forward, false);
  bool isBefore = true;
  for (Op* op : irCalls().schedule(graph)) {
    op->toLoss = before.count(op) != 0 ? PathToLoss::Yes : PathToLoss::No;
    op->fromLoss = after.count(op) != 0 ? PathFromLoss::Yes : PathFromLoss::No;
    if (op->fromLoss == PathFromLoss::Yes) isBefore = false;
    op->scheduledPreLoss = isBefore ? ScheduledPreLoss::Yes : ScheduledPreLoss::No;
  }
}

// ---- Text ----

namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
      out += escape;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

/// Writes the attributes as members of an object.
class JsonAttributes : public OpSerialiserBase {
 public:
  explicit JsonAttributes(std::ostream& os) : os_(os) {}

 private:
  void appendStrAttr(const std::string& name, const std::string& value) override {
    os_ << (first_ ? "" : ",") << quoted(name) << ":" << quoted(value);
    first_ = false;
  }
  std::ostream& os_;
  bool first_ = true;
};

void writeTensors(std::ostream& os, const std::map<int, Tensor*>& tensors) {
  bool first = true;
  for (const auto& each : tensors) {
    const TensorInfo& info = each.second->info;
    os << (first ? "" : ",") << "{\"name\":" << quoted(each.second->id)
       << ",\"index\":" << each.first << ",\"type\":" << quoted(info.data_type_lcase())
       << ",\"shape\":" << logging::format("{}", info.shape()) << "}";
    first = false;
  }
}

}  // namespace

void Ir::serialise(SerialiseFormat, std::stringstream& ss, bool) const {
  ss << "{";
  for (const Graph* graph : graphs()) {
    const bool isMain = graph == main_;
    ss << (isMain ? "" : ",") << quoted(isMain ? "maingraph" : graph->id.str()) << ":[";
    bool first = true;
    for (OpId id : graph->getOpIds()) {
      const Op& op = *graph->getOp(id);
      ss << (first ? "" : ",") << "{\"type\":" << quoted(op.opid.type)
         << ",\"domain\":" << quoted(op.opid.domain) << ",\"version\":" << op.opid.version
         << ",\"name\":" << quoted(op.name()) << ",\"attributes\":{";
      JsonAttributes attributes(ss);
      op.appendAttributes(attributes);
      ss << "},\"inputs\":[";
      writeTensors(ss, op.input->tensorMap());
      ss << "],\"outputs\":[";
      writeTensors(ss, op.output->tensorMap());
      ss << "]}";
      first = false;
    }
    ss << "]";
  }
  ss << "}";
}

void Ir::append(std::stringstream& ss) const {
  for (const Graph* graph : getGraphSchedule()) {
    ss << graph->getGraphString() << ":\n";
    for (const Op* op : irCalls().schedule(const_cast<Graph&>(*graph)))
      ss << "  " << op->debugName() << "\n";
  }
}

void Ir::logIr() const {
  std::stringstream ss;
  append(ss);
  logging::ir::info("{}", ss.str());
}

int Ir::getDefaultOpsetVersion(const std::string& domain) const {
  if (domain == Domain::ai_onnx) return static_cast<int>(defaultAiOnnxOpset);
  if (domain == Domain::ai_onnx_ml) return static_cast<int>(defaultAiOnnxMlOpset);
  if (domain == Domain::ai_graphcore) return static_cast<int>(defaultAiGraphcoreOpset);
  throw error("Ir::getDefaultOpsetVersion: '{}' is no domain of PopART's; there are {}, {} and {}",
              domain, Domain::ai_onnx, Domain::ai_onnx_ml, Domain::ai_graphcore);
}

bool Ir::getRequiresRandomSeed() const {
  for (const Op* op : getAllOps())
    if (op->requiresRandomSeed()) return true;
  return false;
}

int Ir::getOpSetVersionFromModel(const std::string& domain) const {
  Graph& graph = main();
  return irCalls().opsetVersion(graph, domain);
}

}  // namespace popart
