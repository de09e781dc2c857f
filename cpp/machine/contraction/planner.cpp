// The search for plans is one class, Search, and stands in one file: its steps share what they have
// found of the plan that is considered.
#include "machine/contraction/planner.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <memory>

#include "machine/contraction/axis_splits.hpp"
#include "machine/estimators/convolution.hpp"

namespace popir {

using Layer = ContractionWork::Layer;

ContractionWork passOf(const ContractionWork& pass, Layer layer) {
  // Sizes of the forward product [m, k] x [k, n].
  auto m = pass.rows, k = pass.inner, n = pass.columns;
  if (pass.layer == Layer::Backward) std::swap(k, n);
  if (pass.layer == Layer::WeightUpdate) std::swap(m, k);
  auto other = pass;
  other.layer = layer;
  other.rows = layer == Layer::WeightUpdate ? k : m;
  other.inner = layer == Layer::Forward ? k : layer == Layer::Backward ? n : m;
  other.columns = layer == Layer::Backward ? k : n;
  return other;
}

namespace {

// The search for the best plan of a contraction.
class Search {
 public:
  // What is planned: a contraction by itself; the forward pass of a layer, together with its other
  // passes; one of these.
  enum class Role { Alone, Joint, Follower };

  Search(const TargetSpec& spec, const Contraction& c, Role role = Role::Alone)
      : spec_(spec), c_(c), shape_(ContractionShape::of(c.whole)), role_(role) {
    bytes_ = c.whole.type.sizeInBytes();
    // The units have halves of 8-bit floats.
    result_ = c.whole.type == poplar::QUARTER ? poplar::HALF : c.whole.type;
    limit_ = c.whole.availableMemoryPermille * spec.memoryBytesPerTile / 1000;
    interleaved_ =
        spec.memoryBytesPerTile - std::min(spec.memoryBytesPerTile, spec.interleavedMemoryOffset);
    fewestBytes_ = limit_ == 0;
    tiles_ = std::min(c.tiles, spec.tilesPerIPU);
    if (role != Role::Joint) return;
    for (const auto layer : {Layer::Backward, Layer::WeightUpdate})
      followers_.push_back(std::make_unique<Search>(
          spec, Contraction{c.kind, passOf(c.whole, layer), c.tiles}, Role::Follower));
  }

  // Searches the plans that fit into memory.
  void search() {
    const bool taps = c_.whole.kernelElements > 1;
    ContractionPlan plan;
    plan.shape = shape_;
    plan.splits.resize(shape_.indices.size());
    // A product's rows and columns are swapped as a rule, and only tried otherwise.
    if (!taps && c_.whole.pass == ContractionWork::Pass::Product) swap(plan);
    tryGrains(plan);
    if (role_ == Role::Joint) return;
    tryExpanded(plan);
    if (taps) return;
    swap(plan);
    tryGrains(plan);
  }
  // Searches where nothing fits, as PopLibs' planner: with twice the memory, and so on, up to more
  // than twice that of a tile; at last with any.
  void searchWithMore() {
    while (!found()) {
      limit_ = limit_ < 2 * spec_.memoryBytesPerTile ? 2 * limit_ : kUnlimited;
      search();
      if (limit_ == kUnlimited) break;
    }
  }

  const ContractionPlan& best() const { return best_; }
  // Cycles of the best plan, and bytes on a tile; those of a layer's passes together.
  Cycles cycles() const { return cycles_; }
  Cycles bytes() const { return bestBytes_; }
  bool found() const { return best_.kind != nullptr; }
  bool asksForFewestBytes() const { return fewestBytes_; }
  // The plans of the other passes.
  const ContractionPlan& backward() const { return followers_[0]->best_; }
  const ContractionPlan& update() const { return followers_[1]->best_; }

 private:
  static constexpr Cycles kUnlimited = ~Cycles{0};
  // Bytes that PopLibs' vertex of sliding windows has beside a group's partial sums.
  static constexpr Cycles kWindowBuffer = 200;
  // The first index of a convolution's field, each dimension of which has two.
  static constexpr std::size_t kFieldIndices = 4;
  // The splits of each axis.
  using Splits = std::array<const AxisSplit*, 5>;
  // Of an index that is no dimension of a tile's field.
  static constexpr std::size_t kImages = ~std::size_t{0};

  // Of what has several kernel elements, or skips elements of a field, these are tried as inner elements
  // (im2col), along each set of dimensions: the operand is rearranged to have what is used alone.
  void tryExpanded(const ContractionPlan& plan) {
    const bool taps = c_.whole.kernelElements > 1;
    const auto choices = expandable();
    for (std::size_t chosen = 1; chosen >> choices.size() == 0; ++chosen) {
      auto expanded = plan;
      expanded.expanded = true;
      for (std::size_t k = 0; k < choices.size(); ++k) {
        if ((chosen >> k & 1) == 0) continue;
        expanded.shape.indices[choices[k]].axis = Axis::Inner;
        expanded.expandedTaps.push_back(choices[k]);
      }
      tryGrains(expanded);
      const auto isTap = [](const auto& i) { return i.axis == Axis::Tap && i.size > 1; };
      const auto& indices = expanded.shape.indices;
      if (!taps || std::any_of(indices.begin(), indices.end(), isTap)) continue;
      swap(expanded);
      tryGrains(expanded);
    }
  }

  // The taps that may become inner elements: those of dimensions of which a window has several, or
  // steps over some.
  std::vector<std::size_t> expandable() const {
    std::vector<std::size_t> found;
    for (const auto& operand : shape_.operands)
      for (const auto& d : operand) {
        if (!d.window) continue;
        const auto tap = shape_.indices[d.tap].axis == Axis::Tap ? d.tap : d.index;
        const bool skips = c_.whole.pass == ContractionWork::Pass::Forward && std::abs(d.step) > 1;
        if (shape_.indices[tap].size > 1 || skips) found.push_back(tap);
      }
    return found;
  }

