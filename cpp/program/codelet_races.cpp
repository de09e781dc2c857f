#include "program/codelet_races.hpp"

#include <poplar/exceptions.hpp>

#include <algorithm>
#include <array>

namespace popir {
namespace {

// Elements [begin, end) of a variable that a vertex uses. `user` numbers the vertices: codelets by
// their ids, then the vertices of library functions.
struct Range {
  std::int64_t begin, end;
  std::size_t user;
  const char* field;
  bool write;
};
using Ranges = std::map<unsigned, std::vector<Range>>;

void addRanges(const poplar::Tensor& t, std::size_t user, const char* field, bool write,
               Ranges& ranges) {
  if (!t.valid()) return;
  const auto& view = t.view();
  view.expand(Nest{0, 0, {{view.elements(), 1, 1}}}, [&](unsigned variable, Nest nest) {
    nest.coalesce();
    std::int64_t run = 1;
    if (!nest.dims.empty() && nest.dims.back().from == 1) {
      run = nest.dims.back().n;
      nest.dims.pop_back();
    }
    auto& list = ranges[variable];
    const std::function<void(std::size_t, std::int64_t)> walk = [&](std::size_t k,
                                                                    std::int64_t from) {
      if (k == nest.dims.size()) {
        list.push_back({from, from + run, user, field, write});
        return;
      }
      const auto& d = nest.dims[k];
      for (std::int64_t j = 0; j < (d.from == 0 ? 1 : d.n); ++j) walk(k + 1, from + j * d.from);
    };
    walk(0, nest.from);
  });
}

/// Among the ranges added so far, the two of different vertices with the largest ends.
class Farthest {
 public:
  void add(const Range& r) {
    if (best_[0] && best_[0]->user == r.user) {
      if (r.end > best_[0]->end) best_[0] = &r;
    } else if (!best_[0] || r.end > best_[0]->end) {
      best_[1] = best_[0];
      best_[0] = &r;
    } else if (!best_[1] || r.end > best_[1]->end) {
      best_[1] = &r;
    }
  }
  /// A range of another vertex that overlaps `r`; null if there is none. \pre `r` begins at or
  /// after all ranges added so far.
  const Range* overlapping(const Range& r) const {
    for (const auto* b : best_)
      if (b && b->user != r.user && b->end > r.begin) return b;
    return nullptr;
  }

 private:
  std::array<const Range*, 2> best_{};
};

class Races {
 public:
  Races(const GraphImpl& graph, unsigned computeSet)
      : graph_(graph), set_(graph.computeSets[computeSet]) {}

  Ranges rangesOfCodelets() const {
    Ranges ranges;
    for (const auto id : set_.vertices) {
      const auto& vertex = graph_.vertices[id];
      for (std::size_t i = 0; i < vertex.fields.size(); ++i) {
        const auto& f = vertex.codelet->fields[i];
        for (const auto& t : vertex.fields[i].tensors) {
          if (f.direction != CodeletField::Direction::Output)
            addRanges(t, id, f.name, false, ranges);
          if (f.direction != CodeletField::Direction::Input) addRanges(t, id, f.name, true, ranges);
        }
        for (const auto& t : vertex.fields[i].metadata) addRanges(t, id, f.name, false, ranges);
      }
    }
    return ranges;
  }

  void check(Ranges ranges) const {
    for (std::size_t b = 0; b < set_.bulk.size(); ++b)
      for (const auto& o : set_.bulk[b].operands) {
        const auto user = graph_.vertices.size() + b;
        if (o.access != Access::Write) addRanges(o.tensor, user, "", false, ranges);
        if (o.access != Access::Read) addRanges(o.tensor, user, "", true, ranges);
      }
    for (auto& [variable, list] : ranges) {
      sort(list);
      Farthest all, writes;
      for (const auto& r : list) {
        if (const auto* other = (r.write ? all : writes).overlapping(r))
          refuse(variable, *other, r);
        all.add(r);
        if (r.write) writes.add(r);
      }
    }
  }

  static void sort(std::vector<Range>& list) {
    std::sort(list.begin(), list.end(),
              [](const Range& a, const Range& b) { return a.begin < b.begin; });
  }

 private:
  std::string text(const Range& r) const {
    if (r.user >= graph_.vertices.size())
      return "'" + set_.bulk[r.user - graph_.vertices.size()].name + "' of a library";
    return "field '" + std::string(r.field) + "' of " +
           vertexText(graph_, static_cast<unsigned>(r.user));
  }

  [[noreturn]] void refuse(unsigned variable, const Range& a, const Range& b) const {
    const auto& write = a.write ? a : b;
    const auto& other = a.write ? b : a;
    throw poplar::graph_program_compilation_error(
        "Engine: " + text(write) + " writes elements of '" + graph_.variable(variable).name +
        "' from " + std::to_string(std::max(a.begin, b.begin)) + ", which " + text(other) +
        (other.write ? " writes" : " reads") +
        " too; vertices of one compute set run at the same time, so use two compute sets or other "
        "elements");
  }

  const GraphImpl& graph_;
  const ComputeSetImpl& set_;
};

}  // namespace

std::map<unsigned, Access> codeletAccesses(const GraphImpl& graph, unsigned computeSet) {
  const Races races(graph, computeSet);
  auto ranges = races.rangesOfCodelets();
  std::map<unsigned, Access> accesses;
  for (auto& [variable, list] : ranges) {
    Races::sort(list);
    bool read = false, write = false;
    std::int64_t covered = 0, end = 0;
    for (const auto& r : list) {
      (r.write ? write : read) = true;
      if (!r.write || r.end <= end) continue;
      covered += r.end - std::max(r.begin, end);
      end = r.end;
    }
    const bool whole = covered == graph.variable(variable).elements;
    accesses[variable] = !write ? Access::Read : read || !whole ? Access::ReadWrite : Access::Write;
  }
  races.check(std::move(ranges));
  return accesses;
}

}  // namespace popir
