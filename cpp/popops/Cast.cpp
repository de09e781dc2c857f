// A cast is an expression with one node, so that it can be fused with adjacent expressions.
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <poputil/exceptions.hpp>

#include "kernels/elementwise/expression.hpp"
#include "poplar/bulk_vertex.hpp"
#include "popops/compile_expressions.hpp"

namespace popops {
namespace {

using poplar::DebugContext;
using poplar::Graph;
using poplar::Tensor;
using poplar::Type;

void check(const Tensor& src, const Tensor& dst) {
  if (src.shape() != dst.shape())
    throw poputil::poplibs_error("popops::cast: from shape " + src.shapeToString() + " to shape " +
                                 dst.shapeToString() + "; give tensors of one shape");
}

expr::Cast to(const Type& type) { return expr::Cast(expr::_1, type); }

}  // namespace

Tensor cast(Graph& graph, const Tensor& src, const Type& dstType, poplar::program::Sequence& prog,
            const DebugContext& debugContext) {
  return map(graph, to(dstType), {src}, prog, {debugContext, "Cast"});
}

void castWithOutput(Graph& graph, const Tensor& src, const Tensor& dst,
                    poplar::program::Sequence& prog, const DebugContext& debugContext) {
  check(src, dst);
  mapWithOutput(graph, to(dst.elementType()), {src}, dst, prog, {debugContext, "Cast"});
}

poplar::program::Program cast(Graph& graph, Tensor src, Tensor dst,
                              const DebugContext& debugContext) {
  poplar::program::Sequence prog;
  castWithOutput(graph, src, dst, prog, debugContext);
  return std::move(prog);
}

void cast(Graph& graph, Tensor src, Tensor dst, poplar::ComputeSet cs) {
  check(src, dst);
  const auto expression = to(dst.elementType());
  auto compiled = popir::compileExpressions({&expression}, {src.elementType()}, "popops::cast: ");
  using Operands = std::vector<std::size_t>;
  popir::addBulkVertex(
      graph, cs,
      std::make_shared<popir::MapKernel>(std::move(compiled.program), Operands{0}, Operands{1}),
      {{src, popir::Access::Read}, {dst, popir::Access::Write}}, "Cast");
}

Tensor cast(Graph& graph, Tensor src, const Type& dstType, poplar::ComputeSet cs,
            const DebugContext& debugContext) {
  const Tensor dst = graph.clone(dstType, src, {debugContext, "Cast"});
  cast(graph, src, dst, cs);
  return dst;
}

}  // namespace popops