  static void swap(ContractionPlan& plan) {
    plan.swapped = !plan.swapped;
    for (auto& index : plan.shape.indices)
      if (index.axis == Axis::Row || index.axis == Axis::Column)
        index.axis = index.axis == Axis::Row ? Axis::Column : Axis::Row;
  }

  void tryGrains(ContractionPlan& plan) {
    plan.part = product(plan);
    allInner_ = plan.part.inner;
    allColumns_ = plan.part.columns;
    findRowSplits(plan, 1);
    for (const auto bits : sumBits(plan)) {
      plan.part.partialsBits = bits;
      for (const auto& grains : convGrains(spec_, plan.part)) {
        grains_ = grains;
        if (role_ == Role::Joint && !leads(plan)) continue;
        if (promises(plan)) tryAll(plan);
      }
    }
  }

  // The sizes of partial sums to try: of what the units take at once, with nothing to add up after
  // them, they may be halves where floats are asked for.
  std::vector<Cycles> sumBits(const ContractionPlan& plan) const {
    const auto asked = c_.whole.partialsBits;
    const auto& part = plan.part;
    const bool once = part.type == poplar::HALF && asked > 16 && part.kernelElements == 1 &&
                      part.inner <= weightsPerUnit(spec_, part.type);
    return once ? std::vector<Cycles>{16, asked} : std::vector<Cycles>{asked};
  }

  // Whether grains_ will do for the other passes, too; prepares these. The input channels of the
  // forward pass are the output channels of the weight update.
  bool leads(const ContractionPlan& plan) {
    if (grains_.method != ConvMethod::Amp || grains_.groups > 1 ||
        grains_.inner % grains_.units > 0)
      return false;
    findRowSplits(plan, grains_.inner);
    for (const auto& each : followers_)
      if (!each->follow(grains_)) return false;
    return true;
  }

  // Prepares the plan of a pass that has the splits of the forward one. \returns whether there is a
  // vertex for it
  bool follow(const ConvGrains& forward) {
    const bool update = c_.whole.layer == Layer::WeightUpdate;
    auto& plan = candidate_;
    plan = {};
    plan.joint = true;
    plan.order = update ? TileOrder::WeightUpdate : TileOrder::Backward;
    plan.shape = shape_;
    plan.splits.resize(shape_.indices.size());
    swap(plan);
    plan.part = product(plan);
    plan.part.partialsBits = sumBits(plan).front();
    grains_ = forward;
    if (update) std::swap(grains_.inner, grains_.columns);
    allInner_ = plan.part.inner;
    allColumns_ = plan.part.columns;
    Cycles units = 0;
    for (const auto& each : convGrains(spec_, plan.part))
      if (each.method == ConvMethod::Amp && each.groups == 1 && each.inner == grains_.inner &&
          each.columns == grains_.columns)
        units = std::max(units, each.units);
    plan.grains = grains_;
    plan.grains.units = grains_.units = units;
    return units > 0;
  }

  // Computes the sizes of a follower's plan from the forward plan's splits.
  bool measureLike(const ContractionPlan& forward, const Splits& axes) {
    auto& plan = candidate_;
    const bool update = c_.whole.layer == Layer::WeightUpdate;
    // Rows, inner elements and columns of the forward plan are n, k and m of [m, k] x [k, n].
    candidateAxes_ = update ? Splits{axes[0], axes[1], axes[3], axes[2], axes[4]}
                            : Splits{axes[0], axes[2], axes[1], axes[3], axes[4]};
    plan.groupSplit = forward.groupSplit;
    plan.rowSplit = candidateAxes_[1]->used;
    plan.innerSplit = candidateAxes_[2]->used;
    plan.columnSplit = candidateAxes_[3]->used;
    plan.serialInner = candidateAxes_[2]->steps;
    plan.serialColumns = candidateAxes_[3]->steps;
    plan.rowsOnce = forward.rowsOnce;
    return measure(plan, candidateAxes_);
  }

  // Whether a plan with grains_ may be cheaper than the best: with all tiles at their peak.
  bool promises(const ContractionPlan& plan) const {
    if (!found_) return true;
    const auto& whole = plan.part;
    const auto up = [](Cycles n, Cycles grain) { return ceilDiv(n, grain) * grain; };
    const auto products = ceilDiv(whole.groups, grains_.groups) * whole.rows *
                          whole.kernelElements * up(whole.inner * combined(), grains_.inner) *
                          up(whole.columns * combined(), grains_.columns);
    return products / (peakProducts(spec_, whole, grains_) * tiles_) < cycles_;
  }

  // The contraction as a plain product with a field, which is what estimators take. consider() sets its
  // sizes to those of one tile in a serial step.
  ContractionWork product(const ContractionPlan& plan) {
    auto part = c_.whole;
    part.pass = ContractionWork::Pass::Product;
    part.batch = part.groups = part.rows = part.inner = part.columns = part.kernelElements = 1;
    for (std::size_t i = 0; i < plan.splits.size(); ++i) {
      const auto n = static_cast<Cycles>(plan.shape.indices[i].size);
      switch (plan.shape.indices[i].axis) {
        case Axis::Group: part.groups *= n; break;
        case Axis::Row: part.rows *= n; break;
        case Axis::Inner: part.inner *= n; break;
        case Axis::Column: part.columns *= n; break;
        case Axis::Tap: part.kernelElements *= n; break;
      }
    }
    layOutField(plan, part.field);
    return part;
  }

