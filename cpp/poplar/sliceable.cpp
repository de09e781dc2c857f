#include "poplar/sliceable.hpp"

#include <algorithm>

#include "poplar/tile_mapping.hpp"

namespace popir {
namespace {

GridDim unsplit(std::int64_t n) { return {n, n, n, n}; }

}  // namespace

// The rules are PopLibs' for tensors without a plan.
poplar::Tensor addSliceable(poplar::Graph& graph, const poplar::Type& type,
                            const std::vector<std::size_t>& shape,
                            const std::vector<std::size_t>& dims, std::size_t minGrainSize,
                            unsigned first, const poplar::DebugContext& debugContext) {
  std::vector<std::size_t> memory;
  std::vector<unsigned> back(shape.size());
  const auto put = [&](std::size_t d) {
    back[d] = static_cast<unsigned>(memory.size());
    memory.push_back(shape[d]);
  };
  for (const std::size_t d : dims) put(d);
  std::size_t columns = 1;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (std::count(dims.begin(), dims.end(), d) > 0) continue;
    put(d);
    columns *= shape[d];
  }
  const auto made = graph.addVariable(type, memory, debugContext);
  if (made.numElements() == 0) return made.dimShuffle(back);
  const auto& target = graph.getTarget();
  const std::size_t tiles = target.getNumTiles(), bytes = target.getTypeSize(type),
                    atom = target.getAtomicStoreGranularity();
  auto each = std::max((columns + tiles - 1) / tiles, minGrainSize);
  // Single elements are in whole atoms, where the grain is at least one.
  if (dims.size() == 1 && minGrainSize > 1 && atom > bytes && minGrainSize * bytes >= atom)
    each = (each + atom / bytes - 1) / (atom / bytes) * (atom / bytes);
  // No fewer tiles, but as few columns on each as these need.
  const auto used = (columns + each - 1) / each;
  each = (columns + used - 1) / used;
  Grid all;
  const auto n = static_cast<std::int64_t>(columns),
             part = static_cast<std::int64_t>(std::min(each, columns));
  all.dims = {{n, n, part, part, 1, 0}};
  all.first = first;
  const Dims sizes(memory.begin(), memory.end());
  mapByGrid(graph, made, slicesOf(all, sizes, dims.size()));
  return made.dimShuffle(back);
}

std::optional<Grid> columnsOf(const GraphImpl& graph, const poplar::Tensor& t, std::size_t sliced) {
  const auto affine = t.view().affine();
  if (!affine) return {};
  const auto& variable = graph.variable(affine->variable);
  const auto& rule = variable.mapping.rule();
  const auto& shape = t.view().shape();
  if (!rule || variable.elements != t.view().elements() || sliced > shape.size()) return {};
  std::int64_t columns = 1;
  for (auto d = shape.size(); d-- > sliced; columns *= shape[d])
    if (shape[d] > 1 && affine->strides[d] != columns) return {};
  Grid found = rule->grid();
  if (found.dims.back().size != columns) return {};
  for (std::size_t d = 0; d + 1 < found.dims.size(); ++d)
    if (found.dims[d].split()) return {};
  found.dims = {found.dims.back()};
  return found;
}

Grid slicesOf(const Grid& columns, const Dims& shape, std::size_t sizes) {
  Grid made = columns;
  made.dims.clear();
  for (std::size_t d = 0; d < sizes; ++d) made.dims.push_back(unsplit(shape[d]));
  made.dims.push_back(columns.dims.back());
  return made;
}

}  // namespace popir
