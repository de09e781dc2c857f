#include "machine/slices/planner.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <vector>

#include "machine/estimators/formulas.hpp"

namespace popir {
namespace {

/// All divisors that are the smallest ones with their quotient, rounded up: up to `most` and n.
std::vector<Cycles> splitsOf(Cycles n, Cycles most) {
  std::vector<Cycles> found;
  for (Cycles split = 1; split <= std::min(n, most);) {
    const auto each = ceilDiv(n, split);
    found.push_back(split);
    if (each == 1) break;
    split = ceilDiv(n, each - 1);
  }
  return found;
}

/// Estimates partitions of the same sizes, on `tiles` tiles.
class Estimator {
 public:
  Estimator(const TargetSpec& spec, const SliceSizes& sizes, const SliceUse& use, Cycles tiles)
      : spec_(spec),
        sizes_(sizes),
        use_(use),
        tiles_(tiles),
        bytes_(sizes.type.sizeInBytes()),
        casts_(use.operation == popops::Operation::ADD && use.partials &&
               *use.partials != sizes.type),
        summed_(casts_ ? poplar::FLOAT : sizes.type) {}

  /// Elements that lie together: those of the width of the data path.
  Cycles grain() const {
    const Cycles width = spec_.dataPathWidth / 8;
    return std::min(sizes_.size, ceilDiv(std::lcm(width, bytes_), bytes_));
  }

  SliceEstimate of(const SlicePartition& p) {
    part(p);
    SliceEstimate e;
    if (use_.slice) read(e);
    if (use_.update) update(e);
    keep(e);
    return e;
  }

  /// Whether tiles can write the result of a read in the time that it computes, at the width of the
  /// data path.
  bool writes(const SlicePartition& p, const SliceEstimate& e) const {
    if (!use_.slice) return true;
    const auto bytes = sizes_.lookups * sizes_.groups * sizes_.size * bytes_;
    return ceilDiv(bytes, spec_.dataPathWidth / 8) <=
           p.serial * p.lookups * p.columns * p.groups * e.read.firstCompute;
  }

 private:
  // What a tile has: groups, rows, lookups of a step, and elements of a row.
  void part(const SlicePartition& p) {
    p_ = p;
    const auto grains = ceilDiv(ceilDiv(sizes_.size, p.grain), p.columns);
    columns_ = grains * p.grain;
    rows_ = ceilDiv(sizes_.entries, p.entries);
    lookups_ = ceilDiv(sizes_.lookups, p.lookups * p.serial);
    groups_ = ceilDiv(sizes_.groups, p.groups);
    secondLookups_ = ceilDiv(lookups_, p.entries);
    const auto rowGrains = rows_ * grains;
    stored_ = ceilDiv(rowGrains, p.lookups) * p.grain;
    const auto base = rowGrains * p.grain * bytes_ * groups_;
    const auto spread =
        ceilDiv(sizes_.entries * ceilDiv(sizes_.size, p.grain) * sizes_.groups, tiles_) * p.grain *
        bytes_;
    base_ = base;
    // A table that is spread less evenly than it could be is charged as if it had to move.
    beyond_ = base - std::min(base, spread);
  }

  Cycles exchange(Cycles bytes) const { return ceilDiv(bytes, spec_.exchangeBytesPerCycle); }

  /// Of `offsets`, those that meet `rows` rows of the table.
  Cycles inRange(Cycles offsets, Cycles rows) const {
    if (use_.onePoint) return offsets;
    const double share = static_cast<double>(rows) / static_cast<double>(sizes_.entries);
    return static_cast<Cycles>(std::ceil(static_cast<double>(offsets) * share));
  }

  /// A vertex that takes `lookups` slices of `elements` elements, which workers share.
  Cycles taken(Cycles elements, Cycles lookups) const {
    const auto each = ceilDiv(lookups, spec_.numWorkerContexts);
    const auto inside = inRange(each, rows_);
    return groups_ * takeSlices(spec_, {sizes_.type, elements, inside, each - inside},
                                SliceVertex::Read, isSingle(elements));
  }
  /// Whether workers share the elements of a single slice.
  bool isSingle(Cycles elements) const {
    return sizes_.lookups == 1 && elements * bytes_ % spec_.atomicStoreGranularity == 0;
  }

  void read(SliceEstimate& e) const {
    const bool isSplit = p_.entries > 1;
    const auto base = std::max(p_.lookups > 1 ? base_ : 0, beyond_);
    auto& cycles = e.read;
    (p_.precopy ? cycles.precopy : cycles.firstExchange) = exchange(base);
    cycles.firstCompute = taken(columns_, lookups_);
    const auto grains = columns_ / p_.grain;
    const auto first = isSplit ? lookups_ * columns_ * bytes_ * groups_ : 0;
    const auto second = isSplit ? p_.entries * secondLookups_ * columns_ * bytes_ * groups_ : 0;
    if (isSplit) {
      cycles.secondExchange = exchange(second);
      // PopLibs takes grains for elements here.
      cycles.secondCompute = taken(grains, secondLookups_);
    }
    e.readCycles = cycles.precopy + p_.serial * (cycles.firstExchange + cycles.firstCompute +
                                                 cycles.secondExchange + cycles.secondCompute);
    e.readBytes = std::max(
        base + first + lookups_ * kOffsetBytes * groups_,
        first + second + secondLookups_ * kOffsetBytes * groups_ + (p_.precopy ? base : 0));
  }

