// Renaming and copy coalescing. A program for the machine saves memory in ways that only cost time
// on the host, which shares memory by lifetimes. This pass undoes three of them:
//  - A variable holds several values in turn, for example one for each call of a function. Each
//    value gets a variable of its own.
//  - An element-wise step works in place. It writes its result to a new variable instead.
//  - A copy gives a value to a variable only for others to read it there. They read the source of
//    the copy instead, and the copy is removed.
#include <algorithm>
#include <map>

#include "engine/passes/element_wise.hpp"
#include "engine/passes/passes.hpp"
#include "poplar/tangle.hpp"
#include "poplar/view.hpp"
#include "program/lifetimes.hpp"

namespace popir {
namespace {

using Replacements = std::map<unsigned, ViewPtr>;

poplar::Tensor replaced(const poplar::Tensor& t, const Replacements& by) {
  return t.valid() ? poplar::Tensor(t.viewPtr()->replaced(by)) : t;
}

struct Renaming {
  Replacements reads, writes;  // they differ only for a step that worked in place
};

/// Whether a step that works in place may write its result to another variable instead.
bool mayWorkOutOfPlace(const Step& step) {
  return step.vertex && step.vertex->kernel->mayWorkOutOfPlace();
}

void replace(Step& step, const Renaming& by) {
  step.src = replaced(step.src, by.reads);
  step.dst = replaced(step.dst, by.writes);
  if (!step.vertex) return;
  auto vertex = std::make_shared<BulkVertex>(*step.vertex);
  if (by.reads != by.writes && mayWorkOutOfPlace(step)) {
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

/// By step: begin and end of the innermost loop or conditional around it. Two steps with equal
/// entries always run together: both or neither, and equally often.
std::vector<std::pair<std::size_t, std::size_t>> blocksOf(const FlatProgram& program) {
  std::vector<std::pair<std::size_t, std::size_t>> blocks;
  for (std::size_t s = 0; s < program.steps.size(); ++s) {
    const auto block = program.blockOf(s);
    blocks.push_back({block.begin, block.end});
  }
  return blocks;
}

class Coalescer {
 public:
  Coalescer(GraphImpl& graph, std::vector<FlatProgram>& programs)
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

  std::size_t renamed = 0, gone = 0;         // values with a new variable; copies removed
  std::map<unsigned, unsigned> renamedFrom;  // by added variable: the one that held its value

  void run() {
    auto uses = usesOf(graph_, programs_);
    renameValues(uses);
    if (!hasCopies()) return;
    if (renamed > 0) uses = usesOf(graph_, programs_);
    touches_.resize(graph_.variables.size());
    for (unsigned v = 0; v < uses.size(); ++v) {
      touches_[v].reserve(uses[v].size());
      for (const auto& use : uses[v]) touches_[v].push_back({use.program, use.step, use.write});
    }
    for (std::size_t p = 0; p < programs_.size(); ++p)
      for (std::size_t s = 0; s < programs_[p].steps.size(); ++s)
        if (programs_[p].steps[s].kind == Step::Kind::Copy) coalesce(p, s);
  }

 private:
  struct Touch {
    std::size_t program, step;
    bool write;
  };
  using Touches = std::vector<Touch>;

  bool hasCopies() const {
    for (const auto& program : programs_)
      for (const auto& step : program.steps)
        if (step.kind == Step::Kind::Copy) return true;
    return false;
  }

  /// Gives each value of a temporary its own variable. In
  ///   t = f(a); u = g(t); t = f(b); v = g(t)
  /// t has two values that are independent; the second becomes a new variable.
  void renameValues(const std::vector<std::vector<Use>>& uses) {
    std::vector<std::map<std::size_t, Renaming>> changes(programs_.size());
    for (unsigned v = 0; v < uses.size(); ++v) {
      if (!own_[v] || uses[v].empty()) continue;
      const auto begins = valuesOf(static_cast<std::size_t>(graph_.variables[v].elements), uses[v],
                                   programs_, mayWorkOutOfPlace);
      if (begins.empty()) continue;
      temporary_[v] = true;
      auto& steps = changes[uses[v].front().program];
      for (std::size_t r = 1; r < begins.size(); ++r) {
        const auto end = r + 1 < begins.size() ? begins[r + 1] : uses[v].size();
        ++renamed;
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
    renamedFrom[id] = v;
    graph_.variables.push_back(graph_.variables[v]);
    own_.push_back(true);
    temporary_.push_back(true);
    const auto& made = graph_.variables.back();
    return View::ofVariable(graph, id, false, made.type, made.shape);
  }

  void coalesce(std::size_t p, std::size_t c) {
    const auto& step = programs_[p].steps[c];
    const auto d = step.dst.view().wholeVariable();
    if (!d) return passOnPermuted(p, c);
    if (!own_[*d] || !staysIn(p, c, touches_[*d])) return;
    if (touches_[*d].front().step != c || readIn(c, touches_[*d])) return;
    const auto s = step.src.view().wholeVariable();
    if (!passOn(p, c, *d, step.src.viewPtr()) && s && !takeOver(p, c, *s, *d)) borrow(p, c, *s, *d);
  }

  /// The same of a copy that gives a variable all of its elements in another order.
  void passOnPermuted(std::size_t p, std::size_t c) {
    const auto& step = programs_[p].steps[c];
    const auto order = permutationOf(step.dst.view());
    if (!order) return;
    const unsigned d = order->variable;
    if (!own_[d] || !staysIn(p, c, touches_[d]) || touches_[d].front().step != c ||
        readIn(c, touches_[d]))
      return;
    const auto source = step.src.viewPtr()->reshape(order->inView)->permute(order->toVariable);
    passOn(p, c, d, source->reshape(graph_.variables[d].shape));
  }

  struct Permutation {
    unsigned variable;
    Dims inView;                       // the dimensions of the view that are permuted
    std::vector<unsigned> toVariable;  // their order in the variable
  };
  /// If the view shows all elements of one variable, each once.
  std::optional<Permutation> permutationOf(const View& view) const {
    if (isTangled(view)) return std::nullopt;
    const auto pieces = view.pieces();
    if (pieces.size() != 1) return std::nullopt;
    const auto& [variable, nest] = pieces.front();
    if (nest.elements() != graph_.variables[variable].elements || nest.from != 0 || nest.to != 0)
      return std::nullopt;
    auto dims = nest.dims;
    const auto areDense = [&](std::int64_t NestDim::*stride) {
      std::stable_sort(dims.begin(), dims.end(),
                       [&](const NestDim& a, const NestDim& b) { return a.*stride > b.*stride; });
      std::int64_t next = 1;
      for (auto dim = dims.rbegin(); dim != dims.rend(); next *= dim->n, ++dim)
        if ((*dim).*stride != next) return false;
      return true;
    };
    if (!areDense(&NestDim::from)) return std::nullopt;
    const auto inVariable = dims;
    if (!areDense(&NestDim::to)) return std::nullopt;
    Permutation found{variable, {}, {}};
    for (const auto& dim : dims) found.inView.push_back(dim.n);
    for (const auto& dim : inVariable)
      for (unsigned i = 0; i < dims.size(); ++i)
        if (dims[i].from == dim.from) found.toVariable.push_back(i);
    return found;
  }

  /// Removes copy `c` if it is the only write of `d`, and no step changes the source before the
  /// last read of `d`: readers of `d` then read the source. A copy from a tangled view
  /// (poplar/tangle.hpp) stays, because reading such a view each time would be slow; and so does one
  /// that brings parts together for many readers, each of which would gather them.
  bool passOn(std::size_t p, std::size_t c, unsigned d, const ViewPtr source) {
    const auto& touches = touches_[d];
    if (std::count_if(touches.begin(), touches.end(), [](const Touch& u) { return u.write; }) != 1)
      return false;
    if (isTangled(*source)) return false;
    constexpr std::size_t kManyReaders = 4;
    if (touches.size() > kManyReaders && source->pieces().size() > 1) return false;
    for (auto v : source->variables())
      if (touched(p, c, touches.back().step + 1, touches_[v], true)) return false;
    rename(p, c, d, source);
    return true;
  }

  /// Removes copy `c` if it is the last use of `s`: users of `d` then use `s`, and may overwrite
  /// it.
  bool takeOver(std::size_t p, std::size_t c, unsigned s, unsigned d) {
    if (!temporary_[s] || !staysIn(p, c, touches_[s]) || touches_[s].back().step > c) return false;
    rename(p, c, d, programs_[p].steps[c].src.viewPtr());
    return true;
  }

  /// Removes copy `c` and the copy back, if steps change `d`, a last step copies it back to `s`,
  /// and no step in between uses `s`: the steps then work on `s` itself.
  void borrow(std::size_t p, std::size_t c, unsigned s, unsigned d) {
    const auto end = touches_[d].back().step;
    const auto& back = programs_[p].steps[end];
    if (end == c || back.kind != Step::Kind::Copy) return;
    if (back.src.view().wholeVariable() != d || back.dst.view().wholeVariable() != s) return;
    if (touched(p, c, end, touches_[s], false)) return;
    drop(p, end);
    rename(p, c, d, programs_[p].steps[c].src.viewPtr());
  }

  bool staysIn(std::size_t p, std::size_t c, const Touches& touches) const {
    return std::all_of(touches.begin(), touches.end(), [&](const Touch& u) {
      return u.program == p && blocks_[p][u.step] == blocks_[p][c];
    });
  }
  static bool readIn(std::size_t c, const Touches& touches) {
    return std::any_of(touches.begin(), touches.end(),
                       [&](const Touch& u) { return u.step == c && !u.write; });
  }
  /// Whether a step after `c` and before `end` uses the variable; if `writes`, only writes count.
  static bool touched(std::size_t p, std::size_t c, std::size_t end, const Touches& touches,
                      bool writes) {
    return std::any_of(touches.begin(), touches.end(), [&](const Touch& u) {
      return u.program == p && c < u.step && u.step < end && (u.write || !writes);
    });
  }

  void drop(std::size_t p, std::size_t s) {
    const auto& step = programs_[p].steps[s];
    for (const auto* t : {&step.src, &step.dst})
      for (auto v : t->view().variables()) {
        auto& touches = touches_[v];
        touches.erase(std::remove_if(touches.begin(), touches.end(),
                                     [&](const Touch& u) { return u.program == p && u.step == s; }),
                      touches.end());
      }
    programs_[p].steps[s] = Step();
    ++gone;
  }

  /// Removes copy `c`; all steps that use `d` now use `view`.
  void rename(std::size_t p, std::size_t c, unsigned d, const ViewPtr view) {
    drop(p, c);
    const auto moved = std::move(touches_[d]);
    touches_[d].clear();
    std::size_t last = c;
    for (const auto& u : moved) {
      if (u.step != last) replace(programs_[p].steps[u.step], {{{d, view}}, {{d, view}}});
      last = u.step;
    }
    for (auto v : view->variables()) {
      auto& touches = touches_[v];
      touches.insert(touches.end(), moved.begin(), moved.end());
      std::stable_sort(touches.begin(), touches.end(), [](const Touch& a, const Touch& b) {
        return a.program != b.program ? a.program < b.program : a.step < b.step;
      });
    }
  }

  GraphImpl& graph_;
  std::vector<FlatProgram>& programs_;
  std::vector<std::vector<std::pair<std::size_t, std::size_t>>> blocks_;  // by program and step
  std::vector<bool> own_;         // by variable: only steps use it; no handle, no initial value
  std::vector<bool> temporary_;   // by variable: own_, and every run writes it before reading it
  std::vector<Touches> touches_;  // by variable, in order
};

/// A copy of a graph's variables, streams and handles, to which the pass may add variables.
std::shared_ptr<GraphImpl> ofTheHost(const GraphImpl& graph) {
  auto copy = std::make_shared<GraphImpl>(graph.target);
  copy->variables = graph.variables;
  copy->streams = graph.streams;
  copy->hostFunctions = graph.hostFunctions;
  copy->hostReads = graph.hostReads;
  copy->hostWrites = graph.hostWrites;
  return copy;
}

}  // namespace

std::string CoalesceCopies::run(Plan& plan) const {
  plan.graph = ofTheHost(*plan.graph);
  Coalescer coalescer(*plan.graph, plan.programs);
  coalescer.run();
  plan.renamedFrom.merge(coalescer.renamedFrom);
  std::string note;
  if (coalescer.renamed > 0)
    note = counted(coalescer.renamed, "value", "values") + " in variables of their own";
  if (coalescer.gone > 0)
    note += (note.empty() ? "" : ", ") + counted(coalescer.gone, "copy", "copies") + " gone";
  return note;
}

}  // namespace popir
