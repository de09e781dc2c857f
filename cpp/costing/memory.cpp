#include "costing/memory.hpp"

#include <algorithm>
#include <poplar/exceptions.hpp>
#include <sstream>

namespace popir {
namespace {

std::uint64_t aligned(const TargetSpec& spec, std::uint64_t bytes) {
  return (bytes + spec.variableAlignment - 1) / spec.variableAlignment * spec.variableAlignment;
}

// The bytes of the region that instructions are fetched from, which is not interleaved.
std::uint64_t codeRegion(const TargetSpec& spec) {
  return spec.type == poplar::TargetType::CPU ? ~std::uint64_t{0} : spec.interleavedMemoryOffset;
}

// The bytes of the region that is interleaved.
std::uint64_t interleavedRegion(const TargetSpec& spec) {
  return spec.memoryBytesPerTile - std::min(spec.memoryBytesPerTile, spec.interleavedMemoryOffset);
}

// Collects the program nodes that have control code. The nodes of a function count once, however
// often it is called; each call counts as a node itself.
void countNodes(const GraphImpl& graph, const ProgramNode& node, std::set<const void*>& known) {
  if (node.kind == ProgramNode::Kind::Call) {
    const auto& body = graph.functions[node.function.getId()];
    known.insert(&node);
    if (known.insert(body.get()).second) countNodes(graph, *body, known);
    return;
  }
  if (node.kind != ProgramNode::Kind::Sequence) known.insert(&node);
  for (const auto& child : node.children) countNodes(graph, *child, known);
}

}  // namespace

const char* MachineMemory::name(int category) {
  static constexpr const char* kNames[] = {"variables",
                                           "constants",
                                           "vertex state",
                                           "vertex code",
                                           "exchange code",
                                           "control code",
                                           "stack",
                                           "gaps",
                                           "temporaries",
                                           "gathered operands",
                                           "host exchange buffers",
                                           "gaps of temporaries"};
  return kNames[category];
}

MachineMemory::MachineMemory(const GraphImpl& graph, const Programs& programs, StepCosts* costs,
                             const poplar::ProgressFunc& progress)
    : graph_(graph),
      spec_(graph.target.spec()),
      tiles_(spec_.numTiles()),
      costs_(costs),
      live_(programs.size()),
      worst_(tiles_),
      most_(tiles_),
      interleaved_(tiles_) {
  for (auto& bytes : peak_) bytes.resize(tiles_);
  const ProgramNode nothing;
  for (const auto& p : programs) flat_.push_back(flatten(graph, p ? *p : nothing, parts_));
  auto uses = usesOf(graph, flat_);
  addConstants(uses);
  lives_ = lifetimesOf(graph, flat_, uses);
  std::vector<std::vector<Event>> events(flat_.size());
  for (unsigned v = 0; v < lives_.size(); ++v) {
    const auto& life = lives_[v];
    if (life.kind != Lifetime::Kind::Steps) continue;
    for (const auto& [first, last] : life.spans) {
      events[life.program].push_back({leafOf(life.program, first), true, v});
      events[life.program].push_back({leafOf(life.program, last), false, v});
    }
  }
  int total = 0, done = 0;
  for (const auto& flat : flat_) total += static_cast<int>(flat.leaves.size());
  for (std::size_t p = 0; p < flat_.size(); ++p)
    play(p, events[p], [&](int, int) {
      if (progress) progress(++done, total);
    });
  always();
  if (!costs_) return;
  std::set<const void*> nodes;
  for (const auto& p : programs)
    if (p) countNodes(graph, *p, nodes);
  peak_[kControlCode].assign(
      tiles_, spec_.controlCodeBytes +
                  (nodes.size() - costs_->joinedCopies()) * spec_.controlCodeBytesPerStep);
}

// Adds the uses of constants that vertices read and kernels do not.
void MachineMemory::addConstants(std::vector<std::vector<Use>>& uses) const {
  for (std::size_t p = 0; p < flat_.size(); ++p)
    for (std::size_t s = 0; s < flat_[p].steps.size(); ++s) {
      const auto& vertex = flat_[p].steps[s].vertex;
      if (!vertex) continue;
      for (const auto& t : vertex->constants)
        for (const auto v : t.view().variables()) uses[v].push_back({p, s, false, false, &t});
    }
}

// Sets the categories that are always live: stack, variables, constants and their gaps; vertex
// state, vertex code and exchange code of the steps that play() has costed.
void MachineMemory::always() {
  peak_[kStack].assign(tiles_, spec_.stackBytesPerTile);
  for (unsigned v = 0; v < lives_.size(); ++v) {
    if (lives_[v].kind != Lifetime::Kind::Always) continue;
    const auto bytes = bytesOf(v);
    bytes.addTo(peak_[graph_.variable(v).constant ? kConstants : kVariables]);
    bytes.map([&](std::uint64_t b) { return aligned(spec_, b) - b; }).addTo(peak_[kGaps]);
  }
  if (!costs_) return;
  peak_[kVertexState] = costs_->vertexState();
  peak_[kVertexCode] = costs_->vertexCode();
  peak_[kExchangeCode] = costs_->exchangeCode();
}

// The index of the leaf that contains a step. For a control step between two leaves (a loop's begin
// or end, a jump): the index of the leaf before it.
std::size_t MachineMemory::leafOf(std::size_t program, std::size_t step) const {
  const auto& leaves = flat_[program].leaves;
  const auto after =
      std::upper_bound(leaves.begin(), leaves.end(), step,
                       [](std::size_t s, const Leaf& leaf) { return s < leaf.begin; });
  return after == leaves.begin() ? 0 : static_cast<std::size_t>(after - leaves.begin()) - 1;
}

TileBytes MachineMemory::bytesOf(unsigned v) const {
  const auto& variable = graph_.variable(v);
  const auto size = variable.type.sizeInBytes();
  if (const auto linear = variable.mapping.linear(); linear && linear->around == 0) {
    TileBytes bytes;
    const auto& shares = linear->shares;
    for (std::int64_t s = 0; s < shares.count; ++s) {
      const auto tile = linear->first + static_cast<unsigned>(s);
      bytes.append(tile, tile + 1,
                   static_cast<std::uint64_t>(shares.begin(s + 1) - shares.begin(s)) * size);
    }
    return bytes;
  }
  TileBytes bytes;
  const auto held = variable.mapping.byTile();
  for (unsigned t = 0; t < held.size(); ++t)
    bytes.append(t, t + 1, static_cast<std::uint64_t>(held[t]) * size);
  return bytes;
}

// Computes the live bytes at each leaf of a program. A variable is live at its first and its last
// leaf too: its bytes are added before the first leaf is summed up, and subtracted after the last.
void MachineMemory::play(std::size_t program, std::vector<Event>& events,
                         const poplar::ProgressFunc& progress) {
  const auto& leaves = flat_[program].leaves;
  std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    return a.leaf != b.leaf ? a.leaf < b.leaf : a.begins > b.begins;
  });
  std::array<PerTile, 4> now;  // live bytes by category, from kTemporaries on
  for (auto& bytes : now) bytes.resize(tiles_);
  const auto of = [&](int category) -> PerTile& { return now[category - kTemporaries]; };
  const auto gap = [&](std::uint64_t b) { return aligned(spec_, b) - b; };
  auto next = events.begin();
  bool changed = true;  // since live bytes were summed up
  for (std::size_t s = 0; s < leaves.size(); ++s) {
    for (; next != events.end() && next->leaf == s && next->begins; ++next) {
      changed = true;
      const auto bytes = bytesOf(next->variable);
      bytes.addTo(of(kTemporaries));
      bytes.map(gap).addTo(of(kTemporaryGaps));
    }
    const auto* step = costs_ ? &costs_->of(*leaves[s].node) : nullptr;
    if (step) {
      step->gathered.addTo(of(kGathered));
      step->hostBuffers.addTo(of(kHostBuffers));
      for (const auto& some : step->interleaved.stretches())
        for (auto t = some.begin; t < some.end; ++t)
          interleaved_[t] = std::max(interleaved_[t], some.bytes);
    }
    const bool isAlone = step && !(step->gathered.empty() && step->hostBuffers.empty());
    changed = changed || isAlone;
    live_[program].push_back(changed ? look(now, {program, s}) : live_[program].back());
    changed = isAlone;
    if (step) {
      step->gathered.takeFrom(of(kGathered));
      step->hostBuffers.takeFrom(of(kHostBuffers));
    }
    progress(static_cast<int>(s) + 1, static_cast<int>(leaves.size()));
    for (; next != events.end() && next->leaf == s; ++next) {
      changed = true;
      const auto bytes = bytesOf(next->variable);
      bytes.takeFrom(of(kTemporaries));
      bytes.map(gap).takeFrom(of(kTemporaryGaps));
    }
  }
}