  /// The vertex that updates a tile's rows: workers share these, and each meets all offsets.
  Cycles updated() const {
    const auto rows = ceilDiv(rows_, spec_.numWorkerContexts);
    const double perEntry = static_cast<double>(sizes_.lookups) /
                            (use_.onePoint ? 1. : static_cast<double>(sizes_.entries));
    Cycles inside = inRange(lookups_, rows);
    if (!use_.onePoint && use_.sorted)
      inside =
          std::min(static_cast<Cycles>(std::ceil(static_cast<double>(rows) * perEntry)), lookups_);
    WorkerSlices each{summed_, columns_, inside, lookups_ - inside};
    if (p_.searches) {
      each.searched = lookups_;
      each.perEntry = static_cast<Cycles>(std::ceil(perEntry));
    }
    if (!use_.operation)
      return groups_ * takeSlices(spec_, each, SliceVertex::Update, isSingleOf(summed_));
    const bool words = p_.grain * bytes_ % spec_.atomicStoreGranularity == 0;
    return groups_ * combineSlices(spec_, each, *use_.operation == popops::Operation::ADD,
                                   SliceScale::Same, words);
  }
  bool isSingleOf(poplar::Type type) const {
    return sizes_.lookups == 1 && columns_ * type.sizeInBytes() % spec_.atomicStoreGranularity == 0;
  }

  void update(SliceEstimate& e) const {
    const bool isSplit = p_.lookups > 1;
    const Cycles partialBytes = use_.operation == popops::Operation::ADD && use_.partials
                                    ? use_.partials->sizeInBytes()
                                    : bytes_;
    const auto output = secondLookups_ * columns_;  // of a group, as slices lie
    const auto partials = rows_ * columns_;
    const auto moved = p_.entries > 1 ? lookups_ * columns_ * partialBytes : 0;
    const auto stored = groups_ * stored_;
    auto& cycles = e.update;
    cycles.rearrangeBase = 2 * exchange(beyond_);
    if (casts_) {
      cycles.castSlices = cast(sizes_.type, poplar::FLOAT, groups_ * output);
      cycles.castBase = cast(sizes_.type, poplar::FLOAT, stored);
      cycles.castBack = cast(poplar::FLOAT, sizes_.type, stored);
    }
    if (isSplit) cycles.zeroPartials = zeroed(groups_ * partials);
    cycles.exchange = exchange(groups_ * moved);
    cycles.compute = updated();
    if (isSplit && use_.operation) {
      const auto each = ceilDiv(groups_ * partials, p_.lookups);
      cycles.reduceExchange = exchange(p_.lookups * each * poplar::FLOAT.sizeInBytes());
      cycles.reduceCompute = reduced(each);
      cycles.combine = *use_.operation == popops::Operation::ADD
                           ? scaledAddOfTwoElements(spec_, stored)
                           : ceilDiv(stored, vectorWidth(spec_, sizes_.type));
    }
    e.updateCycles = p_.serial * cycles.sum();
    const auto casted = casts_ ? output * partialBytes : 0;
    const auto sums = isSplit ? partials * partialBytes : 0;
    e.updateBytes =
        beyond_ +
        groups_ * std::max({casted + moved,
                            (p_.entries > 1 ? 0 : casted) + moved + sums + lookups_ * kOffsetBytes,
                            2 * sums});
  }

  // What stays on a tile. Offsets lie linearly, at least 32 on a tile; an instruction sets where each
  // part of what arrives comes from.
  void keep(SliceEstimate& e) const {
    constexpr Cycles kLeastOffsets = 32, kInstruction = 4;
    const auto offsets =
        std::max(std::min(sizes_.lookups, kLeastOffsets), ceilDiv(sizes_.lookups, tiles_));
    e.storedBytes =
        groups_ * ((stored_ + secondLookups_ * columns_) * bytes_ + offsets * kOffsetBytes);
    const auto ofOffsets = ceilDiv(lookups_, offsets);
    const auto sets = p_.lookups > 1 ? p_.lookups : 0, parts = p_.entries > 1 ? p_.entries : 0;
    e.codeBytes = groups_ * kInstruction *
                  (use_.slice * (sets + 2 * ofOffsets + parts) + use_.update * (ofOffsets + sets));
  }

