// The data of a pva::Report, and its file format.
//
// profile.pop starts with text lines, each ended by a newline: "popir profile", popir's version,
// the size of the archive in bytes, its FNV-1a hash. The archive follows.
#ifndef popir_pva_profile_data_hpp
#define popir_pva_profile_data_hpp

#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "machine/report.hpp"

namespace popir {

class EngineImpl;

struct ProfileData {
  struct Program {
    std::string name;
    int type = 0;  // a pva::Program::Type
    auto state() const { return std::tie(name, type); }
  };
  /// A span of a run, in cycles since the engine was created.
  struct Block {
    std::size_t program = 0;
    std::uint64_t from = 0, to = 0;
    auto state() const { return std::tie(program, from, to); }
  };
  /// The vertices of one class on each tile.
  struct Vertices {
    std::string type;
    std::vector<unsigned> byTile;
    auto state() const { return std::tie(type, byTile); }
  };
  /// A compute set, with its cycles on each tile.
  struct ComputeSet {
    std::string name;
    std::vector<std::uint64_t> cyclesByTile;
    auto state() const { return std::tie(name, cyclesByTile); }
  };
  struct Run {
    unsigned program = 0;
    std::uint64_t from = 0, to = 0;
    auto state() const { return std::tie(program, from, to); }
  };

  std::string version, arch;
  unsigned numIPUs = 1, tilesPerIPU = 1;
  std::uint64_t bytesPerTile = 0;
  double clockHz = 0;
  unsigned computeSets = 0, vertices = 0, edges = 0, variables = 0;
  std::vector<std::uint64_t> tileBytes;
  std::vector<MemoryCost> memory;  // the same by category; empty without programs
  std::vector<Program> programs;
  std::vector<Block> blocks;
  std::vector<Run> runs;
  std::vector<Vertices> vertexTypes;
  std::vector<ComputeSet> sets;
  std::vector<std::size_t> steps;      // the executed compute sets, in order
  std::vector<MachineReport> reports;  // of each program; none unless it is written to a file

  auto state() const {
    return std::tie(version, arch, numIPUs, tilesPerIPU, bytesPerTile, clockHz, computeSets,
                    vertices, edges, variables, tileBytes, memory, programs, blocks, runs,
                    vertexTypes, sets, steps, reports);
  }
};

/// \param execution include what was executed so far
std::shared_ptr<ProfileData> profileOf(const EngineImpl& engine, bool execution);

/// \throws poplar::poplar_error if the file cannot be written
void writeProfile(const ProfileData& data, const std::string& path);

/// \throws std::runtime_error for a file that cannot be read, and for one that is no profile, is
/// damaged or was written by another version
__attribute__((visibility("default"))) std::shared_ptr<const ProfileData> readProfile(
    const std::string& path);

}  // namespace popir

#endif
