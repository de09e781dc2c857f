// EngineImpl: emits instructions over resolved memory for the steps of a plan.
#include <algorithm>

#include "engine/engine.hpp"
#include "engine/plan/concat.hpp"

namespace popir {
EngineImpl::Ref EngineImpl::refOf(unsigned v) {
  const auto& buffer = assignment_.buffers[v];
  if (buffer.kind == Buffer::Kind::Arena && !lendable_[v]) return {kArenaSlot, buffer.offset};
  const auto known = slotOfVariable_.find(v);
  if (known != slotOfVariable_.end()) return {known->second, 0};
  const auto slot = static_cast<unsigned>(slots_.size());
  slots_.emplace_back();
  slots_.back().bytes = graph_->variables[v].bytes();
  if (buffer.kind == Buffer::Kind::Constant)
    slots_.back().base =
        reinterpret_cast<char*>(const_cast<unsigned char*>(graph_->variables[v].data.data()));
  else
    slots_.back().stream = buffer.stream;
  slotOfVariable_[v] = slot;
  return {slot, 0};
}

unsigned EngineImpl::addPointers(const std::vector<Ref>& refs) {
  const auto first = static_cast<unsigned>(refs_.size());
  refs_.insert(refs_.end(), refs.begin(), refs.end());
  return first;
}

bool EngineImpl::isInvariant(const poplar::Tensor& t) const {
  if (invariant_.empty()) return false;
  const auto variables = t.view().variables();
  return std::all_of(variables.begin(), variables.end(), [&](unsigned v) { return invariant_[v]; });
}

EngineImpl::Ref EngineImpl::keep(std::size_t bytes) {
  const auto at = keptBytes_;
  keptBytes_ += aligned(bytes);
  return {kKeptSlot, at};
}

void EngineImpl::emitMoves(const poplar::Tensor& t, Ref dense, bool gather, Compiled& out,
                           const Names& names) {
  std::vector<Ref> refs{dense};
  std::map<unsigned, unsigned> operandOf;
  std::vector<Move> moves;
  t.view().expand(Nest{0, 0, {{t.view().elements(), 1, 1}}}, [&](unsigned v, Nest nest) {
    auto found = operandOf.find(v);
    if (found == operandOf.end()) {
      found = operandOf.emplace(v, static_cast<unsigned>(refs.size())).first;
      refs.push_back(refOf(v));
    }
    if (gather) {
      moves.push_back({found->second, 0, std::move(nest)});
    } else {
      std::swap(nest.from, nest.to);
      for (auto& d : nest.dims) std::swap(d.from, d.to);
      moves.push_back({0, found->second, std::move(nest)});
    }
  });
  Instr instr{};
  instr.kind = Instr::Kind::Run;
  runners_.push_back(
      makeStridedCopy(std::move(moves), t.elementType().sizeInBytes(), threadsOfStep_));
  instr.runner = runners_.back().get();
  instr.first = addPointers(refs);
  instr.names = names;
  out.instrs.push_back(instr);
  out.text.push_back(std::string(gather ? "gather " : "scatter ") + labelOf(names) + " " +
                     shapeText(t.view().shape()));
}

void EngineImpl::emitCopy(const poplar::Tensor& src, const poplar::Tensor& dst, Compiled& out,
                          const Names& names) {
  if (src.intersectsWith(dst)) {
    const auto temp = workspace_->take(src.numElements() * src.elementType().sizeInBytes());
    emitMoves(src, {kArenaSlot, temp}, true, out, names);
    emitMoves(dst, {kArenaSlot, temp}, false, out, names);
    return;
  }
  std::vector<Ref> refs;
  std::map<unsigned, unsigned> operandOf;
  const auto operand = [&](unsigned v) {
    const auto found = operandOf.find(v);
    if (found != operandOf.end()) return found->second;
    refs.push_back(refOf(v));
    return operandOf[v] = static_cast<unsigned>(refs.size() - 1);
  };
  std::vector<Move> moves;
  const auto whole = Nest{0, 0, {{dst.view().elements(), 1, 1}}};
  dst.view().expand(whole, [&](unsigned dstVariable, Nest into) {
    // Expand the source over the flat positions of this box. Positions become the nest's input
    // (`from`), and the destination's elements its output (`to`).
    std::swap(into.from, into.to);
    for (auto& d : into.dims) std::swap(d.from, d.to);
    src.view().expand(std::move(into), [&](unsigned srcVariable, Nest nest) {
      moves.push_back({operand(srcVariable), operand(dstVariable), std::move(nest)});
    });
  });
  Instr instr{};
  instr.kind = Instr::Kind::Run;
  runners_.push_back(
      makeStridedCopy(std::move(moves), dst.elementType().sizeInBytes(), threadsOfStep_));
  instr.runner = runners_.back().get();
  instr.first = addPointers(refs);
  instr.names = names;
  out.instrs.push_back(instr);
  out.text.push_back("copy " + labelOf(names) + " " + shapeText(dst.view().shape()));
}

std::optional<Concat> EngineImpl::concatInOnePiece(const poplar::Tensor& t) const {
  auto concat = concatOf(*graph_, t);
  for (std::size_t i = 0; concat && i < concat->size(); ++i) {
    const auto& buffer = assignment_.buffers[(*concat)[i]];
    const auto& before = assignment_.buffers[(*concat)[i == 0 ? 0 : i - 1]];
    if (buffer.kind != Buffer::Kind::Arena ||
        (i > 0 && buffer.offset != before.offset + graph_->variables[(*concat)[i - 1]].bytes()))
      return std::nullopt;
  }
  return concat;
}

void EngineImpl::emit(std::size_t program, const FlatProgram& flat) {
  auto& out = compiled_[program];
  workspace_->begin(program);
  const Rereads rereads(flat);
  reread_.clear();
  std::map<std::size_t, std::vector<unsigned>> bindAt;
  for (unsigned v = 0; v < assignment_.buffers.size(); ++v) {
    const auto& buffer = assignment_.buffers[v];
    if (buffer.kind == Buffer::Kind::StreamOut && buffer.program == program)
      bindAt[buffer.first].push_back(v);
  }
  std::vector<std::size_t> at;  // instruction of each step
  const auto add = [&](Instr::Kind kind, const Step& step, std::string text) -> Instr& {
    Instr instr{};
    instr.kind = kind;
    instr.count = step.count;
    instr.target = step.target;
    instr.expected = step.expected;
    instr.compares = step.compares;
    instr.stream = step.stream;
    instr.names = step.names;
    out.instrs.push_back(std::move(instr));
    out.text.push_back(std::move(text));
    return out.instrs.back();
  };
  auto groups = flat.sideBySide.begin();
  for (std::size_t s = 0; s < flat.steps.size(); ++s) {
    const auto& step = flat.steps[s];
    workspace_->advance(s);
    at.push_back(out.instrs.size());
    if (groups != flat.sideBySide.end() && s == groups->back()) {
      workspace_->endGroups();
      ++groups;
    }
    for (auto v : bindAt[s]) {
      auto& instr = add(
          Instr::Kind::BindOut, step,
          "bind " +
              graph_->streams[static_cast<std::size_t>(assignment_.buffers[v].stream)].handle());
      instr.slot = refOf(v).slot;
      instr.stream = assignment_.buffers[v].stream;
    }
    const bool isAside = groups != flat.sideBySide.end() && s >= groups->front();
    threadsOfStep_ = isAside ? 1 : threads_;
    if (isAside && s == groups->front()) {
      add(Instr::Kind::SideBySide, Step(), "side by side").count =
          static_cast<unsigned>(groups - flat.sideBySide.begin());
      out.sideBySide.push_back({out.instrs.size()});
    }
    aside_.section = static_cast<std::size_t>(groups - flat.sideBySide.begin());
    if (!isAside) {
      aside_.group.reset();
    } else if (std::find(groups->begin(), groups->end(), s) != groups->end()) {
      workspace_->beginGroup();
      aside_.group = s;
    }
    // Where the host has a tensor that a stream moves, densely.
    const auto slotOfHost = [&](const poplar::Tensor& t, int stream) {
      slots_.emplace_back();
      slots_.back().bytes = t.numElements() * t.elementType().sizeInBytes();
      slots_.back().stream = stream;
      return static_cast<unsigned>(slots_.size()) - 1;
    };
    const auto dense = [&](const poplar::Tensor& t) {
      return workspace_->take(t.numElements() * t.elementType().sizeInBytes());
    };
    switch (step.kind) {
      case Step::Kind::None: break;
      case Step::Kind::Run: emitRun(step, s, rereads, out); break;
      case Step::Kind::Copy: emitCopy(step.src, step.dst, out, step.names); break;
      case Step::Kind::StreamIn: {
        const auto& handle = graph_->streams[static_cast<std::size_t>(step.stream)].handle();
        const auto v = step.dst.view().wholeVariable();
        if (v && assignment_.buffers[*v].kind == Buffer::Kind::StreamIn) {
          add(Instr::Kind::BindIn, step, "bind " + handle).slot = refOf(*v).slot;
          break;
        }
        if (v && assignment_.buffers[*v].channelBlock == Layout::kPlain) {
          add(Instr::Kind::StreamIn, step, "stream in " + handle).first = addPointers({refOf(*v)});
          break;
        }
        // What is no whole variable is scattered from where the host has it.
        const auto slot = slotOfHost(step.dst, step.stream);
        add(Instr::Kind::BindIn, step, "bind " + handle).slot = slot;
        emitMoves(step.dst, {slot, 0}, false, out, {handle});
        break;
      }
      case Step::Kind::StreamOut: {
        const auto& handle = graph_->streams[static_cast<std::size_t>(step.stream)].handle();
        const auto v = step.src.view().wholeVariable();
        if (v && assignment_.buffers[*v].kind == Buffer::Kind::StreamOut) {
          add(Instr::Kind::OutDone, step, "done " + handle).slot = refOf(*v).slot;
          break;
        }
        if (v && assignment_.buffers[*v].channelBlock == Layout::kPlain) {
          add(Instr::Kind::StreamOut, step, "stream out " + handle).first =
              addPointers({refOf(*v)});
          break;
        }
        // What is no whole variable is gathered where the host wants it.
        const auto slot = slotOfHost(step.src, step.stream);
        add(Instr::Kind::BindOut, step, "bind " + handle).slot = slot;
        emitMoves(step.src, {slot, 0}, true, out, {handle});
        add(Instr::Kind::OutDone, step, "done " + handle).slot = slot;
        break;
      }
      case Step::Kind::RepeatBegin:
        add(Instr::Kind::RepeatBegin, step, "repeat " + std::to_string(step.count));
        break;
      case Step::Kind::RepeatEnd: add(Instr::Kind::RepeatEnd, step, "end"); break;
      case Step::Kind::Jump: add(Instr::Kind::Jump, step, "jump"); break;
      case Step::Kind::SeedRounding:
      case Step::Kind::JumpUnless:
      case Step::Kind::Print: {
        if (!step.src.valid()) {  // Abort
          add(Instr::Kind::Print, step, "abort");
          break;
        }
        const auto temp = dense(step.src);
        emitMoves(step.src, {kArenaSlot, temp}, true, out, step.names);
        auto& instr = step.kind == Step::Kind::Print
                          ? add(Instr::Kind::Print, step, "print " + step.name())
                      : step.kind == Step::Kind::SeedRounding
                          ? add(Instr::Kind::SeedRounding, step, "seed of the rounding")
                          : add(Instr::Kind::JumpUnless, step, "jump unless");
        instr.first = addPointers({{kArenaSlot, temp}});
        instr.type = step.src.elementType();
        instr.shape = step.src.view().shape();
        instr.format = step.format;
        break;
      }
    }
  }
  at.push_back(out.instrs.size());
  threadsOfStep_ = threads_;
  for (std::size_t g = 0; g < flat.sideBySide.size(); ++g)
    for (std::size_t i = 1; i < flat.sideBySide[g].size(); ++i)
      out.sideBySide[g].push_back(at[flat.sideBySide[g][i]]);
  for (auto& instr : out.instrs)
    if (instr.kind == Instr::Kind::SideBySide) instr.target = out.sideBySide[instr.count].back();
  for (auto& instr : out.instrs)
    if (instr.kind == Instr::Kind::RepeatBegin || instr.kind == Instr::Kind::RepeatEnd ||
        instr.kind == Instr::Kind::Jump || instr.kind == Instr::Kind::JumpUnless)
      instr.target = at[instr.target];
}

}  // namespace popir
