// Hoisting: moves steps that compute the same values in every run from programs to the prologue.
#include <algorithm>

#include "engine/passes/passes.hpp"
#include "program/lifetimes.hpp"

namespace popir {
namespace {

class Hoister {
 public:
  explicit Hoister(Plan& plan)
      : plan_(plan), graph_(*plan.graph), uses_(usesOf(graph_, plan.programs)) {
    const auto n = graph_.variables.size();
    plan.invariant.assign(n, false);
    written_.assign(n, 0);
    hostWrites_.assign(n, false);
    for (const auto& handle : graph_.hostWrites)
      for (auto v : handle.second.view().variables()) hostWrites_[v] = true;
    for (std::size_t v = 0; v < n; ++v) {
      for (const auto& use : uses_[v]) written_[v] += use.write;
      plan.invariant[v] = written_[v] == 0;
    }
  }

  /// \returns how many steps were hoisted.
  std::size_t run() {
    auto& prologue = plan_.prologue();
    for (std::size_t p = 0; p + 1 < plan_.programs.size(); ++p)
      for (std::size_t s = 0; s < plan_.programs[p].steps.size(); ++s) {
        auto& step = plan_.programs[p].steps[s];
        if (!isInvariant(p, s)) continue;
        for (auto v : writes_) plan_.invariant[v] = true;
        prologue.steps.push_back(std::move(step));
        step = Step();
      }
    return prologue.steps.size();
  }

 private:
  /// Whether a step may be hoisted. It must be a vertex or a copy outside of conditionals, without
  /// effects or stochastic rounding. It must read only invariant variables: constants, variables
  /// that only the host writes, and results of hoisted steps. mayBeMoved() must hold for all that
  /// it writes. Sets writes_ to the variables that the step writes.
  bool isInvariant(std::size_t p, std::size_t s) {
    const auto& step = plan_.programs[p].steps[s];
    if (step.kind != Step::Kind::Run && step.kind != Step::Kind::Copy) return false;
    if (step.draws() || (step.vertex && step.vertex->kernel->hasEffects())) return false;
    for (const auto& body : plan_.programs[p].conditionals)
      if (body.contains(s)) return false;
    writes_.clear();
    bool fits = true;
    const auto look = [&](const poplar::Tensor& t, bool write) {
      if (!fits || !t.valid()) return;
      t.view().eachVariable([&](unsigned v) {
        if (write) writes_.push_back(v);
        fits = fits && (write ? mayBeMoved(v, p, s) : plan_.invariant[v]);
      });
    };
    look(step.src, false);
    look(step.dst, true);
    if (step.vertex)
      for (const auto& o : step.vertex->operands) {
        if (o.access != Access::Write) look(o.tensor, false);
        if (o.access != Access::Read) look(o.tensor, true);
      }
    return fits;
  }

  /// Whether step `s` is the only write of the variable, from the host or a step, and all its uses
  /// are in the same program and not before `s`.
  bool mayBeMoved(unsigned v, std::size_t p, std::size_t s) const {
    if (written_[v] != 1 || hostWrites_[v] || !graph_.variables[v].data.empty()) return false;
    return std::all_of(uses_[v].begin(), uses_[v].end(),
                       [&](const Use& u) { return u.program == p && u.step >= s; });
  }

  Plan& plan_;
  const GraphImpl& graph_;
  const std::vector<std::vector<Use>> uses_;
  std::vector<int> written_;  // by variable: how many steps write it
  std::vector<bool> hostWrites_;
  std::vector<unsigned> writes_;
};

}  // namespace

std::string Hoist::run(Plan& plan) const {
  const auto moved = Hoister(plan).run();
  return moved == 0 ? "" : counted(moved, "step", "steps") + " to run before the first run";
}

}  // namespace popir
