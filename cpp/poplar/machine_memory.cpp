// Memory per tile: what is always there, and over the steps of the programs what comes and goes.
#include <algorithm>
#include <array>
#include <unordered_map>

#include "poplar/lifetimes.hpp"
#include "poplar/machine_reading.hpp"

namespace popir {
namespace {

enum Category { kVariables, kConstants, kStack, kTemporaries, kGathered, kCategories };
constexpr const char* kNames[] = {"variables", "constants", "stack", "temporaries",
                                  "gathered operands"};
using Bytes = std::vector<std::uint64_t>;  // by tile

class Memory {
 public:
  Memory(const GraphImpl& graph, const Programs& programs)
      : graph_(graph), tiles_(graph.target.getNumTiles()) {
    for (auto& bytes : peak_) bytes.resize(tiles_);
    const ProgramNode nothing;
    for (const auto& p : programs) flat_.push_back(flatten(graph, p ? *p : nothing));
  }

  void run() {
    const auto uses = usesOf(graph_, flat_);
    const auto lives = lifetimesOf(graph_, flat_, uses);
    peak_[kStack].assign(tiles_, graph_.target.spec().stackBytesPerTile);
    std::vector<std::vector<Event>> events(flat_.size());
    for (unsigned v = 0; v < lives.size(); ++v) {
      const auto& life = lives[v];
      if (life.kind == Lifetime::Kind::Always)
        change(peak_[graph_.variable(v).constant ? kConstants : kVariables], v, 1);
      if (life.kind != Lifetime::Kind::Steps) continue;
      events[life.program].push_back({life.first, true, v});
      events[life.program].push_back({life.last, false, v});
    }
    for (std::size_t p = 0; p < flat_.size(); ++p) play(flat_[p], events[p]);
  }

  void into(MachineReport& report) const {
    Bytes total(tiles_);
    for (const auto& bytes : peak_)
      for (unsigned t = 0; t < tiles_; ++t) total[t] += bytes[t];
    const auto fullest = std::max_element(total.begin(), total.end()) - total.begin();
    report.fullestTile = static_cast<unsigned>(fullest);
    report.maxTileBytes = total[report.fullestTile];
    report.bytesPerTile = graph_.target.getBytesPerTile();
    for (const auto bytes : total) {
      report.totalBytes += bytes;
      if (bytes > report.bytesPerTile) ++report.tilesOutOfMemory;
    }
    for (int c = 0; c < kCategories; ++c) {
      MemoryCost row{kNames[c], 0, peak_[c][report.fullestTile]};
      for (const auto bytes : peak_[c]) row.totalBytes += bytes;
      report.memory.push_back(row);
    }
  }

 private:
  struct Event {
    std::size_t step;
    bool begins;
    unsigned variable;
  };

  void change(Bytes& bytes, unsigned v, std::int64_t sign) const {
    const auto& variable = graph_.variable(v);
    const auto size = static_cast<std::int64_t>(variable.type.sizeInBytes()) * sign;
    variable.mapping.forEach(0, variable.elements,
                             [&](std::int64_t b, std::int64_t e, unsigned tile) {
                               bytes[tile] += static_cast<std::uint64_t>((e - b) * size);
                             });
  }

  // What comes at a step is there before what goes after it has gone.
  void play(const FlatProgram& flat, std::vector<Event>& events) {
    std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
      return a.step != b.step ? a.step < b.step : a.begins > b.begins;
    });
    Bytes now(tiles_);
    auto next = events.begin();
    for (std::size_t s = 0; s < flat.steps.size(); ++s) {
      for (; next != events.end() && next->step == s && next->begins; ++next)
        change(now, next->variable, 1);
      const Bytes* gathered = flat.steps[s].vertex ? &gatheredBy(*flat.steps[s].vertex) : nullptr;
      for (unsigned t = 0; t < tiles_; ++t) {
        const auto extra = gathered ? (*gathered)[t] : 0;
        if (now[t] + extra <= peak_[kTemporaries][t] + peak_[kGathered][t]) continue;
        peak_[kTemporaries][t] = now[t];
        peak_[kGathered][t] = extra;
      }
      for (; next != events.end() && next->step == s; ++next) change(now, next->variable, -1);
    }
  }

  // What a tile receives for a vertex lies there until the vertex has run.
  const Bytes& gatheredBy(const BulkVertex& vertex) {
    auto& bytes = gathered_[&vertex];
    if (!bytes.empty()) return bytes;
    bytes.resize(tiles_);
    for (const auto& phase : phasesOf(graph_, vertex, workOf(vertex)))
      for (unsigned t = 0; t < tiles_; ++t)
        bytes[t] = std::max(bytes[t], phase.traffic.received()[t] +
                                          (phase.temporary.empty() ? 0 : phase.temporary[t]));
    return bytes;
  }

  const GraphImpl& graph_;
  const unsigned tiles_;
  std::vector<FlatProgram> flat_;
  std::array<Bytes, kCategories> peak_;
  std::unordered_map<const BulkVertex*, Bytes> gathered_;
};

}  // namespace

void readMemory(const GraphImpl& graph, const Programs& programs, MachineReport& report) {
  Memory memory(graph, programs);
  memory.run();
  memory.into(report);
}

}  // namespace popir
