// Partitions of intervals, and flat indices. After poputil/Util.hpp of PopLibs 3.
#ifndef poputil_Util_hpp
#define poputil_Util_hpp

#include <algorithm>
#include <cassert>
#include <climits>
#include <cstddef>
#include <poplar/Device.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Interval.hpp>
#include <poplar/MetadataCreation.hpp>
#include <poplar/Program.hpp>
#include <poplar/Target.hpp>
#include <poplar/Tensor.hpp>
#include <poputil/DebugInfo.hpp>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace poputil {

// PopLibs had these before Poplar.
using poplar::createConstantMetadataTensor;
using poplar::createVariableMetadataTensor;

/// Sorts the intervals and merges those that touch or overlap. The second form does it for each
/// tile of a mapping.
void mergeAdjacentRegions(std::vector<poplar::Interval>& regions);
void mergeAdjacentRegions(std::vector<std::vector<poplar::Interval>>& mapping);

/// Concatenates the lists of intervals.
std::vector<poplar::Interval> flattenIntervals(
    const std::vector<std::vector<poplar::Interval>>& intervals);

/// Partitions the elements of `regions`, in order, into at most `maxPartitions` parts. The parts
/// have equal numbers of grains, or differ by one grain: of n grains in p parts, part i begins at
/// grain i * n / p. There are no more parts than give the least largest part. An interval may be
/// split between grains; grains are counted over all regions.
///
/// \param grainSize number of elements that must stay together; > 0
/// \param minElementsPerPartition smallest part; reduces the number of parts
/// \param maxElementsPerPartition largest part; increases the number of parts, even beyond
/// maxPartitions, as long as they have minElementsPerPartition and a grain
/// \param maxElementsPerRegion longer intervals are split, between grains if it is no less than one
///
/// The second form partitions lists of intervals, where each list becomes one vertex field.
std::vector<std::vector<poplar::Interval>> splitRegions(
    const std::vector<poplar::Interval>& regions, unsigned grainSize, unsigned maxPartitions,
    unsigned minElementsPerPartition = 0, unsigned maxElementsPerPartition = UINT_MAX,
    unsigned maxElementsPerRegion = UINT_MAX);
std::vector<std::vector<std::vector<poplar::Interval>>> splitRegions(
    const std::vector<std::vector<poplar::Interval>>& regions, unsigned grainSize,
    unsigned maxPartitions, unsigned minElementsPerPartition = 0,
    unsigned maxElementsPerPartition = UINT_MAX, unsigned maxElementsPerRegion = UINT_MAX);

/// The same with the number of worker contexts of a tile as `maxPartitions`.
std::vector<std::vector<poplar::Interval>> splitRegionsBetweenWorkers(
    const poplar::Target& target, const std::vector<poplar::Interval>& regions, unsigned grainSize,
    unsigned minElementsPerPartition = 0, unsigned maxElementsPerPartition = UINT_MAX,
    unsigned maxElementsPerRegion = UINT_MAX);
std::vector<std::vector<std::vector<poplar::Interval>>> splitRegionsBetweenWorkers(
    const poplar::Target& target, const std::vector<std::vector<poplar::Interval>>& regions,
    unsigned grainSize, unsigned minElementsPerPartition = 0,
    unsigned maxElementsPerPartition = UINT_MAX, unsigned maxElementsPerRegion = UINT_MAX);

/// Converts a flat index to coordinates in `shape`. flattenIndex() is the inverse.
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

/// Total number of elements in all intervals.
std::size_t intervalSequenceNumElements(const std::vector<std::vector<poplar::Interval>>& seq);

/// Creates a variable and copies `in` to it.
poplar::Tensor duplicate(
    poplar::Graph& graph, const poplar::Tensor& in, poplar::program::Sequence& p,
    const poplar::DebugContext& debugContext = {},
    poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
/// Creates N clones of `t`, along a new first dimension.
poplar::Tensor cloneN(
    poplar::Graph& graph, const poplar::Tensor& t, unsigned N,
    const poplar::DebugContext& debugContext = {},
    poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);

/// Of intervals that shuffle a tensor, by concatenating its slices, and that together are all of it
/// once: those that undo it.
std::vector<poplar::Interval> calculateUnshufflingIntervals(
    const std::vector<poplar::Interval>& intervals);

/// Splits `rangeUpperBound` into `splitCount` numbers that differ by at most one.
std::vector<int> balancedPartition(int rangeUpperBound, int splitCount);

/// Rounds `input` to the target's HALF.
double castToDeviceHalfValue(const poplar::Target& target, double input);

/// Whether `input` keeps its value between FLOAT and HALF: from FLOAT, whether what HALF makes of
/// it differs by less than `tolerance` times its size.
/// \throws poputil::poplibs_error for other types
bool checkAccuracyWhenCast(const poplar::Target& target, double input, poplar::Type inputType,
                           poplar::Type outputType, double tolerance);

/// Splits each dimension d of `factors`, counted from `startDim` on, into size / factors[d] and
/// factors[d], and moves the second parts behind all first parts: [4, 6, 4] by {1, 2} becomes
/// [4, 3, 1, 2, 4]. unfactorDims() undoes it for `numDims` dimensions.
/// \throws poputil::poplibs_error if a factor does not divide its dimension, or for too many
poplar::Tensor factorDims(const poplar::Tensor& t, const std::vector<std::size_t>& factors,
                          unsigned startDim = 0);
poplar::Tensor unfactorDims(const poplar::Tensor& t, unsigned numDims, unsigned startDim = 0);

}  // namespace poputil
#pragma GCC visibility pop

#endif
