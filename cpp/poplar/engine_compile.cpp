// EngineImpl, the half that runs once: plan to instructions. Long, because each kind of step has
// its instructions here.
#include <omp.h>
#include <sys/mman.h>
#include <poplar/exceptions.hpp>

#include <algorithm>
#include <cstring>
#include <sstream>

#include "poplar/engine_impl.hpp"
#include "poplar/engine_options.hpp"
#include "poplar/float_checks.hpp"
#include "poplar/fuse.hpp"
#include "poplar/host_memory.hpp"
#include "poplar/machine_reading.hpp"
#include "poplar/packed.hpp"

namespace popir {
namespace {

constexpr unsigned kArenaSlot = 0, kKeptSlot = 1;
constexpr std::size_t kAlign = 64;
std::size_t aligned(std::size_t bytes) { return (bytes + kAlign - 1) / kAlign * kAlign; }

unsigned threadsFrom(const poplar::OptionFlags& options) {
  const auto found = options.find("host.numThreads");
  if (found == options.end()) return static_cast<unsigned>(std::max(omp_get_max_threads(), 1));
  return static_cast<unsigned>(std::stoul(found->second));
}

std::string shapeText(const Dims& shape) {
  std::string s = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) s += (i ? "," : "") + std::to_string(shape[i]);
  return s + "]";
}

// Poplar too looks ahead only where streams have memory of their own.
bool prefetchFrom(const poplar::OptionFlags& options) {
  const auto overlap = options.find("exchange.streamBufferOverlap");
  return overlap != options.end() && overlap->second == "none" &&
         flagFrom(options, "exchange.enablePrefetch");
}

StreamEnd streamEnd(const poplar::DataStream& stream, bool prefetches) {
  StreamEnd end;
  end.stream = stream;
  end.bytes = stream.numElements() * stream.elementType().sizeInBytes();
  end.prefetches = prefetches && stream.direction() == poplar::DataStream::Direction::HostToDevice;
  return end;
}

}  // namespace

Arena::Arena(std::size_t bytes) : bytes_(std::max<std::size_t>(bytes, kAlign)) {
  requireMemory("Engine: the program", bytes_);
  void* p = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED)
    throw poplar::graph_memory_allocation_error("Engine: the host cannot give " +
                                                std::to_string(bytes_) + " bytes");
  madvise(p, bytes_, MADV_HUGEPAGE);
  data_ = static_cast<char*>(p);
}
Arena::~Arena() { munmap(data_, bytes_); }
void Arena::clear() { madvise(data_, bytes_, MADV_DONTNEED); }
void Arena::poison(std::size_t begin) { popir::poison(data_ + begin, bytes_ - begin); }

void poison(char* begin, std::size_t bytes) {
  // 0x7ff5 over and over; memory of variables begins at even addresses.
  for (std::size_t i = 0; i < bytes; ++i) begin[i] = i % 2 == 0 ? '\xf5' : '\x7f';
}

/// \throws poplar_error for what rounds to nearest where it is to round stochastically, and where
/// it
///         depends on the program that ran before how something rounds.
static void checkRounding(const std::vector<FlatProgram>& programs) {
  const auto leaves = std::find_if(programs.begin(), programs.end(), [](const FlatProgram& p) {
    return p.rounding == RoundingMode::Stochastic;
  });
  for (const auto& program : programs)
    for (const auto& step : program.steps) {
      if (step.vertex == nullptr || step.rounding == RoundingMode::ToNearest) continue;
      const auto rounds = roundsOf(*step.vertex);
      const auto refuse = [&](const std::string& why) {
        throw poplar::poplar_error("setStochasticRounding: vertex '" +
                                   (step.name.empty() ? step.vertex->name : step.name) + "' (" +
                                   step.vertex->kernel->name() + ") " + why);
      };
      if (step.rounding == RoundingMode::Stochastic && rounds == Rounds::ToNearest)
        refuse(
            "stores 16-bit floats rounded to nearest, as all codelets do; turn stochastic rounding "
            "off before it and on again after it, or let it write float");
      if (step.rounding == RoundingMode::Inherited && rounds != Rounds::Nothing &&
          leaves != programs.end())
        refuse("rounds before its program says how, and program " +
               std::to_string(leaves - programs.begin()) +
               " leaves stochastic rounding on; call it at the beginning of both");
    }
}

