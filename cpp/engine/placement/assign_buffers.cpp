// Buffer assignment: chooses the kind of each variable's buffer. Constants stay where they are.
// Inputs and outputs of streams use the host's buffers directly where this is safe. Everything else
// goes into the arena, in which variables with disjoint lifetimes share bytes.
#include <algorithm>
#include <set>

#include "engine/placement/passes.hpp"
#include "program/lifetimes.hpp"

namespace popir {
namespace {

class Assigner {
 public:
  explicit Assigner(const Plan& plan)
      : graph_(*plan.graph), programs_(plan.programs), uses_(usesOf(graph_, programs_)) {
    result_.buffers.resize(graph_.variables.size());
  }

  BufferAssignment run() {
    const auto lifetimes = lifetimesOf(graph_, programs_, uses_);
    for (unsigned v = 0; v < graph_.variables.size(); ++v) {
      auto& buffer = result_.buffers[v];
      const auto& variable = graph_.variables[v];
      const auto& life = lifetimes[v];
      if (variable.constant) {
        buffer.kind = Buffer::Kind::Constant;
        continue;
      }
      if (life.kind == Lifetime::Kind::Unused) continue;
      buffer.kind = Buffer::Kind::Arena;
      if (life.kind == Lifetime::Kind::Always) {
        buffer.alwaysLive = true;
        continue;
      }
      buffer.program = life.program;
      buffer.first = life.first;
      buffer.last = life.last;
      if (!bindInput(v)) bindOutput(v);
    }
    placeAlwaysLive();
    return std::move(result_);
  }

 private:
  // Small ones lie together, before the large ones: the place of a large one may be unused
  // (EngineImpl::lend), and the system gives memory in large pages.
  void placeAlwaysLive() {
    constexpr std::size_t kLarge = 1 << 16;  // bytes
    for (const bool isLarge : {false, true})
      for (unsigned v = 0; v < graph_.variables.size(); ++v) {
        auto& buffer = result_.buffers[v];
        const std::size_t bytes = graph_.variables[v].bytes();
        if (!buffer.alwaysLive || (bytes >= kLarge) != isLarge) continue;
        buffer.offset = result_.alwaysLiveBytes;
        result_.alwaysLiveBytes += aligned(bytes);
      }
  }

  // Binds the variable to the host's input buffer, if its first use is a stream copy that fills it
  // and no other step writes it.
  bool bindInput(unsigned v) {
    const auto& first = uses_[v].front();
    const auto& step = programs_[first.program].steps[first.step];
    if (step.kind != Step::Kind::StreamIn || !first.whole) return false;
    for (std::size_t i = 1; i < uses_[v].size(); ++i)
      if (uses_[v][i].write) return false;
    auto& buffer = result_.buffers[v];
    buffer.kind = Buffer::Kind::StreamIn;
    buffer.stream = step.stream;
    return true;
  }

  // Binds the variable to the host's output buffer, if exactly one stream copy sends it to the host
  // and all writes come before that copy, in the same iteration of the same loop. Each stream binds
  // at most one variable, and sends nothing else while that is bound: the host's buffer goes on to its
  // next transfer where a variable is bound. One that the host fills and that steps then write is
  // copied from input to output.
  bool bindOutput(unsigned v) {
    const auto& uses = uses_[v];
    const auto& program = programs_[uses.front().program];
    const Use* drain = nullptr;
    for (const auto& u : uses) {
      if (program.steps[u.step].kind != Step::Kind::StreamOut) continue;
      if (drain || !u.whole) return false;
      drain = &u;
    }
    if (!drain || !uses.front().write) return false;
    const auto block = program.blockOf(drain->step);
    for (const auto& u : uses) {
      const auto b = program.blockOf(u.step);
      if (u.write && (b.begin != block.begin || b.end != block.end || u.step > drain->step))
        return false;
      if (!block.contains(u.step)) return false;
    }
    const int stream = program.steps[drain->step].stream;
    for (auto s = result_.buffers[v].first; s < drain->step; ++s)
      if (program.steps[s].kind == Step::Kind::StreamOut && program.steps[s].stream == stream)
        return false;
    if (!boundOut_.insert(stream).second) return false;
    auto& buffer = result_.buffers[v];
    buffer.kind = Buffer::Kind::StreamOut;
    buffer.stream = stream;
    return true;
  }

  const GraphImpl& graph_;
  const std::vector<FlatProgram>& programs_;
  const std::vector<std::vector<Use>> uses_;
  std::set<int> boundOut_;
  BufferAssignment result_;
};

}  // namespace

std::string AssignBuffers::run(Plan& plan) const {
  plan.assignment = Assigner(plan).run();
  std::size_t inputs = 0, outputs = 0;
  for (const auto& buffer : plan.assignment.buffers) {
    inputs += buffer.kind == Buffer::Kind::StreamIn;
    outputs += buffer.kind == Buffer::Kind::StreamOut;
  }
  if (inputs + outputs == 0) return "";
  return counted(inputs, "input", "inputs") + " and " + counted(outputs, "output", "outputs") +
         " in the host's buffers";
}

}  // namespace popir
