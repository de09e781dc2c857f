// Memory per tile: what is always live, and what is live only during some steps of the programs.
#ifndef popir_costing_memory_hpp
#define popir_costing_memory_hpp

#include <array>
#include <vector>

#include "costing/steps.hpp"
#include "program/lifetimes.hpp"

namespace popir {

class MachineMemory {
 public:
  /// Bytes that are live at a leaf, without those that are always live: over all tiles, and on the
  /// tile with most of them.
  struct Live {
    std::uint64_t total = 0, fullestTile = 0;
  };

  /// Computes the memory of all programs of an engine. Null `costs`: counts only variables,
  /// constants, gaps and stacks, so contractions are planned only where a variable is mapped by the
  /// plan. `progress` is called after each leaf.
  MachineMemory(const GraphImpl& graph, const Programs& programs, StepCosts* costs,
                const poplar::ProgressFunc& progress);

  /// A flattened program, and the live bytes at each of its leaves, in order.
  const FlatProgram& program(std::size_t p) const { return flat_[p]; }
  const std::vector<Live>& live(std::size_t p) const { return live_[p]; }
  /// The variables of all programs, with the leaves of program `p` at which temporaries are live.
  std::vector<VariableCost> variables(std::size_t p) const;
  /// Writes categories, totals and owners into a report. A tile is out of memory if it has too few
  /// bytes, or too few of them where instructions are fetched from, or in interleaved memory.
  void into(MachineReport& report) const;
  /// The bytes of vertex code, exchange code and control code on a tile; the tile with most.
  std::uint64_t codeOn(unsigned tile) const;
  unsigned tileWithMostCode() const;
  /// The bytes on a tile that have to be interleaved, at the step with most of them; the tile with
  /// most.
  std::uint64_t interleavedOn(unsigned tile) const { return interleaved_[tile]; }
  unsigned tileWithMostInterleaved() const;

 private:
  enum Category {
    kVariables,
    kConstants,
    kVertexState,
    kVertexCode,
    kExchangeCode,
    kControlCode,
    kStack,
    kGaps,
    kTemporaries,
    kGathered,
    kHostBuffers,
    kTemporaryGaps,
    kCategories
  };
  static const char* name(int category);

  struct Event {
    std::size_t leaf;
    bool begins;
    unsigned variable;
  };
  struct Moment {
    std::size_t program = 0, leaf = 0;
  };

  void addConstants(std::vector<std::vector<Use>>& uses) const;
  void always();
  Live look(const std::array<PerTile, 4>& now, Moment moment);
  void play(std::size_t program, std::vector<Event>& events, const poplar::ProgressFunc& progress);
  std::size_t leafOf(std::size_t program, std::size_t step) const;
  TileBytes bytesOf(unsigned variable) const;
  Category categoryOf(unsigned variable) const;
  std::vector<MemoryOwner> owners(unsigned tile) const;

  const GraphImpl& graph_;
  const TargetSpec& spec_;
  const unsigned tiles_;
  StepCosts* costs_;
  EngineParts parts_;
  std::vector<FlatProgram> flat_;
  std::vector<Lifetime> lives_;
  std::vector<std::vector<Live>> live_;  // by program and leaf
  std::vector<Moment> worst_;            // by tile: the leaf with most bytes not always live
  PerTile most_;                         // by tile: the bytes not always live at that leaf
  PerTile interleaved_;                  // by tile, at the leaf with most of them
  std::array<PerTile, kCategories> peak_;
};

}  // namespace popir

#endif
