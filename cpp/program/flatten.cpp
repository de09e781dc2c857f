#include <poplar/exceptions.hpp>

#include <algorithm>
#include <map>
#include <utility>

#include "poplar/rounding_program.hpp"
#include "program/flat_program.hpp"
#include "support/budget.hpp"

namespace popir {
namespace {

class Flattener {
 public:
  Flattener(const GraphImpl& graph, EngineParts& parts) : graph_(graph), parts_(parts) {}

  void flatten(const ProgramNode& node) {
    const auto begin = here();
    spell(node);
    if (isLeaf(node)) result.leaves.push_back({&node, begin, here()});
  }

  FlatProgram result;

 private:
  static constexpr int kMaxDepth = 1000;

  void spell(const ProgramNode& node) {
    using Kind = ProgramNode::Kind;
    switch (node.kind) {
      case Kind::Sequence:
        for (const auto& child : node.children) flatten(*child);
        return;
      case Kind::Execute:
        for (const auto& vertex : graph_.computeSets[node.computeSet.getId()].bulk) {
          auto& step = add(Step::Kind::Run, vertex.name.empty() ? node.name : vertex.name);
          step.vertex = &vertex;
        }
        if (!graph_.computeSets[node.computeSet.getId()].vertices.empty()) {
          auto& step = add(Step::Kind::Run, node.name);
          step.joined = codeletStep(graph_, node.computeSet.getId(), parts_.codelets);
          step.vertex = step.joined.get();
        }
        return;
      case Kind::Copy: {
        if (node.src.numElements() > 0) copy(node);
        return;
      }
      case Kind::StreamToDst: {
        auto& step = add(Step::Kind::StreamIn, node.name);
        step.dst = node.dst;
        step.stream = node.stream.id();
        return;
      }
      case Kind::SrcToStream: {
        auto& step = add(Step::Kind::StreamOut, node.name);
        step.src = node.src;
        step.stream = node.stream.id();
        return;
      }
      case Kind::Repeat: return repeat(node);
      case Kind::While: return loopWhile(node);
      case Kind::If: return branch(node);
      case Kind::Call:
        if (++depth_ > kMaxDepth)
          throw poplar::graph_recursion_error("Call: functions call one another in a circle");
        call(node);
        --depth_;
        return;
      case Kind::HostCall: {
        auto& step = add(Step::Kind::Run, node.name);
        step.joined = hostCall(node, parts_.hostFunctions);
        step.vertex = step.joined.get();
        step.names = {step.vertex->name};
        return;
      }
      case Kind::Print: {
        auto& step = add(Step::Kind::Print, node.name);
        step.src = node.src;
        step.format = node.format;
        step.expected = node.expected;
        return;
      }
      case Kind::SetRounding:
        result.rounding = node.expected ? RoundingMode::Stochastic : RoundingMode::ToNearest;
        result.traps |= node.count & kTraps;
        if ((node.count & kSetsAll) != 0)
          behaviour_ = node.count >> kBehaviourShift & kBehaviour & ~kStochastic;
        return;
      case Kind::ModifyRounding: return modifyRounding(node);
      case Kind::RestoreRounding: {
        const auto known = saved_.find(node.src.view().variables().front());
        if (known == saved_.end())
          throw poplar::control_program_error(
              "setFloatingPointBehaviour: " + node.src.getDebugStr() +
              " is no tensor that getAndModifyFloatingPointBehaviour has written before in this "
              "program; call it there");
        result.rounding = known->second.rounding;
        behaviour_ = known->second.behaviour;
        return;
      }
      case Kind::Loop: {
        const auto begin = here();
        const auto rounding = result.rounding;
        flatten(*node.children[0]);
        meet(rounding, "a loop ends with another rounding than it begins with", node);
        add(Step::Kind::Jump, node.name).target = begin;
        result.loops.push_back({begin, here()});
        return;
      }
      case Kind::SeedRounding: {
        auto& step = add(Step::Kind::SeedRounding, node.name);
        step.src = node.src;
        step.count = node.count;
        return;
      }
      case Kind::Sync:
      case Kind::WriteUndef: return;
    }
  }

