#include "engine/plan/verify.hpp"

#include <algorithm>
#include <stdexcept>

#include "engine/plan/faults.hpp"
#include "kernels/saved_kernel.hpp"

namespace popir {
namespace {

std::vector<StepRange> rangesOf(const FlatProgram& program) {
  auto ranges = program.loops;
  ranges.insert(ranges.end(), program.conditionals.begin(), program.conditionals.end());
  return ranges;
}

std::string rangeText(const StepRange& r) {
  return "steps " + std::to_string(r.begin) + " to " + std::to_string(r.end);
}

/// Checks the loops, conditionals, leaves and jumps of one program.
class ControlFlow {
 public:
  ControlFlow(const Plan& plan, std::size_t p)
      : plan_(plan), p_(p), program_(plan.programs[p]), ranges_(rangesOf(program_)) {}

  void verify() {
    nest();
    leaves();
    for (const auto& groups : program_.sideBySide) sideBySide(groups);
    for (std::size_t s = 0; s < program_.steps.size(); ++s) {
      jump(s);
      skips(s);
    }
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    const bool prologue = p_ + 1 == plan_.programs.size();
    throw PlanFault("In " + (prologue ? "the prologue" : "program " + std::to_string(p_)) + ", " +
                    what);
  }
  [[noreturn]] void fail(std::size_t s, const std::string& what) const {
    throw PlanFault(stepText(plan_, p_, s) + " " + what);
  }

  void nest() {
    std::sort(ranges_.begin(), ranges_.end(), [](const StepRange& a, const StepRange& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
    });
    std::vector<StepRange> around;
    for (const auto& r : ranges_) {
      if (r.begin > r.end || r.end > program_.steps.size())
        fail("the loop or conditional of " + rangeText(r) + " is not one of its " +
             std::to_string(program_.steps.size()) + " steps");
      while (!around.empty() && around.back().end <= r.begin) around.pop_back();
      if (!around.empty() && r.end > around.back().end)
        fail("the loops or conditionals of " + rangeText(around.back()) + " and " + rangeText(r) +
             " do not nest");
      around.push_back(r);
    }
  }

  void leaves() const {
    std::size_t end = 0;
    for (const auto& leaf : program_.leaves) {
      const StepRange r{leaf.begin, leaf.end};
      if (r.begin < end || r.end < r.begin || r.end > program_.steps.size())
        fail("the leaf of " + rangeText(r) + " is out of order");
      end = r.end;
    }
    for (const auto& r : ranges_)
      for (const auto at : {r.begin, r.end}) {
        const auto after = std::partition_point(program_.leaves.begin(), program_.leaves.end(),
                                                [&](const Leaf& leaf) { return leaf.end <= at; });
        if (after != program_.leaves.end() && after->begin < at)
          fail("the loop or conditional of " + rangeText(r) + " cuts the leaf of " +
               rangeText({after->begin, after->end}));
      }
  }

  void sideBySide(const SideBySideSteps& groups) const {
    if (groups.size() < 3 || !std::is_sorted(groups.begin(), groups.end()) ||
        groups.back() > program_.steps.size())
      fail("the groups from step " + std::to_string(groups.empty() ? 0 : groups.front()) +
           " on, which run side by side, are not two ranges of steps or more, in order");
    for (auto s = groups.front(); s < groups.back(); ++s) {
      const auto& step = program_.steps[s];
      const bool isPlain =
          step.kind == Step::Kind::None || step.kind == Step::Kind::Copy ||
          (step.kind == Step::Kind::Run && !step.draws() && !step.vertex->kernel->hasEffects());
      if (!isPlain) fail(s, "runs beside others, and does more than compute");
    }
  }

  bool isLoop(std::size_t begin, std::size_t end) const {
    return std::any_of(program_.loops.begin(), program_.loops.end(),
                       [&](const StepRange& r) { return r.begin == begin && r.end == end; });
  }

  void jump(std::size_t s) const {
    const auto& steps = program_.steps;
    const auto& step = steps[s];
    const auto to = step.target;
    const auto isAt = [&](std::size_t at, Step::Kind kind) {
      return at > 0 && at <= steps.size() && steps[at - 1].kind == kind &&
             steps[at - 1].target == s + 1;
    };
    switch (step.kind) {
      case Step::Kind::RepeatBegin:
        if (!isAt(to, Step::Kind::RepeatEnd) || !isLoop(s, to))
          fail(s, "repeats up to step " + std::to_string(to) + ", where no loop of its own ends");
        return;
      case Step::Kind::RepeatEnd:
        if (!isAt(to, Step::Kind::RepeatBegin))
          fail(s, "goes back to step " + std::to_string(to) + ", where no loop of its own begins");
        return;
      case Step::Kind::Jump:
      case Step::Kind::JumpUnless: break;
      default: return;
    }
    if (to > steps.size())
      fail(s, "jumps to step " + std::to_string(to) + " of " + std::to_string(steps.size()));
    if (to <= s && !isLoop(to, s + 1))
      fail(s,
           "jumps back to step " + std::to_string(to) + ", where no loop begins that ends with it");
    for (const auto& r : ranges_)
      if (r.contains(to) && r.begin != to && !r.contains(s))
        fail(s, "jumps to step " + std::to_string(to) +
                    ", in the middle of the loop or conditional of " + rangeText(r));
  }

