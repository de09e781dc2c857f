// EngineImpl, collectives: calls of host functions in which the engine of a replica meets others.
#include <poplar/exceptions.hpp>

#include <algorithm>

#include "engine/engine.hpp"
#include "poplar/graph_impl.hpp"

namespace popir {

void EngineImpl::refuseCollectives() {
  for (const auto& f : grown_->hostFunctions) {
    const auto id = static_cast<std::size_t>(f.id());
    const auto collective = collectiveOf(f);
    if (!collective || id >= parts_.hostFunctions.size() || !parts_.hostFunctions[id]) continue;
    parts_.hostFunctions[id]->function = [text = collective->text()](auto, auto) {
      throw poplar::runtime_error("Engine::run: " + text +
                                  " is a collective of several replicas, and this engine is run "
                                  "alone; a session runs them together");
    };
  }
}

std::vector<Grouping> EngineImpl::connectCollectives(unsigned replica, const Meet& meet) {
  const EngineLock::Use alone(lock_, "Engine::connectCollectives");
  replica_ = replica;
  writeReplicationIndex();
  std::vector<Grouping> groupings;
  for (const auto& f : grown_->hostFunctions) {
    const auto collective = collectiveOf(f);
    if (!collective) continue;
    if (std::find(groupings.begin(), groupings.end(), collective->grouping) == groupings.end())
      groupings.push_back(collective->grouping);
    const auto id = static_cast<std::size_t>(f.id());
    if (id >= parts_.hostFunctions.size() || !parts_.hostFunctions[id]) continue;
    parts_.hostFunctions[id]->function = [meet, collective = *collective](
                                             poplar::ArrayRef<const void*> inputs,
                                             poplar::ArrayRef<void*> outputs) {
      meet(collective, inputs[0], outputs[0]);
    };
  }
  return groupings;
}

void EngineImpl::writeReplicationIndex() {
  if (graph_->hostWrites.count(kReplicationIndex) != 0)
    write(kReplicationIndex, &replica_, &replica_ + 1);
}

}  // namespace popir
