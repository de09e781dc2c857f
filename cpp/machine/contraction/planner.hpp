// The planner: splits a contraction over tiles so that the machine model's estimate is lowest.
#ifndef popir_machine_contraction_planner_hpp
#define popir_machine_contraction_planner_hpp

#include <algorithm>
#include <vector>

#include "machine/contraction/rearrangement.hpp"
#include "machine/contraction/reduction.hpp"
#include "machine/contraction/shape.hpp"
#include "machine/estimators/estimators.hpp"

namespace popir {

/// The planner's input: a vertex of a class that ContractionWork describes.
struct Contraction {
  const VertexClass* kind;
  ContractionWork whole;
  /// The number of adjacent tiles that there are; a plan takes those of one IPU at most.
  unsigned tiles;
};

/// How an index is split. A serial step has `period` elements, `part` of them on each of `count`
/// tiles whose numbers are `stride` apart. E.g. size 12, period 6, part 2, count 3, stride 4: there
/// are two serial steps; in the first of them tiles 0, 4 and 8 have [0, 2), [2, 4) and [4, 6).
struct IndexSplit {
  std::int64_t size = 1, period = 1, part = 1, count = 1;
  unsigned stride = 0;

  /// The elements of the tile with this coordinate, 0 to count - 1, in the first serial step.
  Stretch of(std::int64_t coordinate) const {
    return {std::min(period, coordinate * part), std::min(period, (coordinate + 1) * part)};
  }
};

/// In which order tiles are numbered along the axes. Plans of a layer's gradients number them so that
/// each tile has the weights that it has in the forward pass, as PopLibs does.
enum class TileOrder { Standard, Backward, WeightUpdate };

/// A plan: serial steps, one after another, by columns or by inner elements, of which the results are
/// added up. Each uses groupSplit x rowSplit x columnSplit x innerSplit x tapSplit tiles.
struct ContractionPlan {
  std::uint64_t groupSplit = 1, rowSplit = 1, columnSplit = 1, innerSplit = 1, tapSplit = 1;
  std::uint64_t serialColumns = 1, serialInner = 1;
  /// Whether the three passes of a fully connected layer have this split; and the numbers of tiles.
  bool joint = false;
  TileOrder order = TileOrder::Standard;
  /// The work of one tile in one serial step, as a plain product; `batch` and `field` have the rows
  /// and kernel elements of a convolution on it.
  ContractionWork part;
  /// The vertex class that runs on the tiles, and its granularity.
  const VertexClass* kind = nullptr;
  ConvGrains grains;
  /// `swapped`: rows and columns are swapped. `expanded`: kernel elements of some dimensions are
  /// inner elements; `expandedTaps` has the numbers of these indices.
  bool swapped = false, expanded = false;
  std::vector<std::size_t> expandedTaps;
  /// What is copied to another order before the vertices run, in each serial step: the operand that
  /// has rows, the operand that has columns; and after them: the result, that of inner elements once.
  Rearrangement rows, columns, result;
  /// Of a fully connected layer in serial steps: what is copied before all of them.
  Rearrangement beforeSlice;
  /// The indices of the contraction, with their axes after swapping or expanding; and how each
  /// index is split.
  ContractionShape shape;
  std::vector<IndexSplit> splits;
  /// Bytes on a tile: of the operand that has rows, of the operand that has columns, of partial
  /// sums, of what is gathered to add these up, and of results that serial steps add up.
  std::uint64_t rowBytes = 0, columnBytes = 0, partialBytes = 0, reductionBytes = 0,
                accumulatedBytes = 0;
  /// Bytes of temporary data on a tile, as PopLibs' planner has it.
  std::uint64_t temporaryBytes = 0;
  /// Bytes of these that vertices want in interleaved memory: those of the convolution, and those that
  /// add up partial sums.
  std::uint64_t interleavedBytes = 0, interleavedSums = 0;
  /// Whether the tiles of an exchange bus need the same rows.
  bool sharesRows = false;
  /// Whether rows are the same in all serial steps, of columns, and exchanged once, before these.
  bool rowsOnce = false;
  /// Cycles of the vertices of a tile; cycles to pad their operands on it with zeros; the stages that
  /// add up partial sums.
  std::uint64_t vertexCycles = 0, paddingCycles = 0;
  std::vector<ReductionStage> stages;
  /// With several serial steps: the cycles of a step to slice its part out of the operands, and to
  /// write its part of the result back or to add it to what the others have; and after them those to
  /// convert sums.
  std::uint64_t sliceCycles = 0, conversionCycles = 0;

  std::uint64_t serial() const { return serialColumns * serialInner; }
  std::uint64_t tiles() const { return groupSplit * rowSplit * columnSplit * partialSums(); }
  /// The number of tiles that have partial sums of the same results: neighbours along the inner axis
  /// and the taps, whose numbers are stride(Axis::Tap) apart.
  std::uint64_t partialSums() const { return innerSplit * tapSplit; }
  bool expands(std::size_t tap) const {
    return std::find(expandedTaps.begin(), expandedTaps.end(), tap) != expandedTaps.end();
  }
  bool expands(const OperandDim& d) const {
    return d.window && (expands(d.tap) || expands(d.index));
  }
  /// The number of tiles along an axis.
  std::uint64_t along(Axis axis) const;
  /// The distance between the numbers of tiles that are neighbours along an axis.
  unsigned stride(Axis axis) const;

  /// Cycles, syncs and calls of compute sets of one serial step; cycles of what is done once, before
  /// and after all of them.
  std::uint64_t computeCycles = 0, exchangeCycles = 0, syncs = 0, calls = 1;
  std::uint64_t onceExchangeCycles = 0, onceComputeCycles = 0;
  /// Cycles of the whole contraction; those without syncs and calls by which plans are compared, as
  /// PopLibs' planner counts them.
  std::uint64_t cycles = 0, comparedCycles = 0;
};

/// The plans of the three passes of a fully connected layer.
struct LayerPlans {
  ContractionPlan forward, backward, update;
};

/// The plans of a layer's passes (ContractionWork::Layer), of any of which `contraction` is one. As
/// PopLibs' planner: either one split for all of them, where each weight is on one tile, which
/// needs none of the others' rearrangements; or three plans, where these take fewer cycles.
LayerPlans planLayer(const TargetSpec& spec, const Contraction& contraction);

/// Another pass of the layer of which `pass` is one: its sizes, for the same options.
ContractionWork passOf(const ContractionWork& pass, ContractionWork::Layer layer);

/// Whether a contraction is one of the passes that planLayer() plans.
bool isLayerPass(const ContractionWork& work);

/// The plan with the fewest cycles, without syncs and calls, among those with temporary data that
/// fit into `availableMemoryPermille` of a tile, and into its interleaved part where vertices want them there; if none fits, into twice as much, and so on;
/// with none at all the plan with the fewest bytes. It assumes that operands and
/// result are mapped as layoutOf() says (machine/contraction/layout.hpp). As PopLibs' planner it
/// charges rearrangements where a product's rows and columns are not swapped, or a convolution's
/// are; where kernel elements become inner elements; of a gradient of weights; and where channels
/// are no multiple of what the units take. As there, a plan takes the tiles of one IPU.
__attribute__((visibility("default"))) ContractionPlan planContraction(
    const TargetSpec& spec, const Contraction& contraction);

}  // namespace popir

#endif
