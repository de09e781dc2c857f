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

std::pair<unsigned, unsigned> ipusOf(const TargetSpec& spec,
                                     const std::vector<std::int64_t>& byTile) {
  unsigned first = spec.numIPUs, last = 0;
  for (unsigned tile = 0; tile < byTile.size(); ++tile) {
    if (byTile[tile] == 0) continue;
    first = std::min(first, tile / spec.tilesPerIPU);
    last = tile / spec.tilesPerIPU;
  }
  return first > last ? std::pair(0u, spec.numIPUs) : std::pair(first, last - first + 1);
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
  const auto [first, ipus] = ipusOf(spec, MappedTensor(graph, result).byTile());
  return {first * spec.tilesPerIPU, ipus * spec.tilesPerIPU};
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
