#include <algorithm>
#include <map>

#include "engine/plan/concat.hpp"
#include "engine/plan/faults.hpp"

namespace popir {
namespace {

class Buffers {
 public:
  Buffers(const Plan& plan, const std::vector<std::vector<Use>>& uses)
      : plan_(plan), assignment_(plan.assignment), uses_(uses) {}

  void verify() {
    if (assignment_.buffers.size() != uses_.size())
      throw PlanFault("There are buffers for " + std::to_string(assignment_.buffers.size()) +
                      " of " + std::to_string(uses_.size()) + " variables");
    const auto lives = lifetimesOf(*plan_.graph, plan_.programs, uses_);
    for (unsigned v = 0; v < uses_.size(); ++v) fits(v, lives[v]);
    outputs();
    concats();
    blocks();
    if (assignment_.arenaBytes) apart(lives);
  }

 private:
  [[noreturn]] void fail(unsigned v, const std::string& what) const {
    auto text = variableText(plan_, v);
    text[0] = 'V';
    throw PlanFault(text + " " + what);
  }
  [[noreturn]] void fail(const Use& use, const std::string& what) const {
    throw PlanFault(stepText(plan_, use.program, use.step) + " " + what);
  }
  std::size_t bytes(unsigned v) const { return plan_.graph->variables[v].bytes(); }
  const Step& stepOf(const Use& use) const { return plan_.programs[use.program].steps[use.step]; }

  /// Checks that the kind of a variable's buffer suits its lifetime.
  void fits(unsigned v, const Lifetime& life) const {
    const auto& buffer = assignment_.buffers[v];
    const bool constant = plan_.graph->variables[v].constant;
    if ((buffer.kind == Buffer::Kind::Constant) != constant)
      fail(v, constant ? "is a constant and does not live where that is"
                       : "lives with constants and is none");
    if (constant) return;
    if (buffer.kind == Buffer::Kind::Unused) {
      if (life.kind != Lifetime::Kind::Unused) fail(v, "is used and has no buffer");
      return;
    }
    if (life.kind == Lifetime::Kind::Always) {
      if (buffer.kind != Buffer::Kind::Arena || !buffer.alwaysLive)
        fail(v, "outlives a run, and its buffer does not");
      return;
    }
    if (buffer.alwaysLive) return;
    if (buffer.program != life.program || buffer.first > life.first || buffer.last < life.last)
      fail(v, "is live from step " + std::to_string(life.first) + " to " +
                  std::to_string(life.last) + " of program " + std::to_string(life.program) +
                  ", and its buffer is not");
    if (buffer.kind == Buffer::Kind::StreamIn || buffer.kind == Buffer::Kind::StreamOut)
      onlyOf(v, buffer);
  }

  /// Checks that each host's buffer of an output holds one variable of a program.
  void outputs() const {
    std::map<std::pair<std::size_t, int>, unsigned> owners;
    for (unsigned v = 0; v < uses_.size(); ++v) {
      const auto& buffer = assignment_.buffers[v];
      if (buffer.kind != Buffer::Kind::StreamOut) continue;
      const auto [owner, isFirst] = owners.emplace(std::pair(buffer.program, buffer.stream), v);
      if (!isFirst)
        fail(v, "lives in the host's buffer where " + variableText(plan_, owner->second) + " does");
    }
  }

  /// Checks a variable in the host's buffer: exactly one stream step transfers it, and no step
  /// writes it where that would change the host's input, or come too late for the host's output.
  void onlyOf(unsigned v, const Buffer& buffer) const {
    const bool in = buffer.kind == Buffer::Kind::StreamIn;
    const auto kind = in ? Step::Kind::StreamIn : Step::Kind::StreamOut;
    const Use* transfer = nullptr;
    for (const auto& use : uses_[v])
      if (stepOf(use).kind == kind) {
        if (transfer || !use.whole || stepOf(use).stream != buffer.stream)
          fail(use, "moves " + variableText(plan_, v) + ", which lives in another host's buffer");
        transfer = &use;
      }
    if (transfer == nullptr) fail(v, "lives in the host's buffer, and no stream moves it");
    for (const auto& use : uses_[v]) {
      if (&use == transfer) continue;
      if (in && use.write)
        fail(use, "writes " + variableText(plan_, v) + ", which lives in the host's input");
      if (!in && use.write && use.step > transfer->step)
        fail(use, "writes " + variableText(plan_, v) + " after the host has it");
    }
    if (!in && buffer.first > uses_[v].front().step)
      fail(uses_[v].front(), "writes " + variableText(plan_, v) + " before its buffer is bound");
  }

