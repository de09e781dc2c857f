// How a vertex or a copy is shared over tiles, and what each tile then does.
#include <algorithm>
#include <map>

#include "machine/formulas.hpp"
#include "machine/planner.hpp"
#include "poplar/codelet_kernel.hpp"
#include "poplar/machine_reading.hpp"
#include "poplar/virtual_tiles.hpp"

namespace popir {
namespace {

using Share = std::vector<std::int64_t>;  // elements by tile

// Operands of one vertex, and its cost as that of its tiles.
class Sharer {
 public:
  Sharer(const GraphImpl& graph, const BulkVertex& vertex, const Work& work)
      : graph_(graph),
        spec_(graph.target.spec()),
        tiles_(spec_.numTiles()),
        vertex_(vertex),
        whole_{work.type, work.sizes},
        kind_(findVertexClass(work.vertexClass)) {
    for (const auto& o : vertex.operands) runs_.push_back(tileRuns(graph, o.tensor));
    while (written_ < vertex.operands.size() && vertex.operands[written_].access == Access::Read)
      ++written_;
  }

  std::vector<Phase> phases() {
    if (written_ == vertex_.operands.size() || result().elements == 0) return {Phase(spec_)};
    if (kind_ && kind_->sharing == Sharing::Reduction && sources() > 1) return reduction();
    if (kind_ && kind_->sharing == Sharing::Planned && factors().size() == 2) return planned();
    Phase phase(spec_);
    compute(phase, result().byTile(tiles_), [&](std::int64_t n) { return part(n); });
    for (std::size_t i = 0; i < runs_.size(); ++i) need(phase, i);
    std::vector<Phase> phases{std::move(phase)};
    if (kind_) phases.resize(kind_->phases, Phase(spec_));  // that only synchronise
    return phases;
  }

 private:
  const TileRuns& result() const { return runs_[written_]; }
  std::uint64_t scaled(std::uint64_t size, std::int64_t n, std::int64_t of) const {
    return (size * static_cast<std::uint64_t>(n) + static_cast<std::uint64_t>(of) - 1) /
           static_cast<std::uint64_t>(of);
  }

  template <class Estimate>
  static void compute(Phase& phase, const Share& share, const Estimate& estimate) {
    std::map<std::int64_t, std::uint64_t> known;  // most tiles hold as much as others
    for (std::size_t t = 0; t < share.size(); ++t) {
      if (share[t] == 0) continue;
      const auto found = known.find(share[t]);
      phase.compute[t] =
          found != known.end() ? found->second : known[share[t]] = estimate(share[t]);
    }
  }

  // A tile that holds n elements of the result.
  std::uint64_t part(std::int64_t n) const {
    if (!kind_) {
      std::uint64_t bytes = 0;
      for (const auto& r : runs_)
        bytes +=
            r.elementBytes * scaled(static_cast<std::uint64_t>(r.elements), n, result().elements);
      return cyclesByBytes(spec_, bytes);
    }
    auto tile = whole_;
    const std::size_t shared = kind_->sharing == Sharing::Reduction ? 2 : 1;
    for (std::size_t i = 0; i < std::min(shared, tile.sizes.size()); ++i)
      tile.sizes[i] = scaled(whole_.sizes[i], n, result().elements);
    return kind_->cycles(spec_, tile);
  }

  // Every operand is wanted, or where it is written left, in the places of the result in
  // proportion.
  void need(Phase& phase, std::size_t i) const {
    if (runs_[i].elements == 0 || i == written_) return;
    const auto wanted = result().scaledTo(runs_[i]);
    if (vertex_.operands[i].access != Access::Write) phase.traffic.add(runs_[i], wanted);
    if (vertex_.operands[i].access != Access::Read)
      phase.traffic.add(wanted.withoutOverlaps(), runs_[i]);
  }

  // The operands that are multiplied.
  std::vector<std::size_t> factors() const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < runs_.size() && found.size() < 2; ++i)
      if (vertex_.operands[i].access == Access::Read && runs_[i].elements > 0) found.push_back(i);
    return found;
  }

  // The tiles of the virtual graph that the vertex was added to, if they lie side by side, or of
  // those IPUs that hold the result: the first of them, and how many.
  std::pair<unsigned, unsigned> planTiles() const {
    if (vertex_.tiles && vertex_.tiles->contiguous())
      return {vertex_.tiles->tiles.front(), static_cast<unsigned>(vertex_.tiles->tiles.size())};
    unsigned first = spec_.numIPUs, last = 0;
    for (const auto& run : result().runs) {
      first = std::min(first, run.tile / spec_.tilesPerIPU);
      last = std::max(last, run.tile / spec_.tilesPerIPU);
    }
    return {first * spec_.tilesPerIPU, (last - first + 1) * spec_.tilesPerIPU};
  }

