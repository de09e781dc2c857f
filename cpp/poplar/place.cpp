// Where variables live: constants where they are, streamed data in the host's buffers where
// nothing speaks against it, everything else in one arena shared over time.
#include <algorithm>
#include <set>

#include "poplar/layouts.hpp"
#include "poplar/lifetimes.hpp"

namespace popir {

namespace {

// Steps during which a variable's bytes must be its own.
struct Life {
  unsigned variable;
  std::size_t first, last, bytes;
};

constexpr std::size_t kAlign = 64;
std::size_t aligned(std::size_t bytes) { return (bytes + kAlign - 1) / kAlign * kAlign; }

class Placer {
 public:
  Placer(const GraphImpl& graph, const std::vector<FlatProgram>& programs, unsigned threads,
         bool rows)
      : graph_(graph),
        programs_(programs),
        threads_(threads),
        rows_(rows),
        uses_(usesOf(graph, programs)) {
    result_.homes.resize(graph.variables.size());
  }

  Placement run() {
    std::vector<std::vector<Life>> lives(programs_.size());
    const auto lifetimes = lifetimesOf(graph_, programs_, uses_);
    for (unsigned v = 0; v < graph_.variables.size(); ++v) {
      auto& home = result_.homes[v];
      const auto& variable = graph_.variables[v];
      const auto& life = lifetimes[v];
      if (variable.constant) {
        home.kind = Home::Kind::Constant;
        continue;
      }
      if (life.kind == Lifetime::Kind::Unused) continue;
      home.kind = Home::Kind::Arena;
      if (life.kind == Lifetime::Kind::Always) {
        home.alwaysLive = true;
        home.offset = result_.alwaysLiveBytes;
        result_.alwaysLiveBytes += aligned(variable.bytes());
        continue;
      }
      if (bindInput(v) || bindOutput(v)) continue;
      lives[life.program].push_back({v, life.first, life.last, variable.bytes()});
    }
    std::vector<Row> rows;
    if (rows_) rows = chooseRows(graph_, programs_, result_);
    chooseBlocks(graph_, programs_, rows, threads_, result_);
    for (auto& list : lives) {
      joinRows(rows, list);
      pack(list);
    }
    for (const auto& row : rows)
      for (std::size_t i = 1; i < row.size(); ++i)
        result_.homes[row[i]].offset =
            result_.homes[row[i - 1]].offset + graph_.variables[row[i - 1]].bytes();
    result_.arenaBytes = std::max(result_.arenaBytes, result_.alwaysLiveBytes);
    return std::move(result_);
  }

 private:
  // The host's buffer itself, if one stream copy fills the variable and all else only reads.
  bool bindInput(unsigned v) {
    const auto& first = uses_[v].front();
    const auto& step = programs_[first.program].steps[first.step];
    if (step.kind != Step::Kind::StreamIn || !first.whole) return false;
    for (std::size_t i = 1; i < uses_[v].size(); ++i)
      if (uses_[v][i].write) return false;
    auto& home = result_.homes[v];
    home.kind = Home::Kind::StreamIn;
    home.stream = step.stream;
    return true;
  }

  // The host's buffer itself, if one stream copy drains the variable, and all writes come before
  // it, in the same round of the same loop.
  bool bindOutput(unsigned v) {
    const auto& uses = uses_[v];
    const auto& program = programs_[uses.front().program];
    const Use* drain = nullptr;
    for (const auto& u : uses) {
      if (program.steps[u.step].kind != Step::Kind::StreamOut) continue;
      if (drain || !u.whole) return false;
      drain = &u;
    }
    if (!drain || !uses.front().write) return false;
    const auto block = program.blockOf(drain->step);
    for (const auto& u : uses) {
      const auto b = program.blockOf(u.step);
      if (u.write && (b.begin != block.begin || b.end != block.end || u.step > drain->step))
        return false;
      if (!block.contains(u.step)) return false;
    }
    if (program.steps[uses.front().step].kind == Step::Kind::StreamIn) return false;
    const int stream = program.steps[drain->step].stream;
    if (!boundOut_.insert(stream).second) return false;
    auto& home = result_.homes[v];
    home.kind = Home::Kind::StreamOut;
    home.stream = stream;
    home.program = uses.front().program;
    home.bindAt = uses.front().step;
    return true;
  }

  // What lies side by side lives as one, under the name of the first.
  void joinRows(const std::vector<Row>& rows, std::vector<Life>& lives) const {
    std::map<unsigned, unsigned> firstOf;
    for (const auto& row : rows)
      for (auto v : row) firstOf[v] = row.front();
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

  // First fit by start, freeing what ended: close to the peak of what lives together.
  void pack(std::vector<Life>& lives) {
    std::sort(lives.begin(), lives.end(), [](const Life& a, const Life& b) {
      return a.first != b.first ? a.first < b.first : a.bytes > b.bytes;
    });
    std::multimap<std::size_t, std::pair<std::size_t, std::size_t>> busy;  // last -> offset, size
    std::map<std::size_t, std::size_t> holes;                              // offset -> size
    std::size_t top = result_.alwaysLiveBytes;
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
      result_.homes[life.variable].offset = offset;
      busy.insert({life.last, {offset, size}});
    }
    result_.arenaBytes = std::max(result_.arenaBytes, top);
  }

  const GraphImpl& graph_;
  const std::vector<FlatProgram>& programs_;
  const unsigned threads_;
  const bool rows_;
  const std::vector<std::vector<Use>> uses_;
  std::set<int> boundOut_;
  Placement result_;
};

}  // namespace

Placement place(const GraphImpl& graph, const std::vector<FlatProgram>& programs, unsigned threads,
                bool rows) {
  return Placer(graph, programs, threads, rows).run();
}

}  // namespace popir
