#include "engine/plan/rereads.hpp"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace popir {
namespace {

/// By variable: how often the steps so far have written it.
class Writes {
 public:
  void note(const Step& step) {
    const auto see = [&](const poplar::Tensor& t) {
      if (t.valid()) t.view().eachVariable([&](unsigned v) { ++of_[v]; });
    };
    see(step.dst);
    if (step.vertex)
      for (const auto& operand : step.vertex->operands)
        if (operand.access != Access::Read) see(operand.tensor);
  }
  std::size_t of(unsigned variable) const {
    const auto found = of_.find(variable);
    return found == of_.end() ? 0 : found->second;
  }

 private:
  std::unordered_map<unsigned, std::size_t> of_;
};

}  // namespace

Rereads::Rereads(const FlatProgram& program) {
  std::unordered_map<const Kernel*, std::size_t> runs;
  for (const auto& step : program.steps)
    if (step.kind == Step::Kind::Run) ++runs[step.vertex->kernel.get()];
  if (std::none_of(runs.begin(), runs.end(), [](const auto& r) { return r.second >= kLeast; }))
    return;

  // Kernel and operand; variable, offset and strides; section; writes of the variable before.
  using Key = std::tuple<const Kernel*, std::size_t, unsigned, std::int64_t, Dims, std::size_t,
                         std::size_t>;
  std::map<Key, std::vector<std::pair<std::size_t, std::size_t>>> readers;
  const auto sections = sectionsOf(program);
  Writes writes;
  for (std::size_t s = 0; s < program.steps.size(); ++s) {
    const auto& step = program.steps[s];
    if (step.kind == Step::Kind::Run && runs[step.vertex->kernel.get()] >= kLeast)
      for (std::size_t i = 0; i < step.vertex->operands.size(); ++i) {
        const auto& operand = step.vertex->operands[i];
        const auto affine = operand.tensor.view().affine();
        if (operand.access == Access::Read && affine)
          readers[{step.vertex->kernel.get(), i, affine->variable, affine->offset, affine->strides,
                   sections[s], writes.of(affine->variable)}]
              .push_back({s, i});
      }
    writes.note(step);
  }
  std::size_t number = 0;
  for (const auto& value : readers) {
    if (value.second.size() < kLeast) continue;
    for (const auto& reader : value.second) values_.emplace(reader, number);
    ++number;
  }
}

std::optional<std::size_t> Rereads::valueOf(std::size_t step, std::size_t operand) const {
  const auto found = values_.find({step, operand});
  return found == values_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace popir
