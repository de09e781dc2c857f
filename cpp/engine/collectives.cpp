// EngineImpl, collectives: calls of host functions in which the engine of a replica meets others.
#include <poplar/exceptions.hpp>

#include <algorithm>

#include "engine/engine.hpp"
#include "poplar/graph_impl.hpp"

namespace popir {

void EngineImpl::refuseCollectives() {
  const auto refuse = [](const Collective& collective, HostFunctionEnd& end) {
    end.function = [text = collective.text()](auto, auto) {
      throw poplar::runtime_error("Engine::run: " + text +
                                  " is a collective of several replicas, and this engine is run "
                                  "alone; a session runs them together");
    };
  };
  for (const auto& f : grown_->hostFunctions) {
    const auto id = static_cast<std::size_t>(f.id());
    const auto collective = collectiveOf(f);
    if (collective && id < parts_.hostFunctions.size() && parts_.hostFunctions[id])
      refuse(*collective, *parts_.hostFunctions[id]);
  }
  for (const auto& bucket : buckets_)
    for (const auto& part : bucket.parts)
      for (const auto& end : {part.begin, part.end}) refuse(bucket.whole, *end);
}

std::vector<Grouping> EngineImpl::connectCollectives(unsigned replica, Meeting& meeting) {
  const EngineLock::Use alone(lock_, "Engine::connectCollectives");
  replica_ = replica;
  writeReplicationIndex();
  using In = poplar::ArrayRef<const void*>;
  using Out = poplar::ArrayRef<void*>;
  std::vector<Grouping> groupings;
  for (const auto& f : grown_->hostFunctions) {
    const auto collective = collectiveOf(f);
    if (!collective) continue;
    if (std::find(groupings.begin(), groupings.end(), collective->grouping) == groupings.end())
      groupings.push_back(collective->grouping);
    const auto id = static_cast<std::size_t>(f.id());
    if (id >= parts_.hostFunctions.size() || !parts_.hostFunctions[id]) continue;
    parts_.hostFunctions[id]->function = [&meeting, replica, collective = *collective](In in,
                                                                                       Out out) {
      meeting.meet(replica, collective, in[0], out[0]);
    };
  }
  for (std::size_t b = 0; b < buckets_.size(); ++b)
    for (std::size_t p = 0; p < buckets_[b].parts.size(); ++p) {
      const auto& part = buckets_[b].parts[p];
      part.begin->function = [&meeting, replica, b, p](In in, Out out) {
        meeting.begin(replica, b, p, in[0], out.empty() ? nullptr : out[0]);
      };
      part.end->function = [&meeting, replica, b, p](In, Out out) {
        meeting.end(replica, b, p, out[0]);
      };
    }
  return groupings;
}

void EngineImpl::writeReplicationIndex() {
  if (graph_->hostWrites.count(kReplicationIndex) != 0)
    write(kReplicationIndex, &replica_, &replica_ + 1);
}

}  // namespace popir