  void concats() {
    next_.assign(uses_.size(), kNone);
    follows_.assign(uses_.size(), false);
    std::vector<bool> joined(uses_.size());
    for (const auto& concat : assignment_.concats)
      for (std::size_t i = 0; i < concat.size(); ++i) {
        const auto v = concat[i];
        if (v >= uses_.size())
          throw PlanFault("A concatenation has variable " + std::to_string(v) + " of " +
                          std::to_string(uses_.size()));
        if (joined[v]) fail(v, "lies in two concatenations");
        joined[v] = true;
        if (!assignment_.buffers[v].shared())
          fail(v, "lies in a concatenation, and not in the part of the arena that is shared");
        if (i == 0) continue;
        next_[concat[i - 1]] = v;
        follows_[v] = true;
        const auto end = assignment_.buffers[concat[i - 1]].offset + bytes(concat[i - 1]);
        if (assignment_.arenaBytes && assignment_.buffers[v].offset != end)
          fail(v, "does not begin at byte " + std::to_string(end) + ", where " +
                      variableText(plan_, concat[i - 1]) + " ends, which it is joined to");
      }
  }

  int blockOf(unsigned v) const { return assignment_.buffers[v].channelBlock; }
  bool isPlain(unsigned v) const { return blockOf(v) == Layout::kPlain; }

  /// Checks that all steps accept the channel blocks of the variables that they use.
  void blocks() const {
    const auto n = static_cast<unsigned>(uses_.size());
    bool any = false;
    for (unsigned v = 0; v < n; ++v) {
      if (isPlain(v)) continue;
      any = true;
      const auto& shape = plan_.graph->variables[v].shape;
      if (!assignment_.buffers[v].shared()) fail(v, "lies in blocks, and the host may see it");
      if (shape.size() < 3 || blockOf(v) < Layout::kChannelsLast ||
          (blockOf(v) > 0 && shape[1] % blockOf(v) != 0))
        fail(v, "of shape " + shapeText(shape) + " lies in blocks of " +
                    std::to_string(blockOf(v)) + " channels");
    }
    if (!any) return;
    for (std::size_t p = 0; p < plan_.programs.size(); ++p)
      for (std::size_t s = 0; s < plan_.programs[p].steps.size(); ++s) {
        const auto& step = plan_.programs[p].steps[s];
        for (const auto* t : {&step.src, &step.dst})
          if (t->valid())
            for (const auto v : t->view().variables())
              if (!isPlain(v))
                throw PlanFault(stepText(plan_, p, s) + " moves " + variableText(plan_, v) +
                                ", which lies in blocks of channels");
        if (step.vertex) accepts(p, s, *step.vertex);
      }
  }

  void accepts(std::size_t p, std::size_t s, const BulkVertex& vertex) const {
    std::vector<Layout> layouts;
    for (const auto& operand : vertex.operands) {
      const auto& view = operand.tensor.view();
      layouts.push_back(Layout::rowMajor(operand.tensor.elementType(), view.shape()));
      if (const auto affine = view.affine()) layouts.back().strides = affine->strides;
    }
    const auto tied = vertex.kernel->tied(layouts);
    for (std::size_t i = 0; i < vertex.operands.size(); ++i) {
      const auto& t = vertex.operands[i].tensor;
      const auto variables = t.view().variables();
      const auto blocked =
          std::find_if(variables.begin(), variables.end(), [&](unsigned v) { return !isPlain(v); });
      if (blocked == variables.end()) continue;
      const auto refuse = [&](const std::string& why) {
        throw PlanFault(stepText(plan_, p, s) + " has operand " + std::to_string(i) + ", " +
                        variableText(plan_, *blocked) + " in blocks of " +
                        std::to_string(blockOf(*blocked)) + " channels, " + why);
      };
      const auto concat = concatOf(*plan_.graph, t);
      if (!concat || !alongChannels(*plan_.graph, *concat, t)) refuse("and not as a whole");
      for (std::size_t k = 0; k < concat->size(); ++k)
        if (blockOf((*concat)[k]) != blockOf(*blocked) ||
            (k > 0 && next_[(*concat)[k - 1]] != (*concat)[k]))
          refuse("joined to " + variableText(plan_, (*concat)[k]) + ", which lies otherwise");
      layouts[i].channelBlock = blockOf(*blocked);
      if (!vertex.kernel->accepts(i, layouts[i]))
        refuse(std::string("which its kernel '") + vertex.kernel->name() + "' does not accept");
    }
    for (const auto i : tied)
      if (layouts[i].channelBlock != layouts[tied.front()].channelBlock)
        throw PlanFault(stepText(plan_, p, s) + " has operands " + std::to_string(tied.front()) +
                        " and " + std::to_string(i) +
                        " in different blocks of channels, which its kernel '" +
                        vertex.kernel->name() + "' ties to one another");
  }

