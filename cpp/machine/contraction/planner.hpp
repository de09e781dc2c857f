// The planner: splits a contraction over tiles so that the machine model's estimate is lowest.
#ifndef popir_machine_contraction_planner_hpp
#define popir_machine_contraction_planner_hpp

#include <algorithm>
#include <array>
#include <vector>

#include "machine/contraction/shape.hpp"
#include "machine/estimators/estimators.hpp"

namespace popir {

/// The planner's input: a vertex of a class that ContractionWork describes.
struct Contraction {
  const VertexClass* kind;
  ContractionWork whole;
  /// The number of adjacent tiles; more than tilesPerIPU for several IPUs.
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

/// A plan: serialRows x serialColumns serial steps, one after another. Each uses groupSplit x
/// rowSplit x columnSplit x innerSplit tiles.
struct ContractionPlan {
  std::uint64_t groupSplit = 1, rowSplit = 1, columnSplit = 1, innerSplit = 1;
  std::uint64_t serialRows = 1, serialColumns = 1;
  /// The work of one tile in one serial step, as a plain product.
  ContractionWork part;
  /// The vertex class that runs on the tiles.
  const VertexClass* kind = nullptr;
  /// `swapped`: rows and columns are swapped. `expanded`: kernel elements are inner elements. In
  /// both cases each tile first rearranges `rearranged` bytes in its memory.
  bool swapped = false, expanded = false;
  std::uint64_t rearranged = 0;
  /// The indices of the contraction, with their axes after swapping or expanding; and how each
  /// index is split.
  ContractionShape shape;
  std::vector<IndexSplit> splits;
  /// The axes from outer to inner: neighbours along the last axis are adjacent tiles.
  std::array<Axis, 4> order{Axis::Group, Axis::Inner, Axis::Row, Axis::Column};
  /// Bytes on a tile: of the operand that has rows, of the operand that has columns, and of partial
  /// sums.
  std::uint64_t rowBytes = 0, columnBytes = 0, partialBytes = 0;
  /// Whether the tiles of an exchange bus need the same rows, or the same columns.
  bool sharesRows = false, sharesColumns = false;
  /// With several serial steps: the cycles of a step to slice its part out of the operands, and to
  /// write its part of the result back.
  std::uint64_t sliceCycles = 0;

  std::uint64_t serial() const { return serialRows * serialColumns; }
  std::uint64_t tiles() const { return groupSplit * rowSplit * columnSplit * innerSplit; }
  /// The number of tiles along an axis.
  std::uint64_t along(Axis axis) const;
  /// The distance between the numbers of tiles that are neighbours along an axis.
  unsigned stride(Axis axis) const;
  /// Bytes of temporary data on a tile.
  std::uint64_t temporaryBytes() const {
    return rowBytes + columnBytes + partialBytes + rearranged;
  }

  /// Cycles and phases of one serial step.
  std::uint64_t computeCycles = 0, exchangeCycles = 0, linkCycles = 0, phases = 1;
  /// Cycles of the whole contraction.
  std::uint64_t cycles = 0;
};

/// The plan with the fewest cycles among those with temporary data that fit into memory; if none
/// fits, the plan with the fewest bytes. It assumes that operands and result are mapped as
/// layoutOf() says (machine/contraction/layout.hpp). Plans that swap rows and columns, or expand
/// kernel elements to inner elements, include the cycles of the rearrangement. The plan uses 1, 2,
/// 4 ... IPUs: more of them only if they save more cycles than their links cost.
__attribute__((visibility("default"))) ContractionPlan planContraction(
    const TargetSpec& spec, const Contraction& contraction);

/// Cycles in which a tile rearranges this many bytes in its memory.
std::uint64_t rearrangeCycles(const TargetSpec& spec, std::uint64_t bytes);

}  // namespace popir

#endif