  std::vector<Phase> planned() const {
    const auto both = factors();
    const auto elements = [&](std::size_t i) {
      return static_cast<std::uint64_t>(runs_[both[i]].elements);
    };
    const auto ofColumns = whole_.size(0) * whole_.size(2) * whole_.size(3) * whole_.size(4);
    // A gradient may name them the other way round.
    std::size_t byRow = 0, byColumn = 1;
    if (elements(0) == ofColumns && elements(1) != ofColumns) std::swap(byRow, byColumn);
    const auto home = result().byTile(tiles_);
    auto [firstTile, tiles] = planTiles();
    const auto share = static_cast<std::uint64_t>(*std::max_element(home.begin(), home.end()));
    const auto plan = planContraction(spec_, {kind_, whole_, elements(byRow), elements(byColumn),
                                              share, result().elementBytes, tiles});
    auto rowOperand = runs_[both[byRow]].byTile(tiles_);
    auto columnOperand = runs_[both[byColumn]].byTile(tiles_);
    if (plan.swapped) rowOperand.swap(columnOperand);

    Phase main(spec_);
    const auto cycles = plan.kind->cycles(spec_, plan.part) +
                        (plan.rearranged ? rearrangeCycles(spec_, plan.rearranged) : 0);
    const auto used = static_cast<unsigned>(plan.tiles());
    if (used == 1)
      firstTile = static_cast<unsigned>(std::max_element(home.begin(), home.end()) - home.begin());
    main.temporary.resize(tiles_);
    for (unsigned t = firstTile; t < firstTile + used; ++t) {
      main.compute[t] = cycles;
      main.temporary[t] = plan.partialBytes + plan.rearranged;
    }
    fetch(main, rowOperand, firstTile, used, plan.rowBytes, plan.sharesRows);
    fetch(main, columnOperand, firstTile, used, plan.columnBytes, plan.sharesColumns);
    for (std::size_t i = 0; i < runs_.size(); ++i)  // what is added, say, where the result lies
      if (i != both[0] && i != both[1]) need(main, i);

    std::vector<Phase> step{std::move(main)};
    if (plan.serial() > 1) {
      step.emplace_back(spec_);
      const auto [first, count] = planTiles();
      for (unsigned t = first; t < first + count; ++t) step[1].compute[t] = plan.sliceCycles;
    }
    if (plan.innerSplit > 1) step.push_back(reducePhase(plan, home, firstTile, used));
    if (plan.moves) step.push_back(movePhase(plan, home, firstTile, used));
    for (auto& phase : step) phase.times = plan.serial();
    return step;
  }

  // Each of the tiles gets so many bytes of an operand, less what it holds; the holders send each
  // of theirs once.
  void fetch(Phase& phase, const Share& held, unsigned first, unsigned used, std::uint64_t bytes,
             bool shared) const {
    const std::uint64_t elementBytes = whole_.type.sizeInBytes();
    std::uint64_t moved = 0;
    for (unsigned t = first; t < first + used; ++t) {
      const auto own = static_cast<std::uint64_t>(held[t]) * elementBytes;
      const auto wanted = bytes - std::min(bytes, own);
      phase.traffic.receive(t, wanted, shared ? spec_.tilesPerSharedExchangeBus : 1);
      moved += wanted;
    }
    for (unsigned t = 0; t < tiles_; ++t)
      phase.traffic.send(t, std::min(moved, static_cast<std::uint64_t>(held[t]) * elementBytes));
    links(phase, held, elementBytes);
  }

  // What the tiles of an IPU receive comes from all that hold of it, in proportion to what they
  // hold.
  void links(Phase& phase, const Share& held, std::uint64_t elementBytes) const {
    if (spec_.numIPUs == 1) return;
    std::vector<std::uint64_t> has(spec_.numIPUs), wants(spec_.numIPUs);
    std::uint64_t all = 0;
    for (unsigned t = 0; t < tiles_; ++t) {
      has[t / spec_.tilesPerIPU] += static_cast<std::uint64_t>(held[t]) * elementBytes;
      wants[t / spec_.tilesPerIPU] += phase.traffic.received()[t];
    }
    for (const auto bytes : has) all += bytes;
    for (unsigned from = 0; from < spec_.numIPUs && all > 0; ++from)
      for (unsigned to = 0; to < spec_.numIPUs; ++to)
        phase.traffic.link(from, to, std::min(has[from], wants[to] * has[from] / all));
  }

