#include <popart/tensor.hpp>

#include <popart/graph.hpp>
#include <popart/ir.hpp>
#include <popart/op/exchange/hostcopy.hpp>
#include <popart/op/loop.hpp>
#include <popart/operators.hpp>
#include <popart/tensornames.hpp>

#include <algorithm>
#include <utility>

#include "popart/ir_calls.hpp"
#include "popart/link.hpp"

namespace popir {
namespace {

std::vector<popart::Tensor*>& touched() {
  static std::vector<popart::Tensor*> tensors;
  return tensors;
}

}  // namespace

void touch(popart::Tensor& tensor) {
  if (tensor.link().touched || !tensor.link().isInGraph) return;
  tensor.link().touched = true;
  touched().push_back(&tensor);
}

const std::vector<popart::Tensor*>& touchedTensors() { return touched(); }

void forgetTouched() {
  for (popart::Tensor* tensor : touched()) tensor->link().touched = false;
  touched().clear();
}

}  // namespace popir

namespace popart {

namespace {

/// The readers of a tensor, one for each input.
std::vector<Op*> usesOf(const Tensor& tensor) {
  if (!tensor.link().isInGraph) return {};
  return popir::irCalls().consumers(tensor);
}

}  // namespace

std::vector<Op*> Consumers::getOps() const {
  std::vector<Op*> once;
  for (Op* op : usesOf(*tensor_))
    if (std::find(once.begin(), once.end(), op) == once.end()) once.push_back(op);
  return once;
}

int Consumers::n(Op* op) const {
  const std::vector<Op*> uses = usesOf(*tensor_);
  return static_cast<int>(std::count(uses.begin(), uses.end(), op));
}

std::map<Op*, int, POpCmp> Consumers::getMap() const {
  std::map<Op*, int, POpCmp> counts;
  for (Op* op : usesOf(*tensor_)) ++counts[op];
  return counts;
}

std::set<PipelineStage> Consumers::getPipelineStages() const {
  std::set<PipelineStage> stages;
  for (const Op* op : usesOf(*tensor_))
    if (op->hasPipelineStage()) stages.insert(op->getPipelineStage());
  return stages;
}

std::set<VGraphId> Consumers::getVirtualGraphIds() const {
  std::set<VGraphId> ids;
  for (const Op* op : usesOf(*tensor_))
    if (op->hasVirtualGraphId()) ids.insert(op->getVirtualGraphId());
  return ids;
}

OptionalPipelineStage Consumers::findLowestPipelineStage() const {
  const std::set<PipelineStage> stages = getPipelineStages();
  return stages.empty() ? OptionalPipelineStage() : OptionalPipelineStage(*stages.begin());
}

OptionalPipelineStage Consumers::findHighestPipelineStage() const {
  const std::set<PipelineStage> stages = getPipelineStages();
  return stages.empty() ? OptionalPipelineStage() : OptionalPipelineStage(*stages.rbegin());
}

OptionalVGraphId Consumers::findLowestVirtualGraphID() const {
  const std::set<VGraphId> ids = getVirtualGraphIds();
  return ids.empty() ? OptionalVGraphId() : OptionalVGraphId(*ids.begin());
}

int Consumers::getTotal() const { return static_cast<int>(usesOf(*tensor_).size()); }

Tensor::Tensor(TensorId tensorId, TensorType type, Graph& graph, popir::TensorLink* link)
    : id(std::move(tensorId)), consumers(this), type_(type), graph_(&graph), link_(link) {}

Tensor::Tensor(TensorId tensorId, TensorType type, Graph& graph, const DebugContext&)
    : Tensor(std::move(tensorId), type, graph, new popir::TensorLink()) {
  link_->isInGraph = false;
}

Tensor::Tensor(TensorId tensorId, VariableSettings settings, Graph& graph, const DebugContext& dc)
    : Tensor(std::move(tensorId), TensorType::Variable, std::move(settings), graph, dc) {}

Tensor::Tensor(TensorId tensorId, TensorType type, VariableSettings settings, Graph& graph,
               const DebugContext& dc)
    : Tensor(std::move(tensorId), type, graph, dc) {
  link_->settings = std::make_unique<VariableSettings>(std::move(settings));
}

Tensor::~Tensor() {
  if (!link_->touched) return;
  std::vector<Tensor*>& all = popir::touched();
  all.erase(std::remove(all.begin(), all.end(), this), all.end());
}

std::string Tensor::tensor_type() const { return logging::internal::text(type_); }

bool Tensor::isGraphInput() const { return graph_->hasInputId(id); }
InIndex Tensor::getGraphInputIndex() const { return graph_->getInputIndex(id); }
bool Tensor::isGraphOutput() const { return graph_->hasOutputId(id); }
OutIndex Tensor::getGraphOutputIndex() const { return graph_->getOutputIndex(id); }
bool Tensor::isAnchored() const { return getIr().isAnchored(id); }

bool Tensor::idIncludesPrefix(const std::vector<std::string>& prefixes) const {
  return std::any_of(prefixes.begin(), prefixes.end(), [this](const std::string& prefix) {
    return id.find(prefix) != std::string::npos;
  });
}

bool Tensor::isOptimizerTensor() const { return idIncludesPrefix(reservedOptimizerPrefixes()); }
bool Tensor::isAccumulatorTensor() const { return idIncludesPrefix(reservedAccumulatorPrefixes()); }
bool Tensor::isOptimizerStateTensor() const {
  // Sums of gradients are not states of the optimizer, unless they are a momentum, too.
  return idIncludesPrefix(reservedOptimizerStatePrefixes());
}
bool Tensor::isRandomSeedTensor() const { return idIncludesPrefix({reservedRandomSeedPrefix()}); }
bool Tensor::isWeightTensor() const {
  return type_ == TensorType::Variable && !isOptimizerTensor() && !isOptimizerStateTensor() &&
         !isAccumulatorTensor();
}

bool Tensor::isModified() const {
  Tensor* self = const_cast<Tensor*>(this);
  const std::vector<Op*> readers = consumers.getOps();
  return std::any_of(readers.begin(), readers.end(),
                     [self](const Op* op) { return op->modifiesTensor(self); });
}

bool Tensor::isUnmodifiable() const {
  const TensorType type = tensorType();
  return type == TensorType::Variable || type == TensorType::Const || isGraphOutput() ||
         isAnchored() || isImplicitLoopInput() || isCheckpointTensor();
}

bool Tensor::isAliased() const {
  for (const Op* op : consumers.getOps())
    for (const int in : op->input->indices(const_cast<Tensor*>(this)))
      for (const auto& out : op->output->tensorMap())
        if (op->doesAlias(in, out.first)) return true;
  return false;
}

std::set<PipelineStage> Tensor::getPipelineStages() const {
  std::set<PipelineStage> stages;
  const Op* producer = getProducerUnsafe();
  if (producer != nullptr && producer->hasPipelineStage())
    stages.insert(producer->getPipelineStage());
  for (const PipelineStage stage : consumers.getPipelineStages()) stages.insert(stage);
  return stages;
}

VGraphIdAndTileSet Tensor::getVirtualGraphIdAndTileSetUnsafe(std::set<OpId>& visited) const {
  if (const Op* op = getProducerUnsafe())
    for (const int out : op->output->indices(const_cast<Tensor*>(this)))
      return op->getIntrospectionOutVirtualGraphId(out, visited);
  for (const Op* op : consumers.getOps()) {
    for (const int in : op->input->indices(const_cast<Tensor*>(this))) {
      const VGraphIdAndTileSet found = op->getIntrospectionInVirtualGraphId(in, visited);
      if (found.first != unusedVGraphId) return found;
    }
  }
  return {unusedVGraphId, TileSet::Undefined};
}

VGraphIdAndTileSet Tensor::getVirtualGraphIdAndTileSetUnsafe() const {
  std::set<OpId> visited;
  return getVirtualGraphIdAndTileSetUnsafe(visited);
}

VGraphIdAndTileSet Tensor::getVirtualGraphIdAndTileSet(std::set<OpId>& visited) const {
  const VGraphIdAndTileSet found = getVirtualGraphIdAndTileSetUnsafe(visited);
  if (found.first == unusedVGraphId) throw error("The tensor '{}' is on no virtual graph", id);
  return found;
}

VGraphId Tensor::getVirtualGraphIdUnsafe() const {
  return getVirtualGraphIdAndTileSetUnsafe().first;
}

VGraphId Tensor::getVirtualGraphId() const {
  std::set<OpId> visited;
  return getVirtualGraphIdAndTileSet(visited).first;
}

bool Tensor::isRemoteArgTensor() const { return idIncludesPrefix({reservedRemoteArgPrefix()}); }

bool Tensor::isHostLoadTensor() const {
  const Op* op = getProducerUnsafe();
  return op != nullptr && op->isConvertibleTo<HostLoadOp>();
}

namespace {

/// The loop whose body has the tensor as an input; null for all others.
const LoopOp* loopOf(const Tensor& tensor) {
  if (!tensor.isGraphInput()) return nullptr;
  for (const Op* caller : tensor.getGraph().getCallSiteOps())
    if (const auto* loop = dynamic_cast<const LoopOp*>(caller)) return loop;
  return nullptr;
}

}  // namespace

bool Tensor::isLoopInput() const { return loopOf(*this) != nullptr; }
bool Tensor::isExplicitLoopInput() const {
  const LoopOp* loop = loopOf(*this);
  return loop != nullptr && getGraphInputIndex() < loop->getNumExplicitInputs();
}
bool Tensor::isImplicitLoopInput() const { return isLoopInput() && !isExplicitLoopInput(); }
bool Tensor::isLoopTripCounter() const {
  return isLoopInput() && getGraphInputIndex() == LoopOp::getLoopGraphIterationInIndex();
}

bool Tensor::isCheckpointTensor() const {
  const Op* op = getProducerUnsafe();
  return op != nullptr && op->settings.recomputeType == RecomputeType::Checkpoint;
}
bool Tensor::isImplicitRecomputeTensor() const {
  const Op* op = getProducerUnsafe();
  return op != nullptr && op->settings.recomputeType == RecomputeType::Recompute;
}

std::vector<Op*> Tensor::associatedOps() const {
  std::vector<Op*> ops = consumers.getOps();
  Op* op = getProducerUnsafe();
  if (op != nullptr && std::find(ops.begin(), ops.end(), op) == ops.end())
    ops.insert(ops.begin(), op);
  return ops;
}

bool Tensor::consumersAllPreLoss() const {
  const std::vector<Op*> readers = consumers.getOps();
  return std::none_of(readers.begin(), readers.end(),
                      [](const Op* op) { return op->scheduledPreLoss == ScheduledPreLoss::No; });
}

VariableSettings Tensor::getVariableSettings() const {
  if (link_->settings != nullptr) return *link_->settings;
  return link_->isInGraph ? popir::irCalls().variableSettings(*this) : VariableSettings();
}

std::vector<int64_t> Tensor::returnedShape(unsigned replicationFactor) const {
  const unsigned values = getVariableSettings().numReplicasReturningVariable(replicationFactor);
  Shape shape = info.shape();
  if (values > 1) shape.insert(shape.begin(), values);
  return shape;
}

void Tensor::verifyMutableVoidInfo(const TensorInfo mutableVoidInfo,
                                   unsigned replicationFactor) const {
  const TensorInfo expected(info.dataType(), returnedShape(replicationFactor));
  if (mutableVoidInfo != expected)
    throw internal_error("The host gets {} of '{}', with {} replicas; the array given is {}",
                         expected, id, replicationFactor, mutableVoidInfo);
}

Op* Tensor::getProducerUnsafe() const {
  return link_->isInGraph ? popir::irCalls().producer(*this) : nullptr;
}

Op* Tensor::getProducer() const {
  if (Op* op = getProducerUnsafe()) return op;
  throw error("The tensor '{}' ({}) has no producer: no operator computes it", id, type_);
}

Ir& Tensor::getIr() { return graph_->getIr(); }
const Ir& Tensor::getIr() const { return static_cast<const Graph*>(graph_)->getIr(); }

std::ostream& operator<<(std::ostream& os, const TensorType& type) {
  static const char* const names[] = {"ActGrad", "Const", "Stream", "Unknown", "Variable"};
  return os << names[static_cast<int>(type)];
}

bool Tensor::hasTensorData() const {
  if (link_->data) return true;
  if (!link_->isInGraph) return false;
  std::string bytes;
  if (!popir::irCalls().data(*this, &bytes)) return false;
  link_->data.reset(new TensorData(TensorData::fromCopyOf(bytes.data(), bytes.size())));
  return true;
}

TensorData* Tensor::tensorData() {
  return const_cast<TensorData*>(std::as_const(*this).tensorData());
}

const TensorData* Tensor::tensorData() const {
  if (hasTensorData()) return link_->data.get();
  throw error("The value of '{}' is not known when the model is compiled; it is a {}", id,
              tensor_type());
}

std::vector<char> Tensor::getDataViaGraphTraversal() const {
  if (hasTensorData()) {
    const auto* bytes = static_cast<const char*>(tensorData()->data());
    return {bytes, bytes + tensorData()->size()};
  }
  std::vector<char> found;
  if (const Op* producer = getProducerUnsafe()) {
    std::vector<std::string> results = popir::irCalls().evaluate(*producer);
    std::size_t at = 0;
    for (const auto& out : producer->output->tensorMap()) {
      if (out.second == this && at < results.size())
        found.assign(results[at].begin(), results[at].end());
      ++at;
    }
  } else if (isGraphInput()) {
    for (const Op* caller : graph_->getCallSiteOps()) {
      const InIndex in = caller->subgraphInToOpInIndex(caller->getCalledGraphIndex(graph_->id),
                                                       getGraphInputIndex());
      if (!caller->hasInput(in)) continue;
      const std::vector<char> given = caller->inTensor(in)->getDataViaGraphTraversal();
      if (!found.empty() && found != given) {
        found.clear();
        break;
      }
      found = given;
    }
  }
  if (found.empty() && info.nelms() != 0)
    throw error(
        "Tensor::getDataViaGraphTraversal: the value of '{}' is not known when the graph is "
        "compiled",
        id);
  return found;
}

bool Tensor::isRestoreInplaceTensor() const {
  const std::vector<Op*> readers = consumers.getOps();
  return std::any_of(readers.begin(), readers.end(), [](const Op* reader) {
    return reader->opid == Onnx::CustomOperators::RestoreInplace;
  });
}

int Tensor::getBatchAxis() const {
  int axis = -1;
  const auto add = [&](const Op& op, int its) {
    if (its >= info.rank() || its < 0) return;
    if (axis != -1 && axis != its)
      throw error(
          "Tensor::getBatchAxis: the dimension over the samples of '{}' is {} and, by {}, {}", id,
          axis, op.debugName(), its);
    axis = its;
  };
  Tensor* self = const_cast<Tensor*>(this);
  if (const Op* producer = getProducerUnsafe())
    for (const OutIndex out : producer->output->indices(self))
      add(*producer, producer->getOutBatchAxis(out));
  if (axis != -1) return axis;
  for (const Op* reader : consumers.getOps())
    for (const InIndex in : reader->input->indices(self)) add(*reader, reader->getInBatchAxis(in));
  return axis;
}

void Tensor::setTensorLocationInfo(TensorLocation& location,
                                   std::pair<RemoteBufferId, RemoteBufferIndex>& remoteBuffer) {
  tensorLocationInfo.setRemote(location.isRemote());
  tensorLocationInfo.setSharded(location.replicatedTensorSharding == ReplicatedTensorSharding::On);
  tensorLocationInfo.setRemoteBufferInfo(remoteBuffer.first, remoteBuffer.second);
}

}  // namespace popart
