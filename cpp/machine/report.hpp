// The result of the machine reading: the estimated cost of a program.
#ifndef popir_machine_report_hpp
#define popir_machine_report_hpp

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "machine/tile_bytes.hpp"

namespace popir {

/// The cost of a bulk vertex or a copy, or of all codelet vertices of a compute set, summed over
/// all executions. Vertices of one compute set share its phases, so the sum over operations may
/// exceed the program's totals.
struct OperationCost {
  std::string name;
  std::string vertexClass;
  /// Where the cycles come from: "estimator", "guess", "setPerfEstimate", "counted" or "unknown". If
  /// the vertices of a compute set differ, several of these, joined by ", ".
  std::string source;
  std::uint64_t times = 0;
  std::uint64_t computeCycles = 0, exchangeCycles = 0, syncCycles = 0;
  std::uint64_t exchangeBytes = 0;
  std::uint64_t flops = 0;

  std::uint64_t cycles() const { return computeCycles + exchangeCycles + syncCycles; }
  auto state() const {
    return std::tie(name, vertexClass, source, times, computeCycles, exchangeCycles, syncCycles,
                    exchangeBytes, flops);
  }
};

/// The cost of one execution of a step. The list of steps is in program order; steps of a function
/// are listed at each call. The steps of the cheaper branch of an If are not counted: their `times`
/// is 0, and they have no operations.
struct StepCost {
  std::string name;
  /// "Execute", "Copy", "StreamCopy", "Sync".
  std::string kind;
  /// Names of sequences around the step: the outermost named Sequence or Block of the program, then
  /// that of each called function, if there is one.
  std::vector<std::string> blocks;
  /// Executions in one run of the program.
  std::uint64_t times = 0;
  std::uint64_t computeCycles = 0, exchangeCycles = 0, syncCycles = 0;
  /// The part of exchangeCycles on links between IPUs.
  std::uint64_t interIPUCycles = 0;
  /// The mean over all tiles of the target; computeCycles are those of each phase's slowest tile.
  double meanComputeCycles = 0;
  std::uint64_t exchangeBytes = 0, interIPUBytes = 0;
  std::uint64_t hostBytesIn = 0, hostBytesOut = 0;
  /// Bytes that come from remote buffers, and that go there.
  std::uint64_t streamingBytesIn = 0, streamingBytesOut = 0;
  /// Of one execution the seconds of its transfer with the host or streaming memory; of all of them
  /// the seconds in which tiles wait for it; and when it begins, in a run in which each step has all
  /// of its executions one after another, and is waited for after them.
  double transferSeconds = 0, waitSeconds = 0, transferBegin = 0;
  /// Bytes that are live while the step runs, without those that are always live: over all tiles,
  /// and on the tile with most of them.
  std::uint64_t liveBytes = 0, fullestTileLiveBytes = 0;
  /// Bytes over all tiles: operands gathered for this step; the state of its vertices; its exchange
  /// code. State and code are always live, and exist once even if several places call the step.
  std::uint64_t gatheredBytes = 0, vertexStateBytes = 0, exchangeCodeBytes = 0;
  /// Indices into MachineReport::operations; IPUs that compute or exchange, and the compute cycles of
  /// each, those of its slowest tile.
  std::vector<std::size_t> operations;
  std::vector<unsigned> ipus;
  std::vector<std::uint64_t> ipuComputeCycles;

