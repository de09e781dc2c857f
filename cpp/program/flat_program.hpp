// Program trees flattened into lists of steps. The engine plans with them, and costing reads them.
#ifndef popir_program_flat_program_hpp
#define popir_program_flat_program_hpp

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "poplar/graph_impl.hpp"
#include "program/codelet_kernel.hpp"
#include "program/host_function.hpp"

namespace popir {

/// Rounding at a point of a program. Inherited: as before the program, which has not set it yet.
enum class RoundingMode { Inherited, ToNearest, Stochastic };

/// The names of fused steps as one text: "conv + relu".
std::string labelOf(const std::vector<std::string>& names);

struct Step {
  enum class Kind {
    None,          // removed by a pass: moved, or fused into another step
    Run,           // vertex
    Copy,          // src -> dst
    StreamIn,      // stream -> dst
    StreamOut,     // src -> stream
    RepeatBegin,   // count, target = the step after RepeatEnd
    RepeatEnd,     // target = the step after RepeatBegin
    JumpUnless,    // to target, unless the predicate src is `expected`
    Jump,          // to target
    Print,         // src, under name, in format; not `expected`: ends the run
    SeedRounding,  // of the draws: src, with count as modifier
  };
  Kind kind = Kind::None;
  /// Its own name; for a fused step the names of all its parts, in order.
  std::vector<std::string> names;
  const BulkVertex* vertex = nullptr;
  std::shared_ptr<const BulkVertex> joined;  // owns `vertex`, if a pass made it; else null
  poplar::Tensor src, dst;
  int stream = -1;
  unsigned count = 0;
  std::size_t target = 0;
  bool expected = true;
  bool compares = false;  // a JumpUnless to target, unless the 32 bits of src are `count`
  poplar::PrintTensorFmt format;
  RoundingMode rounding = RoundingMode::Inherited;

  std::string name() const { return labelOf(names); }
  /// Whether the step draws random numbers. Passes must then keep how often it runs.
  bool draws() const;
};

/// Steps [begin, end).
struct StepRange {
  std::size_t begin, end;
  bool contains(std::size_t step) const { return begin <= step && step < end; }
};

/// Steps [begin, end) of one execution of a program node without children: a compute set, a copy, a
/// stream copy, or a sync.
struct Leaf {
  const ProgramNode* node;
  std::size_t begin, end;
};

bool isLeaf(const ProgramNode& node);

/// Neighbouring groups of steps that need nothing of one another: [at(0), at(1)), [at(1), at(2)), ...
using SideBySideSteps = std::vector<std::size_t>;

struct FlatProgram {
  std::vector<Step> steps;
  std::vector<Leaf> leaves;                         // in order
  std::vector<StepRange> loops;                     // bodies that may run more than once
  RoundingMode rounding = RoundingMode::Inherited;  // at the end
  unsigned traps = 0;                               // bits of FloatTrap
  std::vector<StepRange>
      conditionals;  // bodies that may not run (loop bodies that may be empty too)

  std::vector<SideBySideSteps> sideBySide;  // in order

  /// Innermost loop or conditional around a step; steps.size() as end for none.
  StepRange blockOf(std::size_t step) const;
};

/// By step: equal for steps that always run together.
std::vector<std::size_t> sectionsOf(const FlatProgram& program);

/// Whether a step may go on with another one than the next.
bool isControl(const Step& step);

/// Objects that all programs of an engine share.
struct EngineParts {
  CodeletSteps codelets;
  HostFunctionEnds hostFunctions;
};
FlatProgram flatten(const GraphImpl& graph, const ProgramNode& program, EngineParts& parts);
/// Flattens the programs of an engine and checks them for errors of the user.
__attribute__((visibility("default"))) std::vector<FlatProgram> checkedPrograms(
    const GraphImpl& graph, const std::vector<std::shared_ptr<ProgramNode>>& programs,
    const poplar::OptionFlags& options, EngineParts& parts);

}  // namespace popir

#endif
