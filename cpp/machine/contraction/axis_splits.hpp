// The candidate splits of a contraction's axis over tiles, for the planner.
#ifndef popir_machine_contraction_axis_splits_hpp
#define popir_machine_contraction_axis_splits_hpp

#include <cstdint>
#include <vector>

namespace popir {

/// A split of an axis: for each of its indices the number of elements in a part; and the number of
/// parts in total.
struct AxisSplit {
  std::vector<std::uint64_t> parts;
  std::uint64_t used = 1;

  std::uint64_t elements() const {
    std::uint64_t n = 1;
    for (const auto part : parts) n *= part;
    return n;
  }
};

/// The splits into at most `most` parts, in ascending order of `used`. The first is the whole axis,
/// and each has fewer grains in a part than the one before. A single index is cut at multiples of
/// `grain`. Among splits of equal size, takes the one that reads least: along an index, a part
/// reads its own elements and the index's halo.
std::vector<AxisSplit> axisSplits(const std::vector<std::uint64_t>& sizes,
                                  const std::vector<std::uint64_t>& halos, std::uint64_t grain,
                                  std::uint64_t most);

}  // namespace popir

#endif
