// Chooses a layout in blocks of channels where contractions prefer it, so that one step can pass
// data in blocks to the next without a rearrangement.
//
// Variables that need the same layout form a group (union-find): those of a concatenation, and
// those that a kernel ties. A wish is a block that a kernel prefers for a group. A group gets a
// block if all wishes for it agree and all its users accept it.
#include <algorithm>
#include <numeric>
#include <set>

#include "engine/placement/passes.hpp"
#include "engine/plan/concat.hpp"

namespace popir {
namespace {

constexpr unsigned kNone = ~0u;

class BlockChooser {
 public:
  explicit BlockChooser(const Plan& plan)
      : graph_(*plan.graph),
        setting_{plan.threads, {}, plan.policy},
        next_(graph_.variables.size(), kNone),
        leader_(graph_.variables.size()),
        plain_(graph_.variables.size()),
        joined_(graph_.variables.size()),
        wishes_(graph_.variables.size()) {
    std::iota(leader_.begin(), leader_.end(), 0u);
    for (const auto& concat : plan.assignment.concats)
      for (std::size_t i = 1; i < concat.size(); ++i) next_[concat[i - 1]] = concat[i];
    for (unsigned v = 0; v < plain_.size(); ++v) plain_[v] = !plan.assignment.buffers[v].shared();
  }

  void look(const Step& step) {
    keepPlain(step.src);
    keepPlain(step.dst);
    if (!step.vertex) return;
    const auto& operands = step.vertex->operands;
    const auto& kernel = *step.vertex->kernel;
    std::vector<Layout> layouts;
    std::vector<std::optional<Concat>> concats;
    for (const auto& o : operands) {
      layouts.push_back(Layout::rowMajor(o.tensor.elementType(), o.tensor.view().shape()));
      if (const auto affine = o.tensor.view().affine()) layouts.back().strides = affine->strides;
      concats.push_back(concatOf(graph_, o.tensor));
      if (concats.back() && !alongChannels(graph_, *concats.back(), o.tensor))
        concats.back().reset();
      if (concats.back() && !liesTogether(*concats.back())) concats.back().reset();
    }
    std::vector<bool> tied(operands.size(), false);
    bool tiedAreConcats = true;
    for (auto i : kernel.tied(layouts)) {
      tied[i] = true;
      tiedAreConcats = tiedAreConcats && concats[i];
    }
    const auto preferred =
        kernel.mayPreferBlocks() ? kernel.preferredBlocks(layouts, setting_) : std::vector<int>();
    std::optional<unsigned> last;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (!concats[i] || (tied[i] && !tiedAreConcats)) {
        keepPlain(operands[i].tensor);
        continue;
      }
      const unsigned first = concats[i]->front();
      for (auto v : *concats[i]) join(v, first);
      if (concats[i]->size() > 1) joined_[first] = true;
      if (tied[i] && last) join(first, *last);
      if (tied[i]) last = first;
      if (!preferred.empty() && preferred[i] != Layout::kPlain) wishes_[first].insert(preferred[i]);
      asks_.push_back({first, &kernel, i, layouts[i]});
    }
  }

  /// The chosen block of each variable; Layout::kPlain for row-major.
  std::vector<int> choose() {
    const auto n = static_cast<unsigned>(leader_.size());
    for (unsigned v = 0; v < n; ++v) {
      const auto g = find(v);
      if (g == v) continue;
      if (plain_[v]) plain_[g] = true;
      if (joined_[v]) joined_[g] = true;
      wishes_[g].insert(wishes_[v].begin(), wishes_[v].end());
    }
    // Channels-last, the parts of a concatenation would not be contiguous.
    for (unsigned v = 0; v < n; ++v)
      if (joined_[v] && blockOf(find(v)) == Layout::kChannelsLast) plain_[find(v)] = true;
    for (auto& ask : asks_) {
      const auto g = find(ask.variable);
      if (blockOf(g) == Layout::kPlain) continue;
      ask.layout.channelBlock = blockOf(g);
      if (!ask.kernel->accepts(ask.operand, ask.layout)) plain_[g] = true;
    }
    for (unsigned v = 0; v < n; ++v) {
      const auto g = find(v);
      const int block = blockOf(g);
      if (block != Layout::kPlain && graph_.variables[v].shape[1] % block != 0) plain_[g] = true;
    }
    std::vector<int> blocks;
    for (unsigned v = 0; v < n; ++v) blocks.push_back(blockOf(find(v)));
    return blocks;
  }

 private:
  struct Ask {
    unsigned variable;
    const Kernel* kernel;
    std::size_t operand;
    Layout layout;
  };

  unsigned find(unsigned v) {
    while (leader_[v] != v) v = leader_[v] = leader_[leader_[v]];
    return v;
  }
  void join(unsigned a, unsigned b) { leader_[find(a)] = find(b); }
  void keepPlain(const poplar::Tensor& t) {
    if (t.valid())
      for (auto v : t.view().variables()) plain_[v] = true;
  }
  int blockOf(unsigned group) const {
    return plain_[group] || wishes_[group].size() != 1 ? Layout::kPlain : *wishes_[group].begin();
  }
  bool liesTogether(const Concat& concat) const {
    for (std::size_t i = 1; i < concat.size(); ++i)
      if (next_[concat[i - 1]] != concat[i]) return false;
    return true;
  }

  const GraphImpl& graph_;
  const Setting setting_;
  std::vector<unsigned> next_;  // by variable: its successor in a concatenation, or kNone
  std::vector<unsigned> leader_;
  std::vector<bool> plain_;   // by variable: must be row-major; a group must if any member must
  std::vector<bool> joined_;  // by variable: is part of a concatenation, or its group is
  std::vector<std::set<int>> wishes_;
  std::vector<Ask> asks_;
};

}  // namespace

std::string BlockChannels::run(Plan& plan) const {
  const auto isAsked = [](const FlatProgram& program) {
    return std::any_of(program.steps.begin(), program.steps.end(), [](const Step& step) {
      return step.vertex != nullptr && step.vertex->kernel->mayPreferBlocks();
    });
  };
  if (std::none_of(plan.programs.begin(), plan.programs.end(), isAsked)) return "";
  BlockChooser chooser(plan);
  for (const auto& program : plan.programs)
    for (const auto& step : program.steps) chooser.look(step);
  const auto blocks = chooser.choose();
  std::size_t blocked = 0;
  for (std::size_t v = 0; v < blocks.size(); ++v) {
    plan.assignment.buffers[v].channelBlock = blocks[v];
    blocked += blocks[v] != Layout::kPlain;
  }
  return blocked == 0 ? "" : counted(blocked, "variable", "variables") + " in blocks";
}

}  // namespace popir
