// What is the machine's way to save memory, undone for the host, which plans memory by itself: each
// call of a function has variables of its own, nothing that is only handed over is copied, and what
// an element-wise step overwrites it writes elsewhere.
#include <algorithm>
#include <map>

#include "kernels/expression.hpp"
#include "poplar/element_wise.hpp"
#include "poplar/fuse.hpp"
#include "poplar/lifetimes.hpp"
#include "poplar/tangle.hpp"
#include "poplar/view.hpp"

namespace popir {
namespace {

using Replacements = std::map<unsigned, ViewPtr>;

poplar::Tensor replaced(const poplar::Tensor& t, const Replacements& by) {
  return t.valid() ? poplar::Tensor(t.viewPtr()->replaced(by)) : t;
}

struct Renaming {
  Replacements reads, writes;  // the same, but for a step in place
};

/// Whether what a step overwrites may be written elsewhere instead.
bool isMap(const Step& step) {
  return step.vertex && dynamic_cast<const MapKernel*>(step.vertex->kernel.get());
}

void replace(Step& step, const Renaming& by) {
  step.src = replaced(step.src, by.reads);
  step.dst = replaced(step.dst, by.writes);
  if (!step.vertex) return;
  auto vertex = std::make_shared<BulkVertex>(*step.vertex);
  if (by.reads != by.writes && isMap(step)) {
    auto work = *elementWiseOf(*vertex);
    for (auto& t : work.inputs) t = replaced(t, by.reads);
    for (auto& t : work.outputs) t = replaced(t, by.writes);
    *vertex = vertexOf(std::move(work), vertex->name);
  } else {
    for (auto& operand : vertex->operands)
      operand.tensor =
          replaced(operand.tensor, operand.access == Access::Read ? by.reads : by.writes);
  }
  step.joined = std::move(vertex);
  step.vertex = step.joined.get();
}

/// By step: where the innermost loop or conditional around it begins, and its size; equal for steps
/// that always run one after the other.
std::vector<std::pair<std::size_t, std::size_t>> blocksOf(const FlatProgram& program) {
  std::vector<std::pair<std::size_t, std::size_t>> blocks;
  for (std::size_t s = 0; s < program.steps.size(); ++s) {
    const auto block = program.blockOf(s);
    blocks.push_back({block.begin, block.end});
  }
  return blocks;
}

class Unsharer {
 public:
  Unsharer(GraphImpl& graph, std::vector<FlatProgram>& programs)
      : graph_(graph), programs_(programs) {
    for (const auto& program : programs_) blocks_.push_back(blocksOf(program));
    std::vector<bool> visible(graph.variables.size());
    for (const auto* handles : {&graph.hostReads, &graph.hostWrites})
      for (const auto& h : *handles)
        for (auto v : h.second.view().variables()) visible[v] = true;
    for (unsigned v = 0; v < visible.size(); ++v) {
      const auto& variable = graph.variables[v];
      own_.push_back(!visible[v] && !variable.constant && variable.data.empty());
    }
    temporary_.resize(own_.size());
  }

  void run() {
    split();
    places_.resize(graph_.variables.size());
    const auto uses = usesOf(graph_, programs_);
    for (unsigned v = 0; v < uses.size(); ++v)
      for (const auto& use : uses[v]) places_[v].push_back({use.program, use.step, use.write});
    for (std::size_t p = 0; p < programs_.size(); ++p)
      for (std::size_t s = 0; s < programs_[p].steps.size(); ++s)
        if (programs_[p].steps[s].kind == Step::Kind::Copy) handOver(p, s);
  }

 private:
  struct Place {
    std::size_t program, step;
    bool write;
  };
  using Places = std::vector<Place>;

  /// A variable for each value.
  void split() {
    std::vector<std::map<std::size_t, Renaming>> changes(programs_.size());
    const auto uses = usesOf(graph_, programs_);
    for (unsigned v = 0; v < uses.size(); ++v) {
      if (!own_[v] || uses[v].empty()) continue;
      const auto begins = valuesOf(static_cast<std::size_t>(graph_.variables[v].elements), uses[v],
                                   programs_, isMap);
      if (begins.empty()) continue;
      temporary_[v] = true;
      auto& steps = changes[uses[v].front().program];
      for (std::size_t r = 1; r < begins.size(); ++r) {
        const auto end = r + 1 < begins.size() ? begins[r + 1] : uses[v].size();
        const auto view = anotherLike(v, uses[v].front().tensor->view().graph());
        for (auto k = begins[r]; k < end; ++k) {
          auto& step = steps[uses[v][k].step];
          (uses[v][k].write ? step.writes : step.reads)[v] = view;
        }
      }
    }
    for (std::size_t p = 0; p < programs_.size(); ++p)
      for (const auto& [s, by] : changes[p]) replace(programs_[p].steps[s], by);
  }

  ViewPtr anotherLike(unsigned v, const GraphImpl* graph) {
    const auto id = static_cast<unsigned>(graph_.variables.size());
    graph_.variables.push_back(graph_.variables[v]);
    own_.push_back(true);
    temporary_.push_back(true);
    const auto& made = graph_.variables.back();
    return View::ofVariable(graph, id, false, made.type, made.shape);
  }