  std::uint64_t cycles() const { return computeCycles + exchangeCycles + syncCycles; }
  auto state() const {
    return std::tie(name, kind, blocks, times, computeCycles, exchangeCycles, syncCycles,
                    interIPUCycles, meanComputeCycles, exchangeBytes, interIPUBytes, hostBytesIn,
                    hostBytesOut, streamingBytesIn, streamingBytesOut, transferSeconds, waitSeconds,
                    transferBegin, liveBytes, fullestTileLiveBytes, gatheredBytes, vertexStateBytes,
                    exchangeCodeBytes, operations, ipus, ipuComputeCycles);
  }
};

/// Bytes of one category: over all tiles, on the fullest tile, and on each tile. Categories that
/// are not always live have, for each tile, the bytes at that tile's worst step.
struct MemoryCost {
  std::string category;
  bool alwaysLive = false;
  std::uint64_t totalBytes = 0, fullestTileBytes = 0;
  std::vector<std::uint64_t> tileBytes;
  auto state() const {
    return std::tie(category, alwaysLive, totalBytes, fullestTileBytes, tileBytes);
  }
};

/// A variable, a step that gathers operands, or a category such as "vertex code": its bytes on the
/// fullest tile, at the worst step of this tile.
struct MemoryOwner {
  std::string name, category;
  std::uint64_t bytes = 0;
  auto state() const { return std::tie(name, category, bytes); }
};

/// A variable of the engine's programs. `category`: "variables", "constants" or "temporaries".
struct VariableCost {
  std::string name, category;
  std::uint64_t bytes = 0;
  TileBytes tiles;
  /// Of temporaries: the steps of the program during which it is live, as first and last step, in
  /// ascending order. None of what only other programs use.
  std::vector<std::pair<std::size_t, std::size_t>> live;
  auto state() const { return std::tie(name, category, bytes, tiles, live); }
};

/// A class of vertices: the bytes of its code on each tile that has any, and how many a tile has. A
/// library function counts as one on each tile that computes a part of it.
struct VertexClassCost {
  std::string vertexClass;
  std::uint64_t codeBytes = 0;
  TileBytes tiles;
  auto state() const { return std::tie(vertexClass, codeBytes, tiles); }
};

/// A node of the program that has others in it: "Sequence", "Repeat", "While", "If", "Else" or
/// "Call". Nodes come in the order in which they begin, each before those in it; `depth` counts the
/// nodes around it. It has the steps [firstStep, firstStep + steps).
struct ProgramPart {
  std::string kind, name;
  std::uint64_t depth = 0, firstStep = 0, steps = 0;
  /// Executions in one run of the program.
  std::uint64_t times = 0;
  auto state() const { return std::tie(kind, name, depth, firstStep, steps, times); }
};

/// A remote buffer: its bytes in streaming memory, and the bytes that one run reads and writes.
struct RemoteBufferCost {
  std::string name;
  std::uint64_t bytes = 0, bytesIn = 0, bytesOut = 0;
  auto state() const { return std::tie(name, bytes, bytesIn, bytesOut); }
};

/// A transfer with the host, or with streaming memory: how often it is in one run, its bytes, and
/// those at the gateway with most of them.
struct TransferCost {
  bool withHost = false;
  std::uint64_t times = 0, bytes = 0, gatewayBytes = 0;
  auto state() const { return std::tie(withHost, times, bytes, gatewayBytes); }
};

struct __attribute__((visibility("default"))) MachineReport {
  std::string target;
  unsigned tiles = 0, numIPUs = 0, tilesPerIPU = 0;
  double clockHz = 0;
  /// Tile cycles of one run of the program; compute, exchange and sync add up to `cycles`.
  std::uint64_t cycles = 0, computeCycles = 0, exchangeCycles = 0, syncCycles = 0;
  std::uint64_t exchangeBytes = 0, flops = 0;
  /// Traffic on links between IPUs. A word that several tiles of an IPU receive is counted once.
  /// The cycles are part of exchangeCycles.
  std::uint64_t interIPUBytes = 0, interIPUCycles = 0;
  /// The part of the exchange that moves stream data between the linear mapping in which the host
  /// transfers it and the tile mappings of the program's tensors.
  std::uint64_t rearrangementBytes = 0, rearrangementCycles = 0;
  /// Bytes that the host transfers in one run, in so many transfers, and the seconds of these.
  /// `cycles` does not include this time.
  std::uint64_t hostBytesIn = 0, hostBytesOut = 0, hostTransfers = 0;
  double hostSeconds = 0;
  /// The same for remote buffers, which lie in the streaming memory of the gateways, and the bytes
  /// that they have there. `cycles` does not include this time.
  std::uint64_t streamingBytesIn = 0, streamingBytesOut = 0, streamingMemoryBytes = 0;
  double streamingSeconds = 0;
  /// Of these seconds those in which other tiles go on, beside transfers of IO tiles.
  double overlapSeconds = 0;
  /// In the order in which programs first use them.
  std::vector<RemoteBufferCost> remoteBuffers;
  std::vector<TransferCost> transfers;
  /// In program order; operations by their first execution.
  std::vector<OperationCost> operations;
  std::vector<StepCost> steps;
  /// Classes of vertices whose cycles are not known. They are in no figure here: if there are any,
  /// `cycles` are at least so many.
  std::vector<std::string> unknown;
  /// The tree of the program, whose leaves are the steps.
  std::vector<ProgramPart> parts;
  /// By tile: compute cycles, and bytes received, of one run.
  std::vector<std::uint64_t> tileComputeCycles, tileReceivedBytes;
  /// Number of different steps, over all programs of the engine. Each is costed once.
  std::size_t distinctSteps = 0;
  /// Memory by category, for all programs of the engine together. On each tile the categories add
  /// up to the tile's total.
  std::vector<MemoryCost> memory;
  /// The variables that steps use or that last, and the classes of vertices, of all programs.
  std::vector<VariableCost> variables;
  std::vector<VertexClassCost> vertices;
  /// The largest owners of memory on the fullest tile, at most ten, in descending order.
  std::vector<MemoryOwner> owners;
  /// Bytes in use over all tiles, and on the fullest tile; the size of a tile's memory.
  std::uint64_t totalBytes = 0, maxTileBytes = 0, bytesPerTile = 0;
  unsigned fullestTile = 0, tilesOutOfMemory = 0;
  /// By tile: bytes that have to lie in interleaved memory, at the step with most of them; and those
  /// that must not, the code. All else lies where there is room. The size of a tile's interleaved
  /// memory.
  std::vector<std::uint64_t> interleavedBytes, nonInterleavedBytes;
  std::uint64_t interleavedBytesPerTile = 0;
  /// Notes, one sentence each: what the estimate includes and what it leaves out, vertex classes
  /// without an estimator, element types that no IPU has.
  std::vector<std::string> counts;

  /// A run with its transfers.
  double runSeconds() const {
    return static_cast<double>(cycles) / clockHz + hostSeconds + streamingSeconds - overlapSeconds;
  }
  /// The report as text, with the `rows` operations of most cycles.
  std::string summary(std::size_t rows = 10) const;

  auto state() const {
    return std::tie(target, tiles, numIPUs, tilesPerIPU, clockHz, cycles, computeCycles,
                    exchangeCycles, syncCycles, exchangeBytes, flops, interIPUBytes, interIPUCycles,
                    rearrangementBytes, rearrangementCycles, hostBytesIn, hostBytesOut,
                    hostTransfers, hostSeconds, streamingBytesIn, streamingBytesOut,
                    streamingMemoryBytes, streamingSeconds, overlapSeconds, remoteBuffers,
                    transfers, operations, steps, unknown, parts, tileComputeCycles,
                    tileReceivedBytes, distinctSteps, memory, variables, vertices, owners,
                    totalBytes, maxTileBytes, bytesPerTile, fullestTile, tilesOutOfMemory,
                    interleavedBytes, nonInterleavedBytes, interleavedBytesPerTile, counts);
  }
};

}  // namespace popir

#endif
