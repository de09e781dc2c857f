#include "machine/contraction/planner.hpp"

#include <algorithm>

#include "machine/contraction/axis_splits.hpp"
#include "machine/estimators/formulas.hpp"
#include "machine/links.hpp"

namespace popir {
namespace {

// The search for the best plan of a contraction.
class Search {
 public:
  Search(const TargetSpec& spec, const Contraction& c)
      : spec_(spec),
        c_(c),
        shape_(ContractionShape::of(c.whole)),
        depthwise_(c.kind == findVertexClass("poplin::ConvPartialVerticalMac")) {
    bytes_ = c.whole.type.sizeInBytes();
    partialBytes_ = c.whole.partialBytes();
    limit_ = c.whole.availableMemoryPermille * spec.memoryBytesPerTile / 1000;
    grains_ = convGrains(spec, c.whole.type);
  }

  // Searches the plans for this many adjacent tiles, with 1, 2, 4 ... serial steps. Ends when a
  // plan fits into memory and twice as many steps give no cheaper one.
  void on(unsigned tiles) {
    tiles_ = tiles;
    ipus_ = ceilDiv(tiles, spec_.tilesPerIPU);
    linkCyclesPerByte_ = ipus_ > 1 ? cyclesPerByte() : 0;
    for (Cycles serial = 1; serial <= kMostSerial; serial *= 2) {
      const auto before = best_.cycles;
      for (Cycles byRows = 1; byRows <= serial; byRows *= 2) trySerial(byRows, serial / byRows);
      if (found_ && serial > 1 && best_.cycles == before) break;
    }
  }

  const ContractionPlan& best() const { return best_; }
  bool fits() const { return found_; }

 private:
  static constexpr Cycles kMostSerial = 1024;

  // Considers the plans that divide rows into `byRows` serial steps, and columns into `byColumns`.
  void trySerial(Cycles byRows, Cycles byColumns) {
    if (byRows > c_.whole.rows || byColumns > c_.whole.columns) return;
    const bool taps = c_.whole.kernelElements > 1;
    ContractionPlan plan;
    plan.shape = shape_;
    plan.splits.resize(shape_.indices.size());
    plan.serialRows = divide(plan, Axis::Row, byRows);
    plan.serialColumns = divide(plan, Axis::Column, byColumns);
    for (const auto axis : {Axis::Group, Axis::Inner, Axis::Tap}) divide(plan, axis, 1);
    tryAll(plan);
    if (depthwise_) return;
    // The other kind of plan: kernel elements become inner elements (im2col), or, if there is only
    // one kernel element, rows and columns are swapped.
    plan.swapped = !taps;
    plan.expanded = taps;
    for (auto& index : plan.shape.indices) {
      auto& axis = index.axis;
      if (taps && axis == Axis::Tap) axis = Axis::Inner;
      if (!taps && (axis == Axis::Row || axis == Axis::Column))
        axis = axis == Axis::Row ? Axis::Column : Axis::Row;
    }
    tryAll(plan);
  }

  // The contraction as a plain product, which is what estimators take. consider() sets its sizes to
  // those of one tile.
  ContractionWork product() const {
    auto part = c_.whole;
    part.pass = ContractionWork::Pass::Product;
    part.batch = 1;
    part.field.clear();
    return part;
  }

  // Divides an axis into about `steps` serial steps: its first index first, then the next one if
  // that is not enough. \returns the number of steps.
  static Cycles divide(ContractionPlan& plan, Axis axis, Cycles steps) {
    Cycles made = 1;
    for (std::size_t i = 0; i < plan.splits.size(); ++i) {
      if (plan.shape.indices[i].axis != axis) continue;
      auto& split = plan.splits[i];
      split.size = plan.shape.indices[i].size;
      const auto of = static_cast<Cycles>(split.size);
      const auto period = ceilDiv(of, std::min(steps, of));
      split.period = split.part = static_cast<std::int64_t>(period);
      made *= ceilDiv(of, period);
      steps = ceilDiv(steps, ceilDiv(of, period));
    }
    return made;
  }

  std::vector<AxisSplit> splits(const ContractionPlan& plan, Axis axis, Cycles grain) const {
    std::vector<Cycles> sizes, halos;
    for (std::size_t i = 0; i < plan.splits.size(); ++i)
      if (plan.shape.indices[i].axis == axis) {
        sizes.push_back(static_cast<Cycles>(plan.splits[i].period));
        halos.push_back(static_cast<Cycles>(plan.shape.halo(i)));
      }
    return axisSplits(sizes, halos, grain, tiles_);
  }