  void handOver(std::size_t p, std::size_t c) {
    const auto& step = programs_[p].steps[c];
    const auto d = step.dst.view().wholeVariable();
    if (!d || !own_[*d] || !staysIn(p, c, places_[*d])) return;
    if (places_[*d].front().step != c || readIn(c, places_[*d])) return;
    const auto s = step.src.view().wholeVariable();
    if (!passOn(p, c, *d) && s && !takeOver(p, c, *s, *d)) borrow(p, c, *s, *d);
  }

  /// `d` is only read, and what it is a copy of lasts as long. A copy that takes a tangle apart
  /// stays.
  bool passOn(std::size_t p, std::size_t c, unsigned d) {
    const auto& places = places_[d];
    if (std::count_if(places.begin(), places.end(), [](const Place& u) { return u.write; }) != 1)
      return false;
    const auto source = programs_[p].steps[c].src;
    if (isTangled(source.view())) return false;
    for (auto v : source.view().variables())
      if (touched(p, c, places.back().step + 1, places_[v], true)) return false;
    rename(p, c, d, source.viewPtr());
    return true;
  }

  /// `d` is changed, but nobody needs `s` afterwards.
  bool takeOver(std::size_t p, std::size_t c, unsigned s, unsigned d) {
    if (!temporary_[s] || !staysIn(p, c, places_[s]) || places_[s].back().step > c) return false;
    rename(p, c, d, programs_[p].steps[c].src.viewPtr());
    return true;
  }

  /// `d` is changed and copied back to `s`, which nobody touches in between.
  void borrow(std::size_t p, std::size_t c, unsigned s, unsigned d) {
    const auto end = places_[d].back().step;
    const auto& back = programs_[p].steps[end];
    if (end == c || back.kind != Step::Kind::Copy) return;
    if (back.src.view().wholeVariable() != d || back.dst.view().wholeVariable() != s) return;
    if (touched(p, c, end, places_[s], false)) return;
    drop(p, end);
    rename(p, c, d, programs_[p].steps[c].src.viewPtr());
  }

  bool staysIn(std::size_t p, std::size_t c, const Places& places) const {
    return std::all_of(places.begin(), places.end(), [&](const Place& u) {
      return u.program == p && blocks_[p][u.step] == blocks_[p][c];
    });
  }
  static bool readIn(std::size_t c, const Places& places) {
    return std::any_of(places.begin(), places.end(),
                       [&](const Place& u) { return u.step == c && !u.write; });
  }
  /// Whether a step after `c` and before `end` writes; reads, too, unless `writes`.
  static bool touched(std::size_t p, std::size_t c, std::size_t end, const Places& places,
                      bool writes) {
    return std::any_of(places.begin(), places.end(), [&](const Place& u) {
      return u.program == p && c < u.step && u.step < end && (u.write || !writes);
    });
  }

  void drop(std::size_t p, std::size_t s) {
    const auto& step = programs_[p].steps[s];
    for (const auto* t : {&step.src, &step.dst})
      for (auto v : t->view().variables()) {
        auto& places = places_[v];
        places.erase(std::remove_if(places.begin(), places.end(),
                                    [&](const Place& u) { return u.program == p && u.step == s; }),
                     places.end());
      }
    programs_[p].steps[s] = Step();
  }

  /// Copy `c` goes, and whoever uses `d` uses `view`.
  void rename(std::size_t p, std::size_t c, unsigned d, const ViewPtr view) {
    drop(p, c);
    const auto moved = std::move(places_[d]);
    places_[d].clear();
    std::size_t last = c;
    for (const auto& u : moved) {
      if (u.step != last) replace(programs_[p].steps[u.step], {{{d, view}}, {{d, view}}});
      last = u.step;
    }
    for (auto v : view->variables()) {
      auto& places = places_[v];
      places.insert(places.end(), moved.begin(), moved.end());
      std::stable_sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
        return a.program != b.program ? a.program < b.program : a.step < b.step;
      });
    }
  }

  GraphImpl& graph_;
  std::vector<FlatProgram>& programs_;
  std::vector<std::vector<std::pair<std::size_t, std::size_t>>> blocks_;  // by program and step
  std::vector<bool> own_;        // by variable: nobody but steps touches it
  std::vector<bool> temporary_;  // by variable: and every run writes it before reading it
  std::vector<Places> places_;   // by variable, in order
};

}  // namespace

std::shared_ptr<GraphImpl> ofTheHost(const GraphImpl& graph) {
  auto copy = std::make_shared<GraphImpl>(graph.target);
  copy->variables = graph.variables;
  copy->streams = graph.streams;
  copy->hostReads = graph.hostReads;
  copy->hostWrites = graph.hostWrites;
  return copy;
}

void unshare(GraphImpl& graph, std::vector<FlatProgram>& programs) {
  Unsharer(graph, programs).run();
}

}  // namespace popir