  // The field of a tile's part, of which consider() sets the sizes, and placeOf_. Dimensions that no
  // kernel element moves over are one, and so are images then, as PopLibs flattens them.
  void layOutField(const ContractionPlan& plan, std::vector<FieldDim>& field) {
    field.clear();
    zeros_.clear();
    placeOf_.assign(plan.splits.size(), kImages);
    if (c_.whole.pass == ContractionWork::Pass::Product) return;
    std::vector<std::size_t> plain;
    for (auto i = kFieldIndices; i < plan.splits.size(); i += 2) {
      FieldDim d;
      Cycles zeros = 0;
      const bool expanded = plan.expands(i) || plan.expands(i + 1);
      if (const auto* window = windowOf(plan, i); window && !expanded) {
        // In a gradient of weights the points of the output are the taps.
        const bool turned = plan.shape.indices[window->index].axis == Axis::Tap;
        d.stride = std::abs(turned ? window->tapStep : window->step);
        d.dilation = std::abs(turned ? window->step : window->tapStep);
        d.inDilation = window->divisor;
        zeros = zerosAround(plan, *window);
      }
      const auto isPoint = [&](std::size_t index) {
        const auto& of = plan.shape.indices[index];
        return of.axis != Axis::Tap || of.size == 1;
      };
      if (d.stride == 1 && d.inDilation == 1 && isPoint(i) && isPoint(i + 1)) plain.push_back(i);
      placeOf_[i] = placeOf_[i + 1] = field.size();
      field.push_back(d);
      zeros_.push_back(zeros);
    }
    if (plain.empty()) return;
    for (const auto i : plain) placeOf_[i] = placeOf_[i + 1] = placeOf_[plain.back()];
    for (std::size_t i = 0; i < kFieldIndices; ++i) placeOf_[i] = placeOf_[plain.back()];
  }

  // The dimension of an operand that a window moves over, whose points have this index.
  static const OperandDim* windowOf(const ContractionPlan& plan, std::size_t index) {
    for (const auto& operand : plan.shape.operands)
      for (const auto& d : operand)
        if (d.window && (d.index == index || d.tap == index)) return &d;
    return nullptr;
  }

  // Zeros at both ends of what a window moves over.
  static Cycles zerosAround(const ContractionPlan& plan, const OperandDim& d) {
    const auto points = (plan.shape.indices[d.index].size - 1) * d.step,
               taps = (plan.shape.indices[d.tap].size - 1) * d.tapStep;
    const auto first =
        std::min<std::int64_t>(points, 0) + std::min<std::int64_t>(taps, 0) + d.offset;
    const auto last =
        std::max<std::int64_t>(points, 0) + std::max<std::int64_t>(taps, 0) + d.offset;
    const auto end = (d.size - 1) * d.divisor;
    return static_cast<Cycles>(std::max<std::int64_t>(0, -first) +
                               std::max<std::int64_t>(0, last - end));
  }

  // The sizes of an axis, by index, and their halos.
  struct AxisSizes {
    std::vector<Cycles> sizes, halos;
    AxisSizes(const ContractionPlan& plan, Axis axis) {
      for (std::size_t i = 0; i < plan.splits.size(); ++i)
        if (plan.shape.indices[i].axis == axis) {
          sizes.push_back(static_cast<Cycles>(plan.shape.indices[i].size));
          halos.push_back(static_cast<Cycles>(plan.shape.halo(i)));
        }
    }
  };
  std::vector<AxisSplit> splits(const ContractionPlan& plan, Axis axis, Cycles grain) const {
    const AxisSizes of(plan, axis);
    return axisSplits(of.sizes, of.halos, grain, tiles_);
  }

  // A split of rows, with what its cost depends on: the elements of a part, those that it reads, and the
  // pieces of rows that a worker has.
  struct RowSplit {
    AxisSplit split;
    Cycles elements, reads, pieces;
    bool isNoBetter(const RowSplit& than) const {
      return elements >= than.elements && reads >= than.reads && pieces >= than.pieces;
    }
  };

  // Finds the splits of rows, in multiples of `grain`.
  void findRowSplits(const ContractionPlan& plan, Cycles grain) {
    const AxisSizes of(plan, Axis::Row);
    rows_.clear();
    rowsFor_.clear();
    auto part = plan.part;
    for (auto& split : allAxisSplits(of.sizes, grain, tiles_)) {
      part.batch = 1;
      part.rows = split.elements();
      for (auto& d : part.field) d.output = 1;
      std::size_t next = 0;
      for (std::size_t i = 0; i < plan.splits.size(); ++i)
        if (plan.shape.indices[i].axis == Axis::Row) addRows(part, i, split.parts[next++]);
      const auto pieces =
          overWorkers(spec_, FieldRows(part), [](Cycles) { return Cycles{1}; }).most;
      const auto reads = readBy(split, of.halos);
      rows_.push_back({std::move(split), part.rows, reads, pieces});
    }
  }

  // Adds `n` rows of an index to a tile's part.
  void addRows(ContractionWork& part, std::size_t index, Cycles n) const {
    if (placeOf_[index] != kImages)
      part.field[placeOf_[index]].output *= static_cast<std::int64_t>(n);
    else if (index < kFieldIndices)
      part.batch *= n;
  }

  // The splits of rows into at most so many parts that none is better than, those of most parts first.
  const std::vector<const RowSplit*>& rowsFor(Cycles tiles) {
    const auto [found, isNew] = rowsFor_.try_emplace(tiles);
    auto& best = found->second;
    if (!isNew) return best;
    for (auto row = rows_.rbegin(); row != rows_.rend(); ++row) {
      if (row->split.used > tiles) continue;
      if (role_ == Role::Joint) {  // For the other passes more parts may be worse.
        best.push_back(&*row);
        continue;
      }
      const auto beats = [&](const RowSplit* other) { return row->isNoBetter(*other); };
      if (std::any_of(best.begin(), best.end(), beats)) continue;
      best.erase(std::remove_if(best.begin(), best.end(),
                                [&](const RowSplit* other) { return other->isNoBetter(*row); }),
                 best.end());
      best.push_back(&*row);
    }
    return best;
  }

  // Splits of an axis by the number of their serial steps.
  using StepSplits = std::map<Cycles, std::vector<AxisSplit>>;
  StepSplits serialSplits(const ContractionPlan& plan, Axis axis, Cycles grain) const {
    const AxisSizes of(plan, axis);
    return serialAxisSplits(of.sizes, of.halos, grain, tiles_, tiles_);
  }

