// The engine's plan, in two stages: a program tree flattened into steps over variables (flatten),
// and where each variable lives (place). The engine turns both into instructions.
#ifndef popir_poplar_plan_hpp
#define popir_poplar_plan_hpp

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "poplar/codelet_kernel.hpp"
#include "poplar/graph_impl.hpp"
#include "poplar/host_function.hpp"

namespace popir {

/// How a program rounds at some point: as it was before it if nothing in it says.
enum class RoundingMode { Inherited, ToNearest, Stochastic };

struct Step {
  enum class Kind {
    None,          // done elsewhere, or by another step
    Run,           // vertex
    Copy,          // src -> dst
    StreamIn,      // stream -> dst
    StreamOut,     // src -> stream
    RepeatBegin,   // count, target = the step after RepeatEnd
    RepeatEnd,     // target = the step after RepeatBegin
    JumpUnless,    // to target, unless the predicate src is `expected`
    Jump,          // to target
    Print,         // src, under name, in format
    SeedRounding,  // of the draws: src, with count as modifier
  };
  Kind kind = Kind::None;
  std::string name;
  const BulkVertex* vertex = nullptr;
  std::shared_ptr<const BulkVertex> joined;  // owns a vertex that is not the graph's
  poplar::Tensor src, dst;
  int stream = -1;
  unsigned count = 0;
  std::size_t target = 0;
  bool expected = true;
  poplar::PrintTensorFmt format;
  RoundingMode rounding = RoundingMode::Inherited;

  /// Whether what it gives is drawn: it may not be left out, run once, or run twice.
  bool draws() const;
};

/// Steps [begin, end).
struct StepRange {
  std::size_t begin, end;
  bool contains(std::size_t step) const { return begin <= step && step < end; }
};

/// Steps [begin, end) that are one execution of a program without parts: a compute set, a copy, a
/// stream's copy, a sync.
struct Leaf {
  const ProgramNode* node;
  std::size_t begin, end;
};

bool isLeaf(const ProgramNode& node);

struct FlatProgram {
  std::vector<Step> steps;
  std::vector<Leaf> leaves;                         // in order
  std::vector<StepRange> loops;                     // bodies that may run more than once
  RoundingMode rounding = RoundingMode::Inherited;  // at the end
  std::vector<StepRange>
      conditionals;  // bodies that may not run (loop bodies that may be empty too)

  /// Innermost loop or conditional around a step; steps.size() as end for none.
  StepRange blockOf(std::size_t step) const;
};

/// What all programs of an engine share.
struct EngineParts {
  CodeletSteps codelets;
  HostFunctionEnds hostFunctions;
};
FlatProgram flatten(const GraphImpl& graph, const ProgramNode& program, EngineParts& parts);
/// The programs of an engine, and all that can be wrong with them.
__attribute__((visibility("default"))) std::vector<FlatProgram> checkedPrograms(
    const GraphImpl& graph, const std::vector<std::shared_ptr<ProgramNode>>& programs,
    const poplar::OptionFlags& options, EngineParts& parts);
/// \throws poplar::graph_connection_error, naming what a program uses of another graph.
void requireGraph(const GraphImpl& graph, const ProgramNode& program);

/// Where a variable lives.
struct Home {
  enum class Kind { Unused, Constant, Arena, StreamIn, StreamOut };
  Kind kind = Kind::Unused;
  std::size_t offset = 0;  // Arena: bytes
  int stream = -1;         // StreamIn, StreamOut: bound to the host's buffer of this stream
  bool alwaysLive = false;
  int channelBlock = Layout::kPlain;
  /// StreamOut: the host's buffer is bound before this step, the first that writes.
  std::size_t program = 0, bindAt = 0;
};

/// Temporaries that steps need beside variables (gathered operands): lives for one step.
struct Placement {
  std::vector<Home> homes;  // by variable
  std::size_t arenaBytes = 0;
  std::size_t alwaysLiveBytes = 0;
};

/// `rows`: variables that are read joined lie side by side.
Placement place(const GraphImpl& graph, const std::vector<FlatProgram>& programs, unsigned threads,
                bool rows);

}  // namespace popir

#endif