  // Considers all splits over tiles, given the plan's axes and serial steps.
  void tryAll(ContractionPlan plan) {
    plan.kind = plan.expanded ? findVertexClass("poplin::ConvPartial1x1Out") : c_.kind;
    plan.part = product();
    if (plan.expanded) plan.part.kernelElements = 1;
    const auto groups = splits(plan, Axis::Group, 1);
    auto inner = splits(plan, Axis::Inner, depthwise_ ? 1 : grains_.inner);
    if (depthwise_) inner.resize(1);
    const auto columns = splits(plan, Axis::Column, grains_.columns);
    const auto rows = splits(plan, Axis::Row, 1);
    allInner_ = inner.front().elements();
    allRows_ = rows.front().elements();
    allColumns_ = columns.front().elements();
    for (const auto& g : groups)
      for (const auto& k : inner) {
        if (g.used * k.used > tiles_) break;
        for (const auto& n : columns) {
          const auto left = tiles_ / (g.used * k.used * n.used);
          if (left == 0) break;
          // The remaining tiles determine the split of rows: the finest for which they suffice.
          auto m =
              std::upper_bound(rows.begin(), rows.end(), left,
                               [](Cycles tiles, const AxisSplit& s) { return tiles < s.used; });
          --m;
          plan.groupSplit = g.used;
          plan.innerSplit = k.used;
          plan.columnSplit = n.used;
          plan.rowSplit = m->used;
          consider(plan, g, *m, k, n);
        }
      }
  }

  // Costs one plan, and keeps it if it is better than best_. A plan that fits into memory is better
  // than one that does not. Of plans that fit, the one with fewer cycles is better; of others, the
  // one with fewer bytes.
  void consider(ContractionPlan& plan, const AxisSplit& g, const AxisSplit& m, const AxisSplit& k,
                const AxisSplit& n) {
    plan.part.groups = g.elements();
    plan.part.rows = m.elements();
    plan.part.inner = k.elements();
    plan.part.columns = n.elements();
    const auto out = plan.part.results();
    needs(plan, g, m, k, n);
    plan.partialBytes = out * partialBytes_;
    if (plan.innerSplit > 1)
      plan.partialBytes += plan.innerSplit * ceilDiv(out, plan.innerSplit) * partialBytes_;
    const auto bytes = plan.temporaryBytes();
    if (found_ && bytes > limit_) return;
    if (!found_ && bytes > limit_ && best_.kind && bytes >= best_.temporaryBytes()) return;
    price(plan);
    if (bytes > limit_ || !found_ || plan.cycles < best_.cycles) {
      found_ = bytes <= limit_;
      best_ = plan;
      settle(best_, {&g, &m, &k, &n});
    }
  }

  // Computes the bytes that a tile needs of each operand, with halos, and those that it rearranges;
  // and which operand the tiles of an exchange bus share.
  void needs(ContractionPlan& plan, const AxisSplit& g, const AxisSplit& m, const AxisSplit& k,
             const AxisSplit& n) {
    parts_.resize(plan.splits.size());
    std::size_t next[5] = {};
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const auto axis = plan.shape.indices[i].axis;
      const auto at = next[static_cast<int>(axis)]++;
      parts_[i] = axis == Axis::Tap ? plan.splits[i].size
                                    : static_cast<std::int64_t>((axis == Axis::Group    ? g
                                                                 : axis == Axis::Row    ? m
                                                                 : axis == Axis::Column ? n
                                                                                        : k)
                                                                    .parts[at]);
    }
    plan.rowBytes = plan.columnBytes = 0;
    for (std::size_t o = 0; o < plan.shape.operands.size(); ++o) {
      if (o == plan.shape.result) continue;
      Cycles elements = 1;
      for (const auto& d : plan.shape.operands[o]) {
        const auto part = parts_[d.index];
        auto here = part;
        if (d.window) {
          const auto taps = parts_[d.tap];
          const auto most =
              (std::abs(d.step) * (part - 1) + std::abs(d.tapStep) * (taps - 1)) / d.divisor + 1;
          here = std::min({most, d.size, part * taps});
        }
        elements *= static_cast<Cycles>(std::max<std::int64_t>(here, 1));
      }
      (plan.shape.lacks(o) == Axis::Row ? plan.columnBytes : plan.rowBytes) = elements * bytes_;
    }
    const auto& part = plan.part;
    plan.rearranged = plan.expanded  ? part.groups * part.rows * part.inner * bytes_
                      : plan.swapped ? plan.rowBytes + plan.columnBytes
                                     : 0;
    const bool buses = spec_.tilesPerSharedExchangeBus > 1;
    plan.sharesRows = buses && plan.columnSplit > 1;
    plan.sharesColumns = buses && plan.rowSplit > 1;
    if (plan.sharesRows && plan.sharesColumns)
      (plan.rowBytes >= plan.columnBytes ? plan.sharesColumns : plan.sharesRows) = false;
  }

