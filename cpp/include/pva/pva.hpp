// Access to profiles. Reads the files that an Engine writes with its option "autoReport.all"; their
// format is popir's own. Engine::getReport returns the same without a file.
// After pva/pva.hpp of the Poplar SDK 3.
#ifndef pva_pva_hpp
#define pva_pva_hpp

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace popir {
struct ProfileData;  // cpp/pva/profile_data.hpp
}

namespace pva {

using DataPtr = std::shared_ptr<const popir::ProfileData>;

/// The version of popir that wrote the profile.
class PoplarVersion {
 public:
  explicit PoplarVersion(std::string text) : text_(std::move(text)) {}
  /// For example "popir 0.1.0".
  std::string string() const { return text_; }

 private:
  std::string text_;
};

/// The machine that the program was compiled for.
class Target {
 public:
  explicit Target(DataPtr data) : data_(std::move(data)) {}
  std::string architecture() const;
  unsigned numTiles() const;
  unsigned numIPUs() const;
  unsigned tilesPerIpu() const;
  std::uint64_t bytesPerTile() const;
  std::uint64_t bytesPerIPU() const { return bytesPerTile() * tilesPerIpu(); }
  std::uint64_t totalMemory() const { return bytesPerTile() * numTiles(); }
  /// In Hz.
  double clockFrequency() const;

 private:
  DataPtr data_;
};

/// Sizes of the compiled graph.
class CompilationGraph {
 public:
  explicit CompilationGraph(DataPtr data) : data_(std::move(data)) {}
  unsigned numComputeSets() const;
  /// Vertices of codelets, plus one per call of a library function.
  unsigned numVertices() const;
  unsigned numEdges() const;
  unsigned numVars() const;

 private:
  DataPtr data_;
};

/// Memory of a tile, in bytes, at the program step with the highest usage. Gaps are not modelled,
/// so both figures are equal.
class TileMemoryTotal {
 public:
  explicit TileMemoryTotal(std::uint64_t bytes) : bytes_(bytes) {}
  std::uint64_t includingGaps() const { return bytes_; }
  std::uint64_t excludingGaps() const { return bytes_; }

 private:
  std::uint64_t bytes_;
};

/// Bytes of one kind of memory: those that belong to one thing all the time, and those at the step
/// with the highest usage that other things have at other steps.
class MemoryRegion {
 public:
  MemoryRegion(std::uint64_t alone, std::uint64_t shared) : alone_(alone), shared_(shared) {}
  std::uint64_t nonOverlapped() const { return alone_; }
  std::uint64_t overlapped() const { return shared_; }

 private:
  std::uint64_t alone_, shared_;
};

/// The bytes of one category. Interleaved memory is not told apart by category, and nothing is
/// placed beyond a tile's memory, so that all is in the first region.
class TileMemoryCategory {
 public:
  TileMemoryCategory(std::uint64_t alone, std::uint64_t shared) : region_(alone, shared) {}
  MemoryRegion nonInterleaved() const { return region_; }
  MemoryRegion interleaved() const { return {0, 0}; }
  MemoryRegion overflowed() const { return {0, 0}; }
  std::uint64_t total() const { return region_.nonOverlapped() + region_.overlapped(); }

 private:
  MemoryRegion region_;
};

/// Memory of a tile by category. Gaps and padding are in none. Fields of vertices, descriptors of
/// lists and of copies are part of their state; messages are operands that are gathered.
class TileMemoryByCategory {
 public:
  TileMemoryByCategory(DataPtr data, unsigned tile) : data_(std::move(data)), tile_(tile) {}
  TileMemoryCategory variable() const;
  TileMemoryCategory constant() const;
  TileMemoryCategory vertexInstanceState() const;
  TileMemoryCategory vertexFieldData() const { return {0, 0}; }
  TileMemoryCategory vectorListDescriptor() const { return {0, 0}; }
  TileMemoryCategory copyDescriptor() const { return {0, 0}; }
  TileMemoryCategory vertexCode() const;
  TileMemoryCategory internalExchangeCode() const;
  TileMemoryCategory controlCode() const;
  TileMemoryCategory stack() const;
  TileMemoryCategory message() const;
  TileMemoryCategory hostMessage() const;

 private:
  TileMemoryCategory of(const char* always, const char* atTimes = nullptr) const;

  DataPtr data_;
  unsigned tile_;
};

/// A class of vertices.
class VertexType {
 public:
  explicit VertexType(std::string name) : name_(std::move(name)) {}
  std::string name() const { return name_; }

 private:
  std::string name_;
};

/// The vertices of a class on a tile; a library function counts as one on each tile that computes a
/// part of it.
class VertexInstances {
 public:
  VertexInstances(VertexType type, unsigned count) : type_(std::move(type)), count_(count) {}
  const VertexType& type() const { return type_; }
  unsigned count() const { return count_; }

 private:
  VertexType type_;
  unsigned count_;
};

/// Memory of one tile.
class TileMemory {
 public:
  TileMemory(DataPtr data, unsigned tile) : data_(std::move(data)), tile_(tile) {}
  TileMemoryTotal total() const;
  TileMemoryByCategory category() const;
  /// The vertices of the compute sets that programs execute.
  std::vector<VertexInstances> vertices() const;

