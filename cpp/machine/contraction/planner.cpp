#include "machine/contraction/planner.hpp"

#include <algorithm>
#include <array>

#include "machine/contraction/axis_splits.hpp"
#include "machine/estimators/formulas.hpp"

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
    partials_ = c.whole.type == poplar::HALF && c.whole.partialsBits == 16 ? poplar::HALF
                : bytes_ < 4                                               ? poplar::FLOAT
                                                                           : c.whole.type;
    partialBytes_ = partials_.sizeInBytes();
    limit_ = c.whole.availableMemoryPermille * spec.memoryBytesPerTile / 1000;
  }

  // Searches the plans for this many adjacent tiles, with 1, 2, 4 ... serial steps. Ends when a
  // plan fits into memory and twice as many steps give no cheaper one.
  void on(unsigned tiles) {
    tiles_ = tiles;
    for (Cycles serial = 1; serial <= kMostSerial; serial *= 2) {
      const auto before = best_.comparedCycles;
      for (Cycles byRows = 1; byRows <= serial; byRows *= 2) trySerial(byRows, serial / byRows);
      if (found_ && serial > 1 && best_.comparedCycles == before) break;
    }
  }

  const ContractionPlan& best() const { return best_; }

 private:
  static constexpr Cycles kMostSerial = 1024;

  // Considers the plans that divide rows into `byRows` serial steps, and columns into `byColumns`.
  // A product's rows and columns are swapped as a rule, and only tried otherwise. Of what has
  // several kernel elements, or skips elements of a field, these are tried as inner elements
  // (im2col): the operand is rearranged to have what is used alone.
  void trySerial(Cycles byRows, Cycles byColumns) {
    const bool taps = c_.whole.kernelElements > 1;
    ContractionPlan plan;
    plan.shape = shape_;
    plan.splits.resize(shape_.indices.size());
    if (!taps && c_.whole.pass == ContractionWork::Pass::Product) swap(plan);
    tryGrains(plan, byRows, byColumns);
    if (depthwise_) return;
    if (taps || skips()) {
      auto expanded = plan;
      expanded.expanded = true;
      for (auto& index : expanded.shape.indices)
        if (index.axis == Axis::Tap) index.axis = Axis::Inner;
      tryGrains(expanded, byRows, byColumns);
    }
    if (taps) return;
    swap(plan);
    tryGrains(plan, byRows, byColumns);
  }

  // Whether a convolution's kernel of one element steps over others.
  bool skips() const {
    return c_.whole.pass == ContractionWork::Pass::Forward &&
           std::any_of(c_.whole.field.begin(), c_.whole.field.end(),
                       [](const FieldDim& d) { return d.kernel == 1 && d.stride > 1; });
  }

  static void swap(ContractionPlan& plan) {
    plan.swapped = !plan.swapped;
    for (auto& index : plan.shape.indices)
      if (index.axis == Axis::Row || index.axis == Axis::Column)
        index.axis = index.axis == Axis::Row ? Axis::Column : Axis::Row;
  }

  void tryGrains(ContractionPlan& plan, Cycles byRows, Cycles byColumns) {
    if (byRows > (plan.swapped ? c_.whole.columns : c_.whole.rows) ||
        byColumns > (plan.swapped ? c_.whole.rows : c_.whole.columns))
      return;
    plan.serialRows = divide(plan, Axis::Row, byRows);
    plan.serialColumns = divide(plan, Axis::Column, byColumns);
    for (const auto axis : {Axis::Group, Axis::Inner, Axis::Tap}) divide(plan, axis, 1);
    for (const auto& grains : convGrains(spec_, c_.whole)) {
      grains_ = grains;
      tryAll(plan);
      if (depthwise_) return;
    }
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
    plan.grains = grains_;
    plan.part = product();
    if (plan.expanded) plan.part.kernelElements = 1;
    const auto groups = splits(plan, Axis::Group, 1);
    auto inner = splits(plan, Axis::Inner, depthwise_ ? 1 : grains_.inner);
    if (depthwise_) inner.resize(1);
    const auto columns = splits(plan, Axis::Column, grains_.columns);
    const auto rows = splits(plan, Axis::Row, 1);
    allGroups_ = groups.front().elements();
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
    rearrange(plan);
    plan.partialBytes = out * partialBytes_;
    plan.reductionBytes =
        plan.innerSplit > 1 ? plan.innerSplit * ceilDiv(out, plan.innerSplit) * partialBytes_ : 0;
    const auto bytes = plan.temporaryBytes();
    if (found_ && bytes > limit_) return;
    if (!found_ && bytes > limit_ && best_.kind && bytes >= best_.temporaryBytes()) return;
    price(plan);
    if (bytes > limit_ || !found_ || plan.comparedCycles < best_.comparedCycles) {
      found_ = bytes <= limit_;
      best_ = plan;
      settle(best_, {&g, &m, &k, &n});
    }
  }

  // Decides what is rearranged, as PopLibs' planner does.
  void rearrange(ContractionPlan& plan) const {
    using Pass = ContractionWork::Pass;
    const auto pass = c_.whole.pass;
    const auto type = c_.whole.type;
    const bool product = pass == Pass::Product, weightsGradient = pass == Pass::WeightsGradient,
               turned = plan.swapped != product;
    plan.rows = plan.columns = plan.result = {};
    if (depthwise_) return;
    const bool padIn = allInner_ % grains_.inner > 0, padOut = allColumns_ % grains_.columns > 0;
    const auto tiles = plan.tiles();
    const auto size = [&](std::size_t operand) {
      return static_cast<Cycles>(shape_.elements(operand));
    };
    const bool operands = weightsGradient || plan.expanded || turned || padIn;
    if (operands) {
      auto elements = allGroups_ * allRows_ * allInner_;
      if (!plan.expanded)
        elements =
            std::min(elements, ceilDiv(size(plan.shape.lacking(Axis::Column)), plan.serialRows));
      plan.rows = rearrangement(spec_, type, elements, tiles, allInner_ * allColumns_);
    }
    if (operands || padOut)
      plan.columns = rearrangement(spec_, type,
                                   ceilDiv(size(plan.shape.lacking(Axis::Row)), plan.serialColumns),
                                   tiles, allInner_ * allColumns_);
    const auto results = ceilDiv(size(plan.shape.result), plan.serial());
    if (plan.swapped != (product || weightsGradient) || padOut)
      plan.result = rearrangement(spec_, type, results, tiles, allColumns_);
    else if (grains_.columns != grains_.inner)
      plan.result = rearrangement(spec_, type, results, tiles, allColumns_, grains_.columns);
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
          // What is not expanded comes with the elements between those that are used.
          here = std::min(most, d.size);
          if (plan.expanded) here = std::min(here, part * taps);
        }
        elements *= static_cast<Cycles>(std::max<std::int64_t>(here, 1));
      }
      (plan.shape.lacks(o) == Axis::Row ? plan.columnBytes : plan.rowBytes) = elements * bytes_;
    }
    const auto bus = spec_.tilesPerSharedExchangeBus;
    plan.sharesRows = bus > 1 && plan.columnSplit % bus == 0;
    plan.rowsOnce = plan.serialRows == 1 && plan.serialColumns > 1;
  }

  // Computes the cycles of a plan.
  void price(ContractionPlan& plan) {
    const auto rate = spec_.exchangeBytesPerCycle, bus = spec_.tilesPerSharedExchangeBus;
    const auto serial = plan.serial();
    plan.vertexCycles = contractionCycles(spec_, *plan.kind, plan.part, grains_);
    plan.computeCycles =
        plan.vertexCycles + plan.rows.copyCycles + plan.columns.copyCycles + plan.result.copyCycles;
    // The columnSplit tiles that need the same rows each store 1 / columnSplit of them, and receive
    // the others. The same holds for columns and rowSplit.
    const auto rowBytes = plan.rowBytes - plan.rowBytes / plan.columnSplit,
               columnBytes = plan.columnBytes - plan.columnBytes / plan.rowSplit;
    const auto rows = ceilDiv(plan.sharesRows ? rowBytes / bus : rowBytes, rate);
    plan.onceExchangeCycles = plan.rowsOnce ? rows : 0;
    plan.exchangeCycles = (plan.rowsOnce ? 0 : rows) + ceilDiv(columnBytes, rate) +
                          plan.rows.exchangeCycles(spec_) + plan.columns.exchangeCycles(spec_) +
                          plan.result.exchangeCycles(spec_);
    plan.calls = 1 + (plan.rows.bytes + plan.columns.bytes > 0) + (plan.result.bytes > 0);
    plan.syncs = ((plan.rowsOnce ? 0 : rowBytes) + columnBytes > 0) +
                 (plan.rows.received + plan.columns.received > 0) + (plan.result.received > 0);
    // innerSplit tiles have partial sums of the same results. Each adds up its share of them.
    const auto share = ceilDiv(plan.part.results(), plan.innerSplit);
    plan.stages =
        reductionStages(spec_, plan.part.results(), plan.innerSplit, partials_, c_.whole.type);
    for (const auto& stage : plan.stages) {
      ++plan.calls;
      plan.syncs += stage.received > 0;
      plan.exchangeCycles += ceilDiv(stage.received, rate);
      plan.computeCycles += stage.cycles;
    }
    plan.sliceCycles = 0;
    if (serial > 1) {
      const auto cut = [&](Axis by) {
        const auto elements = static_cast<Cycles>(shape_.elements(shape_.lacking(by)));
        return dynamicSlice(spec_, c_.whole.type, ceilDiv(elements, tiles_ * serial));
      };
      if (plan.serialRows > 1) plan.sliceCycles += cut(Axis::Column);
      if (plan.serialColumns > 1) plan.sliceCycles += cut(Axis::Row);
      plan.sliceCycles += dynamicSlice(spec_, c_.whole.type, share);
      plan.computeCycles += plan.sliceCycles;
      plan.calls += 2;
    }
    plan.comparedCycles =
        plan.onceExchangeCycles + serial * (plan.computeCycles + plan.exchangeCycles);
    const bool once = plan.onceExchangeCycles > 0;
    plan.cycles = plan.comparedCycles + serial * plan.calls * spec_.callCycles +
                  (serial * plan.syncs + once) * spec_.maxIPUSyncDelay;
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
  poplar::Type partials_;
  Cycles bytes_, partialBytes_, limit_;
  ConvGrains grains_;  // of the plan that is considered
  Cycles tiles_ = 1;
  // Elements in a serial step.
  Cycles allGroups_ = 1, allRows_ = 1, allColumns_ = 1, allInner_ = 1;
  std::vector<std::int64_t> parts_;  // by index: elements on a tile
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
  // From inner to outer: neighbours along the first of them are adjacent tiles.
  for (const auto inner : {Axis::Column, Axis::Row, Axis::Inner, Axis::Group}) {
    if (inner == axis) break;
    apart *= along(inner);
  }
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
  Search search(spec, contraction);
  search.on(std::min(contraction.tiles, spec.tilesPerIPU));
  return search.best();
}

}  // namespace popir
