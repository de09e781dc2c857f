// The phases of vertices, copies and streams: how their work is divided over tiles, and what each
// tile computes and exchanges. One file: every way to share a vertex uses the same places and stages.
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <optional>

#include "costing/contractions.hpp"
#include "costing/extrema.hpp"
#include "costing/mapped_tensor.hpp"
#include "costing/planned.hpp"
#include "costing/poolings.hpp"
#include "costing/scans.hpp"
#include "costing/slices.hpp"
#include "costing/top_k.hpp"
#include "kernels/pooling/pool.hpp"
#include "kernels/reduction/reduce.hpp"
#include "machine/contraction/layout.hpp"
#include "machine/estimators/formulas.hpp"
#include "poplar/sliceable.hpp"
#include "poplar/targets.hpp"

namespace popir {
namespace {

using Held = std::vector<std::int64_t>;  // number of elements on each tile

// The dimensions of a reduction's input that are reduced: those of the field, where a pooling is one.
std::vector<bool> reducedBy(const Kernel& kernel, std::size_t rank) {
  if (const auto* reduce = dynamic_cast<const ReduceKernel*>(&kernel)) return reduce->reduced();
  std::vector<bool> found(rank);
  if (dynamic_cast<const PoolKernel*>(&kernel)) std::fill(found.begin() + 2, found.end(), true);
  return found;
}

// What a function of rows reduces along each row.
std::vector<popops::Operation> reductionsOf(const std::string& vertexClass) {
  using popops::Operation;
  if (vertexClass == "popnn::Softmax" || vertexClass == "popnn::LogSoftmax")
    return {Operation::MAX, Operation::ADD};
  if (vertexClass == "popnn::SoftmaxGrad" || vertexClass == "popnn::LogSoftmaxGrad")
    return {Operation::ADD};
  return {};
}

// Divides the work of one vertex over the tiles that its result is mapped to, in proportion to
// their elements of the result, and costs each tile's part.
class Sharer {
 public:
  Sharer(const GraphImpl& graph, const BulkVertex& vertex, const Work& work)
      : graph_(graph),
        spec_(graph.target.spec()),
        tiles_(spec_.numTiles()),
        vertex_(vertex),
        whole_(work.whole),
        kind_(findVertexClass(work.vertexClass)) {
    for (const auto& o : vertex.operands) places_.emplace_back(graph, o.tensor);
    while (written_ < vertex.operands.size() && vertex.operands[written_].access == Access::Read)
      ++written_;
  }

  std::vector<Phase> phases() {
    if (written_ == vertex_.operands.size() || result().elements() == 0) return {Phase(spec_)};
    if (kind_ && reduction_ && places_[0].elements() > 0) {
      const auto own = this->own();
      if (sources(own.partials) > 1 || places_[0].byTile() != own.partials) return reduction(own);
    }
    const auto* rows = std::get_if<RowsWork>(&whole_);
    if (rows && kind_ && !reductionsOf(kind_->name).empty() && sharesRows(*rows))
      return ofParts(*rows, reductionsOf(kind_->name));
    const auto* loss = std::get_if<NllWork>(&whole_);
    const bool sums = loss && kind_ && loss->rows > 1 && loss->columns > 0;
    if (loss && kind_ && written_ == vertex_.operands.size() - 1 &&
        std::string_view(kind_->name) == "popnn::Nll" && loss->rows > 0 && loss->columns > 1) {
      const auto parts = partsOfRows();
      const auto all = std::accumulate(parts.begin(), parts.end(), std::int64_t{0});
      if (all >= 2 * static_cast<std::int64_t>(loss->rows)) return lossesOfParts(*loss, parts);
    }
    if (sums && loss->summed && result().elements() == 1) return sumOfLosses(*loss);
    if (const auto* counts = std::get_if<HistogramWork>(&whole_); counts && kind_)
      return histogram(*counts);
    const auto* slices = std::get_if<SlicesWork>(&whole_);
    if (slices && kind_ && slices->slices > 0 && slices->elementsEach > 0) {
      const auto offsets = vertex_.operands[written_ == 0 ? 2 : 1].tensor.dim(1);
      const auto& taken = vertex_.operands[written_ == 0 ? 1 : written_].tensor;
      if (const auto columns = columnsOf(graph_, vertex_.operands[0].tensor, offsets))
        return ofColumns(*slices, columns->byTile(),
                         {graph_, slicesOf(*columns, taken.view().shape(), offsets + 1),
                          taken.elementType().sizeInBytes()});
      if (const auto columns = likeColumns(offsets, taken))
        return ofColumns(*slices, MappedTensor(graph_, columns->slice(0, 1)).byTile(),
                         {graph_, *columns});
    }
    if (slices && vertex_.operands[0].access == Access::Read && slices->slices > 0 &&
        slices->elementsEach > 0 && places_[0].elements() > 0)
      return gather(*slices);
    Phase phase(spec_);
    compute(phase, result().byTile(), [&](std::int64_t n) { return part(n); });
    for (std::size_t i = 0; i < places_.size(); ++i) need(phase, i);
    if (kind_) phase.calls = kind_->phases(whole_);
    if (kind_ && std::string_view(kind_->name) == "popnn::Nll") {
      const auto& p = vertex_.operands[0].tensor;
      const MappedTensor first(graph_, loss->columns > 0 ? p.slice(0, 1, p.rank() - 1) : p);
      oneHot(phase, places_[0].byTile(), first.byTile());
    }
    std::vector<Phase> phases;
    if (sums && loss->counts()) divisor(*loss, phases);
    phases.push_back(std::move(phase));
    return phases;
  }