 private:
  DataPtr data_;
  unsigned tile_;
};

/// Static information about one tile.
class CompilationTile {
 public:
  CompilationTile(DataPtr data, unsigned tile) : data_(std::move(data)), tile_(tile) {}
  TileMemory memory() const { return TileMemory(data_, tile_); }

 private:
  DataPtr data_;
  unsigned tile_;
};

/// Static information: target, graph and memory by tile.
class CompilationReport {
 public:
  explicit CompilationReport(DataPtr data) : data_(std::move(data)) {}
  Target target() const { return Target(data_); }
  CompilationGraph graph() const { return CompilationGraph(data_); }
  std::vector<CompilationTile> tiles() const;

 private:
  DataPtr data_;
};

/// A program step that was executed.
class Program {
 public:
  enum class Type {
    Unknown,
    OnTileExecute,
    DoExchange,
    GlobalExchange,
    StreamCopyBegin,
    StreamCopyMid,
    StreamCopyEnd,
    Sync,
    Sequence,
    SwitchStartSync,
    Call,
    If,
    Repeat
  };
  Program(std::string name, Type type) : name_(std::move(name)), type_(type) {}
  std::string name() const { return name_; }
  Type type() const { return type_; }

 private:
  std::string name_;
  Type type_;
};

/// A span of the execution, in estimated cycles since the engine was created.
class Block {
 public:
  Block(std::shared_ptr<Program> program, unsigned tile, std::uint64_t from, std::uint64_t to)
      : program_(std::move(program)), tile_(tile), from_(from), to_(to) {}
  std::shared_ptr<Program> program() const { return program_; }
  unsigned tile() const { return tile_; }
  std::uint64_t cyclesFrom() const { return from_; }
  std::uint64_t cyclesTo() const { return to_; }
  bool isStreamCopy() const;
  bool isCommon() const { return !isStreamCopy(); }
  /// Always false: the profile is computed on the host, so there is no buffer to flush or overflow.
  bool isBlockFlush() const { return false; }
  bool isOverflow() const { return false; }

 private:
  std::shared_ptr<Program> program_;
  unsigned tile_;
  std::uint64_t from_, to_;
};

/// One Engine::run().
class Run {
 public:
  Run(unsigned program, std::uint64_t from, std::uint64_t to)
      : program_(program), from_(from), to_(to) {}
  unsigned program() const { return program_; }
  std::uint64_t cyclesFrom() const { return from_; }
  std::uint64_t cyclesTo() const { return to_; }

 private:
  unsigned program_;
  std::uint64_t from_, to_;
};

/// A compute set of an executed step, with its estimated cycles.
class ComputeSetCycles {
 public:
  ComputeSetCycles(std::string name, std::vector<std::uint64_t> cycles)
      : name_(std::move(name)), cycles_(std::move(cycles)) {}
  std::string name() const { return name_; }
  /// Both are the machine model's estimates: nothing is measured on tiles.
  std::vector<std::uint64_t> cyclesByTile() const { return cycles_; }
  std::vector<std::uint64_t> estimatedCyclesByTile() const { return cycles_; }

 private:
  std::string name_;
  std::vector<std::uint64_t> cycles_;
};

/// An executed step: the execution of compute sets.
class ExecutionStep {
 public:
  ExecutionStep(std::shared_ptr<Program> program, std::vector<ComputeSetCycles> sets)
      : program_(std::move(program)), sets_(std::move(sets)) {}
  std::shared_ptr<Program> program() const { return program_; }
  const std::vector<ComputeSetCycles>& computeSets() const { return sets_; }

 private:
  std::shared_ptr<Program> program_;
  std::vector<ComputeSetCycles> sets_;
};

/// What was executed.
class ExecutionReport {
 public:
  explicit ExecutionReport(DataPtr data) : data_(std::move(data)) {}
  /// The spans on one tile. The options "profiler.blocks.filter" and "profiler.programs.filter"
  /// select them; "debug.instrumentExternalExchange" adds stream copies. Tiles run in lockstep, so
  /// all tiles have the same spans.
  /// \throws std::out_of_range if there is no such tile
  std::vector<Block> blocks(unsigned tile) const;
  std::vector<Run> runs() const;
  /// The compute sets that were executed, in order; of loops the first million.
  std::vector<ExecutionStep> steps() const;

 private:
  DataPtr data_;
};

/// A profile. Its parts share the data, so they may outlive it.
class Report {
 public:
  explicit Report(DataPtr data) : data_(std::move(data)) {}
  PoplarVersion poplarVersion() const;
  CompilationReport compilation() const { return CompilationReport(data_); }
  ExecutionReport execution() const { return ExecutionReport(data_); }

 private:
  DataPtr data_;
};

/// Reads the profile in file `profile`.
/// \throws std::runtime_error if the file cannot be read, is damaged, or was written by another
/// version
Report openReport(const std::string& profile, const std::string& execution = "",
                  const std::string& debug = "");

/// Where all of this was until SDK 2.2.
namespace preview {
using namespace pva;
}

}  // namespace pva

#pragma GCC visibility pop

#endif