std::vector<FlatProgram> checkedPrograms(const GraphImpl& graph,
                                         const std::vector<std::shared_ptr<ProgramNode>>& programs,
                                         const poplar::OptionFlags& options, EngineParts& parts) {
  for (std::size_t id = 0; id < graph.variables.size(); ++id) {
    const Variable& v = graph.variables[id];
    if (!v.mapping.complete(v.elements))
      throw poplar::invalid_tile_mapping(
          "Engine: " + std::string(v.constant ? "constant" : "variable") + " '" + v.name +
          "' of shape " + shapeText(v.shape) + " (variable " + std::to_string(id) +
          " of the graph) has elements without a tile; use Graph::setTileMapping or "
          "poputil::mapTensorLinearly");
  }
  const ProgramNode nothing;
  parts.codelets.checkBounds = flagFrom(options, "debug.checkBounds", false);
  if (countsFrom(options)) parts.codelets.counts = std::make_shared<CodeletCounts>();
  std::vector<FlatProgram> flat;
  for (const auto& p : programs) {
    if (p) requireGraph(graph, *p);
    flat.push_back(flatten(graph, p ? *p : nothing, parts));
  }
  checkRounding(flat);
  if (!flagFrom(options, "debug.allowOutOfMemory", false)) requireTileMemory(graph, programs);
  return flat;
}

EngineImpl::EngineImpl(std::shared_ptr<GraphImpl> graph, Programs programs,
                       const poplar::OptionFlags& given, const poplar::ProgressFunc& progress)
    : grown_(std::move(graph)),
      graph_(grown_),
      programNodes_(std::move(programs)),
      options_(engineOptions(given)),
      threads_(threadsFrom(options_)) {
  const auto& options = options_;
  const ThreadCount threads(threads_);
  auto flat = checkedPrograms(*grown_, programNodes_, options, parts_);
  FlatProgram prologue;
  // What is watched runs as it was grown, so that what is found is one vertex's.
  floatChecks_ = floatChecksFrom(options);
  const bool fuses = flagFrom(options, "host.fuse") && !floatChecks_.any();
  if (fuses) {
    graph_ = ofTheHost(*grown_);
    unshare(*graph_, flat);
    auto settled = settle(*graph_, flat);
    prologue = std::move(settled.prologue);
    settled_ = std::move(settled.variables);
    widen(*graph_, flat);
    fuse(*graph_, flat);
  }
  flat.push_back(std::move(prologue));
  placement_ = place(*graph_, flat, threads_, fuses);
  const bool prefetches = prefetchFrom(options);
  for (const auto& s : graph_->streams) streams_.push_back(streamEnd(s, prefetches));
  slots_.resize(2);  // the arena, and what is kept
  compiled_.resize(flat.size());
  const int total = static_cast<int>(programNodes_.size());
  compile(programNodes_.size(), flat.back());
  for (std::size_t p = 0; p < programNodes_.size(); ++p) {
    if (progress) progress(static_cast<int>(p), total);
    compile(p, flat[p]);
    if (flagFrom(options, "host.profile", false))
      compiled_[p].times.resize(compiled_[p].instrs.size());
  }
  const std::size_t temporaries = aligned(placement_.arenaBytes);
  const std::size_t scratch = temporaries + aligned(temporaryBytes_);
  const std::size_t bytes = scratch + scratchBytes_;
  totalBytes_ = bytes + keptBytes_;
  arena_ = std::make_unique<Arena>(bytes);
  kept_ = std::make_unique<Arena>(keptBytes_);
  scratch_ = arena_->data() + scratch;
  pointers_.resize(refs_.size());
  for (unsigned i = 0; i < refs_.size(); ++i) {
    slots_[refs_[i].slot].users.push_back(i);
    if (refs_[i].slot > kKeptSlot && slots_[refs_[i].slot].base)
      pointers_[i] = slots_[refs_[i].slot].base + refs_[i].offset;
  }
  setSlot(kArenaSlot, arena_->data());
  setSlot(kKeptSlot, kept_->data());
  slots_[kArenaSlot].bytes = bytes;
  poisons_ = flagFrom(options, "debug.poisonMemory", false);
  setInitialValues();
  if (progress) progress(total, total);
  report();
}

void EngineImpl::setInitialValues() {
  if (poisons_) {
    arena_->poison(0);
    kept_->poison(0);
  }
  for (unsigned v = 0; v < graph_->variables.size(); ++v) {
    const auto& variable = graph_->variables[v];
    if (placement_.homes[v].alwaysLive && !variable.data.empty())
      std::memcpy(arena_->data() + placement_.homes[v].offset, variable.data.data(),
                  variable.bytes());
  }
}