// Sums up the live bytes `now` of each tile. If that is the most so far for a tile, stores its
// bytes by category (peak_) and the moment (worst_).
MachineMemory::Live MachineMemory::look(const std::array<PerTile, 4>& now, Moment moment) {
  Live live;
  for (unsigned t = 0; t < tiles_; ++t) {
    const auto bytes = now[0][t] + now[1][t] + now[2][t] + now[3][t];
    live.total += bytes;
    live.fullestTile = std::max(live.fullestTile, bytes);
    if (bytes <= most_[t]) continue;
    most_[t] = bytes;
    worst_[t] = moment;
    for (int c = kTemporaries; c < kCategories; ++c) peak_[c][t] = now[c - kTemporaries][t];
  }
  return live;
}

unsigned MachineMemory::tileWithMostCode() const {
  unsigned found = 0;
  for (unsigned t = 1; t < tiles_; ++t)
    if (codeOn(t) > codeOn(found)) found = t;
  return found;
}

unsigned MachineMemory::tileWithMostInterleaved() const {
  return static_cast<unsigned>(std::max_element(interleaved_.begin(), interleaved_.end()) -
                               interleaved_.begin());
}

std::uint64_t MachineMemory::codeOn(unsigned tile) const {
  return peak_[kVertexCode][tile] + peak_[kExchangeCode][tile] + peak_[kControlCode][tile];
}