  // Considers all splits over tiles and over serial steps, given the plan's axes: either columns or
  // inner elements are divided, as in PopLibs, and columns alone of the passes of a layer.
  void tryAll(ContractionPlan plan) {
    plan.grains = grains_;
    const auto groups = splits(plan, Axis::Group, grains_.groups);
    const auto taps = splits(plan, Axis::Tap, 1);
    const auto innerGrain = std::max<Cycles>(1, grains_.inner / combined()),
               columnGrain = std::max<Cycles>(1, grains_.columns / combined());
    const auto inner = splits(plan, Axis::Inner, innerGrain),
               columns = splits(plan, Axis::Column, columnGrain);
    const auto trySteps = [&](const auto& inner, const auto& columns) {
      for (const auto& g : groups)
        for (const auto& k : inner) {
          if (g.used * k.used > tiles_) break;
          for (const auto& n : columns) {
            if (g.used * k.used * n.used > tiles_) break;
            for (const auto& t : taps) {
              if (g.used * k.used * n.used * t.used > tiles_) break;
              tryRows(plan, g, k, n, t);
            }
          }
        }
    };
    trySteps(inner, columns);
    const auto byColumns = serialSplits(plan, Axis::Column, columnGrain);
    for (const auto& [steps, splits] : byColumns) trySteps(inner, splits);
    if (role_ == Role::Joint) return;
    const auto byInner = serialSplits(plan, Axis::Inner, innerGrain);
    for (const auto& [steps, splits] : byInner) trySteps(splits, columns);
  }

  // Considers all splits of rows, given those of the other axes.
  void tryRows(ContractionPlan& plan, const AxisSplit& g, const AxisSplit& k, const AxisSplit& n,
               const AxisSplit& t) {
    const bool together = grains_.method == ConvMethod::Slic;
    if (together && k.elements() > grains_.inner) return;
    if ((together || grains_.method == ConvMethod::Vmac) && n.elements() > grains_.columns) return;
    if (role_ == Role::Joint && n.used > 1) return;  // each weight is on one tile
    const auto peak = peakProducts(spec_, plan.part, grains_);
    const auto ofRow = ceilDiv(g.elements(), grains_.groups) * t.elements() *
                       ceilDiv(k.elements() * combined(), grains_.inner) * grains_.inner *
                       ceilDiv(n.elements() * combined(), grains_.columns) * grains_.columns *
                       k.steps * n.steps;
    plan.groupSplit = g.used;
    plan.innerSplit = k.used;
    plan.columnSplit = n.used;
    plan.tapSplit = t.used;
    plan.serialColumns = n.steps;
    plan.serialInner = k.steps;
    for (const auto* m : rowsFor(tiles_ / (g.used * k.used * n.used * t.used))) {
      if (found_ && ofRow * m->elements / peak >= cycles_) continue;
      plan.rowSplit = m->split.used;
      // Rows that all steps share are exchanged once where memory has room for that.
      plan.rowsOnce = n.steps > 1;
      if (consider(plan, {&g, &m->split, &k, &n, &t}) || !plan.rowsOnce) continue;
      plan.rowsOnce = false;
      consider(plan, {&g, &m->split, &k, &n, &t});
    }
  }

  // Groups that the units compute as one.
  Cycles combined() const { return grains_.method == ConvMethod::Amp ? grains_.groups : 1; }

  // Costs one plan, and keeps it if it is better than best_: if it has fewer cycles; where those with the
  // fewest bytes are asked for, fewer bytes. Of the passes of a layer cycles are added up, and count
  // the most bytes. \returns whether the plan fits into memory
  bool consider(ContractionPlan& plan, const Splits& axes) {
    if (!measure(plan, axes)) return false;
    auto bytes = bytesOf(plan);
    for (const auto& each : followers_) {
      if (!each->measureLike(plan, axes)) return false;
      bytes = std::max(bytes, bytesOf(each->candidate_));
    }
    if (fewestBytes_ ? best_.kind && bytes >= bestBytes_ : bytes > limit_) return false;
    price(plan);
    auto cycles = plan.comparedCycles;
    for (const auto& each : followers_) {
      each->price(each->candidate_);
      cycles += each->candidate_.comparedCycles;
    }
    if (found_ && cycles >= cycles_) return true;
    found_ = !fewestBytes_;
    cycles_ = cycles;
    bestBytes_ = bytes;
    keep(plan, axes);
    for (const auto& each : followers_) each->keep(each->candidate_, each->candidateAxes_);
    return true;
  }

  // Bytes of a plan's temporary data: more than limit_ if the interleaved memory has no room for what
  // vertices want there.
  Cycles bytesOf(const ContractionPlan& plan) const {
    const auto wanted = std::max(plan.interleavedBytes, plan.interleavedSums);
    const auto bytes = plan.temporaryBytes;
    if (wanted <= interleaved_ || limit_ == kUnlimited) return bytes;
    return std::max(bytes, limit_ + wanted - interleaved_);
  }

  void keep(const ContractionPlan& plan, const Splits& axes) {
    best_ = plan;
    best_.joint = role_ != Role::Alone;
    best_.kind = kindOf(plan.part);
    settle(best_, axes);
    count(best_);
  }