EngineImpl::Ref EngineImpl::refOf(unsigned v) {
  const auto& home = placement_.homes[v];
  if (home.kind == Home::Kind::Arena) return {kArenaSlot, home.offset};
  const auto known = slotOfVariable_.find(v);
  if (known != slotOfVariable_.end()) return {known->second, 0};
  const auto slot = static_cast<unsigned>(slots_.size());
  slots_.emplace_back();
  slots_.back().bytes = graph_->variables[v].bytes();
  if (home.kind == Home::Kind::Constant)
    slots_.back().base =
        reinterpret_cast<char*>(const_cast<unsigned char*>(graph_->variables[v].data.data()));
  else
    slots_.back().stream = home.stream;
  slotOfVariable_[v] = slot;
  return {slot, 0};
}

unsigned EngineImpl::addPointers(const std::vector<Ref>& refs) {
  const auto first = static_cast<unsigned>(refs_.size());
  refs_.insert(refs_.end(), refs.begin(), refs.end());
  return first;
}

bool EngineImpl::isSettled(const poplar::Tensor& t) const {
  if (settled_.empty()) return false;
  const auto variables = t.view().variables();
  return std::all_of(variables.begin(), variables.end(), [&](unsigned v) { return settled_[v]; });
}

EngineImpl::Ref EngineImpl::keep(std::size_t bytes) {
  const auto at = keptBytes_;
  keptBytes_ += aligned(bytes);
  return {kKeptSlot, at};
}

// Temporaries lie after the arena proper, the same bytes for every step.
std::size_t EngineImpl::temporary(std::size_t bytes) {
  const auto at = stepTemporaryBytes_;
  stepTemporaryBytes_ += aligned(bytes);
  temporaryBytes_ = std::max(temporaryBytes_, stepTemporaryBytes_);
  return aligned(placement_.arenaBytes) + at;
}

void EngineImpl::emitMoves(const poplar::Tensor& t, std::size_t temp, bool gather, Compiled& out,
                           const std::string& name) {
  std::vector<Ref> refs{{kArenaSlot, temp}};
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
  runners_.push_back(makeStridedCopy(std::move(moves), t.elementType().sizeInBytes(), threads_));
  instr.runner = runners_.back().get();
  instr.first = addPointers(refs);
  instr.name = name;
  out.instrs.push_back(instr);
  out.text.push_back(std::string(gather ? "gather " : "scatter ") + name + " " +
                     shapeText(t.view().shape()));
}

void EngineImpl::emitCopy(const poplar::Tensor& src, const poplar::Tensor& dst, Compiled& out,
                          const std::string& name) {
  if (src.intersectsWith(dst)) {
    const auto temp = temporary(src.numElements() * src.elementType().sizeInBytes());
    emitMoves(src, temp, true, out, name);
    emitMoves(dst, temp, false, out, name);
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
    // Walk the source along this box: its flat positions in, the destination's elements out.
    std::swap(into.from, into.to);
    for (auto& d : into.dims) std::swap(d.from, d.to);
    src.view().expand(std::move(into), [&](unsigned srcVariable, Nest nest) {
      moves.push_back({operand(srcVariable), operand(dstVariable), std::move(nest)});
    });
  });
  Instr instr{};
  instr.kind = Instr::Kind::Run;
  runners_.push_back(makeStridedCopy(std::move(moves), dst.elementType().sizeInBytes(), threads_));
  instr.runner = runners_.back().get();
  instr.first = addPointers(refs);
  instr.name = name;
  out.instrs.push_back(instr);
  out.text.push_back("copy " + name + " " + shapeText(dst.view().shape()));
}

std::optional<Row> EngineImpl::rowInOnePiece(const poplar::Tensor& t) const {
  auto row = rowOf(*graph_, t);
  for (std::size_t i = 0; row && i < row->size(); ++i) {
    const auto& home = placement_.homes[(*row)[i]];
    const auto& before = placement_.homes[(*row)[i == 0 ? 0 : i - 1]];
    if (home.kind != Home::Kind::Arena ||
        (i > 0 && home.offset != before.offset + graph_->variables[(*row)[i - 1]].bytes()))
      return std::nullopt;
  }
  return row;
}

