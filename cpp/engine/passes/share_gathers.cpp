// Gathers that steps share. A kernel that does not take an operand as it lies, such as a product that
// reads heads of attention side by side, gets it gathered before it runs; and so does each other
// step that reads the same view, as a gradient of weights does, one of data and one of a bias. Where
// nobody reads the variable in another way afterwards, one copy takes its place for all of them. What
// a step in a loop gathers and the loop does not change, as weights of a cell, is copied before it.
#include <algorithm>
#include <map>
#include <optional>

#include "engine/passes/passes.hpp"
#include "engine/plan/concat.hpp"
#include "poplar/view.hpp"
#include "program/lifetimes.hpp"

namespace popir {
namespace {

class GatherSharer {
 public:
  GatherSharer(Plan& plan, std::size_t program)
      : plan_(plan),
        graph_(*plan.graph),
        p_(program),
        program_(plan.programs[program]),
        sections_(sectionsOf(program_)) {}

  /// \returns how many gathers are left out.
  std::size_t run(const std::vector<std::vector<Use>>& uses,
                  const std::vector<Lifetime>& lifetimes) {
    std::size_t shared = 0;
    for (std::size_t v = 0; v < uses.size(); ++v)
      if (lifetimes[v].kind == Lifetime::Kind::Steps && lifetimes[v].program == p_)
        shared += share(uses[v]);
    for (std::size_t s = 0; s < program_.steps.size(); ++s) shared += hoist(s, uses);
    if (shared > 0) insert();
    return shared;
  }

 private:
  /// The number of the operand that is used.
  std::size_t operandOf(const Use& use) const {
    const auto& operands = program_.steps[use.step].vertex->operands;
    std::size_t i = 0;
    while (&operands[i].tensor != use.tensor) ++i;
    return i;
  }

  /// Whether the use is an operand that its kernel gets gathered.
  bool isGathered(const Use& use) const {
    const auto& step = program_.steps[use.step];
    if (use.write || use.whole || step.kind != Step::Kind::Run) return false;
    return isGathered(*step.vertex, operandOf(use)) && use.tensor->view().variables().size() == 1;
  }
  static bool isGathered(const BulkVertex& vertex, std::size_t i) {
    const auto& operand = vertex.operands[i];
    const auto& view = operand.tensor.view();
    if (operand.access != Access::Read || view.elements() == 0 || view.wholeVariable())
      return false;
    const auto affine = view.affine();
    if (!affine) return true;
    auto layout = Layout::rowMajor(view.type(), view.shape());
    layout.strides = affine->strides;
    return !vertex.kernel->accepts(i, layout);
  }

  /// Whether both show the same elements in the same order, in whatever shape.
  static bool isSame(const poplar::Tensor& a, const poplar::Tensor& b) {
    if (a.elementType() != b.elementType() || a.numElements() != b.numElements()) return false;
    const auto x = a.view().pieces(), y = b.view().pieces();
    const auto isSamePiece = [](const Piece& p, const Piece& q) {
      const auto isSameLoop = [](const NestDim& c, const NestDim& d) {
        return c.n == d.n && c.from == d.from && c.to == d.to;
      };
      return p.variable == q.variable && p.nest.from == q.nest.from && p.nest.to == q.nest.to &&
             std::equal(p.nest.dims.begin(), p.nest.dims.end(), q.nest.dims.begin(),
                        q.nest.dims.end(), isSameLoop);
    };
    return std::equal(x.begin(), x.end(), y.begin(), y.end(), isSamePiece);
  }

  /// With the last two dimensions exchanged.
  static poplar::Tensor turned(const poplar::Tensor& t) {
    return t.dimRoll(t.rank() - 1, t.rank() - 2);
  }

  /// Whether the use shows the same matrices as the tensor, transposed, and its kernel takes them so.
  bool isTurned(const Use& use, const poplar::Tensor& tensor) const {
    const auto& read = *use.tensor;
    if (read.rank() < 2 || !isSame(turned(read), tensor)) return false;
    auto layout = Layout::rowMajor(read.elementType(), turned(read).view().shape());
    const auto last = read.rank() - 1;
    std::swap(layout.shape[last], layout.shape[last - 1]);
    std::swap(layout.strides[last], layout.strides[last - 1]);
    return program_.steps[use.step].vertex->kernel->accepts(operandOf(use), layout);
  }

  std::size_t share(const std::vector<Use>& uses) {
    const auto first =
        std::find_if(uses.begin(), uses.end(), [&](const Use& use) { return isGathered(use); });
    if (first == uses.end() || uses.back().step == first->step) return 0;
    const bool isAll = std::all_of(first, uses.end(), [&](const Use& use) {
      return use.program == p_ && sections_[use.step] == sections_[first->step] &&
             isGathered(use) &&
             (isSame(*use.tensor, *first->tensor) || isTurned(use, *first->tensor));
    });
    if (!isAll) return 0;
    const auto copy = copied(*first->tensor, first->step, first->step);
    for (auto use = first; use != uses.end(); ++use) {
      const auto& read = *use->tensor;
      changes_[use->step].push_back(
          {use->tensor, isSame(read, *first->tensor) ? copy.reshape(read.shape())
                                                     : turned(copy.reshape(turned(read).shape()))});
    }
    return static_cast<std::size_t>(uses.end() - first) - 1;
  }

  /// Whether the range is a loop of a known number of iterations, which begins with its count.
  bool isRepeat(const StepRange& range) const {
    const auto& first = program_.steps[range.begin];
    return first.kind == Step::Kind::RepeatBegin && first.target == range.end;
  }

