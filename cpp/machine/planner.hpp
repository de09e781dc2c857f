// Where contractions are split over tiles: the plan that the machine's own model finds cheapest.
#ifndef popir_machine_planner_hpp
#define popir_machine_planner_hpp

#include <algorithm>
#include <array>
#include <vector>

#include "machine/contraction_shape.hpp"

namespace popir {

/// A contraction [groups, rows, inner] x [groups, inner, columns] for each kernel element: the
/// sizes of a class with Sharing::Planned in estimators.hpp, of which the geometry follows.
struct Contraction {
  const VertexClass* kind;
  VertexWork whole;
  /// Side by side; more than an IPU has are those of several IPUs.
  unsigned tiles;
};

/// How an index is split: in each serial step `period` elements, `part` of them on each of `count`
/// tiles that lie `stride` apart.
struct IndexSplit {
  std::int64_t size = 1, period = 1, part = 1, count = 1;
  unsigned stride = 0;

  /// In the first serial step.
  Stretch of(std::int64_t coordinate) const {
    return {std::min(period, coordinate * part), std::min(period, (coordinate + 1) * part)};
  }
};

/// Serial steps one after the other; in each of them tiles groups x rows x columns x inner.
struct ContractionPlan {
  std::uint64_t groupSplit = 1, rowSplit = 1, columnSplit = 1, innerSplit = 1;
  std::uint64_t serialRows = 1, serialColumns = 1;
  /// What one tile has in one step.
  VertexWork part;
  /// The class that runs there.
  const VertexClass* kind = nullptr;
  /// Rows and columns have changed places; kernel elements have become inner elements. Each makes
  /// one rearrangement of `rearranged` bytes on a tile.
  bool swapped = false, expanded = false;
  std::uint64_t rearranged = 0;
  /// With the axes that these make of the indices, and how each of them is split.
  ContractionShape shape;
  std::vector<IndexSplit> splits;
  /// Axes from that whose neighbours are farthest apart to that of neighbouring tiles.
  std::array<Axis, 4> order{Axis::Group, Axis::Inner, Axis::Row, Axis::Column};
  /// Bytes that a tile needs of the operand by rows and of that by columns, and of partial sums.
  std::uint64_t rowBytes = 0, columnBytes = 0, partialBytes = 0;
  /// Of one of them every pair of tiles on a bus has the same.
  bool sharesRows = false, sharesColumns = false;
  /// Of several serial steps each cuts its slice of an operand out and puts its slice of the result
  /// back: cycles of that.
  std::uint64_t sliceCycles = 0;

  std::uint64_t serial() const { return serialRows * serialColumns; }
  std::uint64_t tiles() const { return groupSplit * rowSplit * columnSplit * innerSplit; }
  std::uint64_t along(Axis axis) const;
  /// How far apart neighbours along an axis are.
  unsigned stride(Axis axis) const;
  /// Bytes of temporary data on a tile.
  std::uint64_t temporaryBytes() const {
    return rowBytes + columnBytes + partialBytes + rearranged;
  }

  /// Of one serial step.
  std::uint64_t computeCycles = 0, exchangeCycles = 0, linkCycles = 0, phases = 1;
  /// Of the whole contraction.
  std::uint64_t cycles = 0;
};

/// The plan of fewest cycles among those whose temporary data fit; if none does, that of the fewest
/// bytes. Operands and result are taken to lie as the plan wants them (contraction_layout.hpp).
/// Rows and columns trade places, or kernel elements become inner elements, only at the cost of a
/// rearrangement. Of several IPUs as many are used as pay for what goes over links.
__attribute__((visibility("default"))) ContractionPlan planContraction(
    const TargetSpec& spec, const Contraction& contraction);

/// Cycles of a tile that lays out so many bytes anew.
std::uint64_t rearrangeCycles(const TargetSpec& spec, std::uint64_t bytes);

}  // namespace popir

#endif