  // Computes what a plan has on a tile, and what it rearranges. \returns whether there is a vertex for
  // it
  bool measure(ContractionPlan& plan, const Splits& axes) {
    needs(plan, axes);
    const auto& part = plan.part;
    if (grains_.method == ConvMethod::OuterProduct && !part.field.empty() && !isOneByOne(part))
      return false;
    const auto out = sumsOf(part);
    rearrange(plan);
    const auto sums = partials(part);
    plan.partialBytes = out * sums.sizeInBytes();
    if (grains_.method == ConvMethod::Slic)
      plan.partialBytes += plan.partialBytes / ceilDiv(part.groups, grains_.groups) + kWindowBuffer;
    plan.reductionBytes =
        plan.partialSums() > 1
            ? plan.partialSums() * ceilDiv(out, plan.partialSums()) * sums.sizeInBytes()
            : 0;
    // PopLibs' vertices with units read and write partial sums at once; those that load weights 128
    // bits at a time, and the fast reduction, read from there.
    const bool units = grains_.method == ConvMethod::Amp || grains_.method == ConvMethod::Slic;
    plan.interleavedBytes =
        (units ? plan.partialBytes : 0) +
        (part.wideWeightLoads && grains_.method == ConvMethod::Amp ? plan.columnBytes : 0);
    plan.interleavedSums = part.fastReduce ? plan.reductionBytes : 0;
    plan.accumulatedBytes = plan.serialInner > 1 ? shareOf(plan) * sums.sizeInBytes() : 0;
    const auto before =
        plan.beforeSlice.bytes + (plan.rowsOnce ? plan.rows.bytes + plan.rowBytes : 0);
    const auto copies =
        std::max({plan.rowsOnce ? 0 : plan.rows.bytes, plan.columns.bytes, plan.result.bytes});
    const auto operands = (plan.rowsOnce ? 0 : plan.rowBytes) + plan.columnBytes;
    plan.temporaryBytes = before + (innerSteps(plan) > 1 ? plan.accumulatedBytes : 0) +
                          std::max({2 * copies, operands + plan.partialBytes, plan.reductionBytes,
                                    plan.beforeSlice.bytes});
    return true;
  }

  // The class of the vertex; of types that the units do not take that which the kernel names.
  const VertexClass* kindOf(const ContractionWork& part) const {
    if (part.type != poplar::HALF && part.type != poplar::FLOAT && part.type != poplar::QUARTER)
      return c_.kind;
    return findVertexClass(convVertexClass(part, grains_));
  }

  // Partial sums of a tile: of all channels that its vertex takes together.
  Cycles sumsOf(const ContractionWork& part) const {
    const auto up = [](Cycles n, Cycles grain) { return ceilDiv(n, grain) * grain; };
    return up(part.groups, grains_.groups) / combined() * part.rows *
           up(part.columns * combined(), grains_.columns);
  }

  // The type of partial sums.
  poplar::Type partials(const ContractionWork& part) const {
    const auto type = c_.whole.type;
    if (type == poplar::QUARTER) return result_;
    if (grains_.method == ConvMethod::OuterProduct) return type;
    if (type == poplar::HALF && part.partialsBits == 16) return poplar::HALF;
    return bytes_ < 4 ? poplar::FLOAT : type;
  }

  // What is `size` with `parts` parts, with as many that they are a multiple of `grain`.
  static Cycles padded(Cycles size, Cycles parts, Cycles grain) {
    return size * ceilDiv(parts, grain) * grain / parts;
  }

  // The elements of an operand, with copies of those that kernel elements share where these are inner
  // elements.
  static Cycles elementsOf(const ContractionPlan& plan, std::size_t operand) {
    Cycles elements = 1;
    for (const auto& d : plan.shape.operands[operand]) {
      const auto& indices = plan.shape.indices;
      elements *= static_cast<Cycles>(plan.expands(d) ? indices[d.index].size * indices[d.tap].size
                                                      : d.size);
    }
    return elements;
  }

  // Decides what is rearranged, as PopLibs' planner does: it takes each step to rearrange all.
  void rearrange(ContractionPlan& plan) const {
    using Pass = ContractionWork::Pass;
    const auto pass = c_.whole.pass;
    const auto type = c_.whole.type;
    const bool product = pass == Pass::Product, weightsGradient = pass == Pass::WeightsGradient,
               turned = plan.swapped != product;
    const auto layer = c_.whole.layer;
    const bool connected = product && layer != Layer::None;
    plan.rows = plan.columns = plan.result = plan.beforeSlice = {};
    const bool padIn = allInner_ * combined() % grains_.inner > 0,
               padOut = allColumns_ * combined() % grains_.columns > 0;
    const auto tiles = plan.tiles();
    const auto size = [&](Axis lacking) {
      return padded(elementsOf(plan, plan.shape.lacking(lacking)), allInner_ * combined(),
                    grains_.inner);
    };
    const bool operands = weightsGradient || plan.expanded || turned || padIn || combined() > 1;
    const bool update = connected && layer == Layer::WeightUpdate,
               backward = connected && layer == Layer::Backward;
    if (operands || update || (backward && !plan.joint))
      plan.rows = rearrangement(spec_, type, size(Axis::Column), tiles, allInner_ * allColumns_);
    if (operands || padOut)
      plan.columns = rearrangement(
          spec_, type,
          padded(combined() * size(Axis::Row), allColumns_ * combined(), grains_.columns), tiles,
          allInner_ * allColumns_);
    else if (pass == Pass::Forward && layer == Layer::Forward &&
             grains_.columns % weightsPerUnit(spec_, type) > 0)
      // The backward pass takes the weights in other groups.
      plan.columns = regrouping(spec_, type, size(Axis::Row), tiles, allColumns_, grains_.columns);
    // What serial steps slice is laid out for that first.
    if (connected && !plan.joint && plan.serial() > 1) {
      const auto each = ceilDiv(elementsOf(plan, plan.shape.lacking(Axis::Row)), tiles);
      plan.beforeSlice.bytes = plan.beforeSlice.received = each * bytes_;
      plan.beforeSlice.copyCycles = each;
    }
    const auto results = static_cast<Cycles>(shape_.elements(shape_.result));
    if (plan.swapped != (product || weightsGradient) || padOut || combined() > 1 ||
        (update && !plan.joint))
      plan.result = rearrangement(spec_, result_, results, tiles, allColumns_);
    else if (!connected && grains_.columns != weightsPerUnit(spec_, type))
      plan.result = regrouping(spec_, result_, results, tiles, allColumns_, grains_.columns);
  }

