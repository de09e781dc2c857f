// Offset assignment: gives each buffer of the arena its offset. The arena should be little larger
// than the most bytes that are live at the same time. Of two ways of packing the smaller one is
// taken: in the order of time, and in the order of size.
#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

#include "engine/placement/passes.hpp"

namespace popir {
namespace {

// Packing by size looks at each pair of lives.
constexpr std::size_t kMostBySize = 4096;
// A life of a page or less.
constexpr std::size_t kSmallBytes = 4096;

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
      auto best = byTime(lives);
      if (lives.size() <= kMostBySize) {
        auto other = bySize(lives);
        if (other.top < best.top) best = std::move(other);
      }
      for (std::size_t n = 0; n < lives.size(); ++n)
        assignment_.buffers[lives[n].variable].offset =
            assignment_.alwaysLiveBytes + best.offsets[n];
      arenaBytes_ = std::max(arenaBytes_, assignment_.alwaysLiveBytes + best.top);
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

  // The offset of each life, from the end of what is always live, and the end of all.
  struct Packing {
    std::vector<std::size_t> offsets;
    std::size_t top = 0;
  };

  static std::size_t sizeOf(const Life& life) {
    return aligned(std::max<std::size_t>(life.bytes, 1));
  }

  // Packs in the order of first steps, larger lives before smaller ones. Each time it first frees
  // the bytes of lives that have ended. Then it takes the smallest hole that is large enough; if
  // there is none, the arena grows at its top. It sorts `lives`.
  static Packing byTime(std::vector<Life>& lives) {
    std::sort(lives.begin(), lives.end(), [](const Life& a, const Life& b) {
      return a.first != b.first ? a.first < b.first : a.bytes > b.bytes;
    });
    std::multimap<std::size_t, std::pair<std::size_t, std::size_t>> busy;  // last -> offset, size
    std::map<std::size_t, std::size_t> holes;                              // offset -> size
    Packing result;
    auto& top = result.top;
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
      const auto size = sizeOf(life);
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
      result.offsets.push_back(offset);
      busy.insert({life.last, {offset, size}});
    }
    return result;
  }

  // Packs the small lives first, then the largest of the others: each one into the smallest gap, over
  // its steps, between those that have their offsets, or behind them. What is large so leaves no
  // holes, and what is small divides none, in which a step has its workspace.
  static Packing bySize(const std::vector<Life>& lives) {
    std::vector<std::size_t> order(lives.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto rank = [&](std::size_t n) {
      return std::make_pair(lives[n].bytes > kSmallBytes, lives[n].bytes);
    };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      const auto left = rank(a), right = rank(b);
      return left.first != right.first ? left.first < right.first : left.second > right.second;
    });
    Packing result;
    result.offsets.resize(lives.size());
    std::vector<std::size_t> placed;  // by offset
    for (const auto n : order) {
      const auto size = sizeOf(lives[n]);
      std::size_t end = 0, offset = 0, gap = std::numeric_limits<std::size_t>::max();
      for (const auto other : placed) {
        if (lives[other].last < lives[n].first || lives[n].last < lives[other].first) continue;
        const auto begin = result.offsets[other];
        if (begin >= end + size && begin - end < gap) {
          gap = begin - end;
          offset = end;
        }
        end = std::max(end, begin + sizeOf(lives[other]));
      }
      if (gap == std::numeric_limits<std::size_t>::max()) offset = end;
      result.offsets[n] = offset;
      result.top = std::max(result.top, offset + size);
      const auto after = std::upper_bound(
          placed.begin(), placed.end(), offset,
          [&](std::size_t at, std::size_t other) { return at < result.offsets[other]; });
      placed.insert(after, n);
    }
    return result;
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
