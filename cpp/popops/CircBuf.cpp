#include <popops/CircBuf.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <poputil/exceptions.hpp>

namespace popops {

using poplar::DebugContext;
using poplar::Graph;
using poplar::Tensor;
using poplar::program::Sequence;

CircBuf::CircBuf(Graph& graph, const poplar::Type& dataType, unsigned size,
                 const std::vector<std::size_t>& shape, const DebugContext& debugContext)
    : graph_(graph), size_(size) {
  if (size == 0) throw poputil::poplibs_error("popops::CircBuf: a size of 0 given");
  const DebugContext context(debugContext, "circBuf");
  index_ = graph.addVariable(poplar::UNSIGNED_INT, {1}, {context, "index"});
  graph.setTileMapping(index_, 0u);
  graph.setInitialValue(index_[0], 0u);
  std::vector<std::size_t> all = shape;
  all.insert(all.begin(), size);
  all_ = createSliceableTensor(graph, dataType, all, {0}, {1}, 0, {context, "values"});
}

Tensor CircBuf::prev(unsigned i, Sequence& seq, const DebugContext& debugContext) {
  namespace pe = expr;
  if (i >= size_)
    throw poputil::poplibs_error("popops::CircBuf::prev: " + std::to_string(i) +
                                 " tensors back, in a buffer of " + std::to_string(size_));
  const DebugContext context(debugContext, "circBuf");
  const Tensor place =
      map(graph_, pe::Rem(pe::_1 + pe::Const(size_ - i), pe::Const(size_)), {index_}, seq, context);
  return dynamicSlice(graph_, all_, place, {0}, {1}, seq, context).squeeze({0});
}

void CircBuf::add(Tensor t, Sequence& seq, const DebugContext& debugContext) {
  namespace pe = expr;
  const DebugContext context(debugContext, "circBuf");
  mapInPlace(graph_, pe::Rem(pe::_1 + pe::Const(1u), pe::Const(size_)), {index_}, seq, context);
  dynamicUpdate(graph_, all_, t.expand({0}), index_, {0}, {1}, seq, context);
}

Graph::TileToTensorMapping CircBuf::getTileMapping() { return graph_.getTileMapping(all_[0]); }

}  // namespace popops
