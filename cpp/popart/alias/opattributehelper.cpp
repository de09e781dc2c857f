#include <popart/alias/aliasmodel.hpp>
#include <popart/ir.hpp>
#include <popart/opattributehelper.hpp>
#include <popart/sessionoptions.hpp>
#include <popart/tensor.hpp>
#include <popart/tensorindex.hpp>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

namespace popart {
namespace {

/// Calls a function with the operators around one, nearest first, until it returns true: at each
/// distance those that compute, then those that read.
template <class Function>
void visitAround(Op* op, const AliasModel& model, const Function& isEnough) {
  std::set<Op*> seen{op};
  std::vector<Op*> front{op};
  while (!front.empty()) {
    std::vector<Op*> producers, consumers;
    for (Op* each : front)
      for (const auto* map : {&each->input->tensorMap(), &each->output->tensorMap()})
        for (const auto& connected : *map) {
          std::vector<Tensor*> tensors{connected.second};
          if (model.thisGraph != nullptr && model.contains(connected.second->id))
            for (Tensor* alias : model.allAliases(*connected.second)) tensors.push_back(alias);
          for (Tensor* tensor : tensors) {
            if (tensor->hasProducer() && seen.insert(tensor->getProducer()).second)
              producers.push_back(tensor->getProducer());
            for (Op* reader : tensor->consumers.getOps())
              if (seen.insert(reader).second) consumers.push_back(reader);
          }
        }
    front = std::move(producers);
    front.insert(front.end(), consumers.begin(), consumers.end());
    for (const Op* each : front)
      if (isEnough(*each)) return;
  }
}

}  // namespace

void InheritOpAttributeHelper::apply(Op* op, bool inheritSerializations, AliasModel& aliasModel) {
  const SessionOptions& options = op->getIr().getSessionOptions();
  const bool hasGraphs = options.virtualGraphMode != VirtualGraphMode::Off;
  const bool hasPhases = options.executionPhaseSettings.phases > 1;
  Op::Settings& own = op->settings;
  bool hasContext = false;
  // Whether it is wanted still.
  const auto take = [](auto& mine, const auto& theirs, bool isWanted) {
    if (isWanted && !mine && theirs) mine = theirs;
    return isWanted && !mine;
  };
  OptionalVGraphId graph;
  OptionalPipelineStage stage;
  OptionalExecutionPhase phase;
  OptionalBatchSerializedPhase part;
  visitAround(op, aliasModel, [&](const Op& each) {
    if (!hasContext) own.executionContext = each.settings.executionContext;
    hasContext = true;
    const bool wanted[] = {take(graph, each.settings.vgraphId, hasGraphs),
                           take(stage, each.settings.pipelineStage, options.enablePipelining),
                           take(phase, each.settings.executionPhase, hasPhases),
                           take(part, each.settings.batchSerializedPhase, inheritSerializations)};
    return std::none_of(std::begin(wanted), std::end(wanted), [](bool each) { return each; });
  });
  if (graph) own.vgraphId = graph;
  if (stage) own.pipelineStage = stage;
  if (phase) own.executionPhase = phase;
  if (part) own.batchSerializedPhase = part;
}

void Op::inheritPlacementAttributes(bool inheritSerializations, AliasModel& aliasModel) {
  InheritOpAttributeHelper::apply(this, inheritSerializations, aliasModel);
}

}  // namespace popart
