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
  std::uint64_t times = 0;
  std::uint64_t computeCycles = 0, exchangeCycles = 0, syncCycles = 0;
  std::uint64_t exchangeBytes = 0;
  std::uint64_t flops = 0;

  std::uint64_t cycles() const { return computeCycles + exchangeCycles + syncCycles; }
};

/// Bytes of one category, over all tiles and on the fullest tile.
struct MemoryCost {
  std::string category;
  std::uint64_t totalBytes = 0, fullestTileBytes = 0;
};

/// A variable, or the vertex that gathers operands, on the fullest tile at its worst step.
struct MemoryOwner {
  std::string name, category;
  std::uint64_t bytes = 0;
};

struct __attribute__((visibility("default"))) MachineReport {
  std::string target;
  unsigned tiles = 0;
  double clockHz = 0;
  /// One run of the program, in tile cycles; the parts add up to `cycles`.
  std::uint64_t cycles = 0, computeCycles = 0, exchangeCycles = 0, syncCycles = 0;
  std::uint64_t exchangeBytes = 0, flops = 0;
  /// Through streams, in one run. No cycles count them; the seconds are those of the bytes alone.
  std::uint64_t hostBytesIn = 0, hostBytesOut = 0;
  double hostSeconds = 0;
  /// In the order of the program.
  std::vector<OperationCost> operations;
  /// Of all programs of the engine together. The categories add up to both figures.
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
