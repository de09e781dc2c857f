// Concat aliasing: makes variables that a vertex uses as a concatenation adjacent in the arena, so
// that the concatenation needs no copy.
#include <algorithm>
#include <numeric>

#include "engine/placement/passes.hpp"
#include "engine/plan/concat.hpp"

namespace popir {
namespace {

/// Chains of variables that are to be adjacent. A link a -> b says that b directly follows a.
class Links {
 public:
  explicit Links(std::size_t variables)
      : next_(variables, kNone), previous_(variables, kNone), leader_(variables) {
    std::iota(leader_.begin(), leader_.end(), 0u);
  }

  /// Adds all links of a concatenation, or none if one of them contradicts an existing link.
  void add(const Concat& concat) {
    for (std::size_t i = 1; i < concat.size(); ++i) {
      const auto a = concat[i - 1], b = concat[i];
      if (next_[a] == b) continue;
      if (next_[a] != kNone || previous_[b] != kNone || find(a) == find(b)) return;
    }
    // Links that are harmless alone may together close a cycle.
    const auto before = leader_;
    for (std::size_t i = 1; i < concat.size(); ++i) {
      if (next_[concat[i - 1]] == concat[i]) continue;
      const auto a = find(concat[i - 1]), b = find(concat[i]);
      if (a == b) {
        leader_ = before;
        return;
      }
      leader_[b] = a;
    }
    for (std::size_t i = 1; i < concat.size(); ++i) {
      next_[concat[i - 1]] = concat[i];
      previous_[concat[i]] = concat[i - 1];
    }
  }

  std::vector<Concat> concats() const {
    std::vector<Concat> found;
    for (unsigned v = 0; v < next_.size(); ++v) {
      if (previous_[v] != kNone || next_[v] == kNone) continue;
      found.emplace_back();
      for (unsigned at = v; at != kNone; at = next_[at]) found.back().push_back(at);
    }
    return found;
  }

 private:
  static constexpr unsigned kNone = ~0u;

  unsigned find(unsigned v) {
    while (leader_[v] != v) v = leader_[v] = leader_[leader_[v]];
    return v;
  }

  std::vector<unsigned> next_, previous_, leader_;
};

}  // namespace

std::string AliasConcats::run(Plan& plan) const {
  Links links(plan.graph->variables.size());
  for (const auto& program : plan.programs)
    for (const auto& step : program.steps) {
      if (!step.vertex) continue;
      for (const auto& operand : step.vertex->operands) {
        if (operand.tensor.view().wholeVariable()) continue;
        const auto concat = concatOf(*plan.graph, operand.tensor);
        if (concat && std::all_of(concat->begin(), concat->end(),
                                  [&](unsigned v) { return plan.assignment.buffers[v].shared(); }))
          links.add(*concat);
      }
    }
  plan.assignment.concats = links.concats();
  if (plan.assignment.concats.empty()) return "";
  std::size_t parts = 0;
  for (const auto& concat : plan.assignment.concats) parts += concat.size();
  return std::to_string(parts) + " variables in " +
         counted(plan.assignment.concats.size(), "concatenation", "concatenations");
}

}  // namespace popir
