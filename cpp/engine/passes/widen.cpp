// Widening: makes an operand the whole variable if it left out only elements at the end that the
// kernel would skip anyway. A strided convolution, for instance, reads x[:, :, 0:223, 0:223] of a
// 224 x 224 input. The gradient of that input, which is written to such a slice of a variable of
// zeros, writes the zeros itself. Only whole variables may have a layout in blocks of channels; and
// a convolution has the same bits wherever its input lies, since it sees the same shapes.
#include <algorithm>

#include "engine/passes/passes.hpp"
#include "kernels/movement/fill.hpp"

namespace popir {
namespace {

/// What `t` is a proper slice of, from 0 on in every dimension: a variable, or one index of a
/// variable's further leading dimensions, as a slot of a stash is; else nothing.
std::optional<poplar::Tensor> wholeOf(const GraphImpl& graph, const poplar::Tensor& t) {
  if (t.view().wholeVariable() || t.numElements() == 0) return std::nullopt;
  const auto affine = t.view().affine();
  if (!affine) return std::nullopt;
  const auto& variable = graph.variable(affine->variable);
  const auto& shape = t.view().shape();
  if (variable.type != t.elementType() || variable.shape.size() < shape.size()) return std::nullopt;
  const std::vector<std::int64_t> slot(variable.shape.end() - std::ptrdiff_t(shape.size()),
                                       variable.shape.end());
  const auto dense = rowMajorStrides(slot);
  std::int64_t elements = 1;
  bool isProper = false;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    elements *= slot[d];
    isProper = isProper || shape[d] < slot[d];
    if (shape[d] > slot[d] || (shape[d] != 1 && affine->strides[d] != dense[d]))
      return std::nullopt;
  }
  if (!isProper || elements == 0 || affine->offset % elements != 0) return std::nullopt;
  const poplar::Tensor whole(
      View::ofVariable(&graph, affine->variable, variable.constant, variable.type, variable.shape));
  const auto begin = static_cast<std::size_t>(affine->offset);
  return whole.flatten()
      .slice(begin, begin + static_cast<std::size_t>(elements))
      .reshape(std::vector<std::size_t>(slot.begin(), slot.end()));
}

class Widener {
 public:
  Widener(const GraphImpl& graph, FlatProgram& program)
      : graph_(graph), program_(program), sections_(sectionsOf(program)) {}

  /// \returns how many operands are wider.
  std::size_t run() {
    std::size_t widened = 0;
    for (std::size_t s = 0; s < program_.steps.size(); ++s)
      for (std::size_t i = 0; program_.steps[s].vertex && i < operands(s).size(); ++i)
        widened += widen(s, i);
    return widened;
  }

 private:
  const std::vector<BulkOperand>& operands(std::size_t s) const {
    return program_.steps[s].vertex->operands;
  }

  bool widen(std::size_t s, std::size_t i) {
    auto& step = program_.steps[s];
    const auto& operand = operands(s)[i];
    if (operand.access == Access::ReadWrite) return false;
    const auto whole = wholeOf(graph_, operand.tensor);
    auto kernel = whole ? step.vertex->kernel->widened(i, whole->view().shape()) : nullptr;
    if (!kernel) return false;
    if (operand.access == Access::Write) {
      const auto variable = whole->view().wholeVariable();
      const auto fill = variable ? filledBefore(s, *variable) : std::nullopt;
      if (!fill) return false;
      program_.steps[*fill] = Step();
    }
    auto vertex = *step.vertex;
    vertex.kernel = std::move(kernel);
    vertex.operands[i].tensor = *whole;
    step.joined = std::make_shared<const BulkVertex>(std::move(vertex));
    step.vertex = step.joined.get();
    return true;
  }

  /// The step that fills the whole variable with zeros, if it is the last one before `s` that uses
  /// it.
  std::optional<std::size_t> filledBefore(std::size_t s, unsigned variable) const {
    const auto uses = [&](const poplar::Tensor& t) {
      if (!t.valid()) return false;
      const auto found = t.view().variables();
      return std::find(found.begin(), found.end(), variable) != found.end();
    };
    while (s-- > 0 && sections_[s] == sections_[s + 1] && !isControl(program_.steps[s])) {
      const auto& step = program_.steps[s];
      if (uses(step.src) || uses(step.dst)) return std::nullopt;
      if (!step.vertex) continue;
      const auto& found = operands(s);
      if (std::none_of(found.begin(), found.end(),
                       [&](const BulkOperand& operand) { return uses(operand.tensor); }))
        continue;
      const auto* fill = dynamic_cast<const FillKernel*>(step.vertex->kernel.get());
      const bool isWhole = fill && found.front().tensor.view().wholeVariable();
      return isWhole && fill->fillsWithZeros() ? std::optional(s) : std::nullopt;
    }
    return std::nullopt;
  }

  const GraphImpl& graph_;
  FlatProgram& program_;
  const std::vector<std::size_t> sections_;
};

}  // namespace

std::string Widen::run(Plan& plan) const {
  std::size_t widened = 0;
  for (std::size_t p = 0; p + 1 < plan.programs.size(); ++p)  // not the prologue, which runs once
    widened += Widener(*plan.graph, plan.programs[p]).run();
  if (widened == 0) return "";
  return counted(widened, "operand", "operands") + " used as a whole";
}

}  // namespace popir
