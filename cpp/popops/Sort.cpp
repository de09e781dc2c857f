#include <popops/ElementWise.hpp>
#include <popops/Gather.hpp>
#include <popops/Sort.hpp>
#include <popops/TopK.hpp>
#include <poputil/exceptions.hpp>

#include <numeric>

namespace popops {
namespace {

using poplar::DebugContext;
using poplar::Graph;
using poplar::Tensor;
using poplar::program::Sequence;

struct Sorted {
  Tensor keys, indices;  // the sorted dimension is the last one
};

Sorted sorted(const char* who, Graph& graph, const Tensor& t, unsigned dim, Sequence& prog,
              const DebugContext& debugContext) {
  if (dim >= t.rank())
    throw poputil::poplibs_error(std::string("popops::") + who + ": dimension " +
                                 std::to_string(dim) + " given, the tensor has " +
                                 std::to_string(t.rank()));
  const auto last = t.dimRoll(dim, t.rank() - 1);
  const TopKParams all(static_cast<unsigned>(t.dim(dim)), false, SortOrder::ASCENDING, true);
  auto [keys, indices] = topKWithPermutation(graph, prog, last, all, {debugContext, who});
  return {keys, indices};
}

Tensor back(const Tensor& t, unsigned dim) { return t.dimRoll(t.rank() - 1, dim); }

Tensor inOrder(Graph& graph, const Tensor& v, const Tensor& indices, unsigned dim, Sequence& prog,
               const DebugContext& debugContext) {
  const auto last = v.dimRoll(dim, v.rank() - 1);
  const std::size_t columns = last.dim(last.rank() - 1);
  if (last.numElements() == 0) return back(last, dim);
  const std::size_t rows = last.numElements() / columns;
  std::vector<unsigned> starts(rows);
  for (std::size_t r = 0; r < rows; ++r) starts[r] = static_cast<unsigned>(r * columns);
  const auto begin = graph.addConstant(poplar::UNSIGNED_INT, {rows, 1}, starts);
  graph.setTileMapping(begin, 0u);
  const auto flat = add(graph, indices.reshape({rows, columns}), begin, prog, debugContext);
  const auto taken = gather(graph, last.flatten(), flat.flatten(), 0, prog, {}, debugContext);
  return back(taken.reshape(last.shape()), dim);
}

void checkShapes(const char* who, const Tensor& k, const Tensor& v) {
  if (k.shape() != v.shape())
    throw poputil::poplibs_error(std::string("popops::") + who + ": keys " + k.shapeToString() +
                                 " and values " + v.shapeToString() + " given; give one shape");
}

}  // namespace

Tensor sort(Graph& graph, const Tensor& t, unsigned dim, Sequence& prog,
            const DebugContext& debugContext) {
  return back(sorted("sort", graph, t, dim, prog, debugContext).keys, dim);
}

void sortInPlace(Graph& graph, const Tensor& t, unsigned dim, Sequence& prog,
                 const DebugContext& debugContext) {
  prog.add(poplar::program::Copy(sort(graph, t, dim, prog, debugContext), t));
}

Tensor sortKeyValue(Graph& graph, const Tensor& k, const Tensor& v, unsigned dim, Sequence& prog,
                    const DebugContext& debugContext) {
  checkShapes("sortKeyValue", k, v);
  const auto order = sorted("sortKeyValue", graph, k, dim, prog, debugContext).indices;
  return inOrder(graph, v, order, dim, prog, debugContext);
}

void sortKeyValueInPlace(Graph& graph, const Tensor& k, const Tensor& v, unsigned dim,
                         Sequence& prog, const DebugContext& debugContext) {
  checkShapes("sortKeyValueInPlace", k, v);
  const auto order = sorted("sortKeyValueInPlace", graph, k, dim, prog, debugContext);
  const auto values = inOrder(graph, v, order.indices, dim, prog, debugContext);
  prog.add(poplar::program::Copy(back(order.keys, dim), k));
  prog.add(poplar::program::Copy(values, v));
}

}  // namespace popops