  // Computes what a tile has of each axis, the bytes that it needs of each operand, with halos, and
  // which operand the tiles of an exchange bus share.
  void needs(ContractionPlan& plan, const Splits& axes) {
    parts_.resize(plan.splits.size());
    auto& part = plan.part;
    part.groups = axes[0]->elements();
    part.rows = axes[1]->elements();
    part.inner = axes[2]->elements();
    part.columns = axes[3]->elements();
    part.kernelElements = axes[4]->elements();
    part.batch = 1;
    for (auto& d : part.field) d.output = d.kernel = 1;
    std::size_t next[5] = {};
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const auto axis = plan.shape.indices[i].axis;
      const auto here = axes[static_cast<int>(axis)]->parts[next[static_cast<int>(axis)]++];
      parts_[i] = static_cast<std::int64_t>(here);
      if (axis == Axis::Row) addRows(part, i, here);
      if (axis == Axis::Tap && placeOf_[i] != kImages) part.field[placeOf_[i]].kernel *= parts_[i];
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
          here = plan.expands(d) ? part * taps : std::min(most, d.size);
        }
        elements *= static_cast<Cycles>(std::max<std::int64_t>(here, 1));
      }
      (plan.shape.lacks(o) == Axis::Row ? plan.columnBytes : plan.rowBytes) = elements * bytes_;
    }
    // Operands come with the channels that fill a vertex's groups.
    plan.rowBytes = padded(padded(plan.rowBytes, part.groups, grains_.groups),
                           part.inner * combined(), grains_.inner);
    plan.columnBytes =
        padded(padded(padded(combined() * plan.columnBytes, part.groups, grains_.groups),
                      part.inner * combined(), grains_.inner),
               part.columns * combined(), grains_.columns);
    const auto bus = spec_.tilesPerSharedExchangeBus;
    plan.sharesRows = bus > 1 && plan.columnSplit % bus == 0 && plan.order == TileOrder::Standard;
  }

  // Bytes of an operand that arrive on a tile, if so many tiles that need the same store a share each.
  static Cycles arriving(Cycles bytes, Cycles tiles) { return bytes - bytes / tiles; }

  // Cycles of the exchange of rows; tiles that share a bus receive a part each, at once.
  Cycles rowExchange(const ContractionPlan& plan) const {
    const auto bytes = arriving(plan.rowBytes, plan.columnSplit);
    return ceilDiv(plan.sharesRows ? bytes / spec_.tilesPerSharedExchangeBus : bytes,
                   spec_.exchangeBytesPerCycle);
  }

  // Cycles of a step to slice the operands, which are spread over the tiles of the plan.
  Cycles slicing(const ContractionPlan& plan, Axis lacking, Cycles steps) const {
    if (steps == 1) return 0;
    const auto each = ceilDiv(elementsOf(plan, plan.shape.lacking(lacking)), plan.tiles());
    return dynamicSlice(spec_, c_.whole.type, ceilDiv(each, steps));
  }
  Cycles slicing(const ContractionPlan& plan, Cycles innerSteps) const {
    return slicing(plan, Axis::Column, innerSteps) + slicing(plan, Axis::Row, plan.serial());
  }

  // The steps of inner elements as PopLibs' planner counts them: it takes all passes of a layer that are
  // planned together to divide columns, though the gradient of weights then adds up what steps make.
  Cycles innerSteps(const ContractionPlan& plan) const {
    return role_ == Role::Follower ? 1 : plan.serialInner;
  }

  // Cycles of a step to add its results to those of the steps before.
  Cycles accumulating(const ContractionPlan& plan) const {
    static const auto* kAdd = findVertexClass("popops::BinaryOp1DInPlace");
    return kAdd->cycles(spec_, OperatorWork{partials(plan.part), shareOf(plan), Operator::ADD});
  }

  // The elements of the result that a tile adds up.
  Cycles shareOf(const ContractionPlan& plan) const {
    return ceilDiv(sumsOf(plan.part), plan.partialSums());
  }

  // The stages that add up `elements` partial sums. What steps of inner elements add up is converted
  // after these.
  std::vector<ReductionStage> stagesOf(const ContractionPlan& plan, Cycles elements,
                                       Cycles innerSteps) const {
    const auto sums = partials(plan.part);
    return reductionStages(spec_, plan.part, elements, plan.partialSums(), sums,
                           innerSteps > 1 ? sums : result_);
  }

  // Computes the cycles by which plans are compared: those of PopLibs' planner, which counts the exchange
  // of all partial sums, those that the tile adds up, too, and where there is nothing to add up.
  void price(ContractionPlan& plan) const {
    const auto rate = spec_.exchangeBytesPerCycle;
    const auto sums = partials(plan.part);
    const auto share = shareOf(plan);
    const auto inner = innerSteps(plan), columns = plan.serial() / inner;
    plan.vertexCycles = contractionCycles(spec_, plan.part, grains_, Estimate::Plan);
    plan.paddingCycles = padding(plan);
    const auto ofRows = plan.rows.copyCycles + plan.rows.exchangeCycles(spec_) + rowExchange(plan);
    auto step = plan.vertexCycles + plan.paddingCycles + (plan.rowsOnce ? 0 : ofRows) +
                ceilDiv(arriving(plan.columnBytes, plan.rowSplit), rate) + slicing(plan, inner) +
                (inner > 1 ? accumulating(plan) : 0);
    for (const auto* copy : {&plan.columns, &plan.result})
      step += copy->copyCycles + copy->exchangeCycles(spec_);
    if (columns > 1) step += dynamicSlice(spec_, sums, ceilDiv(share, columns));
    // In PopLibs' estimate a tile gets all partial sums, even if there is nothing to add up, and then all
    // of each later stage; tiles add up equal shares.
    auto arrives = sumsOf(plan.part);
    step += ceilDiv(arrives * sums.sizeInBytes(), rate);
    bool isFirst = true;
    for (const auto& stage : stagesOf(plan, share * plan.partialSums(), inner)) {
      if (!isFirst) step += ceilDiv(arrives * sums.sizeInBytes(), rate);
      step += stage.cycles;
      arrives = ceilDiv(arrives, stage.together);
      isFirst = false;
    }
    plan.comparedCycles = plan.serial() * step + (plan.rowsOnce ? ofRows : 0) +
                          plan.beforeSlice.copyCycles + plan.beforeSlice.exchangeCycles(spec_);
    if (inner > 1) plan.comparedCycles += conversion(spec_, share, sums, result_);
  }

  // Computes what the best plan takes: each step rearranges its own part, and writes back its result.
  void count(ContractionPlan& plan) const {
    const auto rate = spec_.exchangeBytesPerCycle;
    const auto serial = plan.serial();
    const auto share = shareOf(plan);
    const auto sums = partials(plan.part);
    const bool adds = plan.serialInner > 1;
    plan.rowsOnce = plan.rowsOnce && !adds;
    plan.rows = plan.rows.in(plan.serialInner);
    plan.columns = plan.columns.in(serial);
    plan.result = plan.result.in(plan.serialColumns);
    const Rearrangement none;
    const auto &again = plan.rowsOnce ? none : plan.rows, &once = plan.rowsOnce ? plan.rows : none,
               &after = adds ? none : plan.result, &atLast = adds ? plan.result : none;
    plan.vertexCycles = contractionCycles(spec_, plan.part, grains_);
    plan.stages = stagesOf(plan, sumsOf(plan.part), plan.serialInner);
    plan.sliceCycles = slicing(plan, plan.serialInner) + (adds ? accumulating(plan) : 0) +
                       (plan.serialColumns > 1 ? dynamicSlice(spec_, result_, share) : 0);
    plan.conversionCycles = adds && sums != result_ ? conversion(spec_, share, sums, result_) : 0;
    plan.computeCycles = plan.vertexCycles + plan.paddingCycles + again.copyCycles +
                         plan.columns.copyCycles + after.copyCycles + plan.sliceCycles;
    plan.onceComputeCycles =
        plan.beforeSlice.copyCycles + once.copyCycles + plan.conversionCycles + atLast.copyCycles;
    const auto rowBytes = arriving(plan.rowBytes, plan.columnSplit),
               columnBytes = arriving(plan.columnBytes, plan.rowSplit);
    plan.exchangeCycles = (plan.rowsOnce ? 0 : rowExchange(plan)) + again.exchangeCycles(spec_) +
                          ceilDiv(columnBytes, rate) + plan.columns.exchangeCycles(spec_) +
                          after.exchangeCycles(spec_);
    plan.onceExchangeCycles = plan.beforeSlice.exchangeCycles(spec_) +
                              (plan.rowsOnce ? rowExchange(plan) : 0) + once.exchangeCycles(spec_) +
                              atLast.exchangeCycles(spec_);
    plan.calls =
        1 + (again.bytes + plan.columns.bytes > 0) + (after.bytes > 0) + (serial > 1 ? 2 : 0);
    plan.syncs = ((plan.rowsOnce ? 0 : rowBytes) + columnBytes > 0) +
                 (again.received + plan.columns.received > 0) + (after.received > 0);
    for (const auto& stage : plan.stages) {
      ++plan.calls;
      plan.syncs += stage.received > 0;
      plan.exchangeCycles += ceilDiv(stage.received, rate);
      plan.computeCycles += stage.cycles;
    }
    const auto syncs = (plan.beforeSlice.received > 0) + (plan.rowsOnce && rowBytes > 0) +
                       (once.received > 0) + (atLast.received > 0);
    const auto calls = (plan.beforeSlice.bytes > 0) + (once.bytes > 0) +
                       (plan.conversionCycles > 0) + (atLast.bytes > 0);
    plan.cycles =
        plan.onceExchangeCycles + plan.onceComputeCycles + calls * spec_.callCycles +
        serial * (plan.computeCycles + plan.exchangeCycles + plan.calls * spec_.callCycles) +
        (serial * plan.syncs + syncs) * spec_.beforeExchange();
  }

  // Cycles to pad with zeros what vertices take on a tile, as PopLibs' planner counts them: kernels to
  // as many elements as the units have at a time; with SLIC also the input.
  Cycles padding(const ContractionPlan& plan) const {
    const auto& part = plan.part;
    const bool windows = grains_.method == ConvMethod::Slic;
    const auto height =
        grains_.method == ConvMethod::Amp ? weightsPerUnit(spec_, part.type) / grains_.inner : 1;
    if (part.field.empty() || (!windows && height == 1)) return 0;
    const auto grain = windows ? 4 : static_cast<std::int64_t>(height);
    const auto& padded = windows ? part.field.back() : part.field.front();
    const auto missing = (grain - padded.kernel % grain) % grain;
    Cycles kernel = 1, kernelPadded = 1, field = 1, fieldPadded = 1;
    for (const auto& d : part.field) {
      const auto size = static_cast<Cycles>(d.kernel), points = static_cast<Cycles>(d.output);
      const auto zeros = static_cast<Cycles>(&d == &padded ? missing : 0);
      kernel *= size;
      kernelPadded *= size + zeros;
      field *= points;
      auto more = zeros * static_cast<Cycles>(d.dilation);
      if (windows)
        more += zeros_[static_cast<std::size_t>(&d - part.field.data())] +
                (points - 1) * static_cast<Cycles>(d.inDilation - 1);
      fieldPadded *= points + more;
    }
    const auto bus = plan.sharesRows ? spec_.tilesPerSharedExchangeBus : 1;
    const auto channels = ceilDiv(part.groups, grains_.groups) * grains_.groups *
                          ceilDiv(part.inner, grains_.inner) * grains_.inner;
    return ceilDiv((kernelPadded - kernel) * channels *
                       (ceilDiv(part.columns, grains_.columns) * grains_.columns) * bytes_,
                   spec_.exchangeBytesPerCycle) +
           ceilDiv((fieldPadded - field) * channels * part.batch * bytes_,
                   spec_.exchangeBytesPerCycle * bus);
  }

  // Sets the splits of a plan's indices. Only the best plan needs them.
  static void settle(ContractionPlan& plan, const Splits& axes) {
    constexpr Axis kAxes[] = {Axis::Group, Axis::Row, Axis::Inner, Axis::Column, Axis::Tap};
    for (std::size_t a = 0; a < axes.size(); ++a) {
      auto stride = plan.stride(kAxes[a]);
      auto at = axes[a]->parts.size();
      for (auto i = plan.splits.size(); i-- > 0;) {
        if (plan.shape.indices[i].axis != kAxes[a]) continue;
        auto& split = plan.splits[i];
        split.size = plan.shape.indices[i].size;
        split.part = static_cast<std::int64_t>(axes[a]->parts[--at]);
        split.count = static_cast<std::int64_t>(axes[a]->counts[at]);
        split.period = std::min(split.size, split.part * split.count);
        split.stride = stride;
        stride *= static_cast<unsigned>(split.count);
      }
    }
  }

  const TargetSpec& spec_;
  const Contraction c_;
  const ContractionShape shape_;
  const Role role_;
  poplar::Type result_;
  Cycles bytes_, limit_, interleaved_;  // of an element; of temporary data, of those interleaved
  bool fewestBytes_ = false;            // whether a plan with these is asked for
  ConvGrains grains_;                   // of the plan that is considered
  Cycles tiles_ = 1;
  // Elements of the contraction.
  Cycles allColumns_ = 1, allInner_ = 1;
  std::vector<std::int64_t> parts_;  // by index: elements on a tile
  // By index: the dimension of a tile's field that it is part of. By dimension: zeros around it.
  std::vector<std::size_t> placeOf_;
  std::vector<Cycles> zeros_;
  // Of the plans that are considered: splits of rows, and by number of tiles those to try.
  std::vector<RowSplit> rows_;
  std::map<Cycles, std::vector<const RowSplit*>> rowsFor_;
  ContractionPlan best_;
  Cycles cycles_ = 0, bestBytes_ = 0;
  bool found_ = false;  // best_ fits into memory
  // Of a layer's forward pass: the gradients of its input and of its weights. Of these: what goes with
  // the forward plan that is considered.
  std::vector<std::unique_ptr<Search>> followers_;
  ContractionPlan candidate_;
  Splits candidateAxes_ = {};
};

}  // namespace

