// Reuse of operands: an element-wise step writes its result over an operand that no later step
// reads. Lifetimes have whole steps, so without this both would have bytes of their own in that step,
// which often is the one at which the most bytes are live.
#include <algorithm>
#include <map>
#include <set>

#include "engine/passes/element_wise.hpp"
#include "engine/placement/passes.hpp"
#include "poplar/view.hpp"
#include "program/lifetimes.hpp"

namespace popir {
namespace {

using Replacements = std::map<unsigned, ViewPtr>;

poplar::Tensor replaced(const poplar::Tensor& t, const Replacements& by) {
  return t.valid() ? poplar::Tensor(t.viewPtr()->replaced(by)) : t;
}

class Reuser {
 public:
  explicit Reuser(Plan& plan)
      : plan_(plan), buffers_(plan.assignment.buffers), uses_(usesOf(*plan.graph, plan.programs)) {
    for (const auto& concat : plan.assignment.concats) joined_.insert(concat.begin(), concat.end());
  }

  /// \returns how many results lie over an operand.
  std::size_t run(std::size_t p) {
    std::size_t reused = 0;
    for (std::size_t s = 0; s < plan_.programs[p].steps.size(); ++s) {
      const auto& step = plan_.programs[p].steps[s];
      if (step.kind != Step::Kind::Run) continue;
      auto work = elementWiseOf(*step.vertex);
      for (std::size_t o = 0; work && o < work->outputs.size(); ++o)
        if (reuse(p, s, o, *work)) {
          work = elementWiseOf(*step.vertex);
          ++reused;
        }
    }
    return reused;
  }

 private:
  /// The variable, if it is all that the tensor shows and changes in runs, and only steps of the
  /// program use it that compute or copy.
  std::optional<unsigned> ownOf(const poplar::Tensor& t, std::size_t p) const {
    const auto v = t.view().wholeVariable();
    if (!v || !buffers_[*v].shared() || buffers_[*v].program != p || joined_.count(*v) != 0)
      return std::nullopt;
    if (!plan_.invariant.empty() && plan_.invariant[*v]) return std::nullopt;
    const auto& steps = plan_.programs[p].steps;
    const bool own = std::all_of(uses_[*v].begin(), uses_[*v].end(), [&](const Use& use) {
      const auto kind = steps[use.step].kind;
      return use.program == p && (kind == Step::Kind::Run || kind == Step::Kind::Copy);
    });
    return own ? v : std::nullopt;
  }

  /// Lets output `o` of step `s`, which computes `work`, lie over an operand that ends there. False
  /// if there is none.
  bool reuse(std::size_t p, std::size_t s, std::size_t o, const ElementWise& work) {
    auto& step = plan_.programs[p].steps[s];
    const auto made = ownOf(work.outputs[o], p);
    if (!made || buffers_[*made].first != s) return false;
    // What has no elements takes no memory, and may be read before it is written.
    if (work.outputs[o].numElements() == 0) return false;
    const auto& variables = plan_.graph->variables;
    for (const auto& input : work.inputs) {
      const auto read = ownOf(input, p);
      if (!read || *read == *made || buffers_[*read].last != s) continue;
      if (variables[*read].type != variables[*made].type ||
          variables[*read].shape != variables[*made].shape ||
          buffers_[*read].channelBlock != buffers_[*made].channelBlock)
        continue;
      auto inPlace = work;
      const Replacements by{{*made, input.viewPtr()}};
      for (auto& t : inPlace.outputs) t = replaced(t, by);
      if (!separate(inPlace)) continue;
      step.joined =
          std::make_shared<const BulkVertex>(vertexOf(std::move(inPlace), step.vertex->name));
      step.vertex = step.joined.get();
      rename(p, s, *made, by);
      take(*read, *made);
      return true;
    }
    return false;
  }

  /// Lets the steps after `s` use what takes the variable's place.
  void rename(std::size_t p, std::size_t s, unsigned gone, const Replacements& by) {
    std::size_t last = s;
    for (const auto& use : uses_[gone]) {
      if (use.step == last) continue;
      last = use.step;
      auto& step = plan_.programs[p].steps[use.step];
      step.src = replaced(step.src, by);
      step.dst = replaced(step.dst, by);
      if (!step.vertex) continue;
      auto vertex = std::make_shared<BulkVertex>(*step.vertex);
      for (auto& operand : vertex->operands) operand.tensor = replaced(operand.tensor, by);
      step.joined = std::move(vertex);
      step.vertex = step.joined.get();
    }
  }

  /// Variable `by` now holds what `gone` did, from the same step on.
  void take(unsigned by, unsigned gone) {
    buffers_[by].last = buffers_[gone].last;
    buffers_[gone] = Buffer();
    uses_[by].insert(uses_[by].end(), uses_[gone].begin(), uses_[gone].end());
    uses_[gone].clear();
  }

  Plan& plan_;
  std::vector<Buffer>& buffers_;
  std::vector<std::vector<Use>> uses_;
  std::set<unsigned> joined_;  // the variables in concatenations
};

}  // namespace

std::string ReuseOperands::run(Plan& plan) const {
  Reuser reuser(plan);
  std::size_t reused = 0;
  for (std::size_t p = 0; p + 1 < plan.programs.size(); ++p)  // not the prologue, which runs once
    reused += reuser.run(p);
  return reused == 0 ? "" : counted(reused, "result", "results") + " over an operand";
}

}  // namespace popir
