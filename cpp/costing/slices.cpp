#include "costing/slices.hpp"

#include <algorithm>

#include "costing/mapped_tensor.hpp"
#include "costing/planned.hpp"
#include "machine/estimators/formulas.hpp"
#include "machine/slices/planner.hpp"
#include "poplar/virtual_tiles.hpp"

namespace popir {
namespace {

// One vertex with its plan. A tile's number is ((group * lookups + lookup) * entries + entry) *
// columns + column, from the plan's first tile on.
class SlicePhases {
 public:
  SlicePhases(const GraphImpl& graph, const BulkVertex& vertex, const SlicesWork& whole)
      : graph_(graph),
        spec_(graph.target.spec()),
        vertex_(vertex),
        planned_(*whole.planned),
        p_(planned_.split),
        place_(vertex.tiles && vertex.tiles->contiguous() ? placeOf(graph, vertex)
                                                          : Place{0, spec_.numTiles()}),
        reads_(vertex.operands[0].access == Access::Read) {
    const auto& table = vertex.operands[0].tensor.view().shape();
    const auto sliced = vertex.operands[reads_ ? 1 : 2].tensor.dim(1);
    sizes_.type = whole.type;
    if (sliced == 2) sizes_.groups = static_cast<Cycles>(table[0]);
    sizes_.entries = static_cast<Cycles>(table[sliced - 1]);
    sizes_.size = whole.elementsEach;
    sizes_.lookups = ceilDiv(whole.slices, sizes_.groups);
    estimate_ = estimateSlices(spec_, sizes_, useOf(planned_.use), p_);
    groups_ = ceilDiv(sizes_.groups, p_.groups);
    rows_ = ceilDiv(sizes_.entries, p_.entries);
    columns_ = ceilDiv(sizes_.size, p_.columns);
    step_ = ceilDiv(sizes_.lookups, p_.serial);
    lookups_ = ceilDiv(step_, p_.lookups);
    secondLookups_ = ceilDiv(lookups_, p_.entries);
  }

  std::vector<Phase> phases() { return reads_ ? read() : update(); }

 private:
  // The tiles that a plan splits its slices over: the machine's number, the parts of rows and of
  // lookups, and the plan's number. A tile of a set that has no lookups of a step, or no rows, is idle.
  template <class Visit>
  void forEachTile(const Visit& visit) const {
    for (Cycles tile = 0; tile < std::min<Cycles>(p_.tiles(), place_.tiles); ++tile) {
      const auto column = tile % p_.columns, entry = tile / p_.columns % p_.entries,
                 lookup = tile / (p_.columns * p_.entries) % p_.lookups,
                 group = tile / (p_.columns * p_.entries * p_.lookups);
      if (column * columns_ < sizes_.size && entry * rows_ < sizes_.entries &&
          lookup * lookups_ < step_ && group * groups_ < sizes_.groups)
        visit(machineTile(tile), entry, lookup, tile);
    }
  }
  unsigned machineTile(Cycles tile) const {
    return place_.first + static_cast<unsigned>((planned_.first + tile) % place_.tiles);
  }

  // Cycles of a vertex are those of the use that this one is.
  SliceUse useOf(SliceUse use) const {
    use.slice = reads_;
    use.update = !reads_;
    return use;
  }

  std::vector<Phase> read() {
    const auto bytes = sizes_.type.sizeInBytes();
    std::vector<Phase> found(1, Phase(spec_));
    const bool once = p_.precopy && p_.serial > 1;
    if (once) {
      fetchTable(found.back());
      found.emplace_back(spec_);
      hold(found.back(), groups_ * rows_ * columns_ * bytes);
    } else {
      fetchTable(found.back());
    }
    const auto steps = found.size() - 1;
    fetchOffsets(found.back(), 1, lookups_);
    const bool isSplit = p_.entries > 1;
    const auto first = groups_ * lookups_ * columns_ * bytes;
    compute(found.back(), estimate_.read.firstCompute);
    if (isSplit) {
      hold(found.back(), first);
      found.emplace_back(spec_);
      Phase& second = found.back();
      hold(second, first);
      const auto part = groups_ * secondLookups_ * columns_ * bytes;
      const auto each = ceilDiv(secondLookups_, spec_.numWorkerContexts);
      const auto cycles =
          groups_ * takeSlices(spec_, {sizes_.type, columns_, each, 0}, SliceVertex::Read);
      // All to all among the tiles that have the rows of the same lookups. Few lookups leave some
      // without any.
      forEachTile([&](unsigned tile, Cycles entry, Cycles lookup, Cycles number) {
        const auto mine = std::min(lookups_, step_ - lookup * lookups_);
        const auto busy = ceilDiv(mine, secondLookups_);
        const bool takes = entry < busy;
        second.traffic.send(tile, (busy - takes) * part);
        if (!takes) return;
        second.compute[tile] = cycles;
        second.traffic.receive(tile, (p_.entries - 1) * part);
        second.traffic.addMessages(tile, p_.entries - 1, part);
        link(second, number, p_.columns, p_.entries, part);
        second.traffic.receive(tile, groups_ * secondLookups_ * kOffsetBytes);
      });
    }
    for (auto i = steps; i < found.size(); ++i) found[i].times = p_.serial;
    addMove(found, graph_, inPlace(slicesGrid(planned_, sizes_)), writtenOf(vertex_));
    return found;
  }