  // Computes the cycles of a plan.
  void price(ContractionPlan& plan) {
    const auto rate = spec_.exchangeBytesPerCycle, bus = spec_.tilesPerSharedExchangeBus;
    const auto serial = plan.serial();
    plan.computeCycles = plan.kind->cycles(spec_, plan.part);
    if (plan.rearranged) plan.computeCycles += rearrangeCycles(spec_, plan.rearranged);
    // The columnSplit tiles that need the same rows each store 1 / columnSplit of them, and receive
    // the others. The same holds for columns and rowSplit.
    const auto rowBytes = plan.rowBytes - plan.rowBytes / plan.columnSplit,
               columnBytes = plan.columnBytes - plan.columnBytes / plan.rowSplit;
    plan.exchangeCycles = ceilDiv((plan.sharesRows ? rowBytes / bus : rowBytes) +
                                      (plan.sharesColumns ? columnBytes / bus : columnBytes),
                                  rate);
    plan.phases = 1;
    // innerSplit tiles have partial sums of the same results. Each adds up its share of them.
    const auto share = ceilDiv(plan.part.results(), plan.innerSplit);
    if (plan.innerSplit > 1) {
      ++plan.phases;
      plan.exchangeCycles += ceilDiv(share * (plan.innerSplit - 1) * partialBytes_, rate);
      plan.computeCycles += reducePartials(spec_, share, plan.innerSplit, partialBytes_);
    }
    plan.sliceCycles = 0;
    if (serial > 1) {
      ++plan.phases;
      const auto cut = [&](Axis by) {
        const auto elements = static_cast<Cycles>(shape_.elements(shape_.lacking(by)));
        return dynamicSlice(spec_, c_.whole.type, ceilDiv(elements, tiles_ * serial));
      };
      if (plan.serialRows > 1) plan.sliceCycles += cut(Axis::Column);
      if (plan.serialColumns > 1) plan.sliceCycles += cut(Axis::Row);
      plan.sliceCycles += dynamicSlice(spec_, c_.whole.type, share);
      plan.computeCycles += plan.sliceCycles;
    }
    if (plan.sharesColumns)
      plan.order = {Axis::Group, Axis::Inner, Axis::Column, Axis::Row};
    else
      plan.order = {Axis::Group, Axis::Inner, Axis::Row, Axis::Column};
    plan.linkCycles = 0;
    if (ipus_ > 1) cross(plan);
    plan.cycles = serial * (plan.computeCycles + plan.exchangeCycles + plan.linkCycles +
                            plan.phases * spec_.phaseCycles);
  }

  // For a plan on several IPUs: chooses the outermost axis, which is the one that is split over
  // IPUs, so that links take the fewest cycles.
  void cross(ContractionPlan& plan) const {
    if (plan.tiles() <= spec_.tilesPerIPU) return;
    const auto usual = plan.order;
    bool any = false;
    for (const auto slow : usual) {
      if (plan.along(slow) == 1) continue;
      auto order = usual;
      std::stable_partition(order.begin(), order.end(), [&](Axis a) { return a == slow; });
      const auto cycles = linkCycles(plan, order);
      if (any && cycles >= plan.linkCycles) continue;
      any = true;
      plan.linkCycles = cycles;
      plan.order = order;
    }
  }

  // Cycles of links in one serial step, with the axes in this order, outermost first.
  Cycles linkCycles(const ContractionPlan& plan, const std::array<Axis, 4>& order) const {
    // The fraction of each axis that the tiles of one IPU cover. E.g. 4 row parts x 1000 column
    // parts on IPUs of 1472 tiles, rows outermost: an IPU covers all columns, and
    // ceil(1472 / 1000) = 2 of the 4 row parts.
    double has[5] = {1, 1, 1, 1, 1};
    Cycles apart = 1;
    for (auto axis = order.rbegin(); axis != order.rend(); ++axis) {
      const auto along = plan.along(*axis);
      const auto fit = std::min(along, ceilDiv(spec_.tilesPerIPU, apart));
      has[static_cast<int>(*axis)] = static_cast<double>(fit) / static_cast<double>(along);
      apart *= along;
    }
    const auto used = static_cast<double>(ceilDiv(plan.tiles(), spec_.tilesPerIPU));
    const auto of = [&](Axis a) { return has[static_cast<int>(a)]; };
    // Bytes of an operand that each IPU receives: the fraction that its tiles need, less the
    // fraction 1 / used that they store.
    const auto wanted = [&](Axis by, double bytes) {
      return std::max(0.0, of(Axis::Group) * of(Axis::Inner) * of(by) - 1 / used) * bytes;
    };
    const auto groups = static_cast<double>(c_.whole.groups * bytes_),
               rows = static_cast<double>(allRows_), columns = static_cast<double>(allColumns_),
               inner = static_cast<double>(allInner_);
    const auto operands =
        wanted(Axis::Row, groups * rows * inner) + wanted(Axis::Column, groups * inner * columns);
    const auto sums = static_cast<double>(c_.whole.groups * partialBytes_) * rows * columns / used *
                      static_cast<double>(plan.innerSplit) * (1 - of(Axis::Inner));
    return static_cast<Cycles>((operands + sums) * linkCyclesPerByte_) +
           ((operands > 0) + (sums > 0)) * spec_.syncBetweenIPUs();
  }

