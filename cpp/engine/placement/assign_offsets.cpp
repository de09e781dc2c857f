// Offset assignment: gives each buffer of the arena its offset. The arena should be little larger
// than the most bytes that are live at the same time.
#include <algorithm>
#include <map>

#include "engine/placement/passes.hpp"

namespace popir {
namespace {

// The lifetime and size of a variable, or of a concatenation under its first variable.
struct Life {
  unsigned variable;
  std::size_t first, last, bytes;
};

class Packer {
 public:
  explicit Packer(Plan& plan)
      : variables_(plan.graph->variables),
        assignment_(plan.assignment),
        lives_(plan.programs.size()),
        arenaBytes_(assignment_.alwaysLiveBytes) {}

  void run() {
    for (unsigned v = 0; v < assignment_.buffers.size(); ++v) {
      const auto& buffer = assignment_.buffers[v];
      if (buffer.shared())
        lives_[buffer.program].push_back({v, buffer.first, buffer.last, variables_[v].bytes()});
    }
    for (auto& lives : lives_) {
      joinConcats(lives);
      pack(lives);
    }
    for (const auto& concat : assignment_.concats)
      for (std::size_t i = 1; i < concat.size(); ++i)
        assignment_.buffers[concat[i]].offset =
            assignment_.buffers[concat[i - 1]].offset + variables_[concat[i - 1]].bytes();
    assignment_.arenaBytes = arenaBytes_;
  }

 private:
  // Replaces the entries of a concatenation's variables by one for all: sum of the sizes, union of
  // the lifetimes, under the first variable.
  void joinConcats(std::vector<Life>& lives) const {
    std::map<unsigned, unsigned> firstOf;
    for (const auto& concat : assignment_.concats)
      for (auto v : concat) firstOf[v] = concat.front();
    std::map<unsigned, Life> joined;
    std::vector<Life> others;
    for (const auto& life : lives) {
      const auto first = firstOf.find(life.variable);
      if (first == firstOf.end()) {
        others.push_back(life);
        continue;
      }
      auto& whole = joined.emplace(first->second, Life{first->second, life.first, life.last, 0})
                        .first->second;
      whole.first = std::min(whole.first, life.first);
      whole.last = std::max(whole.last, life.last);
      whole.bytes += life.bytes;
    }
    lives = std::move(others);
    for (const auto& [first, life] : joined) lives.push_back(life);
  }

  // Gives each life its offset, in the order of first steps, larger lives before smaller ones. Each
  // time it first frees the bytes of lives that have ended. Then it takes the smallest hole that is
  // large enough; if there is none, the arena grows at its top.
  void pack(std::vector<Life>& lives) {
    std::sort(lives.begin(), lives.end(), [](const Life& a, const Life& b) {
      return a.first != b.first ? a.first < b.first : a.bytes > b.bytes;
    });
    std::multimap<std::size_t, std::pair<std::size_t, std::size_t>> busy;  // last -> offset, size
    std::map<std::size_t, std::size_t> holes;                              // offset -> size
    std::size_t top = assignment_.alwaysLiveBytes;
    const auto release = [&](std::size_t offset, std::size_t size) {
      auto after = holes.upper_bound(offset);
      if (after != holes.end() && offset + size == after->first) {
        size += after->second;
        after = holes.erase(after);
      }
      if (after != holes.begin()) {
        auto before = std::prev(after);
        if (before->first + before->second == offset) {
          before->second += size;
          return;
        }
      }
      holes[offset] = size;
    };
    for (const auto& life : lives) {
      while (!busy.empty() && busy.begin()->first < life.first) {
        release(busy.begin()->second.first, busy.begin()->second.second);
        busy.erase(busy.begin());
      }
      const auto size = aligned(std::max<std::size_t>(life.bytes, 1));
      auto best = holes.end();
      for (auto it = holes.begin(); it != holes.end(); ++it)
        if (it->second >= size && (best == holes.end() || it->second < best->second)) best = it;
      std::size_t offset;
      if (best != holes.end()) {
        offset = best->first;
        const auto rest = best->second - size;
        holes.erase(best);
        if (rest) holes[offset + size] = rest;
      } else if (!holes.empty() && holes.rbegin()->first + holes.rbegin()->second == top) {
        offset = holes.rbegin()->first;  // grow the hole at the top
        holes.erase(offset);
        top = offset + size;
      } else {
        offset = top;
        top += size;
      }
      assignment_.buffers[life.variable].offset = offset;
      busy.insert({life.last, {offset, size}});
    }
    arenaBytes_ = std::max(arenaBytes_, top);
  }

  const std::deque<Variable>& variables_;
  BufferAssignment& assignment_;
  std::vector<std::vector<Life>> lives_;  // by program
  std::size_t arenaBytes_;
};

}  // namespace

std::string AssignOffsets::run(Plan& plan) const {
  Packer(plan).run();
  return counted(*plan.assignment.arenaBytes, "byte", "bytes") + ", " +
         std::to_string(plan.assignment.alwaysLiveBytes) + " of them always live";
}

}  // namespace popir
