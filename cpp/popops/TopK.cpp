#include "kernels/reduction/top_k.hpp"

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

}  // namespace popops
