// EngineImpl: emits the instructions of a vertex, and those that gather and scatter its operands.
#include <poplar/exceptions.hpp>

#include <algorithm>

#include "engine/engine.hpp"
#include "engine/plan/concat.hpp"

namespace popir {
namespace {

/// Whether neighbours in memory are neighbours along the last dimension but one, and never along the
/// last: to gather the columns, one after another, reads and writes long runs.
bool liesTurned(const poplar::Tensor& t) {
  if (t.rank() < 2) return false;
  const auto columns = t.view().shape().back();
  const auto pieces = t.view().pieces();
  return std::all_of(pieces.begin(), pieces.end(), [&](const Piece& piece) {
    const auto& loops = piece.nest.dims;
    return std::any_of(loops.begin(), loops.end(), [&](const NestDim& loop) {
      return loop.from == 1 && loop.to == columns && columns > 1;
    });
  });
}

}  // namespace

const Runner& EngineImpl::runnerOf(const Step& step, const std::vector<Layout>& layouts) {
  const auto& vertex = *step.vertex;
  const auto& kernel = *vertex.kernel;
  const bool isShared = !kernel.hasEffects() && !floatChecks_.any();
  const auto [first, last] = prepared_.equal_range(&kernel);
  const auto known = std::find_if(first, last, [&](const auto& each) {
    return each.second.draws == step.draws() && each.second.threads == threadsOfStep_ &&
           each.second.layouts == layouts;
  });
  if (isShared && known != last) return *known->second.runner;
  try {
    Setting setting{threadsOfStep_, {}, policy_};
    if (step.draws()) setting.rounding = Rounding(&rounding_);
    runners_.push_back(kernel.prepare(layouts, setting));
  } catch (const poplar::poplar_error&) {
    throw;
  } catch (const std::exception& e) {
    throw poplar::graph_program_compilation_error("Engine: vertex '" + vertex.name + "' (" +
                                                  kernel.name() + "): " + e.what());
  }
  auto& made = runners_.back();
  if (floatChecks_.any()) {
    std::vector<Access> access;
    for (const auto& operand : vertex.operands) access.push_back(operand.access);
    made = watched(std::move(made), floatChecks_, layouts, access, vertex.name, kernel.name());
  }
  if (isShared)
    prepared_.emplace(&kernel, Prepared{layouts, threadsOfStep_, step.draws(), made.get()});
  return *made;
}

bool EngineImpl::PackedForm::serves(const PackedForm& wanted) const {
  // Groups of one section run at the same time.
  const bool isBefore = !value || !packed.group || packed.section != wanted.packed.section ||
                        packed.group == wanted.packed.group;
  return isBefore && value == wanted.value && isOf(wanted);
}

bool EngineImpl::PackedForm::isOf(const PackedForm& other) const {
  return variables == other.variables && weights.slot == other.weights.slot &&
         weights.offset == other.weights.offset;
}

void EngineImpl::emitRun(const Step& step, std::size_t number, const Rereads& rereads,
                         Compiled& out) {
  const auto& vertex = *step.vertex;
  const auto& kernel = *vertex.kernel;
  std::vector<Layout> layouts;
  std::vector<Ref> refs;
  struct Scatter {
    const poplar::Tensor* tensor;
    std::size_t temp;
  };
  std::vector<Scatter> scatters;
  std::string text = std::string(kernel.name()) + " " + step.name();
  std::vector<Compiled> gathers(vertex.operands.size());
  bool written = false, work = false;
  for (std::size_t i = 0; i < vertex.operands.size(); ++i) {
    const auto& operand = vertex.operands[i];
    const auto& t = operand.tensor;
    auto layout = Layout::rowMajor(t.elementType(), t.view().shape());
    if (operand.access != Access::Read) {
      written = true;
      work = work || layout.elements() > 0;
    }
    const auto affine = t.view().affine();
    bool used = false;
    if (affine) {
      const auto v = t.view().wholeVariable();
      if (v && assignment_.buffers[*v].channelBlock != Layout::kPlain) {
        layout.channelBlock = assignment_.buffers[*v].channelBlock;
        used = true;
      } else {
        layout.strides = affine->strides;
        used = layout.elements() == 0 || kernel.accepts(i, layout);
      }
    }
    const auto concat = affine ? std::nullopt : concatInOnePiece(t);
    if (concat) {
      layout.channelBlock = assignment_.buffers[concat->front()].channelBlock;
      used = layout.channelBlock != Layout::kPlain || kernel.accepts(i, layout);
    }
    if (used) {
      auto ref = refOf(concat ? concat->front() : affine->variable);
      if (affine)
        ref.offset += static_cast<std::size_t>(affine->offset) * t.elementType().sizeInBytes();
      refs.push_back(ref);
    } else if (layout.elements() == 0) {
      refs.push_back({kArenaSlot, 0});
    } else {
      layout = Layout::rowMajor(t.elementType(), t.view().shape());
      const auto temp = workspace_->take(layout.bytes());
      bool isTurned = false;
      // What computes element by element, or sums, has all its operands in one order.
      const bool isFree = !kernel.elementWise() && !kernel.summing();
      if (operand.access == Access::Read && isFree && liesTurned(t)) {
        auto columns = layout;
        const auto last = columns.shape.size() - 1;
        columns.strides[last] = columns.shape[last - 1];
        columns.strides[last - 1] = 1;
        isTurned = kernel.accepts(i, columns);
        if (isTurned) layout = std::move(columns);
      }
      if (operand.access != Access::Write)
        emitMoves(isTurned ? t.dimRoll(t.rank() - 1, t.rank() - 2) : t, {kArenaSlot, temp}, true,
                  gathers[i], step.names);
      if (operand.access != Access::Read) scatters.push_back({&t, temp});
      refs.push_back({kArenaSlot, temp});
    }
    text += " " + shapeText(layout.shape);
    if (layout.channelBlock > 0) text += "/c" + std::to_string(layout.channelBlock);
    if (layout.channelBlock == Layout::kChannelsLast) text += "/clast";
    layouts.push_back(std::move(layout));
  }
  if (written && !work) return;  // all written operands are empty
  const Runner* runner = &runnerOf(step, layouts);
  if (*runner->note() != '\0') text += std::string(", ") + runner->note();
  const auto append = [](Compiled& to, const Compiled& what) {
    to.instrs.insert(to.instrs.end(), what.instrs.begin(), what.instrs.end());
    to.text.insert(to.text.end(), what.text.begin(), what.text.end());
  };
  const auto emit = [&](Compiled& to, const std::string& line) {
    Instr instr{};
    instr.kind = step.draws() ? Instr::Kind::RunDrawing : Instr::Kind::Run;
    instr.runner = runner;
    instr.first = addPointers(refs);
    instr.names = step.names;
    instr.scratch = workspace_->take(instr.runner->scratchBytes());
    to.instrs.push_back(instr);
    to.text.push_back(line);
  };
  const auto weights = policy_.has(Choice::Packing) ? runner->packable() : std::nullopt;
  const bool isKept = weights && isInvariant(vertex.operands[*weights].tensor);
  const bool isGathered = weights && !gathers[*weights].instrs.empty();
  const auto value =
      weights && !isKept && !isGathered ? rereads.valueOf(number, *weights) : std::nullopt;
  auto& packing = isKept ? compiled_.back() : out;
  auto& forms = isKept ? packed_ : reread_;
  // An address does not tell weights apart: gathered copies, and variables that the prologue alone
  // uses, share memory in turns. Variables do, since each that stays is written once.
  const bool shares = (isKept && !isGathered) || value;
  PackedForm form{{}, value, aside_, {}, {}, nullptr, false};
  if (shares) {
    form.variables = vertex.operands[*weights].tensor.view().variables();
    form.weights = refs[*weights];
  }
  const auto [first, last] = forms.equal_range(runner);
  const auto known = std::find_if(
      first, last, [&](const auto& each) { return shares && each.second.serves(form); });
  std::optional<Prepacked> packed;
  if ((isKept || value) && known == last) packed = runner->prepacked(refs.size());
  for (std::size_t i = 0; i < gathers.size(); ++i)
    append(packed && weights == i ? packing : out, gathers[i]);
  if (packed) {
    const Runner* const packer = runner;
    const auto operands = refs;
    // Whoever reads an earlier value of these weights is done when a later one is packed, unless
    // groups run side by side.
    const auto earlier = std::find_if(first, last, [&](const auto& each) {
      return value && !aside_.group && each.second.isOf(form) && !each.second.packed.group;
    });
    form.form = earlier != last ? earlier->second.form : keep(packed->bytes);
    refs = {operands[*weights], form.form};
    runners_.push_back(std::move(packed->pack));
    runner = runners_.back().get();
    emit(packing, "pack " + step.name());
    form.replaces = packed->moves && !packed->readsBoth && shares && isKept && &packing != &out &&
                    isOriginal(vertex.operands[*weights].tensor, layouts[*weights]);
    if (form.replaces) {
      Original& original = originalOf(form.variables.front());
      ++original.packs;
      ++original.reads;
      original.form = form.form;
      original.pack = runner;
      original.bytes = packed->bytes;
      packing.instrs.back().kind = Instr::Kind::Pack;
      packing.instrs.back().count = static_cast<unsigned>(&original - originals_.data());
    }
    refs = operands;
    refs.push_back(form.form);
    runners_.push_back(std::move(packed->run));
    form.run = runner = runners_.back().get();
    if (form.replaces) ++originalOf(form.variables.front()).reads;
    if (shares) forms.emplace(packer, form);
    text += ", packed";
  } else if (known != last) {
    refs.push_back(known->second.form);
    runner = known->second.run;
    if (known->second.replaces) ++originalOf(form.variables.front()).reads;
    text += ", packed";
  }
  emit(out, text);
  for (const auto& s : scatters) emitMoves(*s.tensor, {kArenaSlot, s.temp}, false, out, step.names);
}

}  // namespace popir
