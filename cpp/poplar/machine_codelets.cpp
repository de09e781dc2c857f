// What users' vertices cost: their estimates scheduled on the workers of each tile.
#include <popir/Codelet.hpp>

#include <algorithm>

#include "machine/estimators.hpp"
#include "poplar/machine_reading.hpp"

namespace popir {
namespace {

// Without an estimate: as long as its bytes take.
std::uint64_t cyclesOf(const TargetSpec& spec, const UserVertex& vertex) {
  if (vertex.estimated) return vertex.cycles;
  std::uint64_t bytes = 0;
  for (const auto& field : vertex.fields)
    for (const auto& t : field.tensors) bytes += t.numElements() * t.elementType().sizeInBytes();
  return cyclesByBytes(spec, bytes);
}

void addTraffic(const GraphImpl& graph, const UserVertex& vertex, Traffic& traffic) {
  for (std::size_t i = 0; i < vertex.fields.size(); ++i) {
    const auto direction = vertex.codelet->fields[i].direction;
    for (const auto& t : vertex.fields[i].tensors) {
      if (t.numElements() == 0) continue;
      const auto home = tileRuns(graph, t);
      TileRuns here;
      here.elements = here.distinct = home.elements;
      here.elementBytes = home.elementBytes;
      here.append(0, home.elements, *vertex.tile);
      if (direction != CodeletField::Direction::Output) traffic.add(home, here);
      if (direction != CodeletField::Direction::Input) traffic.add(here, home);
    }
  }
}

}  // namespace

Phase phaseOfCodelets(const GraphImpl& graph, unsigned computeSet) {
  const auto& spec = graph.target.spec();
  Phase phase(spec);
  const std::size_t contexts = std::max(graph.target.getNumWorkerContexts(), 1u);
  std::map<unsigned, std::vector<std::uint64_t>> workers;  // by tile: cycles of each context
  for (const auto id : graph.computeSets[computeSet].vertices) {
    const auto& vertex = graph.vertices[id];
    addTraffic(graph, vertex, phase.traffic);
    const auto cycles = cyclesOf(spec, vertex);
    if (vertex.codelet->kind != Codelet::Kind::Vertex) {
      phase.compute[*vertex.tile] += cycles;  // all contexts together, or the supervisor
      continue;
    }
    auto& busy = workers[*vertex.tile];
    busy.resize(contexts);
    *std::min_element(busy.begin(), busy.end()) += cycles;
  }
  // A worker issues once in as many cycles as there are contexts.
  for (const auto& [tile, busy] : workers)
    phase.compute[tile] += contexts * *std::max_element(busy.begin(), busy.end());
  return phase;
}

}  // namespace popir
