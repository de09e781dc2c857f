#include "costing/joined_copies.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <unordered_set>
#include <utility>

#include "poplar/runs.hpp"
#include "program/flat_program.hpp"

namespace popir {
namespace {

// Elements of variables, as stretches that do not overlap.
class Elements {
 public:
  bool meets(unsigned variable, std::int64_t begin, std::int64_t end) const {
    const auto found = stretches_.find(variable);
    if (found == stretches_.end()) return false;
    const auto after = found->second.upper_bound(begin);
    if (after != found->second.end() && after->first < end) return true;
    return after != found->second.begin() && std::prev(after)->second > begin;
  }

  void add(unsigned variable, std::int64_t begin, std::int64_t end) {
    auto& all = stretches_[variable];
    auto at = all.upper_bound(begin);
    if (at != all.begin() && std::prev(at)->second >= begin) --at;
    while (at != all.end() && at->first <= end) {
      begin = std::min(begin, at->first);
      end = std::max(end, at->second);
      at = all.erase(at);
    }
    all.emplace(begin, end);
  }

  void clear() { stretches_.clear(); }

 private:
  std::map<unsigned, std::map<std::int64_t, std::int64_t>> stretches_;  // begin: end
};

struct ElementRun {
  unsigned variable;
  std::int64_t begin, end;
};

// The elements of a view. A view in many small stretches counts as all from its first to its last
// element of a variable.
std::vector<ElementRun> stretchesOf(const View& view) {
  constexpr std::int64_t kMost = 4096;
  std::vector<ElementRun> all;
  for (const auto& piece : view.pieces()) {
    auto nest = piece.nest;
    nest.coalesce();
    std::int64_t runs = 1, first = nest.from, last = nest.from;
    for (const auto& d : nest.dims) {
      if (d.from != 1 || d.to != 1) runs *= d.n;
      (d.from < 0 ? first : last) += (d.n - 1) * d.from;
    }
    if (runs > kMost) {
      all.push_back({piece.variable, first, last + 1});
      continue;
    }
    forEachRun(piece.variable, piece.nest,
               [&](unsigned v, std::int64_t begin, std::int64_t n, std::int64_t) {
                 all.push_back({v, begin, begin + n});
               });
  }
  return all;
}

// The elements that the copies of a group read and write.
class Touched {
 public:
  // Adds a copy if it needs nothing of the others and they need nothing of it.
  bool take(const ProgramNode& copy) {
    const auto reads = stretchesOf(copy.src.view()), writes = stretchesOf(copy.dst.view());
    for (const auto& s : reads)
      if (written_.meets(s.variable, s.begin, s.end)) return false;
    for (const auto& s : writes)
      if (written_.meets(s.variable, s.begin, s.end) || read_.meets(s.variable, s.begin, s.end))
        return false;
    for (const auto& s : reads) read_.add(s.variable, s.begin, s.end);
    for (const auto& s : writes) written_.add(s.variable, s.begin, s.end);
    return true;
  }

  void clear() {
    read_.clear();
    written_.clear();
  }

 private:
  Elements read_, written_;
};

// Of a tensor: the IPUs that hold it.
std::set<unsigned> ipusWith(const GraphImpl& graph, const poplar::Tensor& t) {
  std::set<unsigned> ipus;
  const auto tilesPerIPU = graph.target.spec().tilesPerIPU;
  t.view().eachVariable([&](unsigned v) {
    const auto& variable = graph.variable(v);
    variable.mapping.forEach(0, variable.elements, [&](std::int64_t, std::int64_t, unsigned tile) {
      ipus.insert(tile / tilesPerIPU);
    });
  });
  return ipus;
}

using Group = JoinedCopies::Group;

// Walks programs in the order of their leaves.
class CopyCollector {
 public:
  explicit CopyCollector(const GraphImpl& graph) : graph_(graph) {}

  void walk(const ProgramNode& node) {
    using Kind = ProgramNode::Kind;
    switch (node.kind) {
      case Kind::Sequence:
        if (node.isBlock) end();
        for (const auto& child : node.children) walk(*child);
        if (node.isBlock) end();
        return;
      case Kind::WriteUndef: return;
      case Kind::Copy:
        if (isLeaf(node)) copy(node);
        return;
      case Kind::Call: {
        end();
        const auto& body = graph_.functions[node.function.getId()];
        if (bodies_.insert(body.get()).second) walk(*body);
        return end();
      }
      default:
        end();
        for (const auto& child : node.children) {
          walk(*child);
          end();
        }
    }
  }

  void end() {
    if (!group_.empty()) found_.insert(std::exchange(group_, {}));
    touched_.clear();
  }

  // The groups, of copies that are in one group alone, wherever that stands.
  std::vector<Group> finish() const {
    std::vector<Group> all;
    std::unordered_map<const ProgramNode*, unsigned> groups;
    for (const auto& group : found_)
      for (const auto* copy : group) ++groups[copy];
    for (const auto& group : found_) {
      Group kept;
      for (const auto* copy : group)
        if (groups[copy] == 1) kept.push_back(copy);
      if (kept.size() >= 2) all.push_back(std::move(kept));
    }
    return all;
  }

 private:
  void copy(const ProgramNode& node) {
    const bool alone = crosses(node);
    if (alone || !touched_.take(node)) {
      end();
      touched_.take(node);
    }
    group_.push_back(&node);
    if (alone) end();
  }

  // Whether a copy may take links between IPUs.
  bool crosses(const ProgramNode& node) {
    if (graph_.target.spec().numIPUs == 1) return false;
    auto ipus = ipusWith(graph_, node.src);
    ipus.merge(ipusWith(graph_, node.dst));
    return ipus.size() > 1;
  }

  const GraphImpl& graph_;
  Group group_;
  Touched touched_;
  std::set<Group> found_;  // a sequence that stands in two places has its groups in both
  std::unordered_set<const ProgramNode*> bodies_;
};

}  // namespace

JoinedCopies::JoinedCopies(const GraphImpl& graph, const Programs& programs) {
  CopyCollector collector(graph);
  for (const auto& program : programs) {
    if (program) collector.walk(*program);
    collector.end();
  }
  groups_ = collector.finish();
  for (std::size_t g = 0; g < groups_.size(); ++g)
    for (std::size_t i = 0; i < groups_[g].size(); ++i) places_[groups_[g][i]] = {g, i};
}

JoinedCopies::Place JoinedCopies::placeOf(const ProgramNode& copy) const {
  const auto found = places_.find(&copy);
  if (found == places_.end()) return {};
  return {&groups_[found->second.first], found->second.second};
}

std::size_t JoinedCopies::joining() const { return places_.size() - groups_.size(); }

}  // namespace popir
