#include "poplar/bulk_vertex.hpp"

#include <algorithm>

#include "kernels/half.hpp"
#include "poplar/graph_impl.hpp"
#include "support/budget.hpp"

namespace popir {

Rounds roundsOf(const BulkVertex& vertex) {
  return vertex.kernel->rounds(
      std::any_of(vertex.operands.begin(), vertex.operands.end(), [](const BulkOperand& o) {
        return o.access != Access::Read && isHalf(o.tensor.elementType());
      }));
}

void addBulkVertex(poplar::Graph& graph, poplar::ComputeSet cs,
                   std::shared_ptr<const Kernel> kernel, std::vector<BulkOperand> operands,
                   std::string name, std::vector<poplar::Tensor> constants) {
  const auto refuse = [&](std::size_t i, const std::string& why) {
    throw poplar::graph_connection_error("vertex '" + name + "' (" + kernel->name() +
                                         "): operand " + std::to_string(i) + " " + why);
  };
  spend(kWorkOfVertex);
  if (cs.graph() != graph.impl().get())
    throw poplar::graph_connection_error("vertex '" + name + "' (" + kernel->name() +
                                         "): the compute set is not of this graph");
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const auto& t = operands[i].tensor;
    if (!t.valid()) refuse(i, "is not a valid tensor");
    if (t.view().graph() != graph.impl().get()) refuse(i, "belongs to another graph");
    if (operands[i].access != Access::Read && !t.isParallelWriteable())
      refuse(i, "cannot be written, it holds constants or an element twice: " + t.getDebugStr());
  }
  graph.impl()->computeSets[cs.getId()].bulk.push_back({std::move(kernel), std::move(operands),
                                                        std::move(name), graph.virtualTiles(),
                                                        std::move(constants)});
}

void addBulkVertex(poplar::Graph& graph, poplar::program::Sequence& prog,
                   std::shared_ptr<const Kernel> kernel, std::vector<BulkOperand> operands,
                   const poplar::DebugContext& debugContext,
                   std::vector<poplar::Tensor> constants) {
  const auto cs = graph.addComputeSet(debugContext);
  addBulkVertex(graph, cs, std::move(kernel), std::move(operands), debugContext.getPathName(),
                std::move(constants));
  prog.add(poplar::program::Execute(cs, debugContext));
}

}  // namespace popir