 private:
  const MappedTensor& result() const { return places_[written_]; }

  template <class Estimate>
  static void compute(Phase& phase, const Held& held, const Estimate& estimate) {
    std::map<std::int64_t, std::uint64_t> known;  // cycles by number of elements
    for (std::size_t t = 0; t < held.size(); ++t) {
      if (held[t] == 0) continue;
      const auto found = known.find(held[t]);
      phase.compute[t] = found != known.end() ? found->second : known[held[t]] = estimate(held[t]);
    }
  }

  // Cycles of a tile that computes n elements of the result.
  std::uint64_t part(std::int64_t n) const {
    const Share share{static_cast<std::uint64_t>(n),
                      static_cast<std::uint64_t>(result().elements())};
    return kind_ ? kind_->cycles(spec_, shareOf(whole_, share)) : 0;
  }

  // Adds the traffic of operand i. A tile that computes a share of the result's elements reads the
  // same share of the operand: for the second quarter of the result, the second quarter of the
  // operand. A written operand is sent from the result's tiles to its own tiles in the same way.
  void need(Phase& phase, std::size_t i) const {
    const auto& operand = places_[i];
    if (operand.elements() == 0 || i == written_) return;
    if (vertex_.operands[i].access != Access::Write) operand.addTraffic(phase.traffic, result());
    if (vertex_.operands[i].access == Access::Read) return;
    if (operand.elements() == result().elements())
      result().addTraffic(phase.traffic, operand);
    else
      phase.traffic.add(result().runs().scaledTo(operand.runs()).withoutOverlaps(), operand.runs());
  }

  // The reduction of each tile's own elements.
  struct Own {
    Held partials;      // by tile: the results that it has elements of
    std::uint64_t run;  // adjacent elements of a tile that are reduced to one
  };

  // Where a plan maps the input, a tile has a box of it: as many partial results as the box has
  // along the dimensions that are kept. Groups of channels are innermost in its memory.
  Own own() const {
    const auto grid = places_[0].grid();
    const auto& shape = vertex_.operands[0].tensor.view().shape();
    const auto once =
        grid ? marked(*grid, shape, reducedBy(*vertex_.kernel, shape.size())) : std::vector<bool>();
    if (once.empty()) {
      Held partials = places_[0].byTile();
      for (auto& n : partials) n = n > 0 ? partialsOf(n) : 0;
      return {std::move(partials), reduction_->run};
    }
    auto partials = countByTile(*grid, once);
    partials.resize(tiles_);
    auto run = reduction_->run;
    if (grid->channels < once.size())
      run = once[grid->channels] ? kChannelGroupBytes / places_[0].elementBytes() : 1;
    return {std::move(partials), run};
  }

  // The dimensions of a grid that are reduced, given those of a tensor with as many elements. Empty
  // if one of them is a product of some that are and some that are not.
  static std::vector<bool> marked(const Grid& grid, const Dims& shape,
                                  const std::vector<bool>& reduced) {
    std::vector<bool> found(grid.dims.size());
    std::int64_t below = 1;
    for (auto g = grid.dims.size(); g-- > 0; below *= grid.dims[g].size) {
      bool kept = false;
      std::int64_t from = 1;
      for (auto d = shape.size(); d-- > 0; from *= shape[d]) {
        const bool overlaps = from < below * grid.dims[g].size && below < from * shape[d];
        if (!overlaps || shape[d] == 1 || grid.dims[g].size == 1) continue;
        if (reduced[d])
          found[g] = true;
        else
          kept = true;
      }
      if (kept && found[g]) return {};
    }
    return found;
  }

  // The number of partial results that a tile computes from n elements of an input in row-major
  // order: one for each run of neighbouring elements with the same result, and at most one for each
  // result. E.g. for [4, 6] reduced to [4] the run is 6, and 9 elements give 2 partial results.
  std::int64_t partialsOf(std::int64_t n) const {
    const auto out = std::max<std::uint64_t>(reduction_->elementsWritten, 1);
    const auto run = std::clamp<std::uint64_t>(
        reduction_->run, 1, std::max<std::uint64_t>(reduction_->elementsRead / out, 1));
    return std::min(static_cast<std::int64_t>(out),
                    (n + static_cast<std::int64_t>(run) - 1) / static_cast<std::int64_t>(run));
  }
  // The number of tiles with a partial result of the same element, on average, rounded up.
  std::int64_t sources(const Held& partials) const {
    const auto all = std::accumulate(partials.begin(), partials.end(), std::int64_t{0});
    return ceilOf(all, result().elements());
  }

  // First each tile reduces its own elements of the input to partial results. If no tile has two
  // elements of one result, these are the partial results. Stages over all tiles follow while there
  // are many of them for a result; the last stage is on the tiles of the result, or on all tiles,
  // which then send the results there. So do tiles that have all elements of their results.
  std::vector<Phase> reduction(const Own& own) const {
    const auto held = places_[0].byTile();
    std::vector<Phase> phases;
    auto of = *reduction_;  // what a stage reduces
    if (held != own.partials) {
      phases.push_back(reducingOwn(held, own));
      of = leftBy(of);
    }
    if (sources(own.partials) > 1) {
      stages(of, own.partials, result(), phases);
      return phases;
    }
    auto first = vertex_.operands[0].tensor;
    const auto reduced = reducedBy(*vertex_.kernel, first.rank());
    for (unsigned d = 0; d < first.rank(); ++d)
      if (reduced[d]) first = first.slice(0, 1, d);
    Phase move(spec_);
    MappedTensor(graph_, first).addTraffic(move.traffic, result());
    if (move.traffic.bytes() > 0) phases.push_back(std::move(move));
    return phases;
  }