  /// The outermost loop of a known number of iterations around a step in which nothing writes what
  /// the tensor shows; nothing if there is none.
  std::optional<StepRange> loopOf(std::size_t s, const poplar::Tensor& t,
                                  const std::vector<std::vector<Use>>& uses) const {
    const auto variables = t.view().variables();
    const auto isWritten = [&](const StepRange& loop) {
      return std::any_of(variables.begin(), variables.end(), [&](unsigned v) {
        return std::any_of(uses[v].begin(), uses[v].end(), [&](const Use& use) {
          return use.program == p_ && use.write && loop.contains(use.step);
        });
      });
    };
    std::optional<StepRange> found;
    for (const auto& loop : program_.loops)
      if (loop.contains(s) && isRepeat(loop) && (!found || loop.begin < found->begin) &&
          !isWritten(loop))
        found = loop;
    return found;
  }

  /// Lets the operands of a step in a loop be gathered before the loop. \returns how many of them.
  std::size_t hoist(std::size_t s, const std::vector<std::vector<Use>>& uses) {
    const auto& step = program_.steps[s];
    const bool isInLoop = std::any_of(program_.loops.begin(), program_.loops.end(),
                                      [&](const StepRange& loop) { return loop.contains(s); });
    if (step.kind != Step::Kind::Run || !isInLoop) return 0;
    std::size_t hoisted = 0;
    for (std::size_t i = 0; i < step.vertex->operands.size(); ++i) {
      const auto& t = step.vertex->operands[i].tensor;
      const auto& changes = changes_[s];
      const auto isOfIt = [&](const auto& change) { return change.first == &t; };
      if (std::any_of(changes.begin(), changes.end(), isOfIt) || !isGathered(*step.vertex, i) ||
          concatOf(graph_, t))
        continue;
      if (const auto loop = loopOf(s, t, uses)) {
        changes_[s].push_back({&t, copied(t, s, loop->begin)});
        ++hoisted;
      }
    }
    return hoisted;
  }

  /// A copy of what step `s` reads, to be made before step `before`.
  poplar::Tensor copied(const poplar::Tensor& read, std::size_t s, std::size_t before) {
    const auto id = static_cast<unsigned>(graph_.variables.size());
    const auto& view = read.view();
    Variable made;
    made.type = view.type();
    made.shape = view.shape();
    made.elements = view.elements();
    made.name = graph_.variables[view.variables().front()].name;
    graph_.variables.push_back(made);
    if (!plan_.invariant.empty()) plan_.invariant.push_back(false);
    const poplar::Tensor copy(View::ofVariable(view.graph(), id, false, made.type, made.shape));
    Step step;
    step.kind = Step::Kind::Copy;
    step.names = program_.steps[s].names;
    step.rounding = program_.steps[s].rounding;
    step.src = read;
    step.dst = copy;
    added_[before].push_back(std::move(step));
    return copy;
  }

  /// Lets the readers read the copies, and puts these before the first of them.
  void insert() {
    for (const auto& [s, changes] : changes_) {
      if (changes.empty()) continue;
      auto& step = program_.steps[s];
      BulkVertex vertex = *step.vertex;
      for (std::size_t i = 0; i < vertex.operands.size(); ++i)
        for (const auto& [from, to] : changes)
          if (&step.vertex->operands[i].tensor == from) vertex.operands[i].tensor = to;
      step.joined = std::make_shared<const BulkVertex>(std::move(vertex));
      step.vertex = step.joined.get();
    }
    std::vector<std::size_t> at, own;  // by step: the first of its copies, and itself
    std::size_t now = 0;
    for (std::size_t s = 0; s < program_.steps.size(); ++s) {
      at.push_back(now);
      if (const auto added = added_.find(s); added != added_.end()) now += added->second.size();
      own.push_back(now++);
    }
    at.push_back(now);
    // What was copied before a loop of a known number of iterations stays before it, in a conditional that
    // begins there.
    for (auto& range : program_.loops)
      range = {isRepeat(range) ? own[range.begin] : at[range.begin], at[range.end]};
    for (auto& range : program_.conditionals) range = {at[range.begin], at[range.end]};
    std::vector<Step> steps(now);
    for (auto& [s, added] : added_)
      std::move(added.begin(), added.end(), steps.begin() + static_cast<std::ptrdiff_t>(at[s]));
    for (std::size_t s = 0; s < program_.steps.size(); ++s) {
      auto& step = steps[own[s]] = std::move(program_.steps[s]);
      if (isControl(step)) step.target = at[step.target];
    }
    program_.leaves.clear();  // copies are of no program
    program_.steps = std::move(steps);
  }

  Plan& plan_;
  GraphImpl& graph_;
  const std::size_t p_;
  FlatProgram& program_;
  const std::vector<std::size_t> sections_;
  std::map<std::size_t, std::vector<Step>> added_;  // by step: before it
  /// By step: operands, as uses have them, and what takes their place.
  std::map<std::size_t, std::vector<std::pair<const poplar::Tensor*, poplar::Tensor>>> changes_;
};

}  // namespace

std::string ShareGathers::run(Plan& plan) const {
  const auto uses = usesOf(*plan.graph, plan.programs);
  const auto lifetimes = lifetimesOf(*plan.graph, plan.programs, uses);
  std::size_t shared = 0;
  for (std::size_t p = 0; p + 1 < plan.programs.size(); ++p)  // not the prologue, which runs once
    shared += GatherSharer(plan, p).run(uses, lifetimes);
  return shared == 0 ? "" : counted(shared, "gather", "gathers") + " left out";
}

}  // namespace popir
