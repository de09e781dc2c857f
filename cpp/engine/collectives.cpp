// EngineImpl, collectives: calls of host functions in which the engine of a replica meets others.
#include <poplar/exceptions.hpp>

#include <algorithm>
#include <cstring>

#include "engine/engine.hpp"
#include "poplar/graph_impl.hpp"

namespace popir {

namespace {

/// What a replica gets of a reduction that is local: its own value, or its part of that. It meets
/// no others.
void takeOwn(const Collective& c, unsigned replica, const void* in, void* out) {
  const std::size_t size = c.type.sizeInBytes(), results = c.results();
  const std::size_t part = c.kind == Collective::Kind::ReduceScatter ? results : 0;
  const std::size_t begin = std::min(c.grouping.indexOf(replica) * part, c.elements);
  const std::size_t count = std::min(results, c.elements - begin);
  char* to = static_cast<char*>(out);
  if (count > 0) std::memcpy(to, static_cast<const char*>(in) + begin * size, count * size);
  if (results > count) std::memset(to + count * size, 0, (results - count) * size);
}

}  // namespace

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
    const bool isLocal = collective->op == gcl::CollectiveOperator::LOCAL &&
                         (collective->kind == Collective::Kind::AllReduce ||
                          collective->kind == Collective::Kind::ReduceScatter);
    parts_.hostFunctions[id]->function = [&meeting, replica, isLocal, collective = *collective](
                                             In in, Out out) {
      if (isLocal)
        takeOwn(collective, replica, in[0], out[0]);
      else
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
