#include "engine/engine_options.hpp"

#include <poplar/RuntimeOptions.hpp>
#include <poplar/exceptions.hpp>

#include <algorithm>
#include <cstdlib>

#include "engine/engine.hpp"
#include "poplar/json_reader.hpp"

namespace popir {
namespace {

using Kind = OptionRow::Kind;
using Type = OptionRow::Type;

constexpr const char* kNoTiles = "nothing is compiled or linked for a tile";
constexpr const char* kNoSync = "host and device are one process, which does not wait for itself";
constexpr const char* kNoFabric = "there is no hardware to set up";
constexpr const char* kCopies = "copies are planned by the engine, and estimated as they are";
constexpr const char* kNoFile = "no such file is written";
constexpr const char* kEstimates = "the profile holds estimates, which need no instrumentation";
constexpr const char* kCallbacks = "a stream's callback is called in the thread that runs";
constexpr const char* kInProfile = "the profile is of all programs, on all tiles";

/// What "host.without" may name, separated by commas: the passes that no engine needs, and the choices of
/// kernels.
const std::string kOptional = [] {
  std::string names;
  const auto add = [&](const std::string& name) { names += (names.empty() ? "" : ", ") + name; };
  for (const auto& row : enginePasses())
    if (!row.pass->isNeeded()) add(row.pass->name());
  for (const char* choice : kChoices) add(choice);
  return names;
}();

// Sorted by effect. popir's own options come first; the rest are Poplar's.
const std::vector<OptionRow> kOptions = {
    {"host.numThreads", Kind::Acts, Type::Threads, "",
     "threads of the host, for each replica that an engine runs; by default they share all cores"},
    {"host.spinMicroseconds", Kind::Acts, Type::Microseconds, "200",
     "how long a thread without work looks for more before it sleeps"},
    {"host.adaptThreads", Kind::Acts, Type::Flag, "true",
     "programs of up to 4 ms run on one thread while that is faster, which is tried now and then; "
     "false: always on all"},
    {"host.fuse", Kind::Acts, Type::Flag, "true", "false: every vertex is run by itself"},
    {"host.without", Kind::Acts, Type::Names, "",
     "passes of the engine and choices of its kernels that are left out, such as to find "
     "the one by which a result differs",
     kOptional.c_str()},
    {"host.lendTensors", Kind::Acts, Type::Flag, "true",
     "tensors that only the host writes, such as weights of inference, are read in the "
     "host's arrays where these are never changed; false: they are copied"},
    {"host.fpMath", Kind::Acts, Type::Choice, "highest",
     "the least accuracy of float32 products: high and medium allow factors of two bfloat16 and of "
     "one, on machines with tiles (AMX)",
     "highest high medium"},
    {"host.deterministic", Kind::Acts, Type::Flag, "false",
     "the same bits for any number of threads: contractions never divide a sum, and are popir's "
     "own"},
    {"host.overlapCollectives", Kind::Acts, Type::Flag, "true",
     "sums over replicas travel joined to about 1 MiB, from a thread, while the step goes on; "
     "false: one after the other, each where its result is needed"},
    {"host.profile", Kind::Acts, Type::Flag, "false", "the time of each instruction is taken"},
    {"debug.allowOutOfMemory", Kind::Acts, Type::Flag, "false",
     "a program that does not fit the tiles runs all the same"},
    {"debug.checkBounds", Kind::Acts, Type::Flag, "false",
     "a codelet's field that is indexed outside of its elements ends the run"},
    {"debug.poisonMemory", Kind::Acts, Type::Flag, "false",
     "memory that does not last and outputs hold NaN before each run: what is read unwritten "
     "shows"},
    {"debug.verifyPlan", Kind::Acts, Type::Flag, "false",
     "the engine's plan is verified after each of its passes, a session's graph after each of the "
     "compiler's"},
    {"debug.instrument", Kind::Acts, Type::Flag, "false",
     "codelets without an estimate are counted when they first run"},
    {"debug.instrumentCompute", Kind::Acts, Type::Flag, "false", "as debug.instrument"},
    {"debug.instrumentExternalExchange", Kind::Acts, Type::Flag, "false",
     "transfers of streams are in the profile"},
    {"debug.floatPointOpException", Kind::Acts, Type::Flag, "false",
     "a vertex that makes NaN, or infinity but in half, of numbers without ends the run; nothing "
     "is fused"},
    {"debug.nanOverflowException", Kind::Acts, Type::Flag, "false",
     "a vertex that makes infinity in half of numbers without ends the run; nothing is fused"},
    {"exchange.streamBufferOverlap", Kind::Acts, Type::Choice, "any",
     "none: streams have memory of their own, which prefetching needs",
     "any hostRearrangeOnly none"},
    {"exchange.enablePrefetch", Kind::Acts, Type::Flag, "true",
     "callbacks are asked for the next transfer after each one"},
    {"autoReport.all", Kind::Acts, Type::Flag, "false", "a profile is written"},
    {"autoReport.outputGraphProfile", Kind::Acts, Type::Flag, "false", "a profile is written"},
    {"autoReport.outputExecutionProfile", Kind::Acts, Type::Flag, "false",
     "a profile is written, with what ran"},
    {"autoReport.directory", Kind::Acts, Type::Text, ".", "the folder of these files"},
    {"autoReport.outputArchive", Kind::Acts, Type::Flag, "false",
     "archive.a is written: the codelets, compiled"},
    {"autoReport.outputLoweredVars", Kind::Acts, Type::Flag, "false",
     "vars.json is written: the variables and their tiles"},
    {"autoReport.outputSerializedGraph", Kind::Acts, Type::Flag, "false",
     "serialized_graph.json is written: the graph"},
    {"debug.loweredVarDumpFile", Kind::Acts, Type::Text, "",
     "the file for what autoReport.outputLoweredVars writes"},
    {"target.saveArchive", Kind::Acts, Type::Text, "",
     "the file for what autoReport.outputArchive writes"},
    {"prng.enableStochasticRounding", Kind::Acts, Type::Flag, "false",
     "each program begins with stochastic rounding on"},
    {"prng.enable", Kind::Acts, Type::Flag, "false",
     "prng.enableStochasticRounding by its former name; either of the two switches it on"},
    {"prng.seed", Kind::Acts, Type::Whole, "0", "the seed of stochastic rounding until one is set"},
    {"profiler.blocks.filter", Kind::Acts, Type::Pattern, "",
     "the names of Block programs whose executions are in the profile"},
    {"profiler.programs.filter", Kind::Acts, Type::Pattern, "",
     "the names of compute sets whose executions are in the profile"},

    {"autoReport.outputDebugInfo", Kind::Refused, Type::Flag, "false", kNoFile},
    {"autoReport.streamAtEachRun", Kind::Refused, Type::Flag, "false", kNoFile},
    {"debug.nanOverflowMode", Kind::Refused, Type::Flag, "false",
     "half overflows to infinity, never to NaN"},
    {"debug.trace", Kind::Refused, Type::Flag, "false", kNoFile},
    {"debug.traceFile", Kind::Refused, Type::Text, "", kNoFile},

    {"autoReport.executionProfileProgramRunCount", Kind::NoMeaning, Type::Whole, "", kInProfile},
    {"debug.branchRecordTile", Kind::NoMeaning, Type::Whole, "", kNoTiles},
    {"debug.computeInstrumentationLevel", Kind::NoMeaning, Type::Text, "", kEstimates},
    {"debug.cpuMultiThreadExecution", Kind::NoMeaning, Type::Flag, "",
     "host.numThreads says how many threads run"},
    {"debug.executionProfile", Kind::NoMeaning, Type::Text, "", kInProfile},
    {"debug.executionProfileProgramRunCount", Kind::NoMeaning, Type::Whole, "", kInProfile},
    {"debug.externalExchangeInstrumentationLevel", Kind::NoMeaning, Type::Text, "", kEstimates},
    {"debug.instrumentControlFlow", Kind::NoMeaning, Type::Flag, "", kEstimates},
    {"debug.outputAllSymbols", Kind::NoMeaning, Type::Flag, "", kNoTiles},
    {"debug.profilingTile", Kind::NoMeaning, Type::Whole, "", kInProfile},
    {"debug.retainDebugInformation", Kind::NoMeaning, Type::Flag, "",
     "names are always kept, for messages and reports"},
    {"debug.runtimeVerify", Kind::NoMeaning, Type::Flag, "", kNoFabric},
    {"debug.supervisorStackSizeInBytes", Kind::NoMeaning, Type::Whole, "", kNoTiles},
    {"debug.verify", Kind::NoMeaning, Type::Flag, "", "programs are always checked"},
    {"debug.workerStackSizeInBytes", Kind::NoMeaning, Type::Whole, "", kNoTiles},
    {"exchange.multicastPolicy", Kind::NoMeaning, Type::Text, "", kCopies},
    {"opt.enableInlining", Kind::NoMeaning, Type::Flag, "", kNoTiles},
    {"opt.enableMultiAccessCopies", Kind::NoMeaning, Type::Flag, "", kCopies},
    {"opt.enableSkipSyncs", Kind::NoMeaning, Type::Flag, "", kNoSync},
    {"opt.enableSwSyncs", Kind::NoMeaning, Type::Flag, "", kNoSync},
    {"opt.internalExchangeOptimisationTarget", Kind::NoMeaning, Type::Text, "", kCopies},
    {"opt.maxCompilationThreads", Kind::NoMeaning, Type::Whole, "", kNoTiles},
    {"opt.maxComputeSetsPerLoweredCopy", Kind::NoMeaning, Type::Whole, "", kCopies},
    {"opt.maxCopyMergeSize", Kind::NoMeaning, Type::Whole, "", kCopies},
    {"opt.maxLinkerThreads", Kind::NoMeaning, Type::Whole, "", kNoTiles},
    {"opt.useAutoloader", Kind::NoMeaning, Type::Flag, "", kNoFabric},
    {"profiler.blocks.implicitFlush", Kind::NoMeaning, Type::Flag, "", kEstimates},
    {"profiler.format", Kind::NoMeaning, Type::Text, "",
     "the profile has the one format that libpva reads"},
    {"profiler.includeCycleEstimates", Kind::NoMeaning, Type::Flag, "", kEstimates},
    {"profiler.includeFlopEstimates", Kind::NoMeaning, Type::Flag, "", kEstimates},
    {"profiler.perExecutionStreamCopyCycles", Kind::NoMeaning, Type::Flag, "", kEstimates},
    {"profiler.replicaToProfile", Kind::NoMeaning, Type::Whole, "",
     "all replicas run one program; that of the first is profiled"},
    {"streamCallbacks.maxLookahead", Kind::NoMeaning, Type::Text, "", kCallbacks},
    {"streamCallbacks.multiThreadMode", Kind::NoMeaning, Type::Text, "", kCallbacks},
    {"streamCallbacks.numWorkerThreads", Kind::NoMeaning, Type::Text, "", kCallbacks},
    {"streamCallbacks.numaAware", Kind::NoMeaning, Type::Flag, "", kCallbacks},
    {"target.deterministicWorkers", Kind::NoMeaning, Type::Text, "",
     "the same program, inputs and number of threads always give the same bits"},
    {"target.exceptionPollPeriodUs", Kind::NoMeaning, Type::Whole, "", kNoSync},
    {"target.extendedMemory", Kind::NoMeaning, Type::Flag, "", kNoFabric},
    {"target.gatewayMode", Kind::NoMeaning, Type::Flag, "", kNoFabric},
    {"target.gatewayWriteCombining", Kind::NoMeaning, Type::Flag, "", kNoFabric},
    {"target.hostSyncTimeout", Kind::NoMeaning, Type::Text, "", kNoSync},
    {"target.maxStreamCallbackThreadsPerNumaNode", Kind::NoMeaning, Type::Text, "", kCallbacks},
    {"target.supervisorStackSizeInBytes", Kind::NoMeaning, Type::Whole, "", kNoTiles},
    {"target.syncMethod", Kind::NoMeaning, Type::Text, "", kNoSync},
    {"target.syncPollPeriodUs", Kind::NoMeaning, Type::Whole, "", kNoSync},
    {"target.syncReplicasIndependently", Kind::NoMeaning, Type::Flag, "",
     "replicas wait for one another in collectives alone"},
    {"target.workerStackSizeInBytes", Kind::NoMeaning, Type::Whole, "", kNoTiles},
};

constexpr const char* kVariable = "POPLAR_ENGINE_OPTIONS";

}  // namespace

const std::vector<OptionRow>& engineOptionTable() { return kOptions; }

poplar::OptionFlags withEnvironment(const poplar::OptionFlags& options) {
  auto all = options;
  const char* text = std::getenv(kVariable);
  if (text != nullptr && *text != 0) {
    const std::string given = text;
    readOptions(kVariable, given, all);
  }
  return all;
}

poplar::OptionFlags engineOptions(const poplar::OptionFlags& options) {
  auto all = withEnvironment(options);
  for (const auto& note : checkOptions("Engine", kOptions, all)) noteOption(note);
  return all;
}

poplar::OptionFlags knownEngineOptions(const poplar::OptionFlags& options) {
  poplar::OptionFlags known;
  for (const auto& [name, value] : options)
    if (std::any_of(kOptions.begin(), kOptions.end(),
                    [&, &option = name](const OptionRow& row) { return option == row.name; }))
      known.set(name, value);
  return known;
}

bool countsFrom(const poplar::OptionFlags& options) {
  for (const auto* name : {"autoReport.all", "autoReport.outputExecutionProfile",
                           "debug.instrument", "debug.instrumentCompute"})
    if (flagFrom(options, name, false)) return true;
  return false;
}

}  // namespace popir

namespace poplar {

RuntimeOptions::RuntimeOptions(const OptionFlags& options) : flags_(options) {
  constexpr const char* variable = "POPLAR_RUNTIME_OPTIONS";
  const char* text = std::getenv(variable);
  if (text != nullptr && *text != 0) popir::readOptions(variable, text, flags_);
  static const auto table = [] {
    std::vector<popir::OptionRow> rows;
    for (const auto& row : popir::engineOptionTable()) {
      const std::string name = row.name;
      if (name.rfind("streamCallbacks.", 0) == 0 || name.rfind("target.sync", 0) == 0 ||
          name == "target.hostSyncTimeout" || name == "target.exceptionPollPeriodUs" ||
          name == "target.maxStreamCallbackThreadsPerNumaNode")
        rows.push_back(row);
    }
    return rows;
  }();
  for (const auto& note : popir::checkOptions("RuntimeOptions", table, flags_))
    popir::noteOption(note);
}

}  // namespace poplar