  /// Floating-point behaviour is static as rounding is: what it was is a constant of the program.
  void modifyRounding(const ProgramNode& node) {
    const unsigned clear = node.count & kBehaviour, set = node.count >> 8 & kBehaviour;
    const unsigned traps = clear & behaviour_ & ~kStochastic & ~set;
    if (traps != 0)
      throw poplar::control_program_error(
          "getAndModifyFloatingPointBehaviour: " +
          std::string((traps & 1) != 0   ? "inv"
                      : (traps & 2) != 0 ? "div0"
                      : (traps & 4) != 0 ? "oflo"
                                         : "nanoo") +
          " is cleared" + (node.name.empty() ? "" : ", in '" + node.name + "'") +
          ", which is on, and what ends a run is a matter of whole programs here; leave it off, or "
          "do not clear it");
    saved_[node.dst.view().variables().front()] = {result.rounding, behaviour_};
    const bool stochastic = result.rounding == RoundingMode::Stochastic;
    const unsigned before = behaviour_ | (stochastic ? kStochastic : 0u);
    auto& step = add(Step::Kind::Copy, node.name);
    step.src = node.inputs[0]
                   .slice(before, before + 1)
                   .broadcast(static_cast<unsigned>(node.dst.numElements()), 0);
    step.dst = node.dst.flatten();
    behaviour_ = ((behaviour_ & ~clear) | set) & ~kStochastic;
    result.traps |= trapsOf(set);
    if (((clear | set) & kStochastic) != 0)
      result.rounding =
          (set & kStochastic) != 0 ? RoundingMode::Stochastic : RoundingMode::ToNearest;
  }

  Step& add(Step::Kind kind, const std::string& name) {
    spend(kWorkOfStep);
    result.steps.emplace_back();
    result.steps.back().kind = kind;
    result.steps.back().names = {prefix_ + name};
    result.steps.back().rounding = result.rounding;
    return result.steps.back();
  }

  /// Adds the steps of a called function; their names are prefixed with the name of the call.
  void call(const ProgramNode& node) {
    const auto before = prefix_;
    if (!node.name.empty()) prefix_ += node.name + "/";
    flatten(*graph_.functions[node.function.getId()]);
    prefix_ = before;
  }

  /// Splits a copy between concatenations into one copy for each part. A user concatenates tensors
  /// to copy them in one exchange of the machine; the host gains nothing from that.
  void copy(const ProgramNode& node) {
    auto from = joinedIn(node.src), to = joinedIn(node.dst);
    const auto alike = [](const poplar::Tensor& a, const poplar::Tensor& b) {
      return a.numElements() == b.numElements();
    };
    if (!std::equal(from.begin(), from.end(), to.begin(), to.end(), alike) ||
        node.src.intersectsWith(node.dst))
      from = {node.src}, to = {node.dst};
    for (std::size_t i = 0; i < from.size(); ++i) {
      auto& step = add(Step::Kind::Copy, node.name);
      step.src = from[i];
      step.dst = to[i];
    }
  }

  /// The vectors of which a tensor is the concatenation; else the tensor itself.
  static std::vector<poplar::Tensor> joinedIn(const poplar::Tensor& t) {
    const auto view = t.view().state();
    if (view.parts.size() < 2 || view.outer != 1 || view.inner != 1 || view.offset != 0 ||
        view.strides != Dims{1} || view.shape != Dims{view.starts.back()})
      return {t};
    return {view.parts.begin(), view.parts.end()};
  }

  std::size_t here() const { return result.steps.size(); }

  void repeat(const ProgramNode& node) {
    if (node.count == 0) return;
    if (node.count == 1) return flatten(*node.children[0]);
    const auto begin = here();
    const auto rounding = result.rounding;
    add(Step::Kind::RepeatBegin, node.name).count = node.count;
    flatten(*node.children[0]);
    meet(rounding, "a loop ends with another rounding than it begins with", node);
    add(Step::Kind::RepeatEnd, node.name).target = begin + 1;
    result.steps[begin].target = here();
    result.loops.push_back({begin, here()});
  }

  void loopWhile(const ProgramNode& node) {
    const auto begin = here();
    const auto rounding = result.rounding;
    flatten(*node.children[0]);
    const auto tested = result.rounding;
    const auto test = here();
    add(Step::Kind::JumpUnless, node.name).src = node.src;
    result.steps[test].expected = node.expected;
    const auto body = here();
    const auto saved = saved_;
    flatten(*node.children[1]);
    saved_ = saved;  // what the body writes may be unwritten
    meet(rounding, "a loop ends with another rounding than it begins with", node);
    result.rounding = tested;
    result.conditionals.push_back({body, here()});
    add(Step::Kind::Jump, node.name).target = begin;
    result.steps[test].target = here();
    result.loops.push_back({begin, here()});
  }

