// The machine reading of a program: what it would cost on its target, worked out from the program
// as grown and never from the plan of the host. Only done when somebody asks.
#ifndef popir_poplar_machine_reading_hpp
#define popir_poplar_machine_reading_hpp

#include <memory>
#include <poplar/Engine.hpp>
#include <vector>

#include "machine/exchange.hpp"
#include "machine/report.hpp"
#include "poplar/codelet_counting.hpp"
#include "poplar/graph_impl.hpp"

namespace popir {

using Programs = std::vector<std::shared_ptr<ProgramNode>>;

/// Cycles of one run of `programs[program]`; memory for all of them. `progress` hears how many of
/// the programs' steps are costed; `counts` is what an engine counted, if it did.
/// \throws poplar::control_program_error if there is no such program.
__attribute__((visibility("default"))) MachineReport readMachine(
    const GraphImpl& graph, const Programs& programs, std::size_t program,
    const poplar::ProgressFunc& progress, const CodeletCounts* counts = nullptr);

/// Where the elements of a tensor live.
__attribute__((visibility("default"))) TileRuns tileRuns(const GraphImpl& graph,
                                                         const poplar::Tensor& t);

/// What runs between two synchronisations. A vertex takes one phase, a reduction up to two.
struct Phase {
  explicit Phase(const TargetSpec& spec) : compute(spec.numTiles()), traffic(spec) {}
  PerTile compute;          // cycles
  Traffic traffic;          // before the computation
  PerTile temporary;        // bytes beside what is received; or empty
  std::uint64_t times = 1;  // one after another

  std::uint64_t computeCycles() const;
  /// What runs in the same phase.
  void add(const Phase& other);
};
std::vector<Phase> phasesOf(const GraphImpl& graph, const BulkVertex& vertex, const Work& work);
/// What one run of a codelet's vertex takes, and who says so: setPerfEstimate,
/// registerPerfEstimator, what it executed the first time, or, for want of these, one pass over its
/// bytes.
struct VertexCost {
  enum class Source { SetPerfEstimate, Estimator, Counted, Bytes };
  std::uint64_t cycles = 0, flops = 0;
  Source source = Source::Bytes;
};
VertexCost costOf(const GraphImpl& graph, unsigned vertex, const CodeletCounts* counts = nullptr);
/// As reports spell it: "setPerfEstimate", "estimator", "counted", "bytes".
const char* nameOf(VertexCost::Source source);
/// The vertices of a compute set that codelets made: their costs on the workers of each tile. A
/// supervisor or multi-vertex has its tile alone.
Phase phaseOfCodelets(const GraphImpl& graph, unsigned computeSet, const CodeletCounts* counts);
/// Operand layouts as grown, and what the kernel says of them.
Work workOf(const BulkVertex& vertex);
/// Elements of `dst` that lie on another tile than those of `src`; the others are copied there.
Phase phaseOfCopy(const GraphImpl& graph, const poplar::Tensor& src, const poplar::Tensor& dst);

/// What a stream brings or takes lies linearly over all tiles first, or in the end.
Phase phaseOfStream(const GraphImpl& graph, const poplar::Tensor& t, bool toDevice);

/// Variables, constants and stacks fit the tiles at every step; what vertices gather, for which
/// they are planned, and code are looked at where the rest fills so much of a tile that it could
/// matter. The host's CPU holds anything. \throws poplar::graph_memory_allocation_error with tile,
/// bytes and the largest owners.
void requireTileMemory(const GraphImpl& graph, const Programs& programs);

}  // namespace popir

#endif