constexpr std::size_t kWeights = 1;  // operand of every contraction

void EngineImpl::emitRun(const Step& step, Compiled& out) {
  const auto& vertex = *step.vertex;
  const auto& kernel = *vertex.kernel;
  std::vector<Layout> layouts;
  std::vector<Ref> refs;
  struct Scatter {
    const poplar::Tensor* tensor;
    std::size_t temp;
  };
  std::vector<Scatter> scatters;
  std::string text = std::string(kernel.name()) + " " + step.name;
  Compiled weights;  // what gathers settled weights
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
      if (v && placement_.homes[*v].channelBlock != Layout::kPlain) {
        layout.channelBlock = placement_.homes[*v].channelBlock;
        used = true;
      } else {
        layout.strides = affine->strides;
        used = layout.elements() == 0 || kernel.accepts(i, layout);
      }
    }
    const auto row = affine ? std::nullopt : rowInOnePiece(t);
    if (row) {
      layout.channelBlock = placement_.homes[row->front()].channelBlock;
      used = layout.channelBlock != Layout::kPlain || kernel.accepts(i, layout);
    }
    if (used) {
      auto ref = refOf(row ? row->front() : affine->variable);
      if (affine)
        ref.offset += static_cast<std::size_t>(affine->offset) * t.elementType().sizeInBytes();
      refs.push_back(ref);
    } else if (layout.elements() == 0) {
      refs.push_back({kArenaSlot, 0});
    } else {
      layout = Layout::rowMajor(t.elementType(), t.view().shape());
      const auto temp = temporary(layout.bytes());
      if (operand.access != Access::Write)
        emitMoves(t, temp, true, i == kWeights && isSettled(t) ? weights : out, step.name);
      if (operand.access != Access::Read) scatters.push_back({&t, temp});
      refs.push_back({kArenaSlot, temp});
    }
    text += " " + shapeText(layout.shape);
    if (layout.channelBlock > 0) text += "/c" + std::to_string(layout.channelBlock);
    if (layout.channelBlock == Layout::kChannelsLast) text += "/clast";
    layouts.push_back(std::move(layout));
  }
  if (written && !work) return;  // nothing to write, so nothing to do
  try {
    Setting setting{threads_};
    if (step.draws()) setting.rounding = Rounding(&rounding_);
    runners_.push_back(kernel.prepare(layouts, setting));
  } catch (const poplar::poplar_error&) {
    throw;
  } catch (const std::exception& e) {
    throw poplar::graph_program_compilation_error("Engine: vertex '" + vertex.name + "' (" +
                                                  kernel.name() + "): " + e.what());
  }
  if (floatChecks_.any()) {
    std::vector<Access> access;
    for (const auto& operand : vertex.operands) access.push_back(operand.access);
    runners_.back() = watched(std::move(runners_.back()), floatChecks_, layouts, access,
                              vertex.name, kernel.name());
  }
  const auto append = [](Compiled& to, const Compiled& what) {
    to.instrs.insert(to.instrs.end(), what.instrs.begin(), what.instrs.end());
    to.text.insert(to.text.end(), what.text.begin(), what.text.end());
  };
  const auto emit = [&](Compiled& to, const std::string& line) {
    Instr instr{};
    instr.kind = step.draws() ? Instr::Kind::RunDrawing : Instr::Kind::Run;
    instr.runner = runners_.back().get();
    instr.first = addPointers(refs);
    instr.name = step.name;
    scratchBytes_ = std::max(scratchBytes_, instr.runner->scratchBytes());
    to.instrs.push_back(instr);
    to.text.push_back(line);
  };
  const auto* contraction = dynamic_cast<const contraction::Contraction*>(runners_.back().get());
  if (contraction && contraction->packedBytes() > 0 &&
      isSettled(vertex.operands[kWeights].tensor)) {
    auto& prologue = compiled_.back();
    append(prologue, weights);
    const auto operands = refs;
    const auto packed = keep(contraction->packedBytes());
    refs = {operands[kWeights], packed};
    runners_.push_back(std::make_unique<Pack>(*contraction));
    emit(prologue, "pack " + step.name);
    refs = operands;
    refs.push_back(packed);
    runners_.push_back(std::make_unique<Packed>(*contraction, operands.size()));
    text += ", packed";
  } else {
    append(out, weights);
  }
  emit(out, text);
  for (const auto& s : scatters) emitMoves(*s.tensor, s.temp, false, out, step.name);
}