  std::vector<Phase> update() {
    const auto& cycles = estimate_.update;
    const bool casts = cycles.castSlices > 0, isSplit = p_.lookups > 1;
    const bool multiple = isSplit || casts;
    const auto bytes = (casts ? poplar::FLOAT : sizes_.type).sizeInBytes();
    std::vector<Phase> found;
    // Slices that many tiles get, or that are cast, are where a plan has them before.
    const auto& slices = vertex_.operands[1].tensor;
    const MappedTensor there(graph_, inPlace(slicesGrid(planned_, sizes_)),
                             sizes_.type.sizeInBytes());
    const bool arranges = casts || p_.entries >= kManyEntries;
    if (arranges) {
      Phase move(spec_);
      MappedTensor(graph_, slices).addTraffic(move.traffic, there);
      if (move.traffic.bytes() > 0) found.push_back(std::move(move));
    }
    if (casts) everywhere(found, cycles.castSlices);
    if (isSplit) everywhere(found, cycles.zeroPartials);
    found.emplace_back(spec_);
    Phase& main = found.back();
    main.times = p_.serial;
    if (!multiple) fetchTable(main);
    fetchSlices(main, arranges ? there : MappedTensor(graph_, slices));
    fetchOffsets(main, 2, lookups_);
    compute(main, cycles.compute);
    if (multiple) hold(main, groups_ * rows_ * columns_ * bytes);
    if (isSplit) reduce(found, bytes);
    if (multiple) combine(found);
    if (!multiple) returnTable(found);
    return found;
  }

  // The partial tables of all sets are added up, each set's tile a share.
  void reduce(std::vector<Phase>& found, Cycles bytes) const {
    found.emplace_back(spec_);
    Phase& phase = found.back();
    const auto all = groups_ * rows_ * columns_, share = ceilDiv(all, p_.lookups);
    forEachTile([&](unsigned tile, Cycles, Cycles, Cycles number) {
      const auto moved = share * bytes * (p_.lookups - 1);
      phase.compute[tile] = estimate_.update.reduceCompute;
      phase.traffic.receive(tile, moved);
      phase.traffic.send(tile, moved);
      phase.traffic.addMessages(tile, p_.lookups - 1, share * bytes);
      link(phase, number, p_.columns * p_.entries, p_.lookups, share * bytes);
    });
    hold(phase, all * bytes);
  }

  // Where sums are not the table itself, they are combined with it where a plan has it.
  void combine(std::vector<Phase>& found) const {
    const auto& cycles = estimate_.update;
    Phase phase(spec_);
    phase.calls = 1 + (cycles.castBase > 0 ? 2 : 0);
    fetchTable(phase, true);
    compute(phase, cycles.castBase + cycles.combine + cycles.castBack);
    found.push_back(std::move(phase));
    returnTable(found);
  }

  // What a tile gets from `count` tiles, `stride` apart in the plan's numbers, of which it is one: what
  // of it comes from other IPUs.
  void link(Phase& phase, Cycles number, Cycles stride, Cycles count, Cycles bytes) const {
    if (spec_.numIPUs == 1) return;
    const auto base = number - number / stride % count * stride;
    for (Cycles k = 0; k < count; ++k)
      phase.traffic.linkTiles(machineTile(base + k * stride), machineTile(number), bytes);
  }

  void everywhere(std::vector<Phase>& found, Cycles cycles) const {
    found.emplace_back(spec_);
    compute(found.back(), cycles);
  }
  void compute(Phase& phase, Cycles cycles) const {
    forEachTile([&](unsigned tile, Cycles, Cycles, Cycles) { phase.compute[tile] += cycles; });
  }
  void hold(Phase& phase, Cycles bytes) const {
    phase.temporary.resize(spec_.numTiles());
    forEachTile([&](unsigned tile, Cycles, Cycles, Cycles) { phase.temporary[tile] += bytes; });
  }

