// EngineImpl, the part that reads arrays of the host where they lie: tensors that only the host
// writes, as weights of inference, need no copy of these.
#include <algorithm>

#include "engine/engine.hpp"
#include "engine/whole_variable.hpp"
#include "program/lifetimes.hpp"

namespace popir {

std::vector<bool> EngineImpl::lendable(const std::vector<FlatProgram>& programs) const {
  std::vector<int> handles(graph_->variables.size());  // that write it
  std::vector<bool> found(graph_->variables.size());
  for (const auto& [handle, t] : graph_->hostWrites) {
    for (auto v : t.view().variables()) ++handles[v];
    if (const auto v = shownWhole(*graph_, t)) found[*v] = handle != kReplicationIndex;
  }
  const auto uses = usesOf(*graph_, programs);
  for (unsigned v = 0; v < found.size(); ++v) {
    const auto& buffer = assignment_.buffers[v];
    // What is joined with others lies beside them.
    const auto isAlone = [&](const Use& use) {
      return !use.write && use.tensor->view().variables().size() == 1;
    };
    found[v] = found[v] && handles[v] == 1 && buffer.kind == Buffer::Kind::Arena &&
               buffer.alwaysLive && buffer.channelBlock == Layout::kPlain &&
               graph_->variables[v].data.empty() &&
               std::all_of(uses[v].begin(), uses[v].end(), isAlone);
  }
  return found;
}

char* EngineImpl::memoryOf(unsigned v) const {
  if (graph_->variables[v].constant)
    return reinterpret_cast<char*>(const_cast<unsigned char*>(graph_->variables[v].data.data()));
  const auto slot = slotOfVariable_.find(v);
  if (slot != slotOfVariable_.end()) return slots_[slot->second].base;
  return arena_->data() + assignment_.buffers[v].offset;
}

void EngineImpl::takeBack(unsigned v) {
  if (!lendable_[v]) return;
  setSlot(slotOfVariable_.at(v), arena_->data() + assignment_.buffers[v].offset);
  for (Original& each : originals_) {
    if (each.variable != v) continue;
    each.isAway = false;
    each.released = nullptr;
  }
}

bool EngineImpl::lend(const std::string& handle, const void* begin,
                      std::function<void()> released) {
  const EngineLock::Use alone(lock_, "Engine::lendTensor");
  const auto found = graph_->hostWrites.find(handle);
  const auto v = found->second.view().wholeVariable();
  if (!v || !lendable_[*v] || reinterpret_cast<std::uintptr_t>(begin) % kAlign != 0) return false;
  auto* const base = static_cast<char*>(const_cast<void*>(begin));
  const auto original = std::find_if(originals_.begin(), originals_.end(),
                                     [&](const Original& each) { return each.variable == *v; });
  const bool isLent = memoryOf(*v) == base;
  if (original != originals_.end()) {
    original->isAway = false;
    original->released = std::move(released);
  }
  if (isLent) return true;
  setSlot(slotOfVariable_.at(*v), base);
  arena_->release(assignment_.buffers[*v].offset, graph_->variables[*v].bytes());
  touched_ = true;
  stale_ = stale_ || (!invariant_.empty() && invariant_[*v]);
  return true;
}

}  // namespace popir
