// EngineImpl, the part that runs once: makes a plan of the programs, and allocates memory.
#include <poplar/exceptions.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <sstream>

#include "engine/engine.hpp"
#include "engine/engine_options.hpp"
#include "engine/passes/passes.hpp"
#include "engine/placement/passes.hpp"
#include "engine/replica_engines.hpp"
#include "kernels/contraction/bf16_tiles.hpp"
#include "kernels/pool.hpp"
#include "kernels/vector/isa.hpp"
#include "poplar/program_node.hpp"
#include "poplar/rounding_program.hpp"
#include "support/option_table.hpp"

namespace popir {
namespace {

/// Replicas run at the same time, and share the cores evenly unless the option says otherwise.
unsigned threadsFrom(const poplar::OptionFlags& options, unsigned replicas) {
  const auto found = options.find("host.numThreads");
  if (found == options.end()) return std::max(pool::defaultThreads() / std::max(replicas, 1u), 1u);
  return static_cast<unsigned>(std::stoul(found->second));
}

/// Says once in a process that POPIR_ISA asks for more than there is.
void noteMissingIsa() {
  static std::once_flag said;
  if (!isMissing()) return;
  std::call_once(said, [] {
    noteOption(std::string("Engine: POPIR_ISA is '") + std::getenv("POPIR_ISA") +
               "': this machine does not have it, so kernels use " + name(isa()));
  });
}

std::chrono::microseconds spinFrom(const poplar::OptionFlags& options) {
  const auto found = options.find("host.spinMicroseconds");
  if (found == options.end()) return pool::kDefaultSpin;
  return std::chrono::microseconds(std::stoul(found->second));
}

FpMath mathFrom(const poplar::OptionFlags& options) {
  const auto found = options.find("host.fpMath");
  if (found == options.end()) return FpMath::Highest;
  const FpMath math = *fpMathOf(found->second);
  if (math != FpMath::Highest && !tiles::haveAmx())
    noteOption(
        "Engine: host.fpMath is '" + found->second +
        "': this machine has no tiles of bfloat16 (AMX), so products are computed in float32");
  return math;
}

Policy policyFrom(const poplar::OptionFlags& options) {
  Policy policy{mathFrom(options), flagFrom(options, "host.deterministic", false)};
  for (std::size_t i = 0; i < policy.without.size(); ++i)
    policy.without[i] = isNamed(options, "host.without", kChoices[i]);
  return policy;
}

// As in Poplar, streams prefetch only if they do not share memory.
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

const Passes& enginePasses() {
  static const char* const kFuse = "host.fuse";
  // clang-format off
  static const Passes passes{
      {kFuse, std::make_shared<CoalesceCopies>()},
      {kFuse, std::make_shared<MultiplyBits>()},
      {kFuse, std::make_shared<Hoist>()},
      {kFuse, std::make_shared<Widen>()},
      {kFuse, std::make_shared<Fuse>()},
      {kFuse, std::make_shared<ShareGathers>()},
      {"host.overlapCollectives", std::make_shared<OverlapCollectives>()},
      {kFuse, std::make_shared<SideBySide>()},
      {nullptr, std::make_shared<AssignBuffers>()},
      {kFuse, std::make_shared<AliasConcats>()},
      {nullptr, std::make_shared<BlockChannels>()},
      {kFuse, std::make_shared<JoinRows>()},
      {kFuse, std::make_shared<ReuseOperands>()},
      {nullptr, std::make_shared<AssignOffsets>()},
  };
  // clang-format on
  return passes;
}

namespace {

/// Programs that begin with stochastic rounding on, if the options ask for it.
EngineImpl::Programs rounded(EngineImpl::Programs programs, const poplar::OptionFlags& options) {
  if (!flagFrom(options, "prng.enableStochasticRounding", false) &&
      !flagFrom(options, "prng.enable", false))
    return programs;
  for (auto& program : programs) {
    auto both = std::make_shared<ProgramNode>();
    both->children = {roundingProgram(true, {}).node(), std::move(program)};
    program = std::move(both);
  }
  return programs;
}

}  // namespace

RoundingState EngineImpl::seededRounding(const poplar::OptionFlags& options) {
  RoundingState state;
  const auto found = options.find("prng.seed");
  if (found == options.end()) return state;
  const auto seed = std::stoull(found->second);
  state.seed[0] = static_cast<std::uint32_t>(seed);
  state.seed[1] = static_cast<std::uint32_t>(seed >> 32);
  return state;
}

EngineImpl::EngineImpl(std::shared_ptr<GraphImpl> graph, Programs programs,
                       const poplar::OptionFlags& given, const poplar::ProgressFunc& progress)
    : grown_(std::move(graph)),
      options_(engineOptions(given)),
      programNodes_(rounded(std::move(programs), options_)),
      threads_(threadsFrom(options_, grown_->replicas)),
      spin_(spinFrom(options_)),
      adaptsThreads_(flagFrom(options_, "host.adaptThreads")),
      policy_(policyFrom(options_)),
      rounding_(seededRounding(options_)) {
  const auto& options = options_;
  noteMissingIsa();
  writeGraphFiles(*grown_, options);
  Plan plan;
  plan.graph = grown_;
  try {
    plan.programs = checkedPrograms(*grown_, programNodes_, options, parts_);
  } catch (const poplar::graph_memory_allocation_error& error) {
    throw poplar::graph_memory_allocation_error(error.what(),
                                                writeGraphProfile(*grown_, programNodes_, options));
  }
  connectRemoteBuffers();
  plan.programs.emplace_back();
  plan.policy = policy_;
  plan.threads = policy_.deterministic ? Setting::kThreadsOfChoices : threads_;
  unsigned traps = 0;
  for (const auto& program : plan.programs) traps |= program.traps;
  floatChecks_ = floatChecksFrom(options, traps);
  auto switches = options;
  // Float checks need the programs without fusion, so that a fault belongs to a single vertex.
  if (floatChecks_.any()) switches.set("host.fuse", "false");
  runPasses(plan, enginePasses(), switches);
  graph_ = plan.graph;
  invariant_ = std::move(plan.invariant);
  assignment_ = std::move(plan.assignment);
  notes_ = std::move(plan.notes);
  buckets_ = std::move(plan.buckets);
  refuseCollectives();
  const auto& flat = plan.programs;
  lendable_ = flagFrom(options, "host.lendTensors") ? lendable(flat)
                                                    : std::vector<bool>(graph_->variables.size());
  const bool prefetches = prefetchFrom(options);
  for (const auto& s : graph_->streams) streams_.push_back(streamEnd(s, prefetches));
  slots_.resize(2);  // kArenaSlot and kKeptSlot
  compiled_.resize(flat.size());
  const int total = static_cast<int>(programNodes_.size());
  workspace_ = std::make_unique<Workspace>(assignment_, graph_->variables);
  emit(programNodes_.size(), flat.back());
  for (unsigned v = 0; v < lendable_.size(); ++v)
    if (lendable_[v]) refOf(v);
  for (std::size_t p = 0; p < programNodes_.size(); ++p) {
    if (progress) progress(static_cast<int>(p), total);
    emit(p, flat[p]);
    if (flagFrom(options, "host.profile", false))
      compiled_[p].times.resize(compiled_[p].instrs.size());
  }
  const std::size_t bytes = workspace_->end();
  workspace_.reset();
  chooseOriginals();
  prepared_.clear();
  packed_.clear();
  totalBytes_ = bytes + keptBytes_;
  arena_ = std::make_unique<Arena>(bytes);
  kept_ = std::make_unique<Arena>(keptBytes_);
  pointers_.resize(refs_.size());
  for (unsigned i = 0; i < refs_.size(); ++i) {
    slots_[refs_[i].slot].users.push_back(i);
    if (refs_[i].slot > kKeptSlot && slots_[refs_[i].slot].base)
      pointers_[i] = slots_[refs_[i].slot].base + refs_[i].offset;
  }
  setSlot(kArenaSlot, arena_->data());
  setSlot(kKeptSlot, kept_->data());
  for (unsigned v = 0; v < lendable_.size(); ++v) takeBack(v);
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
    if (assignment_.buffers[v].alwaysLive && !variable.data.empty())
      std::memcpy(arena_->data() + assignment_.buffers[v].offset, variable.data.data(),
                  variable.bytes());
  }
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
  if (!notes_.empty()) os << "passes\n";
  for (const auto& note : notes_) os << "  " << note << "\n";
  return os.str();
}

}  // namespace popir
