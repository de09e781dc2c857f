// The ways to split an axis of a contraction over tiles that are worth a look.
#ifndef popir_machine_axis_splits_hpp
#define popir_machine_axis_splits_hpp

#include <cstdint>
#include <vector>

namespace popir {

/// Of each index that an axis is made of, how many elements a part has; how many parts there are.
struct AxisSplit {
  std::vector<std::uint64_t> parts;
  std::uint64_t used = 1;

  std::uint64_t elements() const {
    std::uint64_t n = 1;
    for (const auto part : parts) n *= part;
    return n;
  }
};

/// In ascending order of `used`, at most `most`, each with fewer grains of elements in its parts
/// than the one before; the first is the whole axis. A single index is cut at whole grains. Of
/// equal ones it is that which needs least of what is read, if a part reads as much more along an
/// index as its halo says.
std::vector<AxisSplit> axisSplits(const std::vector<std::uint64_t>& sizes,
                                  const std::vector<std::uint64_t>& halos, std::uint64_t grain,
                                  std::uint64_t most);

}  // namespace popir

#endif
