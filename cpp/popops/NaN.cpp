#include <popops/ElementWise.hpp>
#include <popops/NaN.hpp>
#include <popops/Reduce.hpp>

namespace popops {

poplar::Tensor hasNaN(poplar::Graph& graph, const poplar::Tensor& src,
                      poplar::program::Sequence& prog, const poplar::DebugContext& debugContext) {
  const poplar::DebugContext context(debugContext, "hasNaN");
  const auto found = isNaN(graph, src.flatten(), prog, context);
  return reduce(graph, found, {0}, Operation::LOGICAL_OR, prog, context);
}

poplar::Tensor hasNaNOrInf(poplar::Graph& graph, const poplar::Tensor& src,
                           poplar::program::Sequence& prog,
                           const poplar::DebugContext& debugContext) {
  const poplar::DebugContext context(debugContext, "hasNaNOrInf");
  const auto found =
      map(graph, expr::Not(expr::IsFinite(expr::_1)), {src.flatten()}, prog, context);
  return reduce(graph, found, {0}, Operation::LOGICAL_OR, prog, context);
}

}  // namespace popops
