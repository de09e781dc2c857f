#include "kernels/reduction/top_k.hpp"

#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/TopK.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

#include "poplar/bulk_vertex.hpp"

namespace popops {
namespace {

using poplar::DebugContext;
using poplar::Graph;
using poplar::Tensor;
using poplar::program::Sequence;

/// \throws poputil::poplibs_error
void checkTopK(const char* who, const poplar::Type& type, const std::vector<std::size_t>& shape,
               const TopKParams& params) {
  std::string given = type.toString() + " [";
  for (std::size_t d = 0; d < shape.size(); ++d) given += (d ? "," : "") + std::to_string(shape[d]);
  given += "]";
  const auto refuse = [&](const std::string& why) {
    throw poputil::poplibs_error(std::string("popops::") + who + ": the input is " + given + "; " +
                                 why);
  };
  if (!popir::TopKKernel::supports(type)) refuse("give integers or floating-point numbers");
  if (shape.empty()) refuse("give a tensor with a dimension to choose from");
  if (params.k > shape.back())
    refuse("k is " + std::to_string(params.k) + ", more than the last dimension has");
}

}  // namespace

std::ostream& operator<<(std::ostream& os, const SortOrder& order) {
  switch (order) {
    case SortOrder::NONE: return os << "none";
    case SortOrder::ASCENDING: return os << "ascending";
    case SortOrder::DESCENDING: return os << "descending";
  }
  return os;
}

std::ostream& operator<<(std::ostream& os, const TopKParams& params) {
  return os << (params.largest ? "largest " : "smallest ") << params.k << ", order "
            << params.sortOrder << (params.stableSort ? ", stable" : "");
}

Tensor createTopKInput(Graph& graph, const poplar::Type& type,
                       const std::vector<std::size_t>& shape, const TopKParams& params,
                       const DebugContext& debugContext) {
  checkTopK("createTopKInput", type, shape, params);
  const Tensor t = graph.addVariable(type, shape, debugContext);
  poputil::mapTensorLinearly(graph, t, 0, shape.back());
  return t;
}

std::pair<Tensor, Tensor> topKWithPermutation(Graph& graph, Sequence& prog, const Tensor& t,
                                              const TopKParams& params,
                                              const DebugContext& debugContext) {
  checkTopK("topK", t.elementType(), t.shape(), params);
  auto shape = t.shape();
  const std::size_t columns = shape.back();
  std::size_t rows = 1;
  for (std::size_t d = 0; d + 1 < shape.size(); ++d) rows *= shape[d];
  const auto added = [&](const poplar::Type& type, const char* name) {
    const Tensor out = graph.addVariable(type, {rows, params.k}, {debugContext, name});
    poputil::mapTensorLinearly(graph, out);
    return out;
  };
  const Tensor values = added(t.elementType(), "values");
  const Tensor indices = added(poplar::UNSIGNED_INT, "indices");
  const bool ascending = params.sortOrder == SortOrder::ASCENDING ||
                         (params.sortOrder == SortOrder::NONE && !params.largest);
  popir::addBulkVertex(graph, prog, std::make_shared<popir::TopKKernel>(params.largest, ascending),
                       {{t.reshape({rows, columns}), popir::Access::Read},
                        {values, popir::Access::Write},
                        {indices, popir::Access::Write}},
                       {debugContext, "topK"});
  shape.back() = params.k;
  return {values.reshape(shape), indices.reshape(shape)};
}

Tensor topK(Graph& graph, Sequence& prog, const Tensor& t, const TopKParams& params,
            const DebugContext& debugContext) {
  return topKWithPermutation(graph, prog, t, params, debugContext).first;
}

std::pair<Tensor, Tensor> topKKeyValue(Graph& graph, Sequence& prog, const Tensor& keys,
                                       const Tensor& values, const TopKParams& params,
                                       const DebugContext& debugContext) {
  if (keys.shape() != values.shape())
    throw poputil::poplibs_error("popops::topKKeyValue: there are keys of the shape " +
                                 keys.shapeToString() + " and values of the shape " +
                                 values.shapeToString() + "; each key has one value");
  const DebugContext own(debugContext, "topKKeyValue");
  const auto best = topKWithPermutation(graph, prog, keys, params, own);
  const std::size_t columns = keys.shape().back();
  const std::size_t found = best.first.numElements();
  if (found == 0) return {best.first, graph.clone(values.elementType(), best.first, own)};
  // The place of each in the values taken flat.
  const std::size_t rows = found / params.k;
  std::vector<unsigned> begins(rows);
  for (std::size_t r = 0; r < rows; ++r) begins[r] = static_cast<unsigned>(r * columns);
  const Tensor begin = graph.addConstant<unsigned>(poplar::UNSIGNED_INT, {rows, 1}, begins, own);
  poputil::mapTensorLinearly(graph, begin);
  const Tensor places =
      add(graph, best.second.reshape({rows, params.k}), begin, prog, own).reshape({found, 1});
  const Tensor taken = multiSlice(graph, values.reshape({values.numElements(), 1}), places, {0},
                                  {1}, prog, SlicePlan(), {}, own);
  return {best.first, taken.reshape(best.first.shape())};
}

}  // namespace popops
