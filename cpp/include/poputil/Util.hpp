// poputil/Util.hpp: intervals shared out, and indices of many dimensions as one.
#ifndef poputil_Util_hpp
#define poputil_Util_hpp

#include <algorithm>
#include <cassert>
#include <climits>
#include <cstddef>
#include <poplar/Device.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Interval.hpp>
#include <poplar/Program.hpp>
#include <poplar/Target.hpp>
#include <poplar/Tensor.hpp>
#include <poputil/DebugInfo.hpp>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace poputil {

/// Sorts the intervals and joins those that touch or overlap; for each tile, of a mapping.
void mergeAdjacentRegions(std::vector<poplar::Interval>& regions);
void mergeAdjacentRegions(std::vector<std::vector<poplar::Interval>>& mapping);

/// All intervals in one list.
std::vector<poplar::Interval> flattenIntervals(
    const std::vector<std::vector<poplar::Interval>>& intervals);

/// Shares the elements of `regions`, in order, over at most `maxPartitions` partitions: the same
/// number of grains for each, or one more, empty partitions left out. An interval may be cut, at
/// whole grains counted over all of the regions.
///
/// \param grainSize                elements that stay together; > 0.
/// \param minElementsPerPartition  fewer partitions rather than smaller ones.
/// \param maxElementsPerPartition  more partitions rather than larger ones, even beyond
///                                 maxPartitions.
/// \param maxElementsPerRegion     longer intervals are cut further.
/// The second form takes and gives lists of intervals that belong together: one vertex field each.
std::vector<std::vector<poplar::Interval>> splitRegions(
    const std::vector<poplar::Interval>& regions, unsigned grainSize, unsigned maxPartitions,
    unsigned minElementsPerPartition = 0, unsigned maxElementsPerPartition = UINT_MAX,
    unsigned maxElementsPerRegion = UINT_MAX);
std::vector<std::vector<std::vector<poplar::Interval>>> splitRegions(
    const std::vector<std::vector<poplar::Interval>>& regions, unsigned grainSize,
    unsigned maxPartitions, unsigned minElementsPerPartition = 0,
    unsigned maxElementsPerPartition = UINT_MAX, unsigned maxElementsPerRegion = UINT_MAX);

/// The same with as many partitions as a tile has worker contexts.
std::vector<std::vector<poplar::Interval>> splitRegionsBetweenWorkers(
    const poplar::Target& target, const std::vector<poplar::Interval>& regions, unsigned grainSize,
    unsigned minElementsPerPartition = 0, unsigned maxElementsPerPartition = UINT_MAX,
    unsigned maxElementsPerRegion = UINT_MAX);
std::vector<std::vector<std::vector<poplar::Interval>>> splitRegionsBetweenWorkers(
    const poplar::Target& target, const std::vector<std::vector<poplar::Interval>>& regions,
    unsigned grainSize, unsigned minElementsPerPartition = 0,
    unsigned maxElementsPerPartition = UINT_MAX, unsigned maxElementsPerRegion = UINT_MAX);

/// The coordinates, in `shape`, of the element at `index` of the flattened tensor; and back.
template <class T>
std::vector<T> unflattenIndex(const std::vector<T>& shape, std::size_t index) {
  std::vector<T> coordinates(shape.size());
  for (std::size_t d = shape.size(); d-- > 0;) {
    coordinates[d] = static_cast<T>(index % shape[d]);
    index /= shape[d];
  }
  assert(index == 0);
  return coordinates;
}
template <class T>
std::size_t flattenIndex(const std::vector<T>& shape, const std::vector<T>& indices) {
  assert(indices.size() == shape.size());
  std::size_t index = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) index = index * shape[d] + indices[d];
  return index;
}

/// Elements in all intervals together.
std::size_t intervalSequenceNumElements(const std::vector<std::vector<poplar::Interval>>& seq);

/// A new variable with a copy of the values of `in`.
poplar::Tensor duplicate(
    poplar::Graph& graph, const poplar::Tensor& in, poplar::program::Sequence& p,
    const poplar::DebugContext& debugContext = {},
    poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
/// N new variables like `t`, along a new first dimension.
poplar::Tensor cloneN(
    poplar::Graph& graph, const poplar::Tensor& t, unsigned N,
    const poplar::DebugContext& debugContext = {},
    poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);

/// `rangeUpperBound` as a sum of `splitCount` numbers that differ by at most one.
std::vector<int> balancedPartition(int rangeUpperBound, int splitCount);

/// The nearest number that the target's HALF holds.
double castToDeviceHalfValue(const poplar::Target& target, double input);

}  // namespace poputil
#pragma GCC visibility pop

#endif
