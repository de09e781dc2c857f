// The candidate splits of a contraction's axis over tiles, for the planner.
#ifndef popir_machine_contraction_axis_splits_hpp
#define popir_machine_contraction_axis_splits_hpp

#include <cstdint>
#include <map>
#include <vector>

namespace popir {

/// A split of an axis: `parts` has the number of elements in a part along each index of the axis,
/// `counts` the number of parts of a serial step along each, `used` that in total, on as many tiles,
/// and `steps` the number of serial steps. E.g. the row axis of a convolution has the indices batch 8,
/// height 16, width 16. The split {8, 4, 16} in one step has 1 x 4 x 1 parts.
struct AxisSplit {
  std::vector<std::uint64_t> parts, counts;
  std::uint64_t used = 1, steps = 1;

  /// Elements in a part.
  std::uint64_t elements() const {
    std::uint64_t n = 1;
    for (const auto part : parts) n *= part;
    return n;
  }
};

/// The splits of an axis into at most `most` parts, in ascending order of `used`. `sizes` and
/// `halos` belong to its indices. The first split is the whole axis; each of the others has fewer
/// grains in a part than the one before. An axis of a single index is cut at multiples of `grain`.
/// Of splits that agree in parts and grains, the result has the one that reads least: along an
/// index, a part reads its own elements and the index's halo. If several read as much it is the one
/// whose parts are longest along the last indices, which lie together in memory.
std::vector<AxisSplit> axisSplits(const std::vector<std::uint64_t>& sizes,
                                  const std::vector<std::uint64_t>& halos, std::uint64_t grain,
                                  std::uint64_t most);

/// The same in serial steps, by their number: that of all parts divided by that of tiles, where parts
/// are the fewest with so many grains, as PopLibs' planner has it. An axis of several indices
/// is divided along the first one, along the next one if a step has a single element of that, and so
/// on. There are at most `mostSteps` of them; those in one step are axisSplits().
std::map<std::uint64_t, std::vector<AxisSplit>> serialAxisSplits(
    const std::vector<std::uint64_t>& sizes, const std::vector<std::uint64_t>& halos,
    std::uint64_t grain, std::uint64_t most, std::uint64_t mostSteps);

/// All splits of an axis into at most `most` parts, in ascending order of `used`.
std::vector<AxisSplit> allAxisSplits(const std::vector<std::uint64_t>& sizes, std::uint64_t grain,
                                     std::uint64_t most);

/// The elements that a part of a split reads.
std::uint64_t readBy(const AxisSplit& split, const std::vector<std::uint64_t>& halos);

}  // namespace popir

#endif
