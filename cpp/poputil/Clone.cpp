// Tensors with the layout of another tensor: clones on other IPUs, and operands to broadcast.
#include <algorithm>
#include <poputil/TileMapping.hpp>
#include <poputil/Util.hpp>
#include <poputil/exceptions.hpp>

namespace poputil {

using poplar::DebugContext;
using poplar::Graph;
using poplar::Tensor;
using poplar::TensorCloneMethod;
using Mapping = Graph::TileToTensorMapping;

Tensor cloneToIpu(Graph& graph, const Tensor& t, unsigned dstIPU, const DebugContext& debugContext,
                  TensorCloneMethod method) {
  const auto ipus = graph.getTarget().getNumIPUs(), tiles = graph.getTarget().getTilesPerIPU();
  if (dstIPU >= ipus)
    throw poplibs_error("cloneToIpu: IPU " + std::to_string(dstIPU) + " given, the graph has " +
                        std::to_string(ipus));
  const auto from = graph.getTileMapping(t);
  Tensor clone = graph.clone(t, debugContext, method);
  Mapping to(from.size());
  for (std::size_t tile = 0; tile < from.size(); ++tile) {
    auto& there = to[dstIPU * tiles + tile % tiles];
    there.insert(there.end(), from[tile].begin(), from[tile].end());
  }
  graph.setTileMapping(clone, to);
  return clone;
}

Tensor cloneToGraph(Graph& srcGraph, Graph& dstGraph, const Tensor& t,
                    const DebugContext& debugContext, TensorCloneMethod method) {
  auto mapping = srcGraph.getTileMapping(t);
  const auto tiles = dstGraph.getTarget().getNumTiles();
  for (std::size_t tile = tiles; tile < mapping.size(); ++tile)
    if (!mapping[tile].empty())
      throw poplibs_error("cloneToGraph: the tensor has elements on tile " + std::to_string(tile) +
                          ", the graph given has " + std::to_string(tiles) + " tiles");
  mapping.resize(tiles);
  Tensor clone = dstGraph.clone(t, debugContext, method);
  dstGraph.setTileMapping(clone, mapping);
  return clone;
}

std::pair<Tensor, unsigned> cloneAndExpandAliasing(Graph& graph, const Tensor& t, unsigned offset,
                                                   const DebugContext& debugContext) {
  if (!t.containsAliases()) return {graph.clone(t, debugContext), offset};
  Tensor clone = graph.addVariable(t.elementType(), t.shape(), debugContext);
  const auto mapped = calcLinearTileMappingAndNewOffset(graph, clone, offset);
  graph.setTileMapping(clone, mapped.first);
  return {clone, mapped.second};
}

namespace {

/// A clone that shows elements twice is written to once for each, in the order in memory.
void onceEach(const Graph& graph, Tensor& src, Tensor& dst) {
  if (!dst.containsAliases()) return;
  const Tensor from = src.flatten(), to = dst.flatten();
  std::vector<Tensor> read, written;
  for (const auto& region : graph.getSortedContiguousRegions(to, {{0, to.numElements()}}, true))
    for (const poplar::Interval& part : region) {
      read.push_back(from.slice(part));
      written.push_back(to.slice(part));
    }
  src = poplar::concat(read);
  dst = poplar::concat(written);
}

}  // namespace

Tensor duplicate(Graph& graph, const Tensor& in, poplar::program::Sequence& p,
                 const DebugContext& debugContext, TensorCloneMethod method) {
  const Tensor out = graph.clone(in, {debugContext, "duplicate"}, method);
  Tensor src = in, dst = out;
  onceEach(graph, src, dst);
  p.add(poplar::program::Copy(src, dst, false, {debugContext, "duplicate"}));
  return out;
}

Tensor createIpuCopy(Graph& graph, const Tensor& t, unsigned dstIpu, Tensor& copySrc,
                     Tensor& copyDst, const DebugContext& debugContext, TensorCloneMethod method) {
  const Tensor clone = cloneToIpu(graph, t, dstIpu, debugContext, method);
  copySrc = t;
  copyDst = clone;
  onceEach(graph, copySrc, copyDst);
  return clone;
}

Tensor copyToIpu(Graph& graph, const Tensor& t, poplar::program::Sequence& prog, unsigned dstIPU,
                 const DebugContext& debugContext, TensorCloneMethod method) {
  Tensor src, dst;
  const Tensor clone = createIpuCopy(graph, t, dstIPU, src, dst, debugContext, method);
  prog.add(poplar::program::Copy(src, dst, false, debugContext));
  return clone;
}

Tensor createBroadcastOperand(Graph& graph, const Tensor& fullTensor, const poplar::Type& type,
                              unsigned dim, bool, const DebugContext& debugContext) {
  if (dim >= fullTensor.rank())
    throw poplibs_error("createBroadcastOperand: dimension " + std::to_string(dim) +
                        " of a tensor of shape " + fullTensor.shapeToString());
  const auto n = fullTensor.dim(dim);
  Tensor operand = graph.addVariable(type, {n}, debugContext);
  if (fullTensor.numElements() == 0) return operand;
  // Map each index to the tiles of its elements, distributed evenly if there are several.
  const auto rows = fullTensor.dimRoll(dim).flatten(1, fullTensor.rank());
  const auto each = rows.numElements() / n;
  const auto mapping = graph.getTileMapping(rows);
  TensorUseTracker uses(static_cast<unsigned>(mapping.size()));
  for (unsigned tile = 0; tile < mapping.size(); ++tile)
    for (const auto& interval : mapping[tile])
      uses.add(graph, tile,
               operand.slice(interval.begin() / each, (interval.end() - 1) / each + 1));
  const auto& target = graph.getTarget();
  const auto grain =
      std::max<std::size_t>(target.getDataPathWidth() / (8 * target.getTypeSize(type)), 1);
  uses.mapTensorsByUse(graph, static_cast<unsigned>(grain), 0, false,
                       TensorUseTracker::MappingMethod::ConstrainMappingToUsedTiles);
  return operand;
}

}  // namespace poputil
