#include "engine/placement/workspace.hpp"

#include <algorithm>

namespace popir {

Workspace::Workspace(const BufferAssignment& assignment, const std::deque<Variable>& variables)
    : assignment_(assignment), variables_(variables), end_(aligned(*assignment.arenaBytes)) {
  const auto& buffers = assignment.buffers;
  for (unsigned v = 0; v < buffers.size(); ++v) {
    if (!buffers[v].shared()) continue;
    if (shared_.size() <= buffers[v].program) shared_.resize(buffers[v].program + 1);
    shared_[buffers[v].program].push_back(v);
  }
  for (auto& variablesOfOne : shared_)
    std::stable_sort(variablesOfOne.begin(), variablesOfOne.end(),
                     [&](unsigned a, unsigned b) { return buffers[a].first < buffers[b].first; });
}

Workspace::Range Workspace::rangeOf(unsigned variable) const {
  const auto offset = assignment_.buffers[variable].offset;
  return {offset, offset + variables_[variable].bytes()};
}

void Workspace::begin(std::size_t program) {
  program_ = program;
  next_ = 0;
  lasts_.clear();
  used_.clear();
  taken_.clear();
  ofGroup_.clear();
  ofGroups_.clear();
  inGroup_ = false;
}

void Workspace::beginGroup() {
  for (const auto& range : ofGroup_)
    if (ofGroups_.insert(range).second) used_.insert(range);
  ofGroup_.clear();
  inGroup_ = true;
}

void Workspace::endGroups() {
  for (const auto& range : ofGroups_) used_.erase(used_.find(range));
  ofGroup_.clear();
  ofGroups_.clear();
  inGroup_ = false;
}

void Workspace::advance(std::size_t step) {
  for (const auto& range : taken_) used_.erase(used_.find(range));
  taken_.clear();
  if (program_ >= shared_.size()) return;
  const auto& buffers = assignment_.buffers;
  for (const auto& variables = shared_[program_];
       next_ < variables.size() && buffers[variables[next_]].first <= step; ++next_) {
    const auto range = rangeOf(variables[next_]);
    used_.insert(range);
    lasts_.emplace(buffers[variables[next_]].last, range);
  }
  while (!lasts_.empty() && lasts_.begin()->first < step) {
    used_.erase(used_.find(lasts_.begin()->second));
    lasts_.erase(lasts_.begin());
  }
}

std::size_t Workspace::take(std::size_t bytes) {
  auto offset = aligned(assignment_.alwaysLiveBytes);
  if (bytes == 0) return offset;
  for (const auto& [begin, end] : used_) {
    if (begin >= offset + bytes) break;
    offset = std::max(offset, aligned(end));
  }
  const Range range{offset, offset + bytes};
  used_.insert(range);
  taken_.push_back(range);
  if (inGroup_) ofGroup_.insert(range);
  end_ = std::max(end_, aligned(range.second));
  return offset;
}

}  // namespace popir
