#include <algorithm>
#include <numeric>
#include <set>

#include "poplar/layouts.hpp"

namespace popir {
namespace {

constexpr unsigned kNone = ~0u;

class BlockChooser {
 public:
  BlockChooser(const GraphImpl& graph, const std::vector<Row>& rows, const Placement& placement,
               unsigned threads)
      : graph_(graph),
        threads_(threads),
        next_(graph.variables.size(), kNone),
        leader_(graph.variables.size()),
        plain_(graph.variables.size()),
        wishes_(graph.variables.size()) {
    std::iota(leader_.begin(), leader_.end(), 0u);
    for (const auto& row : rows)
      for (std::size_t i = 1; i < row.size(); ++i) next_[row[i - 1]] = row[i];
    for (unsigned v = 0; v < plain_.size(); ++v)
      plain_[v] = placement.homes[v].kind != Home::Kind::Arena || placement.homes[v].alwaysLive;
  }

  void look(const Step& step) {
    keepPlain(step.src);
    keepPlain(step.dst);
    if (!step.vertex) return;
    const auto& operands = step.vertex->operands;
    const auto& kernel = *step.vertex->kernel;
    std::vector<Layout> layouts;
    std::vector<std::optional<Row>> rows;
    for (const auto& o : operands) {
      layouts.push_back(Layout::rowMajor(o.tensor.elementType(), o.tensor.view().shape()));
      if (const auto affine = o.tensor.view().affine()) layouts.back().strides = affine->strides;
      rows.push_back(rowOf(graph_, o.tensor));
      if (rows.back() && !alongChannels(graph_, *rows.back(), o.tensor)) rows.back().reset();
      if (rows.back() && !liesTogether(*rows.back())) rows.back().reset();
    }
    std::vector<bool> tied(operands.size(), false);
    bool tiedAreRows = true;
    for (auto i : kernel.tied(layouts)) {
      tied[i] = true;
      tiedAreRows = tiedAreRows && rows[i];
    }
    const auto preferred = kernel.preferredBlocks(layouts, threads_);
    std::optional<unsigned> last;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (!rows[i] || (tied[i] && !tiedAreRows)) {
        keepPlain(operands[i].tensor);
        continue;
      }
      const unsigned first = rows[i]->front();
      for (auto v : *rows[i]) join(v, first);
      if (tied[i] && last) join(first, *last);
      if (tied[i]) last = first;
      if (!preferred.empty() && preferred[i] != Layout::kPlain) wishes_[first].insert(preferred[i]);
      asks_.push_back({first, &kernel, i, layouts[i]});
    }
  }

  /// By variable.
  std::vector<int> choose() {
    const auto n = static_cast<unsigned>(leader_.size());
    for (unsigned v = 0; v < n; ++v) {
      const auto g = find(v);
      if (g == v) continue;
      if (plain_[v]) plain_[g] = true;
      wishes_[g].insert(wishes_[v].begin(), wishes_[v].end());
    }
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
  bool liesTogether(const Row& row) const {
    for (std::size_t i = 1; i < row.size(); ++i)
      if (next_[row[i - 1]] != row[i]) return false;
    return true;
  }

  const GraphImpl& graph_;
  const unsigned threads_;
  std::vector<unsigned> next_;  // by variable: the one that lies behind it
  std::vector<unsigned> leader_;
  std::vector<bool> plain_;  // by variable; of a group if any member is
  std::vector<std::set<int>> wishes_;
  std::vector<Ask> asks_;
};

}  // namespace

void chooseBlocks(const GraphImpl& graph, const std::vector<FlatProgram>& programs,
                  const std::vector<Row>& rows, unsigned threads, Placement& placement) {
  BlockChooser chooser(graph, rows, placement, threads);
  for (const auto& program : programs)
    for (const auto& step : program.steps) chooser.look(step);
  const auto blocks = chooser.choose();
  for (std::size_t v = 0; v < blocks.size(); ++v) placement.homes[v].channelBlock = blocks[v];
}

}  // namespace popir
