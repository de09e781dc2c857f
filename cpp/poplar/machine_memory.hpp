// Memory per tile: what is always there, and over the steps of programs what comes and goes.
#ifndef popir_poplar_machine_memory_hpp
#define popir_poplar_machine_memory_hpp

#include <array>
#include <vector>

#include "poplar/lifetimes.hpp"
#include "poplar/machine_steps.hpp"

namespace popir {

class MachineMemory {
 public:
  /// What is not always live at a step.
  struct Live {
    std::uint64_t total = 0, fullestTile = 0;
  };

  /// All programs of an engine. Without `costs`: variables, constants and stacks alone, for which
  /// no vertex is planned. `progress` hears of the leaves that are done.
  MachineMemory(const GraphImpl& graph, const Programs& programs, StepCosts* costs,
                const poplar::ProgressFunc& progress);

  /// Leaves of a program in order, and what lives at each.
  const FlatProgram& program(std::size_t p) const { return flat_[p]; }
  const std::vector<Live>& live(std::size_t p) const { return live_[p]; }
  /// Categories, totals and owners.
  void into(MachineReport& report) const;

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

  void always();
  Live look(const std::array<PerTile, 4>& now, Moment moment);
  void play(std::size_t program, std::vector<Event>& events, const poplar::ProgressFunc& progress);
  std::size_t leafOf(std::size_t program, std::size_t step) const;
  TileBytes bytesOf(unsigned variable) const;
  std::vector<MemoryOwner> owners(unsigned tile) const;

  const GraphImpl& graph_;
  const TargetSpec& spec_;
  const unsigned tiles_;
  StepCosts* costs_;
  EngineParts parts_;
  std::vector<FlatProgram> flat_;
  std::vector<Lifetime> lives_;
  std::vector<std::vector<Live>> live_;  // by program and leaf
  std::vector<Moment> worst_;            // by tile
  PerTile most_;                         // then, of what is not always live
  std::array<PerTile, kCategories> peak_;
};

}  // namespace popir

#endif