  // Whether there are more tiles than rows, so that tiles have parts of rows.
  bool sharesRows(const RowsWork& work) const {
    const auto held = result().byTile();
    const auto busy = std::count_if(held.begin(), held.end(), [](auto n) { return n > 0; });
    return static_cast<std::int64_t>(work.rows) < busy && work.columns > 1;
  }

  // A function of rows of which tiles have parts: each tile computes on its own; what is reduced
  // along rows is then reduced between tiles, and goes to all that have a part of the row.
  std::vector<Phase> ofParts(const RowsWork& work,
                             const std::vector<popops::Operation>& ops) const {
    const auto columns = static_cast<std::int64_t>(work.columns);
    const auto held = result().byTile();
    std::vector<Phase> phases(1, Phase(spec_));
    compute(phases[0], held, [&](std::int64_t n) {
      const auto parts = ceilOf(n, columns);
      return kind_->cycles(spec_, RowsWork{work.type, static_cast<std::uint64_t>(parts),
                                           static_cast<std::uint64_t>(ceilOf(n, parts))});
    });
    for (std::size_t i = 0; i < places_.size(); ++i) need(phases[0], i);
    phases[0].calls = kind_->phases(whole_);
    Held made = held;
    for (auto& n : made) n = ceilOf(n, columns);
    const auto& rows = vertex_.operands[written_].tensor;
    const auto first = rows.slice(0, 1, rows.rank() - 1);
    const MappedTensor home(graph_, first),
        wanted(graph_, first.broadcast(static_cast<unsigned>(columns), rows.rank() - 1));
    for (const auto op : ops) {
      stages(leftBy({work.type, work.rows * work.columns, work.rows, 1, op}), made, home, phases);
      Phase back(spec_);
      wanted.addTraffic(back.traffic, result());
      phases.push_back(std::move(back));
    }
    return phases;
  }

  // By tile: the rows of the first operand that it has elements of.
  Held partsOfRows() const {
    const auto& shape = vertex_.operands[0].tensor.view().shape();
    std::vector<bool> reduced(shape.size());
    reduced.back() = true;
    const auto grid = places_[0].grid();
    const auto once = grid ? marked(*grid, shape, reduced) : std::vector<bool>();
    if (!once.empty()) {
      Held parts = countByTile(*grid, once);
      parts.resize(tiles_);
      return parts;
    }
    Held parts(tiles_), next(tiles_);  // the first row that a tile has not yet been counted for
    for (const auto& run : places_[0].runs().runs) {
      const auto end = (run.end - 1) / shape.back() + 1;
      const auto begin = std::max(run.begin / shape.back(), next[run.tile]);
      parts[run.tile] += std::max<std::int64_t>(end - begin, 0);
      next[run.tile] = end;
    }
    return parts;
  }

