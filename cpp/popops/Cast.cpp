// A cast is an expression with one node, so that it can be fused with adjacent expressions.
#include <poplar/exceptions.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <poputil/exceptions.hpp>

#include "kernels/elementwise/expression.hpp"
#include "kernels/elementwise/quarter_cast.hpp"
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

bool isQuarterCast(const Type& from, const Type& to) {
  return from == poplar::QUARTER || to == poplar::QUARTER;
}
/// Whether there is one step between QUARTER and the type.
bool castsInOneStep(const Type& other) { return other == poplar::FLOAT || other == poplar::HALF; }

/// Adds the cast between QUARTER, which must have metadata, and FLOAT or HALF.
void castQuarter(Graph& graph, const Tensor& src, const Tensor& dst, poplar::ComputeSet cs) {
  const Type from = src.elementType(), type = dst.elementType();
  const Tensor metadata = graph.getMetadata(from == poplar::QUARTER ? src : dst);
  const bool isInstruction = graph.getTarget().getNumConvUnits(poplar::QUARTER, poplar::HALF) > 0;
  popir::addBulkVertex(graph, cs,
                       std::make_shared<popir::QuarterCastKernel>(from, type, isInstruction),
                       {{src, popir::Access::Read},
                        {dst, popir::Access::Write},
                        {metadata.reshape({1}), popir::Access::Read}},
                       "Cast");
}

}  // namespace

Tensor cast(Graph& graph, const Tensor& src, const Type& dstType, poplar::program::Sequence& prog,
            const DebugContext& debugContext) {
  if (dstType == poplar::QUARTER)
    throw poplar::type_error("popops::cast: to quarter without metadata; give a metadata tensor");
  if (src.elementType() == poplar::QUARTER) {
    const Tensor dst = graph.clone(dstType, src, {debugContext, "Cast"},
                                   poplar::TensorCloneMethod::CREATE_NEW_ORDER);
    castWithOutput(graph, src, dst, prog, debugContext);
    return dst;
  }
  return map(graph, to(dstType), {src}, prog, {debugContext, "Cast"});
}

Tensor cast(Graph& graph, const Tensor& src, const Type& dstType, const Tensor& metadata,
            poplar::program::Sequence& prog, const DebugContext& debugContext) {
  const Tensor dst = graph.clone(dstType, metadata, src, {debugContext, "Cast"},
                                 poplar::TensorCloneMethod::CREATE_NEW_ORDER);
  castWithOutput(graph, src, dst, prog, debugContext);
  return dst;
}

void castWithOutput(Graph& graph, const Tensor& src, const Tensor& dst,
                    poplar::program::Sequence& prog, const DebugContext& debugContext) {
  check(src, dst);
  const Type from = src.elementType(), type = dst.elementType();
  if (isQuarterCast(from, type)) {
    if (castsInOneStep(from) || castsInOneStep(type)) {
      const auto cs = graph.addComputeSet({debugContext, "Cast"});
      castQuarter(graph, src, dst, cs);
      prog.add(poplar::program::Execute(cs, {debugContext, "Cast"}));
      return;
    }
    const Tensor value = cast(graph, src, poplar::FLOAT, prog, debugContext);
    return castWithOutput(graph, value, dst, prog, debugContext);
  }
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
  const Type from = src.elementType(), type = dst.elementType();
  if (isQuarterCast(from, type)) {
    if (castsInOneStep(from) || castsInOneStep(type)) return castQuarter(graph, src, dst, cs);
    throw poputil::poplibs_error("popops::cast: " + from.toString() + " to " + type.toString() +
                                 " in one compute set; cast to float in another one first");
  }
  const auto expression = to(type);
  auto compiled = popir::compileExpressions({&expression}, {from}, "popops::cast: ");
  using Operands = std::vector<std::size_t>;
  popir::addBulkVertex(
      graph, cs,
      std::make_shared<popir::MapKernel>(std::move(compiled.program), Operands{0}, Operands{1}),
      {{src, popir::Access::Read}, {dst, popir::Access::Write}}, "Cast");
}

Tensor cast(Graph& graph, Tensor src, const Type& dstType, poplar::ComputeSet cs,
            const DebugContext& debugContext) {
  const Tensor dst = graph.clone(dstType, src, {debugContext, "Cast"},
                                 poplar::TensorCloneMethod::CREATE_NEW_ORDER);
  cast(graph, src, dst, cs);
  return dst;
}

Tensor checkAccuracyWhenCast(Graph& graph, const Tensor& input, Type outputType, double tolerance,
                             poplar::program::Sequence& prog, const DebugContext& debugContext) {
  if (input.elementType() != poplar::FLOAT || outputType != poplar::HALF ||
      input.numElements() != 1)
    throw poputil::poplibs_error(
        "popops::checkAccuracyWhenCast: " + input.elementType().toString() + " " +
        input.shapeToString() + " to " + outputType.toString() + "; expected one FLOAT to HALF");
  namespace e = expr;
  const auto back = e::Cast(e::Cast(e::_1, poplar::HALF), poplar::FLOAT);
  const auto limit = e::Abs(e::_1) * e::Const(static_cast<float>(tolerance));
  return map(graph, e::Lt(e::Abs(back - e::_1), limit), {input.reshape({})}, prog,
             {debugContext, "checkAccuracyWhenCast"});
}

}  // namespace popops