void EngineImpl::compile(std::size_t program, const FlatProgram& flat) {
  auto& out = compiled_[program];
  std::map<std::size_t, std::vector<unsigned>> bindAt;
  for (unsigned v = 0; v < placement_.homes.size(); ++v) {
    const auto& home = placement_.homes[v];
    if (home.kind == Home::Kind::StreamOut && home.program == program)
      bindAt[home.bindAt].push_back(v);
  }
  std::vector<std::size_t> at;  // instruction of each step
  const auto add = [&](Instr::Kind kind, const Step& step, std::string text) -> Instr& {
    Instr instr{};
    instr.kind = kind;
    instr.count = step.count;
    instr.target = step.target;
    instr.expected = step.expected;
    instr.stream = step.stream;
    instr.name = step.name;
    out.instrs.push_back(std::move(instr));
    out.text.push_back(std::move(text));
    return out.instrs.back();
  };
  for (std::size_t s = 0; s < flat.steps.size(); ++s) {
    const auto& step = flat.steps[s];
    stepTemporaryBytes_ = 0;
    at.push_back(out.instrs.size());
    for (auto v : bindAt[s]) {
      auto& instr = add(
          Instr::Kind::BindOut, step,
          "bind " + graph_->streams[static_cast<std::size_t>(placement_.homes[v].stream)].handle());
      instr.slot = refOf(v).slot;
      instr.stream = placement_.homes[v].stream;
    }
    // The dense host side of a stream copy, moved through a temporary.
    const auto dense = [&](const poplar::Tensor& t) {
      return temporary(t.numElements() * t.elementType().sizeInBytes());
    };
    switch (step.kind) {
      case Step::Kind::None: break;
      case Step::Kind::Run: emitRun(step, out); break;
      case Step::Kind::Copy: emitCopy(step.src, step.dst, out, step.name); break;
      case Step::Kind::StreamIn: {
        const auto& handle = graph_->streams[static_cast<std::size_t>(step.stream)].handle();
        const auto v = step.dst.view().wholeVariable();
        if (v && placement_.homes[*v].kind == Home::Kind::StreamIn) {
          add(Instr::Kind::BindIn, step, "bind " + handle).slot = refOf(*v).slot;
          break;
        }
        auto& instr = add(Instr::Kind::StreamIn, step, "stream in " + handle);
        if (v && placement_.homes[*v].channelBlock == Layout::kPlain) {
          instr.first = addPointers({refOf(*v)});
          break;
        }
        const auto temp = dense(step.dst);
        instr.first = addPointers({{kArenaSlot, temp}});
        emitMoves(step.dst, temp, false, out, handle);
        break;
      }
      case Step::Kind::StreamOut: {
        const auto& handle = graph_->streams[static_cast<std::size_t>(step.stream)].handle();
        const auto v = step.src.view().wholeVariable();
        if (v && placement_.homes[*v].kind == Home::Kind::StreamOut) {
          add(Instr::Kind::OutDone, step, "done " + handle).slot = refOf(*v).slot;
          break;
        }
        const bool direct = v && placement_.homes[*v].channelBlock == Layout::kPlain;
        const auto temp = direct ? 0 : dense(step.src);
        if (!direct) emitMoves(step.src, temp, true, out, handle);
        add(Instr::Kind::StreamOut, step, "stream out " + handle).first =
            addPointers({direct ? refOf(*v) : Ref{kArenaSlot, temp}});
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
        const auto temp = dense(step.src);
        emitMoves(step.src, temp, true, out, step.name);
        auto& instr = step.kind == Step::Kind::Print
                          ? add(Instr::Kind::Print, step, "print " + step.name)
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
  for (auto& instr : out.instrs)
    if (instr.kind == Instr::Kind::RepeatBegin || instr.kind == Instr::Kind::RepeatEnd ||
        instr.kind == Instr::Kind::Jump || instr.kind == Instr::Kind::JumpUnless)
      instr.target = at[instr.target];
}

std::string EngineImpl::planText() const {
  std::ostringstream os;
  for (std::size_t p = 0; p < compiled_.size(); ++p) {
    if (p < programNodes_.size())
      os << "program " << p << "\n";
    else if (!compiled_[p].text.empty())
      os << "before the first run\n";
    for (const auto& line : compiled_[p].text) os << "  " << line << "\n";
  }
  return os.str();
}

}  // namespace popir