  /// Checks that every step that a forward jump may leave out is in a conditional or loop.
  void skips(std::size_t s) const {
    const auto& step = program_.steps[s];
    if (step.kind != Step::Kind::Jump && step.kind != Step::Kind::JumpUnless) return;
    for (auto k = s + 1; k < step.target; ++k) {
      const auto kind = program_.steps[k].kind;
      if (kind == Step::Kind::None || kind == Step::Kind::Jump) continue;
      if (std::none_of(ranges_.begin(), ranges_.end(),
                       [&](const StepRange& r) { return r.contains(k) && !r.contains(s); }))
        fail(s, "may leave out step " + std::to_string(k) + ", which is in no conditional");
    }
  }

  const Plan& plan_;
  const std::size_t p_;
  const FlatProgram& program_;
  std::vector<StepRange> ranges_;
};

/// Whether a view shows only elements inside of existing variables.
bool staysInside(const GraphImpl& graph, const View& view) {
  bool inside = true;
  const auto look = [&](unsigned v, std::int64_t first, std::int64_t last) {
    inside =
        inside && v < graph.variables.size() && first >= 0 && last < graph.variables[v].elements;
  };
  if (view.elements() == 0) return true;
  if (const auto affine = view.affine()) {
    auto first = affine->offset, last = affine->offset;
    for (std::size_t d = 0; d < affine->strides.size(); ++d)
      (affine->strides[d] < 0 ? first : last) += affine->strides[d] * (view.shape()[d] - 1);
    look(affine->variable, first, last);
    return inside;
  }
  for (const auto& piece : view.pieces()) {
    auto first = piece.nest.from, last = piece.nest.from;
    for (const auto& d : piece.nest.dims) (d.from < 0 ? first : last) += d.from * (d.n - 1);
    look(piece.variable, first, last);
  }
  return inside;
}

/// Whether two views have the same elements in the same order. False if it is not known.
bool isSame(const View& a, const View& b) {
  if (&a == &b) return true;
  const auto x = a.affine(), y = b.affine();
  return x && y && a.shape() == b.shape() && x->variable == y->variable && x->offset == y->offset &&
         x->strides == y->strides;
}

/// Checks what the kernel of a vertex assumes about its operands.
void verifyOperands(const Plan& plan, std::size_t p, std::size_t s) {
  const auto& vertex = *plan.programs[p].steps[s].vertex;
  const auto fail = [&](const std::string& what) {
    throw PlanFault(stepText(plan, p, s) + " " + what);
  };
  std::vector<OperandInfo> infos;
  for (const auto& [tensor, access] : vertex.operands) {
    if (!tensor.valid()) fail("has an operand that is no tensor");
    infos.push_back({tensor.elementType(), tensor.view().shape(), access});
  }
  if (!isSavedKernel(*vertex.kernel)) return;
  try {
    vertex.kernel->check(infos);
  } catch (const std::invalid_argument& e) {
    fail("has operands that its kernel '" + std::string(vertex.kernel->name()) +
         "' cannot take: " + e.what());
  }
  if (!vertex.kernel->elementWise()) return;
  for (std::size_t w = 0; w < infos.size(); ++w)
    for (std::size_t r = 0; r < infos.size(); ++r) {
      const auto &to = vertex.operands[w].tensor, &from = vertex.operands[r].tensor;
      if (w == r || infos[w].access == Access::Read || infos[r].access != Access::Read) continue;
      if (to.view().affine() && from.view().affine() && !isSame(to.view(), from.view()) &&
          to.intersectsWith(from))
        fail("writes operand " + std::to_string(w) + " over other elements of operand " +
             std::to_string(r) + ", which it reads");
    }
}

/// Checks that a step has the members that its kind needs.
void verifyParts(const Plan& plan, std::size_t p, std::size_t s) {
  const auto& step = plan.programs[p].steps[s];
  const auto require = [&](bool holds, const char* what) {
    if (!holds) throw PlanFault(stepText(plan, p, s) + " " + what);
  };
  const bool run = step.kind == Step::Kind::Run;
  require(run == (step.vertex != nullptr), run ? "has no vertex" : "has a vertex and runs none");
  switch (step.kind) {
    case Step::Kind::Run:
      require(step.vertex->kernel != nullptr, "has a vertex without a kernel");
      verifyOperands(plan, p, s);
      return;
    case Step::Kind::Copy:
      require(step.src.valid() && step.dst.valid() &&
                  step.src.numElements() == step.dst.numElements() &&
                  step.src.elementType().sizeInBytes() == step.dst.elementType().sizeInBytes(),
              "copies between tensors of different sizes");
      return;
    case Step::Kind::StreamIn:
    case Step::Kind::StreamOut: {
      const bool in = step.kind == Step::Kind::StreamIn;
      const auto& tensor = in ? step.dst : step.src;
      require(tensor.valid() && step.stream >= 0 &&
                  static_cast<std::size_t>(step.stream) < plan.graph->streams.size(),
              "has no tensor, or no stream");
      const auto& stream = plan.graph->streams[step.stream];
      using Direction = poplar::DataStream::Direction;
      require(stream.direction() == (in ? Direction::HostToDevice : Direction::DeviceToHost),
              "uses a stream of the other direction");
      require(tensor.elementType().sizeInBytes() == stream.elementType().sizeInBytes() &&
                  tensor.numElements() == stream.numElements(),
              "moves a tensor of another size than its stream");
      return;
    }
    case Step::Kind::JumpUnless:
      require(step.src.valid() && step.src.numElements() == 1, "has no predicate of one element");
      return;
    case Step::Kind::Print: require(step.src.valid() || !step.expected, "has no tensor"); return;
    case Step::Kind::SeedRounding: require(step.src.valid(), "has no tensor"); return;
    case Step::Kind::None:
    case Step::Kind::RepeatBegin:
    case Step::Kind::RepeatEnd:
    case Step::Kind::Jump: return;
  }
}

/// Calls `visit` with each tensor of a step, and whether the step writes it.
template <class Visit>
void eachTensor(const Step& step, Visit visit) {
  if (step.src.valid()) visit(step.src, false);
  if (step.dst.valid()) visit(step.dst, true);
  if (step.vertex)
    for (const auto& operand : step.vertex->operands)
      visit(operand.tensor, operand.access != Access::Read);
}

/// The variables that the host reads, that some step writes, and that nothing else gives a value.
std::set<unsigned> writtenForHost(const Plan& plan, const std::vector<std::vector<Use>>& uses) {
  std::set<unsigned> found;
  for (const auto& handle : plan.graph->hostReads)
    for (const auto v : handle.second.view().variables())
      if (std::any_of(uses[v].begin(), uses[v].end(), [](const Use& use) { return use.write; }))
        found.insert(v);
  // A copy that brings a given value back to where it came from may go.
  for (const auto& handle : plan.graph->hostWrites)
    for (const auto v : handle.second.view().variables()) found.erase(v);
  return found;
}

/// By variable: the first use that reads it when some elements may not be written yet; null if
/// there is none.
std::vector<const Use*> undefinedReads(const Plan& plan,
                                       const std::vector<std::vector<Use>>& uses) {
  std::vector<bool> given(uses.size());
  for (const auto& handle : plan.graph->hostWrites)
    for (const auto v : handle.second.view().variables()) given[v] = true;
  std::vector<const Use*> found(uses.size());
  const auto prologue = plan.programs.size() - 1;
  for (std::size_t v = 0; v < uses.size(); ++v) {
    const auto& variable = plan.graph->variables[v];
    if (given[v] || variable.constant || !variable.data.empty()) continue;
    const auto end = uses[v].data() + uses[v].size();
    const auto begin =
        std::find_if(uses[v].data(), end, [&](const Use& u) { return u.program == prologue; });
    const auto elements = static_cast<std::size_t>(variable.elements);
    const auto before = definedness(elements, begin, end, plan.programs[prologue], elements == 0);
    found[v] = before.undefined;
    for (auto from = uses[v].data(); from != begin;) {
      const auto to =
          std::find_if(from, begin, [&](const Use& u) { return u.program != from->program; });
      const auto then =
          definedness(elements, from, to, plan.programs[from->program], before.afterwards);
      if (!found[v]) found[v] = then.undefined;
      from = to;
    }
  }
  return found;
}

/// Checks that no group of steps writes elements that another one uses, which runs beside it.
void verifyGroups(const Plan& plan, const std::vector<std::vector<Use>>& uses) {
  for (unsigned v = 0; v < uses.size(); ++v)
    for (const auto& write : uses[v]) {
      if (!write.write) continue;
      for (const auto& groups : plan.programs[write.program].sideBySide) {
        const auto groupOf = [&](std::size_t s) {
          return std::upper_bound(groups.begin(), groups.end(), s) - groups.begin();
        };
        const StepRange all{groups.front(), groups.back()};
        if (!all.contains(write.step)) continue;
        for (const auto& other : uses[v])
          if (other.program == write.program && all.contains(other.step) &&
              groupOf(other.step) != groupOf(write.step) &&
              other.tensor->intersectsWith(*write.tensor))
            throw PlanFault(stepText(plan, write.program, write.step) + " writes " +
                            variableText(plan, v) + ", which step " + std::to_string(other.step) +
                            " uses in a group that runs beside it");
      }
    }
}

/// Checks that only the prologue writes invariant variables, and that it uses no other variables.
void verifyInvariants(const Plan& plan, const std::vector<std::vector<Use>>& uses) {
  if (plan.invariant.empty()) return;
  if (plan.invariant.size() != uses.size())
    throw PlanFault("It is known of " + std::to_string(plan.invariant.size()) + " of " +
                    std::to_string(uses.size()) + " variables whether they are invariant");
  const auto prologue = plan.programs.size() - 1;
  for (unsigned v = 0; v < uses.size(); ++v)
    for (const auto& use : uses[v]) {
      const bool hoisted = use.program == prologue;
      if (hoisted == plan.invariant[v] || (!use.write && !hoisted)) continue;
      throw PlanFault(stepText(plan, use.program, use.step) + (use.write ? " writes " : " reads ") +
                      variableText(plan, v) +
                      (hoisted ? ", which is not invariant" : ", which is invariant"));
    }
}

}  // namespace

std::string stepText(const Plan& plan, std::size_t program, std::size_t step) {
  return "Step " + std::to_string(step) + " '" + plan.programs[program].steps[step].name() +
         "' of " +
         (program + 1 == plan.programs.size() ? "the prologue"
                                              : "program " + std::to_string(program));
}

std::string variableText(const Plan& plan, unsigned variable) {
  return "variable " + std::to_string(variable) + " '" + plan.graph->variables[variable].name + "'";
}

PlanVerifier::PlanVerifier(const Plan& grown) {
  const auto uses = usesOf(*grown.graph, grown.programs);
  for (const auto* use : undefinedReads(grown, uses)) mayBeUndefined_.push_back(use != nullptr);
  writtenForHost_ = writtenForHost(grown, uses);
}

void PlanVerifier::verify(const Plan& plan) {
  const auto& graph = *plan.graph;
  if (plan.threads == 0) throw PlanFault("The plan has no thread");
  for (std::size_t p = 0; p < plan.programs.size(); ++p) {
    for (std::size_t s = 0; s < plan.programs[p].steps.size(); ++s) {
      verifyParts(plan, p, s);
      eachTensor(plan.programs[p].steps[s], [&](const poplar::Tensor& t, bool writes) {
        const auto fail = [&](const char* what) {
          throw PlanFault(stepText(plan, p, s) + " has an operand " + shapeText(t.view().shape()) +
                          " " + what);
        };
        if (inside_.count(t.viewPtr()) == 0) {
          if (!staysInside(graph, t.view())) fail("that goes beyond the elements of its variables");
          inside_.insert(t.viewPtr());
        }
        if (writes && writeable_.count(t.viewPtr()) == 0) {
          if (t.containsAliases()) fail("that it writes, and that has an element twice");
          writeable_.insert(t.viewPtr());
        }
      });
    }
    ControlFlow(plan, p).verify();
  }
  const auto uses = usesOf(graph, plan.programs);
  for (unsigned v = 0; v < uses.size(); ++v)
    for (const auto& use : uses[v])
      if (use.write && graph.variables[v].constant)
        throw PlanFault(stepText(plan, use.program, use.step) + " writes the constant " +
                        variableText(plan, v));
  const auto undefined = undefinedReads(plan, uses);
  const auto mayBe = [&](unsigned v) {
    for (auto renamed = plan.renamedFrom.find(v); renamed != plan.renamedFrom.end();
         renamed = plan.renamedFrom.find(v)) {
      if (renamed->second >= v)
        throw PlanFault(variableText(plan, v) + " holds a later one's value");
      v = renamed->second;
    }
    return v < mayBeUndefined_.size() && mayBeUndefined_[v];
  };
  for (unsigned v = 0; v < undefined.size(); ++v)
    if (undefined[v] && !mayBe(v))
      throw PlanFault(stepText(plan, undefined[v]->program, undefined[v]->step) + " reads " +
                      variableText(plan, v) + " before all of it is written");
  const auto written = writtenForHost(plan, uses);
  for (const auto v : writtenForHost_)
    if (written.count(v) == 0)
      throw PlanFault("No step writes " + variableText(plan, v) +
                      " any more, which the host reads");
  verifyInvariants(plan, uses);
  verifyGroups(plan, uses);
  if (!plan.assignment.buffers.empty()) verifyBuffers(plan, uses);
}

}  // namespace popir
