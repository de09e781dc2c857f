// Widening: makes an operand the whole variable if it left out only elements at the end that the
// kernel would skip anyway. A strided convolution, for instance, reads x[:, :, 0:223, 0:223] of a
// 224 x 224 input. Only whole variables may have a layout in blocks of channels.
#include "engine/passes/passes.hpp"

namespace popir {
namespace {

/// The whole variable, if `t` is a proper slice of it that begins at 0 in every dimension; else
/// nothing.
std::optional<poplar::Tensor> wholeOf(const GraphImpl& graph, const poplar::Tensor& t) {
  const auto affine = t.view().affine();
  if (!affine || affine->offset != 0 || t.view().wholeVariable()) return std::nullopt;
  const auto& variable = graph.variable(affine->variable);
  const auto& shape = t.view().shape();
  if (variable.type != t.elementType() || variable.shape.size() != shape.size())
    return std::nullopt;
  const auto dense = rowMajorStrides(variable.shape);
  for (std::size_t d = 0; d < shape.size(); ++d)
    if (shape[d] > variable.shape[d] || (shape[d] != 1 && affine->strides[d] != dense[d]))
      return std::nullopt;
  return poplar::Tensor(
      View::ofVariable(&graph, affine->variable, variable.constant, variable.type, variable.shape));
}

}  // namespace

std::string Widen::run(Plan& plan) const {
  std::size_t widened = 0;
  for (std::size_t p = 0; p + 1 < plan.programs.size(); ++p)  // not the prologue, which runs once
    for (auto& step : plan.programs[p].steps) {
      if (step.vertex == nullptr) continue;
      for (std::size_t i = 0; i < step.vertex->operands.size(); ++i) {
        const auto& operand = step.vertex->operands[i];
        if (operand.access != Access::Read) continue;
        const auto whole = wholeOf(*plan.graph, operand.tensor);
        auto kernel = whole ? step.vertex->kernel->widened(i, whole->view().shape()) : nullptr;
        if (!kernel) continue;
        auto vertex = *step.vertex;
        vertex.kernel = std::move(kernel);
        vertex.operands[i].tensor = *whole;
        step.joined = std::make_shared<const BulkVertex>(std::move(vertex));
        step.vertex = step.joined.get();
        ++widened;
      }
    }
  if (widened == 0) return "";
  return counted(widened, "operand", "operands") + " read as a whole";
}

}  // namespace popir