  // Losses of rows that are in parts on several tiles, as PopART computes them: each tile gets the
  // labels of its rows, makes numbers that are 1 at the label and 0 elsewhere, multiplies with them
  // and adds up its part of each row; stages add up the parts. What follows row by row is where
  // these end: where the losses belong, or, if they are added up, where the rows begin.
  std::vector<Phase> lossesOfParts(const NllWork& loss, const Held& parts) const {
    const auto& p = vertex_.operands[0].tensor;
    const auto last = p.rank() - 1;
    const bool summed = loss.summed && result().elements() == 1;
    const auto held = places_[0].byTile();
    std::vector<Phase> phases(1, Phase(spec_));
    std::map<std::pair<std::int64_t, std::int64_t>, std::uint64_t> known;
    for (unsigned t = 0; t < tiles_; ++t) {
      if (held[t] == 0) continue;
      const auto [at, isNew] = known.emplace(std::pair(held[t], parts[t]), 0);
      if (isNew) at->second = partOfLosses(loss, held[t], parts[t]);
      phases[0].compute[t] = at->second;
    }
    const auto there = places_[1].byTile();
    const auto bytes = places_[1].elementBytes();
    for (unsigned t = 0; t < tiles_; ++t)
      if (parts[t] > there[t])
        phases[0].traffic.receive(t, static_cast<std::uint64_t>(parts[t] - there[t]) * bytes);
    if (phases[0].traffic.bytes() > 0)
      for (unsigned t = 0; t < tiles_; ++t)
        phases[0].traffic.send(t, static_cast<std::uint64_t>(there[t]) * bytes);
    link(phases[0], there, parts, bytes);
    phases[0].calls = 3;
    oneHot(phases[0], held, parts);
    const MappedTensor home(graph_,
                            summed ? p.slice(0, 1, last) : vertex_.operands[written_].tensor);
    stages(leftBy({loss.type, loss.rows * loss.columns, loss.rows, 1, popops::Operation::ADD}),
           parts, home, phases);
    Phase rest(spec_);
    const auto own = home.byTile();
    compute(rest, own, [&](std::int64_t n) {
      NllWork share = loss;
      share.rows = static_cast<std::uint64_t>(n);
      return kind_->cycles(spec_, share) - selecting(share);
    });
    rest.calls = kind_->phases(whole_) - 1;
    if (loss.ignores || loss.weighted) places_[1].addTraffic(rest.traffic, home);
    for (unsigned t = 0; t < tiles_; ++t)
      for (std::size_t weights = 2; own[t] > 0 && weights < written_; ++weights)
        rest.traffic.receive(t, places_[weights].elementBytes() *
                                    static_cast<std::uint64_t>(places_[weights].elements()));
    phases.push_back(std::move(rest));
    if (!summed) return phases;
    addUp(loss, own, home, phases);
    return phases;
  }
  // The temporary data of losses of rows: a number for each probability that a tile has, in the same
  // layout, which is 1 at the label, then the probability there; and one for each of `rows`.
  void oneHot(Phase& phase, const Held& held, const Held& rows) const {
    phase.temporary.resize(tiles_);
    for (unsigned t = 0; t < tiles_; ++t)
      phase.temporary[t] +=
          static_cast<std::uint64_t>(held[t] + rows[t]) * places_[0].elementBytes();
  }
  // A tile's part of that, of `elements` in `rows` rows.
  std::uint64_t partOfLosses(const NllWork& loss, std::int64_t elements, std::int64_t rows) const {
    const auto n = static_cast<std::uint64_t>(elements), m = static_cast<std::uint64_t>(rows);
    NllWork set = loss;  // to set a number of each row takes about as long as to take one
    set.rows = m;
    return estimateCycles(spec_, "popops::Fill", ElementsWork{loss.type, n}) + selecting(set) +
           estimateCycles(spec_, "popops::BinaryOp1DInPlace",
                          OperatorWork{loss.type, n, Operator::MULTIPLY}) +
           estimateCycles(spec_, "popops::Reduce",
                          ReduceWork{loss.type, n, m, std::max<std::uint64_t>(n / m, 1)});
  }
  // The cycles of taking the label's number of each row, which are a part of those of the losses.
  std::uint64_t selecting(NllWork loss) const {
    loss.logs = loss.weighted = loss.ignores = loss.summed = false;
    return kind_->cycles(spec_, loss) -
           estimateCycles(spec_, "popops::UnaryOp1DInPlace",
                          OperatorWork{loss.type, loss.rows, Operator::NEGATE});
  }

  // Adds up the sums of tiles that have losses of rows, which lie as `home`, and what they are
  // divided by.
  void addUp(const NllWork& loss, Held made, const MappedTensor& home,
             std::vector<Phase>& phases) const {
    for (auto& n : made) n = std::min<std::int64_t>(n, 1);
    const auto numbers = loss.counts() ? 2 : 1;
    if (sources(made) > 1) {
      for (int i = 0; i < numbers; ++i) stages(sumOf(loss), made, result(), phases);
    } else {
      const auto from =
          static_cast<unsigned>(std::find(made.begin(), made.end(), 1) - made.begin());
      Phase move(spec_);
      const MappedTensor here(graph_, linearGrid(1, 1, from), home.elementBytes());
      for (int i = 0; i < numbers; ++i) here.addTraffic(move.traffic, result());
      if (move.traffic.bytes() > 0) phases.push_back(std::move(move));
    }
    if (loss.counts()) phases.push_back(division(loss, result()));
  }

  // The loss of all samples: each tile adds those of the rows of which it has the first element, then
  // the sums of tiles are reduced. What a tile lacks of its rows and labels comes from others; the
  // weights of classes go to all these tiles. So does what the loss is divided by, if labels say it.
  std::vector<Phase> sumOfLosses(const NllWork& loss) const {
    std::vector<Phase> phases(1, Phase(spec_));
    auto& phase = phases[0];
    const auto& p = vertex_.operands[0].tensor;
    const MappedTensor first(graph_, p.slice(0, 1, p.rank() - 1));
    places_[0].addTraffic(phase.traffic, first);
    places_[1].addTraffic(phase.traffic, first);
    const auto own = first.byTile();
    Held made(tiles_);
    for (unsigned t = 0; t < tiles_; ++t) {
      if (own[t] == 0) continue;
      made[t] = 1;
      for (std::size_t weights = 2; weights < written_; ++weights)
        phase.traffic.receive(t, places_[weights].elementBytes() *
                                     static_cast<std::uint64_t>(places_[weights].elements()));
    }
    compute(phase, own, [&](std::int64_t n) {
      return kind_->cycles(spec_, shareOf(whole_, {static_cast<std::uint64_t>(n), loss.rows}));
    });
    phase.calls = kind_->phases(whole_);
    oneHot(phase, places_[0].byTile(), own);
    addUp(loss, made, first, phases);
    return phases;
  }
  // PopLibs' histogram: each tile counts its own elements, in floats, and has all levels; sums over
  // tiles follow, and a cast where the result is of integers.
  std::vector<Phase> histogram(const HistogramWork& counts) const {
    std::vector<Phase> phases(1, Phase(spec_));
    const auto held = places_[0].byTile();
    compute(phases[0], held, [&](std::int64_t n) {
      auto own = counts;
      own.elements = static_cast<std::uint64_t>(n);
      return kind_->cycles(spec_, own);
    });
    const auto levels = static_cast<std::uint64_t>(places_[1].elements());
    const auto there = places_[1].byTile();
    Held made(tiles_);
    for (unsigned t = 0; t < tiles_; ++t) {
      if (held[t] > 0) {
        made[t] = result().elements();
        const auto more = levels - static_cast<std::uint64_t>(there[t]);
        phases[0].traffic.receive(t, more * places_[1].elementBytes());
      }
      phases[0].traffic.send(t, static_cast<std::uint64_t>(there[t]) * places_[1].elementBytes());
    }
    const auto all = std::accumulate(made.begin(), made.end(), std::int64_t{0});
    if (all > 0)
      stages(
          {poplar::FLOAT, static_cast<std::uint64_t>(all), levels + 1, 1, popops::Operation::ADD},
          made, result(), phases);
    const auto type = vertex_.operands[written_].tensor.elementType();
    if (type == poplar::FLOAT) return phases;
    phases.emplace_back(spec_);
    compute(phases.back(), result().byTile(), [&](std::int64_t n) {
      return estimateCycles(spec_, "popops::Cast1D",
                            CastWork{poplar::FLOAT, static_cast<std::uint64_t>(n), type});
    });
    return phases;
  }
  static ReduceWork sumOf(const NllWork& loss) {
    return {loss.type, loss.rows, 1, 1, popops::Operation::ADD};
  }
  // One number by another, where `home` is.
  Phase division(const NllWork& loss, const MappedTensor& home) const {
    Phase phase(spec_);
    compute(phase, home.byTile(), [&](std::int64_t) {
      return estimateCycles(spec_, "popops::BinaryOp1D",
                            OperatorWork{loss.type, 1, Operator::DIVIDE});
    });
    return phase;
  }

