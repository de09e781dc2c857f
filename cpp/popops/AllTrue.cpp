#include <popops/AllTrue.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>

namespace popops {

poplar::Tensor allTrue(poplar::Graph& graph, poplar::Tensor A, poplar::program::Sequence& prog,
                       const poplar::DebugContext& debugContext) {
  auto flat = A.flatten();
  if (flat.elementType() != poplar::BOOL) {
    namespace pe = expr;
    const auto zero = graph.addConstant(flat.elementType(), {}, 0.0f);
    graph.setTileMapping(zero, 0u);
    flat = map(graph, pe::NotEqual(pe::_1, pe::_2), {flat, zero}, prog, debugContext);
  }
  return reduce(graph, flat, {0}, Operation::LOGICAL_AND, prog, {debugContext, "allTrue"});
}

}  // namespace popops