  // Link cycles for each byte that an IPU receives, if each IPU receives equally much from all
  // others.
  double cyclesPerByte() const {
    constexpr Cycles kBytes = 1 << 20;
    const auto ipus = static_cast<unsigned>(ipus_);
    LinkTraffic all(ipus);
    for (unsigned from = 0; from < ipus; ++from)
      for (unsigned to = 0; to < ipus; ++to) all.add(from, to, kBytes / (ipus - 1));
    return static_cast<double>(all.cycles(spec_)) / kBytes;
  }

  // Sets the splits of a plan's indices. Only the best plan needs them.
  static void settle(ContractionPlan& plan, const std::array<const AxisSplit*, 4>& axes) {
    constexpr Axis kAxes[] = {Axis::Group, Axis::Row, Axis::Inner, Axis::Column};
    for (std::size_t a = 0; a < axes.size(); ++a) {
      auto stride = plan.stride(kAxes[a]);
      auto at = axes[a]->parts.size();
      for (auto i = plan.splits.size(); i-- > 0;) {
        if (plan.shape.indices[i].axis != kAxes[a]) continue;
        auto& split = plan.splits[i];
        split.part = static_cast<std::int64_t>(axes[a]->parts[--at]);
        split.count = (split.period + split.part - 1) / split.part;
        split.stride = stride;
        stride *= static_cast<unsigned>(split.count);
      }
    }
  }

  const TargetSpec& spec_;
  const Contraction& c_;
  const ContractionShape shape_;
  const bool depthwise_;
  Cycles bytes_, partialBytes_, limit_;
  ConvGrains grains_;
  Cycles tiles_ = 1, ipus_ = 1;
  double linkCyclesPerByte_ = 0;
  Cycles allRows_ = 1, allColumns_ = 1, allInner_ = 1;  // elements in a serial step
  std::vector<std::int64_t> parts_;                     // by index: elements on a tile
  ContractionPlan best_;
  bool found_ = false;  // best_ fits into memory
};

}  // namespace

std::uint64_t ContractionPlan::along(Axis axis) const {
  return axis == Axis::Group    ? groupSplit
         : axis == Axis::Row    ? rowSplit
         : axis == Axis::Column ? columnSplit
         : axis == Axis::Inner  ? innerSplit
                                : 1;
}

unsigned ContractionPlan::stride(Axis axis) const {
  std::uint64_t apart = 1;
  for (auto a = order.rbegin(); a != order.rend() && *a != axis; ++a) apart *= along(*a);
  return static_cast<unsigned>(apart);
}

// The plan of a contraction without elements: nothing is split.
static ContractionPlan planNothing(const Contraction& contraction) {
  ContractionPlan plan;
  plan.part = contraction.whole;
  plan.kind = contraction.kind;
  plan.shape = ContractionShape::of(contraction.whole);
  for (const auto& index : plan.shape.indices) {
    const auto size = std::max<std::int64_t>(1, index.size);
    plan.splits.push_back({size, size, size});
  }
  return plan;
}

ContractionPlan planContraction(const TargetSpec& spec, const Contraction& contraction) {
  const auto& whole = contraction.whole;
  for (const auto size :
       {whole.groups, whole.rows, whole.inner, whole.columns, whole.kernelElements})
    if (size == 0) return planNothing(contraction);
  ContractionPlan best;
  bool fits = false;
  for (unsigned ipus = 1;; ipus *= 2) {
    const auto tiles = std::min(contraction.tiles, ipus * spec.tilesPerIPU);
    Search search(spec, contraction);
    search.on(tiles);
    const auto& found = search.best();
    if (ipus == 1 || (search.fits() && (!fits || found.cycles < best.cycles))) best = found;
    fits = fits || search.fits();
    if (tiles == contraction.tiles) return best;
  }
}

std::uint64_t rearrangeCycles(const TargetSpec&, std::uint64_t bytes) {
  // The linear fit of PopLibs to its own measurements, for pieces of a multiple of 8 bytes: 587
  // cycles and 0.44 for each byte.
  return 587 + bytes * 44 / 100;
}

}  // namespace popir
