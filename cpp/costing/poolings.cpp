#include "costing/poolings.hpp"

#include <algorithm>

#include "costing/planned.hpp"
#include "poplar/planned_layout.hpp"

namespace popir {

bool isPooling(const BulkVertex& vertex, const VertexClass* kind) {
  return kind && kind->isDescribedBy<PoolingWork>() &&
         std::all_of(vertex.operands.begin(), vertex.operands.end(),
                     [](const auto& o) { return o.tensor.numElements() > 0; });
}

std::vector<Phase> phasesOfPooling(const GraphImpl& graph, const BulkVertex& vertex,
                                   const VertexClass& kind, const PoolingWork& whole) {
  const auto place = placeOf(graph, vertex);
  const auto& plan = graph.plans->of(kind, whole, place.tiles);
  const auto made = layoutOf(plan, place.first);
  std::vector<Phase> phases(1, Phase(graph.target.spec()));
  auto& phase = phases.front();
  const auto held = made.byTile();
  for (std::size_t t = 0; t < held.size(); ++t)
    if (held[t] > 0) phase.compute[t] = plan.vertexCycles;
  const auto read = [&](const poplar::Tensor& operand, const BoxNeeds& needs) {
    const auto& shape = operand.view().shape();
    addTraffic(phase, graph, operand, needs, shape, place.first, 1);
  };
  const BoxNeeds pooled = pooledNeeds(made, whole);
  const auto& operands = vertex.operands;
  if (operands.size() == 3) {
    // The gradient of a maximum. PopLibs' vertex reads the output too, which lies here as its
    // gradient does: this one looks for the maxima again.
    read(operands[0].tensor, BoxNeeds(made));
    read(operands[1].tensor, pooled);
    read(operands[1].tensor, pooled);
  } else {
    read(operands[0].tensor, pooled);
  }
  addMove(phases, graph, made, operands.back().tensor);
  return phases;
}

}  // namespace popir