  // Partial sums go to the tiles that hold the result, which add them up.
  Phase reducePhase(const ContractionPlan& plan, const Share& home, unsigned first,
                    unsigned used) const {
    Phase phase(spec_);
    const std::uint64_t bytes = std::max<std::uint64_t>(1, whole_.size(5, 32) / 8);
    const auto& part = plan.part.sizes;
    compute(phase, home, [&](std::int64_t n) {
      const auto mine = ceilDiv(static_cast<std::uint64_t>(n), plan.serial());
      return reducePartials(spec_, mine, plan.innerSplit, bytes);
    });
    for (unsigned t = 0; t < tiles_; ++t)
      phase.traffic.receive(
          t, ceilDiv(static_cast<std::uint64_t>(home[t]), plan.serial()) * plan.innerSplit * bytes);
    for (unsigned t = first; t < first + used; ++t)
      phase.traffic.send(t, part[0] * part[1] * part[3] * bytes);
    return phase;
  }

  Phase movePhase(const ContractionPlan& plan, const Share& home, unsigned first,
                  unsigned used) const {
    Phase phase(spec_);
    const auto bytes = result().elementBytes;
    const auto& part = plan.part.sizes;
    for (unsigned t = 0; t < tiles_; ++t)
      phase.traffic.receive(t, ceilDiv(static_cast<std::uint64_t>(home[t]), plan.serial()) * bytes);
    for (unsigned t = first; t < first + used; ++t)
      phase.traffic.send(t, part[0] * part[1] * part[3] * bytes);
    return phase;
  }

  // Partial results that a tile makes of n elements.
  std::int64_t partialsOf(std::int64_t n) const {
    const auto in = whole_.size(0), out = std::max<std::uint64_t>(whole_.size(1), 1);
    const auto run = std::max<std::uint64_t>(whole_.size(2, in / out), 1);
    return std::min(static_cast<std::int64_t>(out),
                    (n + static_cast<std::int64_t>(run) - 1) / static_cast<std::int64_t>(run));
  }
  // Tiles that have a part of one result, on average.
  std::int64_t sources() const {
    std::int64_t partials = 0;
    for (const auto n : runs_[0].byTile(tiles_))
      if (n > 0) partials += partialsOf(n);
    return (partials + result().elements - 1) / result().elements;
  }

  std::vector<Phase> reduction() const {
    constexpr std::uint64_t kPartialBytes = 4;
    const auto held = runs_[0].byTile(tiles_), results = result().byTile(tiles_);
    const auto sources = this->sources();
    Phase first(spec_), second(spec_);
    compute(first, held, [&](std::int64_t n) {
      auto tile = whole_;
      tile.sizes[0] = static_cast<std::uint64_t>(n);
      tile.sizes[1] = static_cast<std::uint64_t>(partialsOf(n));
      return kind_->cycles(spec_, tile);
    });
    compute(second, results, [&](std::int64_t n) {
      const auto out = static_cast<std::uint64_t>(n);
      return kind_->cycles(spec_,
                           {poplar::FLOAT, {out * static_cast<std::uint64_t>(sources), out, 1}});
    });
    for (unsigned t = 0; t < tiles_; ++t) {
      const auto made = held[t] ? partialsOf(held[t]) : 0;
      // Of its own partial results a tile keeps those of its own results.
      const auto kept = made * results[t] / result().elements;
      second.traffic.send(t, static_cast<std::uint64_t>(made - kept) * kPartialBytes);
      second.traffic.receive(
          t, static_cast<std::uint64_t>(results[t] * sources - kept) * kPartialBytes);
    }
    std::vector<Phase> both;
    both.push_back(std::move(first));
    both.push_back(std::move(second));
    return both;
  }

  const GraphImpl& graph_;
  const TargetSpec& spec_;
  const unsigned tiles_;
  const BulkVertex& vertex_;
  const VertexWork whole_;
  const VertexClass* kind_;
  std::vector<TileRuns> runs_;
  std::size_t written_ = 0;
};

}  // namespace

std::uint64_t Phase::computeCycles() const {
  return *std::max_element(compute.begin(), compute.end());
}

void Phase::add(const Phase& other) {
  for (std::size_t t = 0; t < compute.size(); ++t) compute[t] += other.compute[t];
  traffic.add(other.traffic);
  if (other.temporary.empty()) return;
  temporary.resize(compute.size());
  for (std::size_t t = 0; t < compute.size(); ++t) temporary[t] += other.temporary[t];
}