  struct Tenant {
    std::size_t end;
    unsigned variable;
  };
  using Tenants = std::map<std::size_t, Tenant>;  // by offset

  void takes(Tenants& tenants, unsigned v) const {
    const auto& buffer = assignment_.buffers[v];
    if (bytes(v) == 0) return;
    const auto end = buffer.offset + bytes(v);
    if (end > *assignment_.arenaBytes)
      fail(v, "ends at byte " + std::to_string(end) + " of an arena of " +
                  std::to_string(*assignment_.arenaBytes));
    auto after = tenants.lower_bound(buffer.offset);
    const Tenant* other = nullptr;
    if (after != tenants.end() && after->first < end) other = &after->second;
    if (after != tenants.begin() && std::prev(after)->second.end > buffer.offset)
      other = &std::prev(after)->second;
    if (other)
      fail(v, "has bytes in common with " + variableText(plan_, other->variable) +
                  ", which lives at the same time");
    tenants[buffer.offset] = {end, v};
  }

  /// Checks that variables which are live at the same time share no byte of the arena.
  void apart(const std::vector<Lifetime>& lives) const {
    Tenants always;
    std::vector<std::vector<unsigned>> temporaries(plan_.programs.size());
    for (unsigned v = 0; v < lives.size(); ++v) {
      const auto& buffer = assignment_.buffers[v];
      if (buffer.kind != Buffer::Kind::Arena) continue;
      if (buffer.alwaysLive)
        takes(always, v);
      else
        temporaries[lives[v].program].push_back(v);
      if (bytes(v) == 0) continue;
      const auto limit = assignment_.alwaysLiveBytes;
      if (buffer.alwaysLive && buffer.offset + bytes(v) > limit)
        fail(v, "is always live, and others have its bytes");
      if (!buffer.alwaysLive && buffer.offset < limit) fail(v, "has bytes of what is always live");
      if (buffer.offset % kAlign != 0 && !follows_[v])
        fail(v, "begins at byte " + std::to_string(buffer.offset) + ", no multiple of " +
                    std::to_string(kAlign));
    }
    for (auto& variables : temporaries) {
      std::sort(variables.begin(), variables.end(),
                [&](unsigned a, unsigned b) { return lives[a].first < lives[b].first; });
      Tenants now;
      std::multimap<std::size_t, std::size_t> ends;  // last step -> offset
      for (const auto v : variables) {
        for (; !ends.empty() && ends.begin()->first < lives[v].first; ends.erase(ends.begin()))
          now.erase(ends.begin()->second);
        takes(now, v);
        if (bytes(v) > 0) ends.emplace(lives[v].last, assignment_.buffers[v].offset);
      }
    }
  }

  static constexpr unsigned kNone = ~0u;

  const Plan& plan_;
  const BufferAssignment& assignment_;
  const std::vector<std::vector<Use>>& uses_;
  std::vector<unsigned> next_;  // by variable: its successor in a concatenation, or kNone
  std::vector<bool> follows_;   // by variable: whether it is a successor
};

}  // namespace

void verifyBuffers(const Plan& plan, const std::vector<std::vector<Use>>& uses) {
  Buffers(plan, uses).verify();
}

}  // namespace popir