  // What the gradient of a loss is divided by: each tile adds up that of the rows of which it has
  // the first element; the sum divides the gradient of the loss, which then goes to all tiles of
  // the result.
  void divisor(const NllWork& loss, std::vector<Phase>& phases) const {
    const auto& dx = vertex_.operands[written_].tensor;
    auto made = MappedTensor(graph_, dx.slice(0, 1, dx.rank() - 1)).byTile();
    for (auto& n : made) n = std::min<std::int64_t>(n, 1);
    if (std::accumulate(made.begin(), made.end(), std::int64_t{0}) == 1) return;
    stages(sumOf(loss), std::move(made), places_[0], phases);
    phases.push_back(division(loss, places_[0]));
  }

  // Reduces the partial results that tiles have to those that lie as `to`.
  void stages(ReduceWork of, Held made, const MappedTensor& to, std::vector<Phase>& phases) const {
    const auto out = to.elements();
    auto sources = ceilOf(std::accumulate(made.begin(), made.end(), std::int64_t{0}), out);
    while (needsStage(made, sources)) {
      const auto left = static_cast<std::int64_t>(std::sqrt(static_cast<double>(sources)));
      const auto next = spread(left * out);
      phases.push_back(stage(of, made, next, ceilOf(sources, left)));
      of = leftBy(of);
      made = next;
      sources = left;
    }
    const auto home = to.byTile();
    const auto balanced = spread(out);
    if (reducesAtHome(of.type, to, balanced, sources)) {
      phases.push_back(stage(of, made, home, sources));
      return;
    }
    phases.push_back(stage(of, made, balanced, sources));
    Phase move(spec_);
    const auto bytes = to.elementBytes();
    for (unsigned t = 0; t < tiles_; ++t) {
      const auto kept = std::min(balanced[t], home[t]);
      move.traffic.receive(t, static_cast<std::uint64_t>(home[t] - kept) * bytes);
      move.traffic.send(t, static_cast<std::uint64_t>(balanced[t] - kept) * bytes);
    }
    link(move, balanced, home, bytes);
    phases.push_back(std::move(move));
  }

  // What a stage leaves: of halves floats, of squares sums.
  static ReduceWork leftBy(ReduceWork work) {
    if (work.type == poplar::HALF) work.type = poplar::FLOAT;
    if (work.op == popops::Operation::SQUARE_ADD) work.op = popops::Operation::ADD;
    return work;
  }

  Phase reducingOwn(const Held& held, const Own& own) const {
    Phase phase(spec_);
    std::map<std::pair<std::int64_t, std::int64_t>, std::uint64_t> known;
    for (unsigned t = 0; t < tiles_; ++t) {
      if (held[t] == 0) continue;
      const auto [at, isNew] = known.emplace(std::pair(held[t], own.partials[t]), 0);
      if (isNew) {
        auto tile = *reduction_;
        tile.elementsRead = static_cast<std::uint64_t>(held[t]);
        tile.elementsWritten = static_cast<std::uint64_t>(own.partials[t]);
        tile.run = own.run;
        at->second = kind_->cycles(spec_, tile);
      }
      phase.compute[t] = at->second;
    }
    return phase;
  }

