// Memory per tile: what is always there, and over the steps of the programs what comes and goes.
#include <algorithm>
#include <array>
#include <poplar/exceptions.hpp>
#include <sstream>
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
  // `gathers`: counts what vertices gather, too, for which every vertex is planned.
  Memory(const GraphImpl& graph, const Programs& programs, bool gathers)
      : graph_(graph), tiles_(graph.target.getNumTiles()), gathers_(gathers), worst_(tiles_) {
    for (auto& bytes : peak_) bytes.resize(tiles_);
    const ProgramNode nothing;
    for (const auto& p : programs) flat_.push_back(flatten(graph, p ? *p : nothing, codelets_));
  }

  void run() {
    const auto uses = usesOf(graph_, flat_);
    lives_ = lifetimesOf(graph_, flat_, uses);
    peak_[kStack].assign(tiles_, graph_.target.spec().stackBytesPerTile);
    std::vector<std::vector<Event>> events(flat_.size());
    for (unsigned v = 0; v < lives_.size(); ++v) {
      const auto& life = lives_[v];
      if (life.kind == Lifetime::Kind::Always)
        change(peak_[graph_.variable(v).constant ? kConstants : kVariables], v, 1);
      if (life.kind != Lifetime::Kind::Steps) continue;
      events[life.program].push_back({life.first, true, v});
      events[life.program].push_back({life.last, false, v});
    }
    for (std::size_t p = 0; p < flat_.size(); ++p) play(p, events[p]);
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
    report.owners = owners(report.fullestTile);
  }

 private:
  struct Moment {
    std::size_t program = 0, step = 0;
  };

  // What takes most of a tile at its worst step, the most first.
  std::vector<MemoryOwner> owners(unsigned tile) const {
    constexpr std::size_t kOwners = 10;
    const auto at = worst_[tile];
    std::vector<MemoryOwner> all;
    for (unsigned v = 0; v < lives_.size(); ++v) {
      const auto& life = lives_[v];
      const bool always = life.kind == Lifetime::Kind::Always;
      if (!always && !(life.kind == Lifetime::Kind::Steps && life.program == at.program &&
                       life.first <= at.step && at.step <= life.last))
        continue;
      const auto& variable = graph_.variable(v);
      std::uint64_t elements = 0;
      variable.mapping.forEach(0, variable.elements,
                               [&](std::int64_t b, std::int64_t e, unsigned where) {
                                 if (where == tile) elements += static_cast<std::uint64_t>(e - b);
                               });
      const auto category = !always ? kTemporaries : variable.constant ? kConstants : kVariables;
      if (elements > 0)
        all.push_back({variable.name, kNames[category], elements * variable.type.sizeInBytes()});
    }
    if (peak_[kGathered][tile] > 0)
      all.push_back({flat_[at.program].steps[at.step].vertex->name, kNames[kGathered],
                     peak_[kGathered][tile]});
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
    if (all.size() > kOwners) all.resize(kOwners);
    return all;
  }

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
  void play(std::size_t program, std::vector<Event>& events) {
    const auto& flat = flat_[program];
    std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
      return a.step != b.step ? a.step < b.step : a.begins > b.begins;
    });
    Bytes now(tiles_);
    auto next = events.begin();
    for (std::size_t s = 0; s < flat.steps.size(); ++s) {
      for (; next != events.end() && next->step == s && next->begins; ++next)
        change(now, next->variable, 1);
      const auto* vertex = gathers_ ? flat.steps[s].vertex : nullptr;
      const Bytes* gathered = vertex ? &gatheredBy(*vertex) : nullptr;
      for (unsigned t = 0; t < tiles_; ++t) {
        const auto extra = gathered ? (*gathered)[t] : 0;
        if (now[t] + extra <= peak_[kTemporaries][t] + peak_[kGathered][t]) continue;
        peak_[kTemporaries][t] = now[t];
        peak_[kGathered][t] = extra;
        worst_[t] = {program, s};
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
  const bool gathers_;
  CodeletSteps codelets_;
  std::vector<FlatProgram> flat_;
  std::vector<Lifetime> lives_;
  std::vector<Moment> worst_;  // by tile
  std::array<Bytes, kCategories> peak_;
  std::unordered_map<const BulkVertex*, Bytes> gathered_;
};

// All variables of a tile at once, whether they live together or not.
bool surelyFits(const GraphImpl& graph) {
  const auto& spec = graph.target.spec();
  Bytes bytes(spec.numTiles(), spec.stackBytesPerTile);
  for (const auto& v : graph.variables)
    v.mapping.forEach(0, v.elements, [&](std::int64_t b, std::int64_t e, unsigned tile) {
      bytes[tile] += static_cast<std::uint64_t>(e - b) * v.type.sizeInBytes();
    });
  return *std::max_element(bytes.begin(), bytes.end()) <= spec.memoryBytesPerTile;
}

}  // namespace

void readMemory(const GraphImpl& graph, const Programs& programs, MachineReport& report) {
  Memory memory(graph, programs, true);
  memory.run();
  memory.into(report);
}

void requireTileMemory(const GraphImpl& graph, const Programs& programs) {
  if (graph.target.getTargetType() == poplar::TargetType::CPU || surelyFits(graph)) return;
  Memory memory(graph, programs, false);
  memory.run();
  MachineReport report;
  memory.into(report);
  if (report.tilesOutOfMemory == 0) return;
  std::ostringstream os;
  os << "Out of memory on tile " << report.fullestTile << ": " << report.maxTileBytes
     << " bytes used but tiles only have " << report.bytesPerTile << " bytes of memory ("
     << report.tilesOutOfMemory << (report.tilesOutOfMemory == 1 ? " tile" : " tiles")
     << " out of memory). Largest on that tile:";
  for (const auto& owner : report.owners)
    os << " '" << owner.name << "' " << owner.bytes << " (" << owner.category << ");";
  os << " spread them over more tiles, or set the engine's option debug.allowOutOfMemory to "
        "\"true\" to run all the same";
  throw poplar::graph_memory_allocation_error(os.str());
}

}  // namespace popir
