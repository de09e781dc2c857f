// Functions and constants that several estimators use.
#ifndef popir_machine_estimators_formulas_hpp
#define popir_machine_estimators_formulas_hpp

#include <algorithm>
#include <cstdint>
#include <popops/OperationDef.hpp>
#include <vector>

#include "machine/estimators/estimators.hpp"

namespace popir {

using Cycles = std::uint64_t;

inline Cycles ceilDiv(Cycles a, Cycles b) { return (a + b - 1) / b; }

/// Elements in the width of the data path: a tile loads, or computes with, as many at a time.
inline Cycles vectorWidth(const TargetSpec& spec, poplar::Type type) {
  return std::max<Cycles>(1, spec.dataPathWidth / 8 / std::max<Cycles>(1, type.sizeInBytes()));
}

/// Tile cycles of a vertex that takes `supervisor` cycles of the supervisor, and `worker` cycles of
/// each worker. Workers take turns: a cycle of a worker takes numWorkerContexts cycles of the tile.
inline Cycles supervised(const TargetSpec& spec, Cycles supervisor, Cycles worker) {
  return supervisor + spec.numWorkerContexts * worker;
}

/// Cycles to call a supervisor vertex. PopLibs has the same number for all of them.
constexpr Cycles kSupervisorCall = 11;

/// PopLibs' methods of a convolution on a tile: products on the accumulating units (AMP), windows
/// that slide over a row on these units (SLIC), products along channels (HMAC) or along groups (VMAC)
/// without them, and outer products.
enum class ConvMethod { Amp, Slic, Hmac, Vmac, OuterProduct };

/// The granularity of a vertex: how many groups, inner elements and columns lie together, and are
/// processed at a time. `units`: of AMP the convolution units, of SLIC their chains. With AMP,
/// `groups` groups are computed as one, whose other channels' weights are zeros.
struct ConvGrains {
  ConvMethod method = ConvMethod::Amp;
  Cycles groups = 1, inner = 1, columns = 1;
  Cycles units = 1;
};
/// The granularities that PopLibs has vertices for, with the type of partial sums that `w` says.
std::vector<ConvGrains> convGrains(const TargetSpec& spec, const ContractionWork& w);
/// Products that a tile can do in a cycle with them.
Cycles peakProducts(const TargetSpec& spec, const ContractionWork& w, ConvGrains grains);
/// Inner elements that a convolution unit has weights of. Fewer together leave room for as many
/// kernel elements of the outermost dimension.
Cycles weightsPerUnit(const TargetSpec& spec, poplar::Type type);

/// The class of the vertex that takes a tile's part.
const char* convVertexClass(const ContractionWork& w, ConvGrains grains);
/// Who asks for the cycles of a vertex: PopLibs' planner takes all sums for floats where they are set
/// to zero, its vertices' estimators have their type.
enum class Estimate { Vertex, Plan };
/// Cycles of a tile's part of a contraction with one of these granularities. The estimator of a
/// class takes the cheapest of those that the class has.
Cycles contractionCycles(const TargetSpec& spec, const ContractionWork& w, ConvGrains grains,
                         Estimate estimate = Estimate::Vertex);

/// Cycles in which a tile adds up partial sums: `partials` of them for each of n results. `fast`: they
/// lie in interleaved memory, of which a load takes twice as much.
Cycles reducePartials(const TargetSpec& spec, Cycles n, Cycles partials, poplar::Type sums,
                      poplar::Type result, bool fast = false);

/// Cycles of a worker that reduces rows of `results` neighbours, `partials` of them, `stride` elements
/// apart, as PopLibs' StridedReduce.
Cycles reduceStrided(const TargetSpec& spec, poplar::Type type, popops::Operation op,
                     Cycles results, Cycles partials, Cycles stride);

/// Cycles in which a tile adds n scaled floats to others that lie in another memory element, so that
/// both are loaded at once. PopLibs' ScaledAdd, with pointers of 64 bits' scale.
Cycles scaledAddOfTwoElements(const TargetSpec& spec, Cycles n);

/// The index of an extremum of each row, in two stages. In the first a tile's workers share each row, 32
/// elements or more for each of them, and leave partial results (ReduceMaxClassGather): how many of a
/// row, and the tile's cycles.
Cycles extremumPartials(const TargetSpec& spec, Cycles columns);
Cycles extremumOfRows(const TargetSpec& spec, const RowsWork& w);
/// Cycles of a worker that takes the partial results of a row, or some (ReduceMaxClassSparse).
Cycles extremumOfPartials(poplar::Type type, Cycles partials);

/// What a worker of a vertex for slices does: `inside` slices of `elements` elements, and `outside`
/// offsets that it skips, since another tile or worker has their rows.
struct WorkerSlices {
  poplar::Type type;
  Cycles elements = 1, inside = 0, outside = 0;
  /// Where offsets are in order: how many it searches for the first and the last of its rows, none
  /// if it looks at each one; and those that are equal.
  Cycles searched = 0, perEntry = 0;
};
enum class SliceVertex { Read, Update };
/// Cycles of a tile whose workers each read or replace such slices: PopLibs' MultiSlice and
/// MultiUpdate. `isSingle`: of one slice, whose elements all workers share.
Cycles takeSlices(const TargetSpec& spec, const WorkerSlices& each, SliceVertex kind,
                  bool isSingle = false);
/// The same for slices that are combined with what is there: PopLibs' ScaledMultiUpdateOp, without a
/// scale MultiUpdateOp. `words`: slices are in whole atoms of stores.
Cycles combineSlices(const TargetSpec& spec, const WorkerSlices& each, bool adds, SliceScale scale,
                     bool words);

/// Cycles in which a tile copies a slice of `elements` elements, in `rows` rows, out of a tensor or back
/// into it.
Cycles dynamicSlice(const TargetSpec& spec, poplar::Type type, Cycles elements, Cycles rows = 1);

/// The registry's entries: one function for each file of this folder with formulas.
std::vector<VertexClass> elementWiseClasses();
std::vector<VertexClass> scaledAddClasses();
std::vector<VertexClass> arrayClasses();
std::vector<VertexClass> contractionClasses();
std::vector<VertexClass> networkClasses();
std::vector<VertexClass> reductionClasses();
std::vector<VertexClass> transposeClasses();

}  // namespace popir

#endif