  Cycles cyclesOf(const char* name, const VertexWork& work) const {
    return findVertexClass(name)->cycles(spec_, work);
  }
  Cycles cast(poplar::Type from, poplar::Type to, Cycles n) const {
    return cyclesOf("popops::Cast1D", CastWork{from, n, to});
  }
  /// Sums of float that are set to zero, at least two vectors of them by a worker.
  Cycles zeroed(Cycles n) const {
    const auto width = vectorWidth(spec_, poplar::FLOAT);
    const auto vectors = std::max<Cycles>(ceilDiv(ceilDiv(n, width), spec_.numWorkerContexts), 2);
    const auto each = std::min(n, vectors * width);
    return cyclesOf("popops::Fill", ElementsWork{poplar::FLOAT, each * spec_.numWorkerContexts});
  }
  Cycles reduced(Cycles results) const {
    const auto width = vectorWidth(spec_, poplar::FLOAT);
    const auto each =
        std::min(results, ceilDiv(ceilDiv(results, width), spec_.numWorkerContexts) * width);
    return supervised(
        spec_, 0, reduceStrided(spec_, poplar::FLOAT, *use_.operation, each, p_.lookups, results));
  }

  static constexpr Cycles kOffsetBytes = 4;

  const TargetSpec& spec_;
  const SliceSizes sizes_;
  const SliceUse use_;
  const Cycles tiles_, bytes_;
  const bool casts_;
  const poplar::Type summed_;
  SlicePartition p_;
  Cycles columns_ = 1, rows_ = 1, lookups_ = 1, groups_ = 1, secondLookups_ = 1, stored_ = 1,
         base_ = 0, beyond_ = 0;
};

class Planner {
 public:
  Planner(const TargetSpec& spec, const SliceSizes& sizes, const SliceUse& use, Cycles tiles)
      : spec_(spec),
        sizes_(sizes),
        use_(use),
        tiles_(tiles),
        memory_(static_cast<Cycles>(use.memoryProportion * spec.memoryBytesPerTile)),
        estimator_(spec, sizes, use, tiles) {}

  std::optional<SlicePartition> plan(bool limited) {
    limited_ = limited;
    least_ = std::numeric_limits<Cycles>::max();
    best_.reset();
    for (const bool searches : {false, true}) {
      if (searches && !use_.sorted) break;
      current_.searches = searches;
      search();
    }
    return best_;
  }

 private:
  // Among equal partitions the first one counts. The order is that in which PopLibs' solver takes
  // them: serial steps first, then what is split at all.
  void search() {
    current_.grain = estimator_.grain();
    const bool whole = use_.update && !use_.operation;
    const auto most = whole ? 1 : sizes_.lookups;
    const auto totals = splitsOf(sizes_.lookups, most);
    const auto columns = splitsOf(ceilDiv(sizes_.size, current_.grain), tiles_);
    const auto entries = splitsOf(sizes_.entries, std::min(tiles_, ceilDiv(sizes_.entries, 2)));
    const auto groups = splitsOf(sizes_.groups, tiles_);
    std::map<Cycles, std::vector<Cycles>> lookupsOf;  // by number of serial steps
    for (const auto total : totals)
      for (Cycles l = 1; l <= std::min(total, tiles_); ++l)
        if (total % l == 0) lookupsOf[total / l].push_back(l);
    for (const auto& [serial, lookups] : lookupsOf) {
      // The start of a vertex's workers is the least that a step takes.
      const auto least = spec_.numWorkerContexts * kVertexStart * (use_.slice + use_.update);
      if (!use_.leastMemory && serial * least >= least_) break;
      current_.serial = serial;
      for (const bool splitsEntries : {false, true})
        for (const bool precopy : {false, true}) {
          if (precopy && !use_.slice) break;
          current_.precopy = precopy;
          for (const auto e : entries) {
            if ((e > 1) != splitsEntries) continue;
            for (const auto g : groups)
              for (const auto l : lookups)
                for (const auto c : columns) {
                  if (g * l * e * c > tiles_) break;
                  current_.entries = e, current_.groups = g, current_.lookups = l;
                  current_.columns = c;
                  compare();
                }
          }
        }
    }
  }

  void compare() {
    const auto e = estimator_.of(current_);
    const auto cost = use_.leastMemory ? e.memory() : e.cycles();
    if (cost >= least_ || !estimator_.writes(current_, e)) return;
    if (limited_ && e.temporaryBytes() > memory_) return;
    least_ = cost;
    best_ = current_;
  }

  /// No worker of a vertex for slices takes less (takeSlices, combineSlices).
  static constexpr Cycles kVertexStart = 29;

  const TargetSpec& spec_;
  const SliceSizes sizes_;
  const SliceUse use_;
  const Cycles tiles_, memory_;
  Estimator estimator_;
  bool limited_ = true;
  Cycles least_ = 0;
  SlicePartition current_;
  std::optional<SlicePartition> best_;
};

}  // namespace

SliceEstimate estimateSlices(const TargetSpec& spec, const SliceSizes& sizes, const SliceUse& use,
                             const SlicePartition& partition) {
  return Estimator(spec, sizes, use, spec.numTiles()).of(partition);
}

SlicePartition planSlices(const TargetSpec& spec, const SliceSizes& sizes, const SliceUse& use,
                          std::uint64_t tiles) {
  Planner planner(spec, sizes, use, tiles);
  if (const auto fits = planner.plan(true)) return *fits;
  return planner.plan(false).value_or(SlicePartition{});
}

}  // namespace popir