std::uint64_t ContractionPlan::along(Axis axis) const {
  return axis == Axis::Group    ? groupSplit
         : axis == Axis::Row    ? rowSplit
         : axis == Axis::Column ? columnSplit
         : axis == Axis::Inner  ? innerSplit
                                : tapSplit;
}

unsigned ContractionPlan::stride(Axis axis) const {
  using Order = std::array<Axis, 5>;
  static constexpr Order kStandard = {Axis::Column, Axis::Row, Axis::Tap, Axis::Inner, Axis::Group},
                         kBackward = {Axis::Tap, Axis::Inner, Axis::Column, Axis::Row, Axis::Group},
                         kUpdate = {Axis::Row, Axis::Column, Axis::Tap, Axis::Inner, Axis::Group};
  std::uint64_t apart = 1;
  // From inner to outer: neighbours along the first of them are adjacent tiles.
  for (const auto inner : order == TileOrder::Standard   ? kStandard
                          : order == TileOrder::Backward ? kBackward
                                                         : kUpdate) {
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

static bool isEmpty(const ContractionWork& work) {
  return work.groups * work.rows * work.inner * work.columns * work.kernelElements == 0;
}

bool isLayerPass(const ContractionWork& work) {
  return work.pass == ContractionWork::Pass::Product && work.layer >= Layer::Forward &&
         work.kernelElements == 1 && !isEmpty(work) &&
         (work.type == poplar::HALF || work.type == poplar::FLOAT);
}

LayerPlans planLayer(const TargetSpec& spec, const Contraction& contraction) {
  const auto pass = [&](Layer layer) {
    return Contraction{contraction.kind, passOf(contraction.whole, layer), contraction.tiles};
  };
  Search joint(spec, pass(Layer::Forward), Search::Role::Joint);
  Search alone[] = {{spec, pass(Layer::Forward)},
                    {spec, pass(Layer::Backward)},
                    {spec, pass(Layer::WeightUpdate)}};
  joint.search();
  for (auto& each : alone) each.search();
  const auto fit = [&] {
    return std::all_of(std::begin(alone), std::end(alone), [](const auto& s) { return s.found(); });
  };
  if (!joint.found() && !fit()) {
    joint.searchWithMore();
    for (auto& each : alone) each.searchWithMore();
  }
  Cycles cycles = 0, bytes = 0;
  for (const auto& each : alone) {
    cycles += each.cycles();
    bytes = std::max(bytes, each.bytes());
  }
  const bool cheaper = joint.asksForFewestBytes() ? bytes < joint.bytes() : cycles < joint.cycles();
  if (!joint.found() || (fit() && cheaper))
    return {alone[0].best(), alone[1].best(), alone[2].best()};
  return {joint.best(), joint.backward(), joint.update()};
}

ContractionPlan planContraction(const TargetSpec& spec, const Contraction& contraction) {
  if (isEmpty(contraction.whole)) return planNothing(contraction);
  if (!isLayerPass(contraction.whole)) {
    Search alone(spec, contraction);
    alone.search();
    alone.searchWithMore();
    return alone.best();
  }
  auto plans = planLayer(spec, contraction);
  return contraction.whole.layer == Layer::Forward    ? std::move(plans.forward)
         : contraction.whole.layer == Layer::Backward ? std::move(plans.backward)
                                                      : std::move(plans.update);
}

}  // namespace popir
