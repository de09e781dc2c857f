// Products with matrices of few bits. A program dequantizes such a matrix, a factor, into floats
// and multiplies with these, transposed. A product that reads the numbers themselves moves a
// fraction of the bytes.
#include <algorithm>
#include <map>

#include "engine/passes/element_wise.hpp"
#include "engine/passes/passes.hpp"
#include "poplar/view.hpp"
#include "program/lifetimes.hpp"

namespace popir {
namespace {

/// Whether a product may read what the step reads, in place of what it writes.
bool isFactor(const Step& step) {
  return step.kind == Step::Kind::Run && step.vertex->kernel->mayBeMultiplied();
}

/// The kernel of the product of `step` with what `factor` writes, transposed, and of `factor`. Null
/// if the step is no such product, or reads what `factor` writes in another way, too.
std::shared_ptr<const Kernel> productOf(const Step& step, const BulkVertex& factor) {
  if (step.kind != Step::Kind::Run || step.vertex->operands.size() != 3) return nullptr;
  const auto& operands = step.vertex->operands;
  const auto& values = factor.operands[1].tensor;
  if (!sameView(operands[1].tensor, values.transpose().expand({0})) ||
      operands[0].tensor.intersectsWith(values))
    return nullptr;
  return factor.kernel->multiplied(*step.vertex->kernel);
}

class FactorMultiplier {
 public:
  FactorMultiplier(Plan& plan, std::size_t program)
      : graph_(*plan.graph),
        uses_(usesOf(graph_, plan.programs)),
        lifetimes_(lifetimesOf(graph_, plan.programs, uses_)),
        p_(program),
        program_(plan.programs[program]) {}

  /// \returns how many products read numbers of few bits.
  std::size_t run() {
    std::size_t found = 0;
    for (std::size_t s = 0; s < program_.steps.size(); ++s)
      if (isFactor(program_.steps[s])) found += replace(s);
    return found;
  }

 private:
  std::size_t replace(std::size_t s) {
    const auto& factor = *program_.steps[s].vertex;
    const auto values = factor.operands[1].tensor.view().wholeVariable();
    if (!values || lifetimes_[*values].kind != Lifetime::Kind::Steps) return 0;
    const auto& uses = uses_[*values];
    const auto block = program_.blockOf(s);
    for (std::size_t i = 0; i < factor.operands.size(); ++i)
      if (i != 1 && isWrittenAfter(factor.operands[i].tensor, s)) return 0;
    std::map<std::size_t, std::shared_ptr<const Kernel>> products;  // by step
    for (const auto& use : uses) {
      if (use.write && use.step == s) continue;
      if (use.write || use.step < s || !block.contains(use.step)) return 0;
      products[use.step] = productOf(program_.steps[use.step], factor);
      if (!products[use.step]) return 0;
    }
    if (products.empty()) return 0;
    auto arranged = arrangement(factor);
    for (const auto& [at, kernel] : products) {
      auto& step = program_.steps[at];
      BulkVertex vertex = *step.vertex;
      vertex.kernel = kernel;
      vertex.operands[1] = factor.operands[0];
      vertex.operands.push_back({arranged.dst, Access::Read});
      step.joined = std::make_shared<const BulkVertex>(std::move(vertex));
      step.vertex = step.joined.get();
    }
    auto& step = program_.steps[s];
    arranged.names = step.names;
    arranged.rounding = step.rounding;
    step = std::move(arranged);
    return products.size();
  }

  /// The step that takes the factor's place: a copy of its operands from 2 on, scales and zero
  /// points, in the order in which products read them.
  Step arrangement(const BulkVertex& factor) {
    std::vector<poplar::Tensor> parts;
    for (std::size_t i = 2; i < factor.operands.size(); ++i)
      parts.push_back(factor.operands[i].tensor.expand({0}));
    Step step;
    step.kind = Step::Kind::Copy;
    step.src = poplar::concat(parts);
    const auto& view = step.src.view();
    Variable made;
    made.type = view.type();
    made.shape = view.shape();
    made.elements = view.elements();
    made.name = factor.name;
    const auto id = static_cast<unsigned>(graph_.variables.size());
    graph_.variables.push_back(made);
    step.dst = poplar::Tensor(View::ofVariable(view.graph(), id, false, made.type, made.shape));
    return step;
  }

  bool isWrittenAfter(const poplar::Tensor& t, std::size_t s) const {
    const auto variables = t.view().variables();
    return std::any_of(variables.begin(), variables.end(), [&](unsigned v) {
      return std::any_of(uses_[v].begin(), uses_[v].end(), [&](const Use& use) {
        return use.write && use.program == p_ && use.step >= s;
      });
    });
  }

  GraphImpl& graph_;
  const std::vector<std::vector<Use>> uses_;
  const std::vector<Lifetime> lifetimes_;
  const std::size_t p_;
  FlatProgram& program_;
};

}  // namespace

std::string MultiplyBits::run(Plan& plan) const {
  std::size_t found = 0;
  for (std::size_t p = 0; p + 1 < plan.programs.size(); ++p) {
    const auto& steps = plan.programs[p].steps;
    if (std::any_of(steps.begin(), steps.end(), isFactor)) found += FactorMultiplier(plan, p).run();
  }
  return found == 0 ? ""
                    : counted(found, "product reads", "products read") + " numbers of few bits";
}

}  // namespace popir