void MachineMemory::into(MachineReport& report) const {
  PerTile total(tiles_);
  for (const auto& bytes : peak_)
    for (unsigned t = 0; t < tiles_; ++t) total[t] += bytes[t];
  const auto fullest = std::max_element(total.begin(), total.end()) - total.begin();
  report.fullestTile = static_cast<unsigned>(fullest);
  report.maxTileBytes = total[report.fullestTile];
  report.bytesPerTile = spec_.memoryBytesPerTile;
  const auto region = codeRegion(spec_);
  report.interleavedBytesPerTile = interleavedRegion(spec_);
  report.interleavedBytes = interleaved_;
  for (unsigned t = 0; t < tiles_; ++t) {
    report.totalBytes += total[t];
    report.nonInterleavedBytes.push_back(codeOn(t));
    if (total[t] > report.bytesPerTile || codeOn(t) > region ||
        interleaved_[t] > report.interleavedBytesPerTile)
      ++report.tilesOutOfMemory;
  }
  for (int c = 0; c < kCategories; ++c) {
    MemoryCost row{name(c), c < kTemporaries, 0, peak_[c][report.fullestTile], peak_[c]};
    for (const auto bytes : peak_[c]) row.totalBytes += bytes;
    report.memory.push_back(std::move(row));
  }
  report.owners = owners(report.fullestTile);
}

MachineMemory::Category MachineMemory::categoryOf(unsigned v) const {
  if (lives_[v].kind != Lifetime::Kind::Always) return kTemporaries;
  return graph_.variable(v).constant ? kConstants : kVariables;
}

std::vector<VariableCost> MachineMemory::variables(std::size_t p) const {
  std::vector<VariableCost> all;
  for (unsigned v = 0; v < lives_.size(); ++v) {
    const auto& life = lives_[v];
    if (life.kind == Lifetime::Kind::Unused) continue;
    VariableCost cost{graph_.variable(v).name, name(categoryOf(v)), 0, bytesOf(v), {}};
    cost.bytes = cost.tiles.total();
    if (cost.bytes == 0) continue;
    if (life.kind == Lifetime::Kind::Steps && life.program == p)
      for (const auto& [first, last] : life.spans)
        cost.live.emplace_back(leafOf(p, first), leafOf(p, last));
    std::sort(cost.live.begin(), cost.live.end());
    all.push_back(std::move(cost));
  }
  return all;
}

