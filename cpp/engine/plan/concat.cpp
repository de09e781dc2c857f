#include "engine/plan/concat.hpp"

#include <algorithm>

namespace popir {

std::optional<Concat> concatOf(const GraphImpl& graph, const poplar::Tensor& t) {
  if (t.numElements() == 0) return std::nullopt;
  if (const auto v = t.view().wholeVariable()) {
    if (graph.variable(*v).shape != t.view().shape()) return std::nullopt;
    return Concat{*v};
  }
  if (t.view().affine()) return std::nullopt;
  Concat concat;
  std::int64_t at = 0;
  bool whole = true;
  auto pieces = t.view().pieces();
  std::sort(pieces.begin(), pieces.end(),
            [](const Piece& a, const Piece& b) { return a.nest.to < b.nest.to; });
  for (auto& piece : pieces) {
    auto& nest = piece.nest;
    nest.coalesce();
    const auto elements = graph.variable(piece.variable).elements;
    whole = whole && nest.from == 0 && nest.to == at && nest.elements() == elements &&
            (nest.dims.empty() ||
             (nest.dims.size() == 1 && nest.dims[0].from == 1 && nest.dims[0].to == 1)) &&
            std::find(concat.begin(), concat.end(), piece.variable) == concat.end();
    if (!whole) return std::nullopt;
    at += elements;
    concat.push_back(piece.variable);
  }
  return concat;
}

bool alongChannels(const GraphImpl& graph, const Concat& concat, const poplar::Tensor& t) {
  const auto& shape = t.view().shape();
  if (shape.size() < 3) return false;
  if (concat.size() == 1) return graph.variable(concat.front()).shape == shape;
  return shape[0] == 1 && std::all_of(concat.begin(), concat.end(), [&](unsigned v) {
           const auto& part = graph.variable(v).shape;
           return part.size() == shape.size() && part[0] == 1 &&
                  std::equal(part.begin() + 2, part.end(), shape.begin() + 2);
         });
}

}  // namespace popir
