// The planner of slices: how a table of rows, and the rows that are looked up in it or added to it,
// are split over tiles so that the machine model's estimate is lowest, by the rules of PopLibs'
// planner.
#ifndef popir_machine_slices_planner_hpp
#define popir_machine_slices_planner_hpp

#include <algorithm>
#include <cstdint>

#include "machine/contraction/grid.hpp"
#include "machine/target_spec.hpp"
#include "workload/slices.hpp"

namespace popir {

/// Cycles of a read with a plan, of the tile that takes longest; those of stages are of one serial
/// step.
struct SliceReadCycles {
  std::uint64_t precopy = 0, firstExchange = 0, firstCompute = 0, secondExchange = 0,
                secondCompute = 0;
};
/// Cycles of an update in one serial step. `rearrangeBase` is what a table costs that is spread over
/// too few tiles.
struct SliceUpdateCycles {
  std::uint64_t rearrangeBase = 0, castSlices = 0, zeroPartials = 0, exchange = 0, compute = 0,
                reduceExchange = 0, reduceCompute = 0, castBase = 0, combine = 0, castBack = 0;

  std::uint64_t sum() const {
    return rearrangeBase + castSlices + zeroPartials + exchange + compute + reduceExchange +
           reduceCompute + castBase + combine + castBack;
  }
};

/// What the planner says of a partition. Bytes are of the fullest tile: of temporary data, of what is
/// stored (the table, slices and offsets), and of exchange code.
struct SliceEstimate {
  SliceReadCycles read;
  SliceUpdateCycles update;
  std::uint64_t readCycles = 0, updateCycles = 0, readBytes = 0, updateBytes = 0;
  std::uint64_t storedBytes = 0, codeBytes = 0;

  std::uint64_t cycles() const { return readCycles + updateCycles; }
  std::uint64_t temporaryBytes() const { return std::max(readBytes, updateBytes); }
  /// By what plans of the least memory are compared, as in PopLibs 2.3: what stays counts ten times.
  std::uint64_t memory() const { return 10 * (storedBytes + codeBytes) + temporaryBytes(); }
};

__attribute__((visibility("default"))) SliceEstimate estimateSlices(
    const TargetSpec& spec, const SliceSizes& sizes, const SliceUse& use,
    const SlicePartition& partition);

/// Each of the sizes is 1 at least. The partition on at most `tiles` tiles with the fewest cycles, or
/// the least memory, of those whose temporary data fit; if none does, of all.
__attribute__((visibility("default"))) SlicePartition planSlices(const TargetSpec& spec,
                                                                 const SliceSizes& sizes,
                                                                 const SliceUse& use,
                                                                 std::uint64_t tiles);

/// The tiles of a table [groups, rows, elements of a row]: a tile has the rows and elements that it
/// looks up. Where several sets of tiles share the lookups, these spread their part of the table: its
/// rows, and where these are few the elements of a row, too.
Grid tableGrid(const TargetSpec& spec, const PlannedSlices& planned, const SliceSizes& sizes);
/// The tiles of slices [groups, lookups, elements of a row], as a read leaves them.
Grid slicesGrid(const PlannedSlices& planned, const SliceSizes& sizes);

}  // namespace popir

#endif
