// The machine reading: estimates the cost of a program on its target. It uses the program as the
// user built it, never the host's plan (engine/plan). It is computed only on request.
#ifndef popir_costing_reading_hpp
#define popir_costing_reading_hpp

#include <memory>
#include <poplar/Engine.hpp>
#include <set>
#include <string>
#include <vector>

#include "codelets/counting.hpp"
#include "machine/exchange/exchange.hpp"
#include "machine/report.hpp"
#include "poplar/graph_impl.hpp"

namespace popir {

using Programs = std::vector<std::shared_ptr<ProgramNode>>;

/// The report has the cycles of one run of `programs[program]`, and the memory of all programs.
/// `progress` is called with the number of steps costed so far. `counts`: the instructions that an
/// engine counted for its codelets, or null.
/// \throws poplar::control_program_error if there is no such program.
__attribute__((visibility("default"))) MachineReport readMachine(
    const GraphImpl& graph, const Programs& programs, std::size_t program,
    const poplar::ProgressFunc& progress, const CodeletCounts* counts = nullptr);

/// The tiles of a tensor's elements, in row-major order.
__attribute__((visibility("default"))) TileRuns tileRuns(const GraphImpl& graph,
                                                         const poplar::Tensor& t);

/// The work between two synchronisations: an exchange, then computation. Most vertices take one
/// phase. Reductions and contractions may take several.
struct Phase {
  explicit Phase(const TargetSpec& spec) : compute(spec.numTiles()), traffic(spec) {}
  PerTile compute;          // cycles of each tile
  Traffic traffic;          // before the computation
  PerTile temporary;        // bytes on each tile beside those received; may be empty
  PerTile interleaved;      // bytes on each tile that vertices want interleaved; may be empty
  std::uint64_t times = 1;  // repetitions, one after another
  unsigned calls = 1;       // compute sets, one after another without an exchange between
  /// Classes of vertices that compute for nobody knows how long: their cycles are in no figure.
  std::set<std::string> unknown;

  std::uint64_t computeCycles() const;
  /// Adds work that runs in the same phase.
  void add(const Phase& other);
  /// The same for what copies have, computation and traffic, and nothing beyond these tiles.
  void addOn(const std::vector<unsigned>& tiles, const Phase& other);
};
/// The phases of a bulk vertex, in order.
std::vector<Phase> phasesOf(const GraphImpl& graph, const BulkVertex& vertex, const Work& work);

/// The cost of one execution of a codelet vertex. `cycles` are those of one worker; for a
/// supervisor vertex or a multi-vertex, those of the tile. The source is the first of these that is
/// there: setPerfEstimate, registerPerfEstimator, the instruction count of the vertex's first
/// execution. Without any of them the cycles are not known, and 0 here.
struct VertexCost {
  enum class Source { SetPerfEstimate, Estimator, Counted, Unknown };
  std::uint64_t cycles = 0, flops = 0;
  Source source = Source::Unknown;
};
VertexCost costOf(const GraphImpl& graph, unsigned vertex, const CodeletCounts* counts = nullptr);
/// The name of a source in reports: "setPerfEstimate", "estimator", "counted" or "unknown".
const char* nameOf(VertexCost::Source source);
/// The class of the vertex that runs on tiles: of a contraction that which its plan has.
std::string vertexClassOf(const GraphImpl& graph, const BulkVertex& vertex, const Work& work);
/// The name of the source of a bulk vertex: "estimator", "guess", or "unknown" for a class without an
/// estimator.
__attribute__((visibility("default"))) const char* sourceOf(const Work& work);
/// Whether a compute set of the graph has a contraction.
__attribute__((visibility("default"))) bool contracts(const GraphImpl& graph);
/// The phase of the codelet vertices of a compute set: their costs, scheduled on the workers of
/// each tile. A supervisor vertex or a multi-vertex occupies all workers of its tile.
Phase phaseOfCodelets(const GraphImpl& graph, unsigned computeSet, const CodeletCounts* counts);
/// The work of a bulk vertex as its kernel describes it, for operands as the program has them.
Work workOf(const BulkVertex& vertex);
/// The phase of a copy. Elements that `src` and `dst` have on different tiles are exchanged; the
/// others are copied within their tile.
Phase phaseOfCopy(const GraphImpl& graph, const poplar::Tensor& src, const poplar::Tensor& dst);

/// The phase of a stream, or of a copy of a remote buffer. Its data come to or from a linear mapping
/// over all tiles of the IPUs that have `t`, from the first to the last. A variable that
/// lies linearly over other tiles, such as IO tiles, is filled and read there. Else the phase moves
/// data from there to the tile mapping of `t` (`toDevice`), or back; its temporary data are all of what
/// the transfer has.
Phase phaseOfStream(const GraphImpl& graph, const poplar::Tensor& t, bool toDevice);

/// By gateway, the bytes of `t` that pass it between the tiles and the host or streaming memory.
std::vector<std::uint64_t> bytesAtGateways(const GraphImpl& graph, const poplar::Tensor& t);

/// What programs lack of the memory of some tile at some step, in the words of an error, with tile,
/// bytes and the largest owners; empty if they fit, and for a CPU target. First counts only
/// variables, constants and stacks. If these take more than 40 % of a tile, plans contractions and
/// also counts gathered operands and code.
__attribute__((visibility("default"))) std::string outOfMemory(const GraphImpl& graph,
                                                               const Programs& programs);
/// \throws poplar::graph_memory_allocation_error with these words if there are any.
void requireTileMemory(const GraphImpl& graph, const Programs& programs);

}  // namespace popir

#endif