  static std::int64_t ceilOf(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

  // Elements spread over the tiles of the vertex's place, in groups of 8, as PopLibs balances them.
  Held spread(std::int64_t elements) const {
    constexpr std::int64_t kGroup = 8;
    const auto place = placeOf(graph_, vertex_);
    const auto each = ceilOf(ceilOf(elements, kGroup), place.tiles) * kGroup;
    Held found(tiles_);
    for (unsigned t = 0; t < place.tiles; ++t)
      found[place.first + t] = std::clamp<std::int64_t>(elements - t * each, 0, each);
    return found;
  }

  // Adds the links of a phase in which tiles that want `next` get `bytes` for each element of it,
  // alike from all that have `made`.
  void link(Phase& phase, const Held& made, const Held& next, std::uint64_t bytes) const {
    if (spec_.numIPUs == 1) return;
    const auto perIPU = [&](const Held& held) {
      Held sums(spec_.numIPUs);
      for (unsigned t = 0; t < tiles_; ++t) sums[t / spec_.tilesPerIPU] += held[t];
      return sums;
    };
    const auto from = perIPU(made), to = perIPU(next);
    const auto all = std::accumulate(made.begin(), made.end(), std::int64_t{0});
    for (unsigned a = 0; a < spec_.numIPUs; ++a)
      for (unsigned b = 0; b < spec_.numIPUs; ++b)
        phase.traffic.link(a, b, static_cast<std::uint64_t>(from[a] * to[b] / all) * bytes);
  }

  // PopLibs' rule for a stage before the last one: many partial results of each result, which are
  // not on most of the tiles already.
  bool needsStage(const Held& made, std::int64_t sources) const {
    constexpr std::int64_t kMany = 64;
    const auto busy = std::count_if(made.begin(), made.end(), [](auto n) { return n > 0; });
    const bool spreads = static_cast<double>(sources) < 2 * std::sqrt(spec_.tilesPerIPU) &&
                         busy > spec_.tilesPerIPU * 3 / 4;
    return !spreads && sources > kMany;
  }

  // PopLibs' estimates of a last stage on the tiles of the result, and on all tiles.
  bool reducesAtHome(poplar::Type partial, const MappedTensor& to, const Held& spread,
                     std::int64_t sources) const {
    const auto home = to.byTile();
    const auto rate = static_cast<std::int64_t>(spec_.exchangeBytesPerCycle),
               bytes = static_cast<std::int64_t>(partial.sizeInBytes()),
               width = static_cast<std::int64_t>(vectorWidth(spec_, partial));
    const auto most = *std::max_element(home.begin(), home.end()),
               each = *std::max_element(spread.begin(), spread.end());
    const auto there = ceilOf(most * bytes, rate) + sources * ceilOf(most, width);
    const auto result = static_cast<std::int64_t>(to.elementBytes());
    const auto everywhere = ceilOf(each * sources * bytes, rate) + sources * ceilOf(each, width) +
                            ceilOf(most * result, rate) + spec_.maxIPUSyncDelay;
    return there < everywhere;
  }

  // A stage that reduces `sources` partial results at a time, which tiles have `made` of, to those
  // that tiles are to have.
  Phase stage(const ReduceWork& of, const Held& made, const Held& next,
              std::int64_t sources) const {
    Phase phase(spec_);
    compute(phase, next, [&](std::int64_t n) {
      const auto out = static_cast<std::uint64_t>(n);
      return reducer_->cycles(
          spec_, ReduceWork{of.type, out * static_cast<std::uint64_t>(sources), out, 1, of.op});
    });
    const auto bytes = of.type.sizeInBytes();
    std::int64_t all = 0;
    for (const auto n : next) all += n;
    for (unsigned t = 0; t < tiles_; ++t) {
      // Partial results for the tile's own part are not exchanged.
      const auto kept = made[t] * next[t] / all;
      phase.traffic.send(t, static_cast<std::uint64_t>(made[t] - kept) * bytes);
      phase.traffic.receive(
          t,
          static_cast<std::uint64_t>(std::max<std::int64_t>(0, next[t] * sources - kept)) * bytes);
    }
    link(phase, made, next, static_cast<std::uint64_t>(sources) * bytes);
    return phase;
  }

  // Of a tensor whose slices of one element in each of the `sliced` dimensions lie alike, one slice in
  // place of each of those that are taken; none if they do not, or larger ones are taken.
  std::optional<poplar::Tensor> likeColumns(std::size_t sliced, const poplar::Tensor& taken) const {
    auto first = vertex_.operands[0].tensor, last = first;
    for (std::size_t d = 0; d < sliced; ++d) {
      if (taken.dim(1 + d) != 1) return {};
      first = first.slice(0, 1, static_cast<unsigned>(d));
      last = last.slice(last.dim(d) - 1, last.dim(d), static_cast<unsigned>(d));
    }
    if (!(MappedTensor(graph_, first).runs().runs == MappedTensor(graph_, last).runs().runs))
      return {};
    return first.expand({0}).broadcast(static_cast<unsigned>(taken.dim(0)), 0);
  }

  // Slices of a tensor whose slices lie alike, of which tiles have so many elements: each tile takes
  // or updates its own of all slices. Slices that do not lie as `here` move before an update and after
  // a read. Offsets, and a scale, go to all tiles of the tensor.
  std::vector<Phase> ofColumns(const SlicesWork& work, const Held& held, const MappedTensor& here) {
    const bool reads = written_ != 0;
    const std::size_t taken = reads ? written_ : 1;
    const auto columns =
        static_cast<std::uint64_t>(std::accumulate(held.begin(), held.end(), std::int64_t{0}));
    std::vector<Phase> phases(1, Phase(spec_));
    Phase& phase = phases[0];
    compute(phase, held, [&](std::int64_t n) {
      SlicesWork part = work;
      part.elementsEach = work.elementsEach / columns * static_cast<std::uint64_t>(n);
      return kind_->cycles(spec_, part);
    });
    for (std::size_t i = 1; i < places_.size(); ++i) {
      if (i == taken) continue;
      const auto bytes =
          places_[i].elementBytes() * static_cast<std::uint64_t>(places_[i].elements());
      for (unsigned t = 0; t < held.size(); ++t)
        if (held[t] > 0) phase.traffic.receive(t, bytes);
    }
    const auto& slices = places_[taken];
    if (!reads) {
      slices.addTraffic(phase.traffic, here);
      return phases;
    }
    Phase move(spec_);
    here.addTraffic(move.traffic, slices);
    if (move.traffic.bytes() > 0) phases.push_back(std::move(move));
    return phases;
  }

  // A gather: each tile of the table takes the slices of its columns, and sends these to the tiles
  // of the result. As in PopLibs, whose tables are split by columns first; further tiles share the
  // slices. Offsets go to all tiles of the table.
  std::vector<Phase> gather(const SlicesWork& work) const {
    const auto& table = places_[0];
    const auto bytes = table.elementBytes();
    const auto home = result().byTile(), held = table.byTile();
    const auto busy = static_cast<std::uint64_t>(
        std::count_if(held.begin(), held.end(), [](auto n) { return n > 0; }));
    const auto grain = ceilDiv(spec_.exchangeBytesPerCycle, bytes);
    const auto split = std::min(busy, ceilDiv(work.elementsEach, grain));
    const auto each = ceilDiv(ceilDiv(work.elementsEach, grain), split) * grain;
    SlicesWork part = work;
    part.slices = ceilDiv(work.slices, std::max<std::uint64_t>(1, busy / split));
    part.elementsEach = each;
    const auto cycles = kind_->cycles(spec_, part);
    std::vector<Phase> phases(2, Phase(spec_));
    const auto all = work.slices * work.elementsEach;
    auto left = all;
    std::vector<std::uint64_t> sent(spec_.numIPUs), received(spec_.numIPUs);
    for (unsigned t = 0; t < tiles_; ++t) {
      if (held[t] > 0 && left > 0) {
        const auto made = std::min(left, part.slices * each);
        left -= made;
        phases[0].compute[t] = cycles;
        phases[1].traffic.send(t, made * bytes);
        sent[t / spec_.tilesPerIPU] += made;
        for (std::size_t i = 1; i < places_.size(); ++i)
          if (i != written_)
            phases[0].traffic.receive(
                t, places_[i].elementBytes() * static_cast<std::uint64_t>(places_[i].elements()));
      }
      const auto wanted = static_cast<std::uint64_t>(home[t]);
      phases[1].traffic.receive(t, wanted * bytes);
      const auto messages = std::min(split, ceilDiv(wanted, each));
      if (messages > 0) phases[1].traffic.addMessages(t, messages, wanted * bytes / messages);
      received[t / spec_.tilesPerIPU] += wanted;
    }
    for (unsigned from = 0; from < spec_.numIPUs; ++from)
      for (unsigned to = 0; to < spec_.numIPUs; ++to)
        phases[1].traffic.link(from, to, sent[from] * received[to] / all * bytes);
    return phases;
  }

  const GraphImpl& graph_;
  const TargetSpec& spec_;
  const unsigned tiles_;
  const BulkVertex& vertex_;
  const VertexWork whole_;
  const ReduceWork* reduction_ = std::get_if<ReduceWork>(&whole_);
  const VertexClass* const reducer_ = findVertexClass("popops::Reduce");  // of stages
  const VertexClass* kind_;
  std::vector<MappedTensor> places_;
  std::size_t written_ = 0;  // the first operand that is written: the result
};

}  // namespace

std::uint64_t Phase::computeCycles() const {
  return *std::max_element(compute.begin(), compute.end());
}

void Phase::addOn(const std::vector<unsigned>& tiles, const Phase& other) {
  for (const auto t : tiles) compute[t] += other.compute[t];
  traffic.add(other.traffic, tiles);
}

void Phase::add(const Phase& other) {
  for (std::size_t t = 0; t < compute.size(); ++t) compute[t] += other.compute[t];
  traffic.add(other.traffic);
  calls = std::max(calls, other.calls);
  unknown.insert(other.unknown.begin(), other.unknown.end());
  const auto join = [&](PerTile& all, const PerTile& more) {
    if (more.empty()) return;
    all.resize(compute.size());
    for (std::size_t t = 0; t < compute.size(); ++t) all[t] += more[t];
  };
  join(temporary, other.temporary);
  join(interleaved, other.interleaved);
}

Work workOf(const BulkVertex& vertex) {
  std::vector<Layout> layouts;
  for (const auto& o : vertex.operands) {
    layouts.push_back(Layout::rowMajor(o.tensor.elementType(), o.tensor.view().shape()));
    if (const auto affine = o.tensor.view().affine()) layouts.back().strides = affine->strides;
  }
  return vertex.kernel->work(layouts);
}

std::string vertexClassOf(const GraphImpl& graph, const BulkVertex& vertex, const Work& work) {
  const auto* kind = findVertexClass(work.vertexClass);
  if (!isContraction(vertex, kind)) return work.vertexClass;
  return planOf(graph, vertex, *kind, std::get<ContractionWork>(work.whole)).kind->name;
}

const char* sourceOf(const Work& work) {
  const auto* kind = findVertexClass(work.vertexClass);
  if (!kind) return nameOf(VertexCost::Source::Unknown);
  return nameOf(formulaOf(*kind, work.whole));
}

std::vector<Phase> phasesOf(const GraphImpl& graph, const BulkVertex& vertex, const Work& work) {
  const auto* kind = findVertexClass(work.vertexClass);
  if (isContraction(vertex, kind))
    return phasesOfContraction(graph, vertex, *kind, std::get<ContractionWork>(work.whole));
  const auto* sorted = std::get_if<SortedRowsWork>(&work.whole);
  if (sorted && sorted->rows * sorted->columns * sorted->chosen > 0)
    return phasesOfTopK(graph, vertex, *sorted);
  if (isPooling(vertex, kind))
    return phasesOfPooling(graph, vertex, *kind, std::get<PoolingWork>(work.whole));
  if (isScan(vertex)) return phasesOfScan(graph, vertex, *kind, std::get<RowsWork>(work.whole));
  if (isExtremum(kind)) return phasesOfExtremum(graph, vertex, std::get<RowsWork>(work.whole));
  const auto* slices = std::get_if<SlicesWork>(&work.whole);
  if (slices && slices->planned && slices->slices > 0 && slices->elementsEach > 0 &&
      vertex.operands[0].tensor.numElements() > 0)
    return phasesOfPlannedSlices(graph, vertex, *slices);
  return Sharer(graph, vertex, work).phases();
}

Phase phaseOfCopy(const GraphImpl& graph, const poplar::Tensor& src, const poplar::Tensor& dst) {
  const auto& spec = graph.target.spec();
  Phase phase(spec);
  const MappedTensor from(graph, src), to(graph, dst);
  from.addTraffic(phase.traffic, to);
  const auto there = to.byTile();
  static const VertexClass& copy = *findVertexClass("poplar::Copy");
  for (unsigned t = 0; t < spec.numTiles(); ++t) {
    if (there[t] == 0) continue;
    const auto bytes = static_cast<std::uint64_t>(there[t]) * to.elementBytes();
    const auto received = std::min(bytes, phase.traffic.received()[t]);
    phase.compute[t] = copy.cycles(spec, CopyWork{dst.elementType(), bytes - received});
  }
  return phase;
}

namespace {

// The tensor as a transfer has it: linearly over the IPUs that have it.
MappedTensor stagedOf(const GraphImpl& graph, const MappedTensor& home) {
  const auto& spec = graph.target.spec();
  const auto [first, ipus] = ipusOf(spec, home.byTile());
  const auto shares = linearShares(withIPUs(spec, ipus), static_cast<std::size_t>(home.elements()),
                                   home.elementBytes());
  return MappedTensor(graph, linearGrid(shares, first * spec.tilesPerIPU), home.elementBytes());
}

// Is it the whole of a variable that lies as a transfer has it?
bool isStaged(const GraphImpl& graph, const poplar::Tensor& t) {
  const auto whole = t.view().wholeVariable();
  return whole && graph.variable(*whole).mapping.linear();
}

}  // namespace

Phase phaseOfStream(const GraphImpl& graph, const poplar::Tensor& t, bool toDevice) {
  Phase phase(graph.target.spec());
  const MappedTensor home(graph, t);
  if (home.elements() == 0 || isStaged(graph, t)) return phase;
  const auto staged = stagedOf(graph, home);
  if (toDevice)
    staged.addTraffic(phase.traffic, home);
  else
    home.addTraffic(phase.traffic, staged);
  if (phase.traffic.bytes() > 0) {
    const auto held = staged.byTile();
    for (const auto elements : held)
      phase.temporary.push_back(static_cast<std::uint64_t>(elements) * staged.elementBytes());
  }
  return phase;
}

std::vector<std::uint64_t> bytesAtGateways(const GraphImpl& graph, const poplar::Tensor& t) {
  const auto& spec = graph.target.spec();
  std::vector<std::uint64_t> found(spec.numGateways());
  const MappedTensor home(graph, t);
  if (home.elements() == 0) return found;
  const auto byTile = (isStaged(graph, t) ? home : stagedOf(graph, home)).byTile();
  for (std::size_t tile = 0; tile < byTile.size(); ++tile)
    found[tile / spec.tilesPerIPU / spec.ipusPerGateway] +=
        static_cast<std::uint64_t>(byTile[tile]) * home.elementBytes();
  return found;
}

TileRuns tileRuns(const GraphImpl& graph, const poplar::Tensor& t) {
  const auto& view = t.view();
  TileRuns found;
  found.elements = found.distinct = view.elements();
  found.elementBytes = t.elementType().sizeInBytes();
  if (const auto affine = view.affine()) {
    bool inner = true;  // all dimensions to the right of d are broadcast
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
  auto& runs = found.runs;
  view.expand(Nest{0, 0, {{view.elements(), 1, 1}}}, [&](unsigned v, Nest nest) {
    nest.coalesce();
    // In the result's order neighbours meet, and are one run.
    std::stable_sort(nest.dims.begin(), nest.dims.end(),
                     [](const NestDim& a, const NestDim& b) { return a.to > b.to; });
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
              const auto end = run.from == 0 ? to + run.n : begin + e - b;
              found.append(begin, end, tile);
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
  found.join();
  return found;
}

}  // namespace popir
