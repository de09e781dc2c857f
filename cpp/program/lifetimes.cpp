#include "program/lifetimes.hpp"

#include <algorithm>
#include <set>

namespace popir {
namespace {

// Collects partial writes of a variable until together they have written every element.
class Cover {
 public:
  explicit Cover(std::size_t elements) : elements_(elements) {}

  /// Adds a write. \returns whether all elements are now written.
  bool add(const poplar::Tensor& part) {
    // Two writes may show the variable as two types of as many bytes.
    parts_.push_back(parts_.empty() ? part.flatten()
                                    : part.flatten().reinterpret(parts_[0].elementType()));
    written_ += part.numElements();
    return written_ == elements_ &&
           !concat(poplar::ArrayRef<poplar::Tensor>(parts_)).containsAliases();
  }

 private:
  std::size_t elements_, written_ = 0;
  std::vector<poplar::Tensor> parts_;
};

/// As many as most variables have.
constexpr std::size_t kFewUses = 4;

}  // namespace

std::vector<std::vector<Use>> usesOf(const GraphImpl& graph,
                                     const std::vector<FlatProgram>& programs) {
  std::vector<std::vector<Use>> uses(graph.variables.size());
  for (std::size_t p = 0; p < programs.size(); ++p) {
    for (std::size_t s = 0; s < programs[p].steps.size(); ++s) {
      const auto& step = programs[p].steps[s];
      const auto add = [&](const poplar::Tensor& t, bool write) {
        if (!t.valid()) return;
        const auto addTo = [&](unsigned v, bool whole) {
          auto& of = uses[v];
          if (of.empty()) of.reserve(kFewUses);
          of.push_back({p, s, write, whole, &t});
        };
        if (const auto v = t.view().wholeVariable())
          addTo(*v, true);
        else
          for (auto id : t.view().variables()) addTo(id, false);
      };
      if (step.vertex) {
        for (const auto& o : step.vertex->operands)
          if (o.access != Access::Write) add(o.tensor, false);
        for (const auto& o : step.vertex->operands)
          if (o.access != Access::Read) add(o.tensor, true);
      }
      add(step.src, false);
      add(step.dst, true);
    }
  }
  return uses;
}

std::vector<std::size_t> valuesOf(std::size_t elements, const std::vector<Use>& uses,
                                  const std::vector<FlatProgram>& programs,
                                  bool (*separates)(const Step&)) {
  std::vector<std::size_t> found;
  for (std::size_t k = 0; k < uses.size(); ++k) {
    if (!uses[k].write) continue;
    if (k > 0 && uses[k - 1].step == uses[k].step) {
      const bool fits = separates && uses[k].whole && !uses[k - 1].write &&
                        separates(programs[uses[k].program].steps[uses[k].step]);
      if (fits) found.push_back(k);
      continue;
    }
    Cover written(elements);
    const auto begin = k;
    bool covered = false;
    for (; k < uses.size() && uses[k].write; ++k) {
      covered = uses[k].whole;
      if (covered || uses[k].tensor->view().variables().size() != 1) break;
      covered = written.add(*uses[k].tensor);
      if (covered) break;
    }
    if (covered) found.push_back(begin);
  }
  if (found.empty() || found.front() != 0) return {};
  const auto blockOf = [&](const Use& u) { return programs[u.program].blockOf(u.step); };
  const auto block = blockOf(uses.front());
  for (const auto& u : uses) {
    const auto other = blockOf(u);
    if (u.program != uses.front().program || other.begin != block.begin || other.end != block.end)
      return {};
  }
  return found;
}

namespace {

StepRange conditionalOf(const FlatProgram& program, std::size_t step) {
  StepRange best{0, program.steps.size()};
  for (const auto& r : program.conditionals)
    if (r.contains(step) && r.end - r.begin < best.end - best.begin) best = r;
  return best;
}

bool same(const StepRange& a, const StepRange& b) { return a.begin == b.begin && a.end == b.end; }

}  // namespace

Definedness definedness(std::size_t elements, const Use* begin, const Use* end,
                        const FlatProgram& program, bool before) {
  const StepRange all{0, program.steps.size()};
  Definedness result;
  StepRange block = all;  // the conditional in which `written` and `covered` are valid
  Cover written(elements);
  bool covered = before;
  for (const auto* u = begin; u != end; ++u) {
    if (covered && block.contains(u->step)) continue;
    covered = false;
    if (!u->write) {
      if (!result.undefined) result.undefined = u;
      continue;
    }
    const auto inner = conditionalOf(program, u->step);
    if (!same(inner, block)) {
      block = inner;
      written = Cover(elements);
    }
    covered = u->whole || (u->tensor->view().variables().size() == 1 && written.add(*u->tensor));
    if (covered) written = Cover(elements);
  }
  result.afterwards = covered && same(block, all);
  return result;
}

namespace {

// Whether all uses are in one program, and each run writes all elements before it reads any.
bool isTemporary(std::size_t elements, const std::vector<Use>& uses,
                 const std::vector<FlatProgram>& programs) {
  for (const auto& u : uses)
    if (u.program != uses.front().program) return false;
  const auto& program = programs[uses.front().program];
  Cover written(elements);
  std::size_t covered = 0;
  const auto block = conditionalOf(program, uses.front().step);
  for (const auto& u : uses) {
    if (!block.contains(u.step)) return false;
    if (covered == elements) continue;
    if (!u.write) return false;
    const auto inner = conditionalOf(program, u.step);
    if (!same(inner, block)) return false;
    if (u.whole) {
      covered = elements;
    } else {
      if (u.tensor->view().variables().size() != 1) return false;
      if (written.add(*u.tensor)) covered = elements;
    }
  }
  return covered == elements;
}

Lifetime stepsOf(std::size_t elements, const std::vector<Use>& uses,
                 const std::vector<FlatProgram>& programs) {
  const auto& program = programs[uses.front().program];
  const auto first = uses.front().step;
  Lifetime life{Lifetime::Kind::Steps, uses.front().program, first, first, {}};
  for (const auto& u : uses) life.last = std::max(life.last, u.step);
  // A value from before a loop that is used inside must live until the last iteration ends.
  for (bool grown = true; grown;) {
    grown = false;
    for (const auto& loop : program.loops)
      if (life.first < loop.begin && life.last >= loop.begin && life.last + 1 < loop.end) {
        life.last = loop.end - 1;
        grown = true;
      }
  }
  const auto writes = std::count_if(uses.begin(), uses.end(), [](const Use& u) { return u.write; });
  if (writes > 1) {
    const auto values = valuesOf(elements, uses, programs);
    for (std::size_t i = 0; i + 1 < values.size(); ++i)
      life.spans.push_back({uses[values[i]].step, uses[values[i + 1] - 1].step});
    if (values.size() > 1) life.spans.push_back({uses[values.back()].step, life.last});
  }
  if (life.spans.empty()) life.spans.push_back({life.first, life.last});
  return life;
}

/// What steps use that run beside others lives as long as all of them do.
void lengthen(Lifetime& life, const std::vector<FlatProgram>& programs) {
  for (const auto& groups : programs[life.program].sideBySide) {
    const auto begin = groups.front(), last = groups.back() - 1;
    if (life.last < begin || life.first > last) continue;
    life.first = std::min(life.first, begin);
    life.last = std::max(life.last, last);
    life.spans = {{life.first, life.last}};
  }
}

}  // namespace

std::vector<Lifetime> lifetimesOf(const GraphImpl& graph, const std::vector<FlatProgram>& programs,
                                  const std::vector<std::vector<Use>>& uses) {
  std::set<unsigned> hostVisible;
  for (const auto* handles : {&graph.hostReads, &graph.hostWrites})
    for (const auto& h : *handles)
      for (auto v : h.second.view().variables()) hostVisible.insert(v);
  std::vector<Lifetime> lives(graph.variables.size());
  for (unsigned v = 0; v < lives.size(); ++v) {
    const auto& variable = graph.variables[v];
    const bool visible = hostVisible.count(v) > 0;
    if (uses[v].empty() && !visible) continue;
    if (visible || variable.constant || !variable.data.empty() ||
        !isTemporary(static_cast<std::size_t>(variable.elements), uses[v], programs))
      lives[v].kind = Lifetime::Kind::Always;
    else
      lives[v] = stepsOf(static_cast<std::size_t>(variable.elements), uses[v], programs);
    if (lives[v].kind == Lifetime::Kind::Steps) lengthen(lives[v], programs);
  }
  return lives;
}

}  // namespace popir
