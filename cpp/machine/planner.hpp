// Where contractions are split over tiles: the plan that the machine's own model finds cheapest.
#ifndef popir_machine_planner_hpp
#define popir_machine_planner_hpp

#include <string>

#include "machine/estimators.hpp"

namespace popir {

/// A contraction [groups, rows, inner] x [groups, inner, columns] for each kernel element: the
/// sizes of a class with Sharing::Blocks in estimators.hpp, and after them the bits of a partial
/// sum and, in permille, the part of a tile's memory for temporary data.
struct Contraction {
  const VertexClass* kind;
  VertexWork whole;
  /// Elements of the operand that has one for each row and of that with one for each column.
  std::uint64_t rowElements, columnElements;
  /// Elements of the result on the tile that holds most, and bytes of each.
  std::uint64_t resultShare, resultBytes;
  unsigned tiles;
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
  /// Bytes that a tile needs of the operand by rows and of that by columns, and of partial sums.
  std::uint64_t rowBytes = 0, columnBytes = 0, partialBytes = 0;
  /// Of one of them every pair of tiles on a bus has the same.
  bool sharesRows = false, sharesColumns = false;
  /// Of several serial steps each cuts its slice of an operand out and puts its slice of the result
  /// back: cycles of that.
  std::uint64_t sliceCycles = 0;
  /// The result lies elsewhere than where it is made.
  bool moves = false;

  std::uint64_t serial() const { return serialRows * serialColumns; }
  std::uint64_t tiles() const { return groupSplit * rowSplit * columnSplit * innerSplit; }
  /// Bytes of temporary data on a tile.
  std::uint64_t temporaryBytes() const {
    return rowBytes + columnBytes + partialBytes + rearranged;
  }

  std::uint64_t computeCycles = 0, exchangeCycles = 0, phases = 1;
  /// Of the whole contraction.
  std::uint64_t cycles = 0;
};

/// The plan of fewest cycles among those whose temporary data fit; if none does, that of the fewest
/// bytes. Rows and columns trade places, or kernel elements become inner elements, only at the cost
/// of a rearrangement.
__attribute__((visibility("default"))) ContractionPlan planContraction(
    const TargetSpec& spec, const Contraction& contraction);

/// Cycles of a tile that lays out so many bytes anew.
std::uint64_t rearrangeCycles(const TargetSpec& spec, std::uint64_t bytes);

}  // namespace popir

#endif
