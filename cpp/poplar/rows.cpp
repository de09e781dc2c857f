#include <algorithm>
#include <numeric>

#include "poplar/layouts.hpp"

namespace popir {
namespace {

bool inArena(const Home& home) { return home.kind == Home::Kind::Arena && !home.alwaysLive; }

/// Chains of variables, grown link by link.
class Links {
 public:
  explicit Links(std::size_t variables)
      : next_(variables, kNone), previous_(variables, kNone), leader_(variables) {
    std::iota(leader_.begin(), leader_.end(), 0u);
  }

  /// Adds all links of a row, or if one contradicts those that are there, none.
  void add(const Row& row) {
    for (std::size_t i = 1; i < row.size(); ++i) {
      const auto a = row[i - 1], b = row[i];
      if (next_[a] == b) continue;
      if (next_[a] != kNone || previous_[b] != kNone || find(a) == find(b)) return;
    }
    // Links of this row may close a circle together.
    const auto before = leader_;
    for (std::size_t i = 1; i < row.size(); ++i) {
      if (next_[row[i - 1]] == row[i]) continue;
      const auto a = find(row[i - 1]), b = find(row[i]);
      if (a == b) {
        leader_ = before;
        return;
      }
      leader_[b] = a;
    }
    for (std::size_t i = 1; i < row.size(); ++i) {
      next_[row[i - 1]] = row[i];
      previous_[row[i]] = row[i - 1];
    }
  }

  std::vector<Row> rows() const {
    std::vector<Row> found;
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

std::optional<Row> rowOf(const GraphImpl& graph, const poplar::Tensor& t) {
  if (t.numElements() == 0) return std::nullopt;
  if (t.view().affine()) {
    const auto v = t.view().wholeVariable();
    if (!v || graph.variable(*v).shape != t.view().shape()) return std::nullopt;
    return Row{*v};
  }
  Row row;
  std::int64_t at = 0;
  bool whole = true;
  auto pieces = t.view().pieces();
  std::sort(pieces.begin(), pieces.end(),
            [](const Piece& a, const Piece& b) { return a.nest.to < b.nest.to; });
  for (auto& piece : pieces) {
    auto& nest = piece.nest;
    nest.coalesce();
    const auto elements = graph.variable(piece.variable).elements;
    whole = whole && nest.from == 0 && nest.to == at && nest.elements() == elements &&
            (nest.dims.empty() ||
             (nest.dims.size() == 1 && nest.dims[0].from == 1 && nest.dims[0].to == 1)) &&
            std::find(row.begin(), row.end(), piece.variable) == row.end();
    if (!whole) return std::nullopt;
    at += elements;
    row.push_back(piece.variable);
  }
  return row;
}

bool alongChannels(const GraphImpl& graph, const Row& row, const poplar::Tensor& t) {
  const auto& shape = t.view().shape();
  if (shape.size() < 3) return false;
  if (row.size() == 1) return graph.variable(row.front()).shape == shape;
  return shape[0] == 1 && std::all_of(row.begin(), row.end(), [&](unsigned v) {
           const auto& part = graph.variable(v).shape;
           return part.size() == shape.size() && part[0] == 1 &&
                  std::equal(part.begin() + 2, part.end(), shape.begin() + 2);
         });
}

std::vector<Row> chooseRows(const GraphImpl& graph, const std::vector<FlatProgram>& programs,
                            const Placement& placement) {
  Links links(graph.variables.size());
  for (const auto& program : programs)
    for (const auto& step : program.steps) {
      if (!step.vertex) continue;
      for (const auto& operand : step.vertex->operands) {
        if (operand.tensor.view().affine()) continue;
        const auto row = rowOf(graph, operand.tensor);
        if (row && std::all_of(row->begin(), row->end(),
                               [&](unsigned v) { return inArena(placement.homes[v]); }))
          links.add(*row);
      }
    }
  return links.rows();
}

}  // namespace popir
