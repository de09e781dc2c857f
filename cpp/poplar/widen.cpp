// Convolutions that leave out the last elements of a field, because their stride steps over them,
// read the field as a whole: so it may stay in blocks.
#include "kernels/conv_kernel.hpp"
#include "poplar/fuse.hpp"

namespace popir {
namespace {

/// The whole variable of which `in` shows all but some last elements of the field, fewer than a
/// stride; else nothing.
std::optional<poplar::Tensor> wholeField(const GraphImpl& graph, const poplar::Tensor& in,
                                         const ConvKernel::Problem& problem) {
  const auto affine = in.view().affine();
  if (!affine || affine->offset != 0 || in.view().wholeVariable()) return std::nullopt;
  const auto& variable = graph.variable(affine->variable);
  const auto& shape = in.view().shape();
  if (variable.shape.size() != shape.size()) return std::nullopt;
  const auto dense = rowMajorStrides(variable.shape);
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] != 1 && affine->strides[d] != dense[d]) return std::nullopt;
    const auto cut = variable.shape[d] - shape[d];
    if (d < 2 ? cut != 0 : cut >= problem.stride[d - 2] || problem.inDilation[d - 2] != 1)
      return std::nullopt;
  }
  return poplar::Tensor(
      View::ofVariable(&graph, affine->variable, variable.constant, variable.type, variable.shape));
}

}  // namespace

void widen(const GraphImpl& graph, std::vector<FlatProgram>& programs) {
  for (auto& program : programs)
    for (auto& step : program.steps) {
      const auto* conv =
          step.vertex ? dynamic_cast<const ConvKernel*>(step.vertex->kernel.get()) : nullptr;
      if (conv == nullptr || conv->problem().pass == contraction::Pass::DataGradient) continue;
      const auto whole = wholeField(graph, step.vertex->operands[0].tensor, conv->problem());
      if (!whole) continue;
      auto problem = conv->problem();
      const auto& shape = whole->view().shape();
      problem.inField.assign(shape.begin() + 2, shape.end());
      auto vertex = *step.vertex;
      vertex.kernel = std::make_shared<ConvKernel>(problem);
      vertex.operands[0].tensor = *whole;
      step.joined = std::make_shared<const BulkVertex>(std::move(vertex));
      step.vertex = step.joined.get();
    }
}

}  // namespace popir
