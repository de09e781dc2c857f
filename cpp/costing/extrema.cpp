#include "costing/extrema.hpp"

#include <algorithm>
#include <string_view>

#include "costing/mapped_tensor.hpp"
#include "costing/planned.hpp"
#include "machine/estimators/formulas.hpp"
#include "poplar/graph_impl.hpp"

namespace popir {
namespace {

constexpr std::uint64_t kLeast = 32;     // elements of a worker in the first stage
constexpr std::uint64_t kPartials = 32;  // partial results of a worker in the others
constexpr std::uint64_t kBytes = 8;      // of a partial result: a value and an index

// The operand with rows last, as PopLibs takes it.
poplar::Tensor rowsOf(const poplar::Tensor& t) {
  return t.rank() == 3 ? t.dimShuffle({0, 2, 1}) : t;
}

}  // namespace

bool isExtremum(const VertexClass* kind) {
  if (!kind) return false;
  const std::string_view name = kind->name;
  return name == "popnn::ReduceMaxClassGather" || name == "popnn::ReduceMinClassGather";
}

std::vector<Phase> phasesOfExtremum(const GraphImpl& graph, const BulkVertex& vertex,
                                    const RowsWork& whole) {
  const auto& spec = graph.target.spec();
  std::vector<Phase> phases(1, Phase(spec));
  const std::uint64_t all = whole.rows * whole.columns, workers = spec.numWorkerContexts;
  if (all == 0) return phases;
  const auto place = placeOf(graph, vertex);
  // The first stage: equally many elements on each tile.
  const auto most = std::max(workers * kLeast, ceilDiv(all, place.tiles));
  const auto tiles = ceilDiv(all, most), each = ceilDiv(all, tiles);
  // Elements of a row on a tile, and the pieces of rows there.
  const auto piece = std::min(whole.columns, each), pieces = ceilDiv(each, whole.columns);
  auto partials = ceilDiv(whole.columns, piece) * extremumPartials(spec, piece);
  const auto inputs = rowsOf(vertex.operands[0].tensor);
  const MappedTensor from(graph, inputs),
      to(graph,
         linearGrid(static_cast<std::int64_t>(all), static_cast<std::int64_t>(each), place.first),
         from.elementBytes());
  from.addTraffic(phases[0].traffic, to);
  for (std::uint64_t t = 0; t < tiles; ++t)
    phases[0].compute[place.first + t] =
        extremumOfRows(spec, {whole.type, std::min(pieces, whole.rows), piece});
  // Stages of one tile's workers, each with partial results of one row.
  auto busy = tiles;
  while (partials > 1) {
    const auto next = ceilDiv(partials, kPartials), vertices = whole.rows * next;
    const auto there = ceilDiv(vertices, place.tiles), taken = std::min(partials, kPartials);
    Phase stage(spec);
    for (std::uint64_t t = 0; t < busy; ++t)
      stage.traffic.send(place.first + static_cast<unsigned>(t),
                         ceilDiv(whole.rows * partials, busy) * kBytes);
    busy = ceilDiv(vertices, there);
    for (std::uint64_t t = 0; t < busy; ++t) {
      stage.traffic.receive(place.first + static_cast<unsigned>(t), there * taken * kBytes);
      stage.compute[place.first + t] =
          supervised(spec, 0, ceilDiv(there, workers) * extremumOfPartials(whole.type, taken));
    }
    phases.push_back(std::move(stage));
    partials = next;
  }
  Phase home(spec);
  const auto rows = static_cast<std::int64_t>(whole.rows);
  const MappedTensor made(
      graph, linearGrid(rows, static_cast<std::int64_t>(ceilDiv(whole.rows, busy)), place.first),
      4);
  for (std::size_t i = 1; i < vertex.operands.size(); ++i)
    made.addTraffic(home.traffic, MappedTensor(graph, vertex.operands[i].tensor));
  if (home.traffic.bytes() > 0) phases.push_back(std::move(home));
  return phases;
}

}  // namespace popir
