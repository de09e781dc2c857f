// Finds what is the same in every run, and takes it out of the programs.
#include <algorithm>

#include "poplar/fuse.hpp"
#include "poplar/lifetimes.hpp"

namespace popir {
namespace {

// Codelets may keep state, or print; of the host's functions nothing is known.
bool hasEffects(const Kernel& kernel) {
  return dynamic_cast<const CodeletKernel*>(&kernel) ||
         dynamic_cast<const HostFunctionKernel*>(&kernel);
}

class Settler {
 public:
  Settler(const GraphImpl& graph, std::vector<FlatProgram>& programs)
      : graph_(graph), programs_(programs), uses_(usesOf(graph, programs)) {
    const auto n = graph.variables.size();
    result_.variables.assign(n, false);
    written_.assign(n, 0);
    hostWrites_.assign(n, false);
    for (const auto& handle : graph.hostWrites)
      for (auto v : handle.second.view().variables()) hostWrites_[v] = true;
    for (std::size_t v = 0; v < n; ++v) {
      for (const auto& use : uses_[v]) written_[v] += use.write;
      result_.variables[v] = written_[v] == 0;
    }
  }

  Settled run() {
    for (std::size_t p = 0; p < programs_.size(); ++p)
      for (std::size_t s = 0; s < programs_[p].steps.size(); ++s) {
        auto& step = programs_[p].steps[s];
        if (!settles(p, s)) continue;
        for (auto v : writes_) result_.variables[v] = true;
        result_.prologue.steps.push_back(std::move(step));
        step = Step();
      }
    return std::move(result_);
  }

 private:
  /// Fills writes_ on the way.
  bool settles(std::size_t p, std::size_t s) {
    const auto& step = programs_[p].steps[s];
    if (step.kind != Step::Kind::Run && step.kind != Step::Kind::Copy) return false;
    if (step.draws() || (step.vertex && hasEffects(*step.vertex->kernel))) return false;
    for (const auto& body : programs_[p].conditionals)
      if (body.contains(s)) return false;
    writes_.clear();
    bool fits = true;
    const auto look = [&](const poplar::Tensor& t, bool write) {
      if (!t.valid()) return;
      for (auto v : t.view().variables()) {
        if (write) writes_.push_back(v);
        fits = fits && (write ? mayBeMoved(v, p, s) : result_.variables[v]);
      }
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

  /// Nobody else writes the variable, and nobody reads it before the step does.
  bool mayBeMoved(unsigned v, std::size_t p, std::size_t s) const {
    if (written_[v] != 1 || hostWrites_[v] || !graph_.variables[v].data.empty()) return false;
    return std::all_of(uses_[v].begin(), uses_[v].end(),
                       [&](const Use& u) { return u.program == p && u.step >= s; });
  }

  const GraphImpl& graph_;
  std::vector<FlatProgram>& programs_;
  const std::vector<std::vector<Use>> uses_;
  std::vector<int> written_;  // by variable: how many steps write it
  std::vector<bool> hostWrites_;
  std::vector<unsigned> writes_;
  Settled result_;
};

}  // namespace

Settled settle(const GraphImpl& graph, std::vector<FlatProgram>& programs) {
  return Settler(graph, programs).run();
}

}  // namespace popir
