#include "costing/planned.hpp"

#include <algorithm>

#include "costing/mapped_tensor.hpp"
#include "poplar/virtual_tiles.hpp"

namespace popir {

const poplar::Tensor& writtenOf(const BulkVertex& vertex) {
  for (const auto& o : vertex.operands)
    if (o.access != Access::Read) return o.tensor;
  return vertex.operands.back().tensor;
}

Place placeOf(const GraphImpl& graph, const BulkVertex& vertex) {
  const auto& spec = graph.target.spec();
  Place all{0, spec.numTiles()};
  if (vertex.tiles && vertex.tiles->contiguous())
    all = {vertex.tiles->tiles.front(), static_cast<unsigned>(vertex.tiles->tiles.size())};
  if (all.tiles <= spec.tilesPerIPU) return all;
  const auto& result = writtenOf(vertex);
  for (const auto v : result.view().variables()) {
    // A plan whose rule maps a variable of the result was made for all tiles.
    if (graph.variable(v).mapping.rule()) return all;
  }
  unsigned first = spec.numIPUs, last = 0;
  const auto held = MappedTensor(graph, result).byTile();
  for (unsigned t = 0; t < held.size(); ++t) {
    if (held[t] == 0) continue;
    first = std::min(first, t / spec.tilesPerIPU);
    last = std::max(last, t / spec.tilesPerIPU);
  }
  if (first > last) return all;
  return {first * spec.tilesPerIPU, (last - first + 1) * spec.tilesPerIPU};
}

void addTraffic(Phase& phase, const GraphImpl& graph, const poplar::Tensor& operand,
                const BoxNeeds& needs, const Dims& shape, unsigned first, unsigned together) {
  const MappedTensor mapped(graph, operand);
  if (mapped.addTraffic(phase.traffic, needs, shape, first, together)) return;
  // The operand is not a strided view of one variable, e.g. a concatenation: use its tile runs, in
  // the operand's element order.
  addBoxTraffic(phase.traffic, needs, first, {mapped.elements(), 0, rowMajorStrides(shape)},
                BoxMapping::of(mapped.runs().runs, mapped.elements()), mapped.elementBytes(),
                together, graph.target.spec().tilesPerIPU);
}

void addMove(std::vector<Phase>& phases, const GraphImpl& graph, const Grid& made,
             const poplar::Tensor& result) {
  const MappedTensor home(graph, result);
  Phase move(graph.target.spec());
  MappedTensor(graph, made, home.elementBytes()).addTraffic(move.traffic, home);
  if (move.traffic.bytes() > 0) phases.push_back(std::move(move));
}

}  // namespace popir
