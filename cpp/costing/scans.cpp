#include "costing/scans.hpp"

#include <algorithm>

#include "costing/mapped_tensor.hpp"
#include "costing/planned.hpp"
#include "kernels/reduction/scan.hpp"
#include "machine/estimators/formulas.hpp"
#include "poplar/graph_impl.hpp"

namespace popir {
namespace {

std::int64_t ceilOf(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// Lines of `n` elements, each in so many pieces.
struct Level {
  std::int64_t lines = 1, n = 1, pieces = 1;

  std::int64_t each() const { return ceilOf(n, pieces); }
};

class Scans {
 public:
  Scans(const GraphImpl& graph, const BulkVertex& vertex, const VertexClass& kind,
        const RowsWork& whole)
      : graph_(graph),
        vertex_(vertex),
        kind_(kind),
        whole_(whole),
        spec_(graph.target.spec()),
        place_(placeOf(graph, vertex)),
        scanKind_(dynamic_cast<const ScanKernel&>(*vertex.kernel).kind()),
        bytes_(whole.type.sizeInBytes()) {}

  std::vector<Phase> phases() const {
    const auto& shape = vertex_.operands[0].tensor.view().shape();
    const auto levels = plan(shape[0] * shape[2], shape[1]).levels;
    const auto grid = gridOf(shape, levels[0]);
    const MappedTensor here(graph_, grid, bytes_);
    std::vector<Phase> found(1, Phase(spec_));
    for (std::size_t i = 0; i + 1 < vertex_.operands.size(); ++i)
      MappedTensor(graph_, vertex_.operands[i].tensor).addTraffic(found[0].traffic, here);
    add(found, levels, 0);
    addMove(found, graph_, grid, vertex_.operands.back().tensor);
    return found;
  }

 private:
  struct Plan {
    std::vector<Level> levels;
    std::uint64_t cycles = 0;
  };

  // The plan with the fewest cycles for lines of n elements, and for the results of their pieces.
  Plan plan(std::int64_t lines, std::int64_t n) const {
    Plan best{{{lines, n, 1}}, scan({lines, n, 1}) + spec_.callCycles};
    const auto workers = static_cast<std::int64_t>(place_.tiles) * spec_.numWorkerContexts;
    for (auto pieces = std::min(n / 2, workers / lines); pieces > 1; pieces /= 2) {
      const Level level{lines, n, pieces};
      const auto own = reduce(level) + scan(level) + 2 * spec_.callCycles;
      if (own >= best.cycles) continue;
      auto rest = plan(lines, pieces);
      const auto cycles = own + rest.cycles + moved(rest.levels[0]) +
                          moved({lines, pieces, pieces}) + 2 * spec_.beforeExchange();
      if (cycles >= best.cycles) continue;
      best = {std::move(rest.levels), cycles};
      best.levels.insert(best.levels.begin(), level);
    }
    return best;
  }

  // The pieces of a tile, and the tiles that have some.
  std::int64_t onTile(const Level& level) const {
    return ceilOf(level.lines * level.pieces, place_.tiles);
  }
  std::int64_t tilesOf(const Level& level) const {
    return ceilOf(level.lines * level.pieces, onTile(level));
  }
  std::uint64_t bytesOnTile(const Level& level) const {
    return static_cast<std::uint64_t>(onTile(level) * level.each()) * bytes_;
  }
  std::uint64_t moved(const Level& level) const {
    return bytesOnTile(level) / spec_.exchangeBytesPerCycle;
  }

  std::uint64_t scan(const Level& level) const {
    return kind_.cycles(spec_, RowsWork{whole_.type, static_cast<std::uint64_t>(onTile(level)),
                                        static_cast<std::uint64_t>(level.each())});
  }
  // What a piece comes to as a whole. The gradient of a product walks through it for that.
  std::uint64_t reduce(const Level& level) const {
    if (scanKind_ == ScanKind::ProductGradient) return scan(level);
    const auto pieces = static_cast<std::uint64_t>(onTile(level)),
               each = static_cast<std::uint64_t>(level.each());
    const auto op =
        scanKind_ == ScanKind::Product ? popops::Operation::MUL : popops::Operation::ADD;
    return estimateCycles(spec_, "popops::Reduce",
                          ReduceWork{whole_.type, pieces * each, pieces, each, op});
  }

  // Adds a level to phases of which the last one brings its elements.
  void add(std::vector<Phase>& found, const std::vector<Level>& levels, std::size_t at) const {
    const auto& level = levels[at];
    const auto compute = [&](std::uint64_t cycles) {
      for (std::int64_t t = 0; t < tilesOf(level); ++t)
        found.back().compute[place_.first + static_cast<unsigned>(t)] = cycles;
    };
    if (at + 1 < levels.size()) {
      compute(reduce(level));
      exchange(found, {level.lines, level.pieces, level.pieces}, levels[at + 1]);
      add(found, levels, at + 1);
      exchange(found, levels[at + 1], {level.lines, level.pieces, level.pieces});
    }
    compute(scan(level));
  }

  // A phase that moves elements of one level to where another has them.
  void exchange(std::vector<Phase>& found, const Level& from, const Level& to) const {
    found.emplace_back(spec_);
    for (std::int64_t t = 0; t < tilesOf(from); ++t)
      found.back().traffic.send(place_.first + static_cast<unsigned>(t), bytesOnTile(from));
    for (std::int64_t t = 0; t < tilesOf(to); ++t)
      found.back().traffic.receive(place_.first + static_cast<unsigned>(t), bytesOnTile(to));
  }

  // Lines [outer, n, inner]: tiles have some of them, or parts of one.
  Grid gridOf(const Dims& shape, const Level& level) const {
    const std::int64_t tiles = place_.tiles, outer = std::min(shape[0], tiles),
                       inner = std::min(shape[2], tiles / outer),
                       parts = std::min(level.pieces, tiles / (outer * inner));
    Grid grid;
    grid.first = place_.first;
    unsigned stride = 1;
    const std::int64_t counts[] = {outer, parts, inner};
    for (std::size_t d = 3; d-- > 0;) {
      const auto part = ceilOf(shape[d], counts[d]);
      grid.dims.insert(grid.dims.begin(), {shape[d], shape[d], part, part, stride, 0});
      stride *= static_cast<unsigned>(ceilOf(shape[d], part));
    }
    return grid;
  }

  const GraphImpl& graph_;
  const BulkVertex& vertex_;
  const VertexClass& kind_;
  const RowsWork whole_;
  const TargetSpec& spec_;
  const Place place_;
  const ScanKind scanKind_;
  const std::uint64_t bytes_;
};

}  // namespace

bool isScan(const BulkVertex& vertex) {
  return dynamic_cast<const ScanKernel*>(vertex.kernel.get()) &&
         vertex.operands.back().tensor.numElements() > 0;
}

std::vector<Phase> phasesOfScan(const GraphImpl& graph, const BulkVertex& vertex,
                                const VertexClass& kind, const RowsWork& whole) {
  return Scans(graph, vertex, kind, whole).phases();
}

}  // namespace popir