Work workOf(const BulkVertex& vertex) {
  std::vector<Layout> layouts;
  for (const auto& o : vertex.operands) {
    layouts.push_back(Layout::rowMajor(o.tensor.elementType(), o.tensor.view().shape()));
    if (const auto affine = o.tensor.view().affine()) layouts.back().strides = affine->strides;
  }
  return vertex.kernel->work(layouts);
}

std::vector<Phase> phasesOf(const GraphImpl& graph, const BulkVertex& vertex, const Work& work) {
  if (const auto* codelets = dynamic_cast<const CodeletKernel*>(vertex.kernel.get()))
    return {phaseOfCodelets(graph, codelets->computeSet(), nullptr)};
  return Sharer(graph, vertex, work).phases();
}

Phase phaseOfCopy(const GraphImpl& graph, const poplar::Tensor& src, const poplar::Tensor& dst) {
  const auto& spec = graph.target.spec();
  Phase phase(spec);
  const auto from = tileRuns(graph, src), to = tileRuns(graph, dst);
  phase.traffic.add(from, to);
  const auto there = to.byTile(spec.numTiles());
  for (unsigned t = 0; t < spec.numTiles(); ++t) {
    const auto bytes = static_cast<std::uint64_t>(there[t]) * to.elementBytes;
    const auto received = std::min(bytes, phase.traffic.received()[t]);
    phase.compute[t] =
        estimateCycles(spec, "poplar::Copy", {dst.elementType(), {bytes - received}});
  }
  return phase;
}

Phase phaseOfStream(const GraphImpl& graph, const poplar::Tensor& t, bool toDevice) {
  Phase phase(graph.target.spec());
  const auto home = tileRuns(graph, t);
  TileMapping linear;
  linear.setLinear(home.elements, linearShare(graph.target, t.numElements(), home.elementBytes));
  TileRuns staged;
  staged.elements = staged.distinct = home.elements;
  staged.elementBytes = home.elementBytes;
  linear.forEach(0, home.elements,
                 [&](std::int64_t b, std::int64_t e, unsigned tile) { staged.append(b, e, tile); });
  if (toDevice)
    phase.traffic.add(staged, home);
  else
    phase.traffic.add(home, staged);
  return phase;
}

TileRuns tileRuns(const GraphImpl& graph, const poplar::Tensor& t) {
  const auto& view = t.view();
  TileRuns found;
  found.elements = found.distinct = view.elements();
  found.elementBytes = t.elementType().sizeInBytes();
  if (const auto affine = view.affine()) {
    bool inner = true;  // so far, from the right, all broadcast
    for (std::size_t d = view.shape().size(); d-- > 0;) {
      const auto n = view.shape()[d];
      if (n <= 1) continue;
      if (affine->strides[d] != 0)
        inner = false;
      else if ((found.distinct /= n, inner))
        found.repeat *= n;
    }
  }
  if (const auto whole = view.wholeVariable()) {
    graph.variable(*whole).mapping.forEach(
        0, view.elements(),
        [&](std::int64_t b, std::int64_t e, unsigned tile) { found.append(b, e, tile); });
    return found;
  }
  std::vector<TileRun> runs;
  view.expand(Nest{0, 0, {{view.elements(), 1, 1}}}, [&](unsigned v, Nest nest) {
    nest.coalesce();
    NestDim run{1, 1, 1};
    if (!nest.dims.empty() && nest.dims.back().to == 1 && nest.dims.back().from <= 1 &&
        nest.dims.back().from >= 0) {
      run = nest.dims.back();
      nest.dims.pop_back();
    }
    const auto& mapping = graph.variable(v).mapping;
    const std::function<void(std::size_t, std::int64_t, std::int64_t)> walk =
        [&](std::size_t k, std::int64_t from, std::int64_t to) {
          if (k == nest.dims.size()) {
            const auto n = run.from == 0 ? 1 : run.n;
            mapping.forEach(from, from + n, [&](std::int64_t b, std::int64_t e, unsigned tile) {
              const auto begin = to + b - from;
              runs.push_back({begin, run.from == 0 ? to + run.n : begin + e - b, tile});
            });
            return;
          }
          const auto& d = nest.dims[k];
          for (std::int64_t j = 0; j < d.n; ++j) walk(k + 1, from + j * d.from, to + j * d.to);
        };
    walk(0, nest.from, nest.to);
  });
  std::sort(runs.begin(), runs.end(),
            [](const TileRun& a, const TileRun& b) { return a.begin < b.begin; });
  for (const auto& run : runs) found.append(run.begin, run.end, run.tile);
  return found;
}

}  // namespace popir
