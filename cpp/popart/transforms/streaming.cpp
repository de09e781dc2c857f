// Transforms of PopART's whose work the compiler and the engine do without them: copies that overlap
// with computing, and tensors in memory of the host.
#include <popart/ir.hpp>
#include <popart/op/exchange/hostcopy.hpp>
#include <popart/transforms/mainloops.hpp>
#include <popart/transforms/overlapio.hpp>
#include <popart/transforms/streamingmemory.hpp>

#include <typeinfo>

namespace popart {
namespace {

const bool registeredOverlap = Transform::registerTransform(new OverlapIO);
const bool registeredFirst = Transform::registerTransform(new StreamingMemory(1));
const bool registeredSecond = Transform::registerTransform(new StreamingMemory(2));

using Required = std::map<ExchangeStrategy, std::set<PipelineStage>>;

void require(Required& required, ExchangeStrategy strategy, const Op* copy) {
  if (copy == nullptr || copy->settings.tileSet != TileSet::IO) return;
  std::set<PipelineStage>& stages = required[strategy];
  if (copy->hasPipelineStage()) stages.insert(copy->getPipelineStage());
}

bool isAway(const TensorLocation& location) {
  return location.isRemote() || location.replicatedTensorSharding == ReplicatedTensorSharding::On;
}

}  // namespace

OverlapIO::~OverlapIO() = default;
std::size_t OverlapIO::id() { return typeid(OverlapIO).hash_code(); }

Required OverlapIO::overlapIORequired(Ir& ir) {
  Required required;
  for (const auto& [id, loaded] : ir.getHostLoadTensors())
    for (const Tensor* tensor : loaded)
      require(required, ir.getTensor(id)->inputSettings().exchangeStrategy(),
              dynamic_cast<const HostLoadOp*>(tensor->getProducerUnsafe()));
  const auto anchors = ir.getDataFlow().getAnchorReturnTypeMap();
  for (const auto& [id, stored] : ir.getHostStoreTensors()) {
    const auto anchor = anchors.find(id);
    if (anchor == anchors.end()) continue;
    for (const Tensor* tensor : stored)
      for (const Op* reader : tensor->consumers.getOps())
        require(required, anchor->second.exchangeStrategy(),
                dynamic_cast<const HostStoreOp*>(reader));
  }
  return required;
}

bool OverlapIO::apply(Graph& graph) const {
  Ir& ir = graph.getIr();
  const bool hasLoops = &MainLoops::getInnerLoopSubgraph(ir) != &ir.getMainGraph();
  for (const auto& each : overlapIORequired(ir))
    if (hasLoops && each.first != ExchangeStrategy::JustInTime)
      throw error(
          "OverlapIO::apply: a copy has the exchange strategy {}; popir takes no iterations out of "
          "loops. Leave the transform out: the engine overlaps the copies of these loops",
          each.first);
  return false;
}

StreamingMemory::~StreamingMemory() = default;
std::size_t StreamingMemory::id(int pass) {
  return typeid(StreamingMemory).hash_code() + static_cast<std::size_t>(pass);
}

bool StreamingMemory::apply(Graph& graph) const {
  const SessionOptions& options = graph.getIr().getSessionOptions();
  if (options.executionPhaseSettings.phases > 1)
    throw error(
        "{}: the options ask for {} execution phases; popir has them for the models of sessions "
        "alone",
        getName(), options.executionPhaseSettings.phases);
  const std::pair<const char*, const TensorLocationSettings*> places[] = {
      {"activationTensorLocationSettings", &options.activationTensorLocationSettings},
      {"weightTensorLocationSettings", &options.weightTensorLocationSettings},
      {"optimizerStateTensorLocationSettings", &options.optimizerStateTensorLocationSettings},
      {"accumulatorTensorLocationSettings", &options.accumulatorTensorLocationSettings}};
  for (const auto& [name, settings] : places)
    if (isAway(settings->location))
      throw error(
          "{}: the option {} places tensors {}; popir does so with the models of sessions alone. "
          "In a graph of your own, exchange rows of remote buffers by RemoteLoadOp and "
          "RemoteStoreOp",
          getName(), name, settings->location);
  for (const auto& [id, location] : options.tensorLocationSettingsOverride)
    if (isAway(location))
      throw error(
          "{}: the option tensorLocationSettingsOverride places '{}' {}; popir does so with "
          "the models of sessions alone",
          getName(), id, location);
  return false;
}

}  // namespace popart