  Grid inPlace(Grid grid) const {
    grid.first = place_.first + static_cast<unsigned>(planned_.first % place_.tiles);
    grid.ring = {place_.first, place_.tiles};
    return grid;
  }
  Grid tables() const { return inPlace(tableGrid(spec_, planned_, sizes_)); }
  Dims tableShape() const {
    return {static_cast<std::int64_t>(sizes_.groups), static_cast<std::int64_t>(sizes_.entries),
            static_cast<std::int64_t>(sizes_.size)};
  }

  // The traffic that brings tiles their part of the table; `shared`: only what each of the sets that
  // share the lookups stores of it.
  void fetchTable(Phase& phase, bool shared = false) const {
    const MappedTensor table(graph_, vertex_.operands[0].tensor);
    if (shared || p_.lookups == 1) {
      table.addTraffic(phase.traffic, MappedTensor(graph_, tables(), table.elementBytes()));
      return;
    }
    const auto set = p_.entries * p_.columns;
    fetch(phase, table, tableShape(),
          {splitOf(sizes_.groups, groups_, p_.groups, set * p_.lookups),
           splitOf(sizes_.entries, rows_, p_.entries, p_.columns),
           splitOf(sizes_.size, columns_, p_.columns, 1)});
  }
  // Slices go to all tiles that have rows.
  void fetchSlices(Phase& phase, const MappedTensor& slices) const {
    const auto set = p_.entries * p_.columns;
    const auto step = p_.serial > 1 ? std::min(step_, sizes_.lookups) : sizes_.lookups;
    fetch(phase, slices,
          {static_cast<std::int64_t>(sizes_.groups), static_cast<std::int64_t>(sizes_.lookups),
           static_cast<std::int64_t>(sizes_.size)},
          {splitOf(sizes_.groups, groups_, p_.groups, set * p_.lookups),
           BoxNeeds::Split{static_cast<std::int64_t>(sizes_.lookups),
                           static_cast<std::int64_t>(step), static_cast<std::int64_t>(lookups_),
                           static_cast<std::int64_t>(p_.lookups), static_cast<unsigned>(set)},
           splitOf(sizes_.size, columns_, p_.columns, 1)});
  }
  static BoxNeeds::Split splitOf(Cycles size, Cycles part, Cycles count, Cycles stride) {
    const auto n = static_cast<std::int64_t>(size);
    return {n, n, static_cast<std::int64_t>(part), static_cast<std::int64_t>(count),
            static_cast<unsigned>(stride)};
  }
  void fetch(Phase& phase, const MappedTensor& from, const Dims& shape,
             const std::vector<BoxNeeds::Split>& splits) const {
    const BoxNeeds needs(splits, static_cast<unsigned>(p_.tiles()));
    const auto first = place_.first + static_cast<unsigned>(planned_.first % place_.tiles);
    const TileRing ring{place_.first, place_.tiles};
    if (from.addTraffic(phase.traffic, needs, shape, first, 1, ring)) return;
    addBoxTraffic(phase.traffic, needs, first, {from.elements(), 0, rowMajorStrides(shape)},
                  BoxMapping::of(from.runs().runs, from.elements()), from.elementBytes(), 1,
                  spec_.tilesPerIPU, ring);
  }

  // The table goes back to where it lies, if that is elsewhere.
  void returnTable(std::vector<Phase>& found) const {
    addMove(found, graph_, tables(), vertex_.operands[0].tensor);
  }

  // Offsets go to all tiles that meet them, and a scale to all.
  void fetchOffsets(Phase& phase, std::size_t operand, Cycles lookups) const {
    const auto bytes =
        groups_ * lookups * vertex_.operands[operand].tensor.elementType().sizeInBytes();
    const auto scale =
        vertex_.operands.size() > 3 ? vertex_.operands[3].tensor.elementType().sizeInBytes() : 0;
    forEachTile(
        [&](unsigned tile, Cycles, Cycles, Cycles) { phase.traffic.receive(tile, bytes + scale); });
  }

  static constexpr Cycles kOffsetBytes = 4;
  /// As PopLibs has it: parts of rows from which on slices are rearranged before tiles get them.
  static constexpr Cycles kManyEntries = 4;

  const GraphImpl& graph_;
  const TargetSpec& spec_;
  const BulkVertex& vertex_;
  const PlannedSlices& planned_;
  const SlicePartition& p_;
  const Place place_;
  const bool reads_;
  SliceSizes sizes_;
  SliceEstimate estimate_;
  Cycles groups_ = 1, rows_ = 1, columns_ = 1, step_ = 1, lookups_ = 1, secondLookups_ = 1;
};

}  // namespace

std::vector<Phase> phasesOfPlannedSlices(const GraphImpl& graph, const BulkVertex& vertex,
                                         const SlicesWork& whole) {
  return SlicePhases(graph, vertex, whole).phases();
}

}  // namespace popir
