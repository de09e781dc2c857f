// What the machine reading says of a program.
#ifndef popir_machine_report_hpp
#define popir_machine_report_hpp

#include <cstdint>
#include <string>
#include <vector>

namespace popir {

/// One vertex or copy, over all the times that it runs. Vertices of one compute set run side by
/// side, so their rows may add up to more than the program's totals.
struct OperationCost {
  std::string name;
  std::string vertexClass;
  /// Who says what its vertices take: "estimator", "setPerfEstimate", "counted", "bytes"; several,
  /// joined by ", ", where vertices of one compute set differ.
  std::string source;
  std::uint64_t times = 0;
  std::uint64_t computeCycles = 0, exchangeCycles = 0, syncCycles = 0;
  std::uint64_t exchangeBytes = 0;
  std::uint64_t flops = 0;

  std::uint64_t cycles() const { return computeCycles + exchangeCycles + syncCycles; }
};

/// One step in the order of the program, functions and loop bodies spelled out where they are
/// called; all figures are those of one execution. A step in a branch that is not counted has no
/// `times` and no operations.
struct StepCost {
  std::string name;
  /// "Execute", "Copy", "StreamCopy", "Sync".
  std::string kind;
  /// The outermost named Sequence or Block around it in the program and in each function called on
  /// the way, where there is one.
  std::vector<std::string> blocks;
  std::uint64_t times = 0;
  std::uint64_t computeCycles = 0, exchangeCycles = 0, syncCycles = 0;
  /// Of the exchange those on links between IPUs.
  std::uint64_t interIPUCycles = 0;
  /// Over all tiles of the target; computeCycles are those of the tile that takes longest.
  double meanComputeCycles = 0;
  std::uint64_t exchangeBytes = 0, interIPUBytes = 0;
  std::uint64_t hostBytesIn = 0, hostBytesOut = 0;
  /// What is not always live while the step runs: over all tiles, and of the tile that has most.
  std::uint64_t liveBytes = 0, fullestTileLiveBytes = 0;
  /// Over all tiles: operands gathered for the step alone; and always live, its vertices' state and
  /// its exchange's code, which a step that is called from several places has once.
  std::uint64_t gatheredBytes = 0, vertexStateBytes = 0, exchangeCodeBytes = 0;
  /// Rows of `operations`, and IPUs that compute or exchange.
  std::vector<std::size_t> operations;
  std::vector<unsigned> ipus;

  std::uint64_t cycles() const { return computeCycles + exchangeCycles + syncCycles; }
};

/// Bytes of one category: over all tiles, on the fullest tile, and on each. What is not always live
/// counts as at the worst step of each tile.
struct MemoryCost {
  std::string category;
  bool alwaysLive = false;
  std::uint64_t totalBytes = 0, fullestTileBytes = 0;
  std::vector<std::uint64_t> tileBytes;
};

/// A variable, or the vertex that gathers operands, on the fullest tile at its worst step.
struct MemoryOwner {
  std::string name, category;
  std::uint64_t bytes = 0;
};

struct __attribute__((visibility("default"))) MachineReport {
  std::string target;
  unsigned tiles = 0, numIPUs = 0, tilesPerIPU = 0;
  double clockHz = 0;
  /// One run of the program, in tile cycles; the parts add up to `cycles`.
  std::uint64_t cycles = 0, computeCycles = 0, exchangeCycles = 0, syncCycles = 0;
  std::uint64_t exchangeBytes = 0, flops = 0;
  /// Of the exchange that on links between IPUs.
  std::uint64_t interIPUBytes = 0, interIPUCycles = 0;
  /// Of the exchange that which spreads what streams bring over the tiles where it belongs, and
  /// collects what they take.
  std::uint64_t rearrangementBytes = 0, rearrangementCycles = 0;
  /// Through streams, in one run. No cycles count them; the seconds are those of the bytes alone.
  std::uint64_t hostBytesIn = 0, hostBytesOut = 0;
  double hostSeconds = 0;
  /// In the order of the program.
  std::vector<OperationCost> operations;
  std::vector<StepCost> steps;
  /// Steps that were worked out: each once, however often programs execute it.
  std::size_t distinctSteps = 0;
  /// Of all programs of the engine together. The categories add up to the totals, on every tile.
  std::vector<MemoryCost> memory;
  /// At most ten, the largest first.
  std::vector<MemoryOwner> owners;
  std::uint64_t totalBytes = 0, maxTileBytes = 0, bytesPerTile = 0;
  unsigned fullestTile = 0, tilesOutOfMemory = 0;
  /// What is counted and what is not; what no IPU would hold; what had no estimator.
  std::vector<std::string> counts;

  /// The report as text, with the `rows` dearest operations.
  std::string summary(std::size_t rows = 10) const;
};

}  // namespace popir

#endif
