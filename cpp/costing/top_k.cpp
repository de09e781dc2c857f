#include "costing/top_k.hpp"

#include <algorithm>

#include "costing/mapped_tensor.hpp"
#include "costing/planned.hpp"
#include "machine/estimators/sorting.hpp"
#include "poplar/graph_impl.hpp"

namespace popir {
namespace {

// The layouts and the steps of one topK. Elements are numbered with the rows innermost, as PopLibs
// keeps them: element i of row r is i * rows + r.
class Sorting {
 public:
  Sorting(const GraphImpl& graph, Place place, const SortedRowsWork& whole)
      : spec_(graph.target.spec()),
        type_(whole.type),
        rows_(static_cast<std::int64_t>(whole.rows)),
        first_(place.first),
        tiles_(place.tiles) {}

  Phase phaseOf(const SortStep& step) const {
    Phase phase(spec_);
    const auto comparisons = step.comparisons(rows_);
    const auto each = ceilOf(comparisons, tiles_);
    for (std::int64_t t = 0; t * each < comparisons; ++t)
      phase.compute[first_ + static_cast<std::size_t>(t)] =
          sortCycles(spec_, type_, step, rows_, {t * each, std::min(comparisons, (t + 1) * each)});
    return phase;
  }

  // Where a step wants the elements: both of a comparison on the tile that makes it, equally many
  // comparisons on each tile. Others fill up what tiles have less.
  TileRuns layoutOf(const SortStep& step) const {
    const auto all = step.elements * rows_, apart = step.distance * rows_;
    const auto comparisons = step.comparisons(rows_), each = ceilOf(comparisons, tiles_);
    std::vector<TileRun> found;
    for (std::int64_t at = 0; at < comparisons;) {
      const auto tile = first_ + static_cast<unsigned>(at / each);
      const auto end = std::min(comparisons, (at / each + 1) * each);
      const auto inside = at % apart, from = (at - inside) * 2 + inside;
      if (inside == 0 && end - at >= apart) {  // whole pairs of neighbouring stretches
        const auto n = (end - at) / apart * apart;
        found.push_back({from, from + 2 * n, tile});
        at += n;
        continue;
      }
      const auto n = std::min(end - at, apart - inside);
      found.push_back({from, from + n, tile});
      found.push_back({from + apart, from + apart + n, tile});
      at += n;
    }
    std::sort(found.begin(), found.end(),
              [](const TileRun& a, const TileRun& b) { return a.begin < b.begin; });
    TileRuns runs;
    const auto room = ceilOf(all / 2, tiles_) * 2;
    std::int64_t tile = 0, taken = -1;  // -1: not looked at yet
    const auto fill = [&](std::int64_t begin, std::int64_t end) {
      while (begin < end) {
        if (taken < 0) taken = 2 * std::clamp<std::int64_t>(comparisons - tile * each, 0, each);
        const bool last = tile + 1 == tiles_;
        const auto n = last ? end - begin : std::min(end - begin, room - taken);
        if (n > 0) runs.append(begin, begin + n, first_ + static_cast<unsigned>(tile));
        begin += n;
        taken += n;
        if (taken < room || last) continue;
        ++tile;
        taken = -1;
      }
    };
    std::int64_t at = 0;
    for (const auto& run : found) {
      fill(at, run.begin);
      runs.append(run.begin, run.end, run.tile);
      at = run.end;
    }
    fill(at, all);
    return sized(std::move(runs), all);
  }

  // What is left of a layout after elements of each row are dropped.
  TileRuns kept(const TileRuns& runs, const std::vector<Stretch>& stretches) const {
    if (stretches.empty()) return runs;
    TileRuns left;
    std::int64_t shift = 0, end = 0;
    auto run = runs.runs.begin();
    for (const auto& s : stretches) {
      const Stretch wanted{s.begin * rows_, s.end * rows_};
      shift += wanted.begin - end;
      end = wanted.end;
      while (run != runs.runs.end() && run->end <= wanted.begin) ++run;
      for (auto r = run; r != runs.runs.end() && r->begin < wanted.end; ++r)
        left.append(std::max(r->begin, wanted.begin) - shift, std::min(r->end, wanted.end) - shift,
                    r->tile);
    }
    return sized(std::move(left), end - shift);
  }

  // A tensor [rows, elements] in the order of these layouts.
  TileRuns runsOf(const GraphImpl& graph, const poplar::Tensor& t) const {
    auto runs = MappedTensor(graph, t.transpose()).runs();
    return sized(std::move(runs), runs.elements);
  }

 private:
  static std::int64_t ceilOf(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

  // Keys and values are of 4 bytes each: PopLibs sorts halves as floats.
  static TileRuns sized(TileRuns runs, std::int64_t elements) {
    runs.elements = runs.distinct = elements;
    runs.repeat = 1;
    runs.elementBytes = 4;
    return runs;
  }

  const TargetSpec& spec_;
  const poplar::Type type_;
  const std::int64_t rows_;
  const unsigned first_;
  const std::int64_t tiles_;
};

// Halves are sorted as floats: a cast where they lie, before or after.
void addCast(std::vector<Phase>& phases, const GraphImpl& graph, const poplar::Tensor& t,
             bool widens) {
  if (t.elementType() != poplar::HALF) return;
  const auto& spec = graph.target.spec();
  const auto from = widens ? poplar::HALF : poplar::FLOAT,
             to = widens ? poplar::FLOAT : poplar::HALF;
  const auto held = MappedTensor(graph, t).byTile();
  phases.emplace_back(spec);
  for (std::size_t tile = 0; tile < held.size(); ++tile)
    if (held[tile] > 0)
      phases.back().compute[tile] = estimateCycles(
          spec, "popops::Cast1D", CastWork{from, static_cast<std::uint64_t>(held[tile]), to});
}

}  // namespace

std::vector<Phase> phasesOfTopK(const GraphImpl& graph, const BulkVertex& vertex,
                                const SortedRowsWork& whole) {
  const Sorting sorting(graph, placeOf(graph, vertex), whole);
  const auto& spec = graph.target.spec();
  std::vector<Phase> phases;
  addCast(phases, graph, vertex.operands[0].tensor, true);
  auto at = sorting.runsOf(graph, vertex.operands[0].tensor);
  // The values are made where the keys lie: they are these keys' numbers.
  for (const auto& step : sortSteps(static_cast<std::int64_t>(whole.columns),
                                    static_cast<std::int64_t>(whole.chosen))) {
    auto next = sorting.layoutOf(step);
    phases.push_back(sorting.phaseOf(step));
    for (int moved = 0; moved < 2; ++moved) phases.back().traffic.add(at, next);
    at = sorting.kept(next, step.kept);
  }
  Phase home(spec);
  for (std::size_t i = 1; i < vertex.operands.size(); ++i)
    home.traffic.add(at, sorting.runsOf(graph, vertex.operands[i].tensor));
  phases.push_back(std::move(home));
  addCast(phases, graph, vertex.operands[1].tensor, false);
  return phases;
}

}  // namespace popir