  void branch(const ProgramNode& node) {
    const auto test = here();
    auto& jump = add(Step::Kind::JumpUnless, node.name);
    jump.src = node.src;
    jump.compares = !node.expected;
    jump.count = node.count;
    const auto yes = here();
    const auto before = result.rounding;
    const auto saved = saved_;
    flatten(*node.children[0]);
    saved_ = saved;
    const auto rounding = std::exchange(result.rounding, before);
    result.conditionals.push_back({yes, here()});
    const auto skip = here();
    add(Step::Kind::Jump, node.name);
    result.steps[test].target = here();
    const auto no = here();
    flatten(*node.children[1]);
    saved_ = saved;
    meet(rounding, "one branch ends with another rounding than the other", node);
    result.conditionals.push_back({no, here()});
    result.steps[skip].target = here();
  }

  /// Merges two control-flow paths: the current one, and one with the rounding `other`. Rounding is
  /// static, so neither of two different ones may be Stochastic. ToNearest and Inherited merge to
  /// Inherited.
  void meet(RoundingMode other, const char* where, const ProgramNode& node) {
    if (result.rounding == other) return;
    if (result.rounding == RoundingMode::Stochastic || other == RoundingMode::Stochastic)
      throw poplar::control_program_error("setStochasticRounding: " + std::string(where) +
                                          (node.name.empty() ? "" : ", in '" + node.name + "'") +
                                          "; set it back before");
    result.rounding = RoundingMode::Inherited;
  }

  static constexpr unsigned kBehaviour = 31, kStochastic = 8;  // of Target::makeFpIctlValue()
  struct Saved {
    RoundingMode rounding;
    unsigned behaviour;
  };

  const GraphImpl& graph_;
  EngineParts& parts_;
  unsigned behaviour_ = 0;           // without kStochastic, which is result.rounding
  std::map<unsigned, Saved> saved_;  // by the variable that holds it
  std::string prefix_;
  int depth_ = 0;
};

}  // namespace

bool isLeaf(const ProgramNode& node) {
  using Kind = ProgramNode::Kind;
  switch (node.kind) {
    case Kind::Execute:
    case Kind::StreamToDst:
    case Kind::SrcToStream:
    case Kind::HostCall:
    case Kind::Sync: return true;
    case Kind::Copy: return node.src.numElements() > 0;
    default: return false;
  }
}

std::string labelOf(const std::vector<std::string>& names) {
  std::string name;
  for (std::size_t i = 0; i < names.size(); ++i) name += (i > 0 ? " + " : "") + names[i];
  return name;
}

bool Step::draws() const {
  if (rounding != RoundingMode::Stochastic || vertex == nullptr) return false;
  return roundsOf(*vertex) == Rounds::AsAsked;
}

FlatProgram flatten(const GraphImpl& graph, const ProgramNode& program, EngineParts& parts) {
  Flattener flattener(graph, parts);
  flattener.flatten(program);
  return std::move(flattener.result);
}

bool isControl(const Step& step) {
  return step.kind == Step::Kind::RepeatBegin || step.kind == Step::Kind::RepeatEnd ||
         step.kind == Step::Kind::Jump || step.kind == Step::Kind::JumpUnless;
}

std::vector<std::size_t> sectionsOf(const FlatProgram& program) {
  std::vector<std::size_t> sections;
  std::size_t section = 0;
  for (std::size_t s = 0; s < program.steps.size(); ++s) {
    for (const auto* ranges : {&program.loops, &program.conditionals})
      for (const auto& r : *ranges)
        if (r.begin == s || r.end == s) section = s;
    sections.push_back(section);
    if (isControl(program.steps[s])) section = s + 1;
  }
  return sections;
}

StepRange FlatProgram::blockOf(std::size_t step) const {
  StepRange best{0, steps.size()};
  for (const auto* ranges : {&loops, &conditionals})
    for (const auto& r : *ranges)
      if (r.contains(step) && r.end - r.begin < best.end - best.begin) best = r;
  return best;
}

}  // namespace popir