// The ten largest owners of a tile's memory at its worst step, in descending order.
std::vector<MemoryOwner> MachineMemory::owners(unsigned tile) const {
  constexpr std::size_t kOwners = 10;
  const auto at = worst_[tile];
  std::vector<MemoryOwner> all;
  for (unsigned v = 0; v < lives_.size(); ++v) {
    const auto& life = lives_[v];
    const bool always = life.kind == Lifetime::Kind::Always;
    const bool there = life.kind == Lifetime::Kind::Steps && life.program == at.program &&
                       std::any_of(life.spans.begin(), life.spans.end(), [&](const auto& span) {
                         return leafOf(at.program, span.first) <= at.leaf &&
                                at.leaf <= leafOf(at.program, span.second);
                       });
    if (!always && !there) continue;
    const auto bytes = bytesOf(v).on(tile);
    if (bytes > 0) all.push_back({graph_.variable(v).name, name(categoryOf(v)), bytes});
  }
  for (const int c : {kVertexState, kVertexCode, kExchangeCode, kControlCode, kStack, kGaps})
    if (peak_[c][tile] > 0) all.push_back({name(c), name(c), peak_[c][tile]});
  if (peak_[kGathered][tile] > 0)
    all.push_back({costs_->of(*flat_[at.program].leaves[at.leaf].node).cost.name, name(kGathered),
                   peak_[kGathered][tile]});
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  if (all.size() > kOwners) all.resize(kOwners);
  return all;
}

namespace {

// An upper estimate of the bytes of stack and variables on the fullest tile: as if all variables
// were live at once. Computes no plan: of a variable that is mapped by a plan, each tile is assumed
// to have four times an even share of one IPU's.
std::uint64_t allVariables(const GraphImpl& graph) {
  constexpr std::uint64_t kUneven = 4;
  const auto& spec = graph.target.spec();
  PerTile bytes(spec.numTiles(), spec.stackBytesPerTile);
  std::uint64_t planned = 0;
  for (const auto& v : graph.variables) {
    if (v.mapping.rule()) {
      planned += std::min<std::uint64_t>(v.bytes(), kUneven * v.bytes() / spec.tilesPerIPU + 1024);
      continue;
    }
    v.mapping.forEach(0, v.elements, [&](std::int64_t b, std::int64_t e, unsigned tile) {
      bytes[tile] += aligned(spec, static_cast<std::uint64_t>(e - b) * v.type.sizeInBytes());
    });
  }
  return *std::max_element(bytes.begin(), bytes.end()) + planned;
}

}  // namespace

std::string outOfMemory(const GraphImpl& graph, const Programs& programs) {
  // By default a plan uses at most 60 % of a tile's memory if it can (availableMemoryProportion).
  // Variables and stacks of up to 40 % fit beside it.
  constexpr double kWithoutPlans = 0.4;
  const auto& spec = graph.target.spec();
  if (spec.type == poplar::TargetType::CPU) return {};
  const auto little = static_cast<std::uint64_t>(kWithoutPlans * spec.memoryBytesPerTile);
  if (allVariables(graph) <= little) return {};
  MachineReport report;
  MachineMemory(graph, programs, nullptr, {}).into(report);
  if (report.maxTileBytes <= little) return {};
  std::ostringstream os;
  if (report.tilesOutOfMemory == 0) {
    report = {};
    StepCosts costs(graph, programs);
    const MachineMemory memory(graph, programs, &costs, {});
    memory.into(report);
    if (const auto tile = memory.tileWithMostCode(); memory.codeOn(tile) > codeRegion(spec))
      os << "Out of memory on tile " << tile << ": " << memory.codeOn(tile)
         << " bytes of code but instructions are fetched from the first " << codeRegion(spec)
         << " bytes only (interleavedMemoryOffset)";
    if (const auto tile = memory.tileWithMostInterleaved();
        memory.interleavedOn(tile) > interleavedRegion(spec))
      os << (os.str().empty() ? "" : "; ") << "Out of memory on tile " << tile << ": vertices want "
         << memory.interleavedOn(tile) << " bytes in interleaved memory but tiles have "
         << interleavedRegion(spec) << " of it (interleavedMemoryOffset)";
  }
  if (report.tilesOutOfMemory == 0) return {};
  if (os.str().empty())
    os << "Out of memory on tile " << report.fullestTile << ": " << report.maxTileBytes
       << " bytes used but tiles only have " << report.bytesPerTile << " bytes of memory";
  os << " (" << report.tilesOutOfMemory << (report.tilesOutOfMemory == 1 ? " tile" : " tiles")
     << " out of memory). Largest on tile " << report.fullestTile << ":";
  for (const auto& owner : report.owners)
    os << " '" << owner.name << "' " << owner.bytes << " (" << owner.category << ");";
  os << " spread them over more tiles, or set the engine's option debug.allowOutOfMemory to "
        "\"true\" to run all the same";
  return os.str();
}

void requireTileMemory(const GraphImpl& graph, const Programs& programs) {
  if (const auto words = outOfMemory(graph, programs); !words.empty())
    throw poplar::graph_memory_allocation_error(words);
}

}  // namespace popir
