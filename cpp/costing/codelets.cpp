// The phase of the codelet vertices of a compute set. Compute cycles: the cost of each vertex,
// list-scheduled on the workers of its tile. Exchange: operands that are mapped to other tiles.
#include <popir/Codelet.hpp>
#include <poplar/VertexIntrospector.hpp>

#include <algorithm>

#include "costing/reading.hpp"
#include "machine/estimators/estimators.hpp"

namespace popir {
namespace {

std::size_t contextsOf(const GraphImpl& graph) {
  return std::max(graph.target.getNumWorkerContexts(), 1u);
}

// Elements [begin, end) of a variable that vertices on one tile read or write.
struct Wanted {
  unsigned tile;
  std::int64_t begin, end;
};
using ByVariable = std::map<unsigned, std::vector<Wanted>>;

// Adds the elements that `t` consists of, as contiguous ranges of its variables.
void note(const poplar::Tensor& t, unsigned tile, ByVariable& to) {
  t.view().expand(Nest{0, 0, {{t.view().elements(), 1, 1}}}, [&](unsigned variable, Nest nest) {
    nest.coalesce();
    NestDim run{1, 1, 1};
    if (!nest.dims.empty() && nest.dims.back().from == 1) {
      run = nest.dims.back();
      nest.dims.pop_back();
    }
    const std::function<void(std::size_t, std::int64_t)> walk = [&](std::size_t k,
                                                                    std::int64_t from) {
      if (k == nest.dims.size()) return to[variable].push_back({tile, from, from + run.n});
      const auto n = nest.dims[k].from == 0 ? 1 : nest.dims[k].n;  // stride 0: broadcast
      for (std::int64_t j = 0; j < n; ++j) walk(k + 1, from + j * nest.dims[k].from);
    };
    walk(0, nest.from);
  });
}

// Sorts ranges by tile, and merges those that overlap: a tile receives an element once, however
// many of its vertices use it.
void unite(std::vector<Wanted>& wanted) {
  std::sort(wanted.begin(), wanted.end(), [](const Wanted& a, const Wanted& b) {
    return a.tile != b.tile ? a.tile < b.tile : a.begin < b.begin;
  });
  std::vector<Wanted> united;
  for (const auto& w : wanted)
    if (!united.empty() && united.back().tile == w.tile && w.begin <= united.back().end)
      united.back().end = std::max(united.back().end, w.end);
    else
      united.push_back(w);
  wanted.swap(united);
}

// Adds the traffic of elements that are mapped to a tile other than that of the vertex. Inputs
// (`toVertices`) are sent from the mapped tile to the vertex before it runs; outputs are sent back
// afterwards. The mapped tile sends an element once, even if several tiles receive it.
void exchange(const GraphImpl& graph, ByVariable& all, bool toVertices, Traffic& traffic) {
  const auto send = [&](unsigned tile, std::uint64_t bytes) {
    traffic.send(tile, bytes);
    traffic.addSendCode(tile, traffic.sendCode(1, bytes));
  };
  for (auto& [variable, wanted] : all) {
    unite(wanted);
    const auto size = graph.variable(variable).type.sizeInBytes();
    const auto& mapping = graph.variable(variable).mapping;
    std::vector<Wanted> away;  // inputs to send, by mapped tile
    for (const auto& w : wanted)
      mapping.forEach(w.begin, w.end, [&](std::int64_t b, std::int64_t e, unsigned home) {
        if (home == w.tile) return;
        const auto bytes = static_cast<std::uint64_t>(e - b) * size;
        traffic.span(toVertices ? w.tile : home, bytes);
        traffic.linkTiles(toVertices ? home : w.tile, toVertices ? w.tile : home, bytes);
        if (toVertices)
          away.push_back({home, b, e});
        else
          send(w.tile, bytes);
      });
    unite(away);
    for (const auto& w : away) send(w.tile, static_cast<std::uint64_t>(w.end - w.begin) * size);
  }
}

void addTraffic(const GraphImpl& graph, unsigned computeSet, Traffic& traffic) {
  ByVariable reads, writes;
  for (const auto id : graph.computeSets[computeSet].vertices) {
    const auto& vertex = graph.vertices[id];
    for (std::size_t i = 0; i < vertex.fields.size(); ++i) {
      const auto direction = vertex.codelet->fields[i].direction;
      for (const auto& t : vertex.fields[i].tensors) {
        if (direction != CodeletField::Direction::Output) note(t, *vertex.tile, reads);
        if (direction != CodeletField::Direction::Input) note(t, *vertex.tile, writes);
      }
    }
  }
  exchange(graph, reads, true, traffic);
  exchange(graph, writes, false, traffic);
}

}  // namespace

VertexCost costOf(const GraphImpl& graph, unsigned id, const CodeletCounts* counts) {
  using Source = VertexCost::Source;
  const auto& vertex = graph.vertices[id];
  if (vertex.estimated)
    return {vertex.cycles, vertex.flops,
            vertex.byEstimator ? Source::Estimator : Source::SetPerfEstimate};
  const auto estimator = graph.perfEstimators.find(vertex.codelet->name);
  if (estimator != graph.perfEstimators.end()) {
    const auto given = estimator->second(poplar::VertexIntrospector(graph, id), graph.target);
    return {given.cycles, given.flops, Source::Estimator};
  }
  if (counts) {
    const auto counted = counts->instructions.find(id);
    if (counted != counts->instructions.end()) {
      const bool workers = vertex.codelet->kind == Codelet::Kind::MultiVertex;
      return {counted->second * (workers ? contextsOf(graph) : 1), 0, Source::Counted};
    }
  }
  return {};
}

const char* nameOf(VertexCost::Source source) {
  switch (source) {
    case VertexCost::Source::SetPerfEstimate: return "setPerfEstimate";
    case VertexCost::Source::Estimator: return "estimator";
    case VertexCost::Source::Counted: return "counted";
    case VertexCost::Source::Unknown: break;
  }
  return "unknown";
}

Phase phaseOfCodelets(const GraphImpl& graph, unsigned computeSet, const CodeletCounts* counts) {
  const auto& spec = graph.target.spec();
  Phase phase(spec);
  const auto contexts = contextsOf(graph);
  std::map<unsigned, std::vector<std::uint64_t>> workers;  // by tile: cycles of each worker
  addTraffic(graph, computeSet, phase.traffic);
  for (const auto id : graph.computeSets[computeSet].vertices) {
    const auto& vertex = graph.vertices[id];
    const auto cost = costOf(graph, id, counts);
    const auto cycles = cost.cycles;
    if (cost.source == VertexCost::Source::Unknown) phase.unknown.insert(vertex.codelet->name);
    if (vertex.codelet->kind != Codelet::Kind::Vertex) {
      phase.compute[*vertex.tile] += cycles;  // cycles of the whole tile
      continue;
    }
    auto& busy = workers[*vertex.tile];
    busy.resize(contexts);
    *std::min_element(busy.begin(), busy.end()) += cycles;
  }
  // A worker issues one instruction every `contexts` cycles of the tile.
  for (const auto& [tile, busy] : workers)
    phase.compute[tile] += contexts * *std::max_element(busy.begin(), busy.end());
  return phase;
}

}  // namespace popir
