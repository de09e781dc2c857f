#include <poplar/exceptions.hpp>
#include <poputil/Util.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include "poplar/view.hpp"
#include "support/host_memory.hpp"
#include "support/shares.hpp"

namespace poputil {
namespace {

using poplar::Interval;
using poplar::Tensor;
using Regions = std::vector<Interval>;

/// Boundaries of partitions of `n` elements: the begin of each partition, and the end of the last.
std::vector<std::size_t> cuts(std::size_t n, std::size_t grain, std::size_t most,
                              std::size_t minimum, std::size_t maximum) {
  if (grain == 0 || most == 0)
    throw poplibs_error("splitRegions: grainSize " + std::to_string(grain) + ", maxPartitions " +
                        std::to_string(most) + "; both must be at least 1");
  const auto count = [](std::size_t each) { return static_cast<std::int64_t>(each); };
  const popir::Shares shares =
      popir::sharesOf(count(n), count(grain), count(most), count(minimum), count(maximum));
  std::vector<std::size_t> result{0};
  for (std::int64_t share = 0; share < shares.count; ++share)
    result.push_back(static_cast<std::size_t>(shares.begin(share + 1)));
  return result;
}

std::size_t total(const Regions& regions) {
  std::size_t n = 0;
  for (const Interval& r : regions) n += r.size();
  return n;
}

/// The longest interval: whole grains, if a grain is no longer than what is asked for.
unsigned longestInterval(unsigned maxElementsPerRegion, unsigned grain) {
  const unsigned whole = maxElementsPerRegion / grain * grain;
  return std::max(whole > 0 ? whole : maxElementsPerRegion, 1u);
}

/// Calls add(partition, list, interval) for each piece of the intervals, in order.
template <class AddPiece>
void distribute(const std::vector<Regions>& lists, const std::vector<std::size_t>& cut,
                std::size_t longest, const AddPiece& add) {
  std::size_t at = 0, partition = 0;  // at: number of elements so far
  for (std::size_t list = 0; list < lists.size(); ++list)
    for (const Interval& region : lists[list])
      for (std::size_t begin = region.begin(); begin < region.end();) {
        while (at >= cut[partition + 1]) ++partition;
        const std::size_t n = std::min({region.end() - begin, cut[partition + 1] - at, longest});
        add(partition, list, Interval(begin, begin + n));
        begin += n;
        at += n;
      }
}

}  // namespace

void mergeAdjacentRegions(Regions& regions) {
  std::sort(regions.begin(), regions.end());
  Regions merged;
  for (const Interval& r : regions) {
    if (r.begin() == r.end()) continue;
    if (!merged.empty() && r.begin() <= merged.back().end())
      merged.back() = Interval(merged.back().begin(), std::max(merged.back().end(), r.end()));
    else
      merged.push_back(r);
  }
  regions = std::move(merged);
}

void mergeAdjacentRegions(std::vector<Regions>& mapping) {
  for (Regions& regions : mapping) mergeAdjacentRegions(regions);
}

Regions flattenIntervals(const std::vector<Regions>& intervals) {
  Regions all;
  for (const Regions& list : intervals) all.insert(all.end(), list.begin(), list.end());
  return all;
}

std::vector<Regions> splitRegions(const Regions& regions, unsigned grainSize,
                                  unsigned maxPartitions, unsigned minElementsPerPartition,
                                  unsigned maxElementsPerPartition, unsigned maxElementsPerRegion) {
  const auto cut = cuts(total(regions), grainSize, maxPartitions, minElementsPerPartition,
                        maxElementsPerPartition);
  std::vector<Regions> partitions(cut.size() - 1);
  distribute({regions}, cut, longestInterval(maxElementsPerRegion, grainSize),
             [&](std::size_t p, std::size_t, Interval piece) { partitions[p].push_back(piece); });
  return partitions;
}

std::vector<std::vector<Regions>> splitRegions(const std::vector<Regions>& regions,
                                               unsigned grainSize, unsigned maxPartitions,
                                               unsigned minElementsPerPartition,
                                               unsigned maxElementsPerPartition,
                                               unsigned maxElementsPerRegion) {
  const auto cut = cuts(intervalSequenceNumElements(regions), grainSize, maxPartitions,
                        minElementsPerPartition, maxElementsPerPartition);
  std::vector<std::vector<Regions>> partitions(cut.size() - 1);
  std::vector<std::size_t> last(partitions.size(),
                                regions.size());  // the list of each region's last piece
  const std::size_t longest = longestInterval(maxElementsPerRegion, grainSize);
  distribute(regions, cut, UINT_MAX, [&](std::size_t p, std::size_t list, Interval piece) {
    // A list is one region of the result, with at most `longest` elements.
    for (std::size_t begin = piece.begin(); begin < piece.end();) {
      const bool full =
          !partitions[p].empty() && last[p] == list && total(partitions[p].back()) >= longest;
      if (last[p] != list || full) partitions[p].emplace_back();
      last[p] = list;
      const std::size_t n = std::min(piece.end() - begin, longest - total(partitions[p].back()));
      partitions[p].back().emplace_back(begin, begin + n);
      begin += n;
    }
  });
  return partitions;
}

std::vector<Regions> splitRegionsBetweenWorkers(const poplar::Target& target,
                                                const Regions& regions, unsigned grainSize,
                                                unsigned minElementsPerPartition,
                                                unsigned maxElementsPerPartition,
                                                unsigned maxElementsPerRegion) {
  return splitRegions(regions, grainSize, target.getNumWorkerContexts(), minElementsPerPartition,
                      maxElementsPerPartition, maxElementsPerRegion);
}

std::vector<std::vector<Regions>> splitRegionsBetweenWorkers(const poplar::Target& target,
                                                             const std::vector<Regions>& regions,
                                                             unsigned grainSize,
                                                             unsigned minElementsPerPartition,
                                                             unsigned maxElementsPerPartition,
                                                             unsigned maxElementsPerRegion) {
  return splitRegions(regions, grainSize, target.getNumWorkerContexts(), minElementsPerPartition,
                      maxElementsPerPartition, maxElementsPerRegion);
}

std::size_t intervalSequenceNumElements(const std::vector<Regions>& seq) {
  std::size_t n = 0;
  for (const Regions& regions : seq) n += total(regions);
  return n;
}

Tensor cloneN(poplar::Graph& graph, const Tensor& t, unsigned N,
              const poplar::DebugContext& debugContext, poplar::TensorCloneMethod method) {
  if (N == 0) throw poplibs_error("cloneN: N is 0; ask for at least one clone");
  constexpr std::uint64_t kBytesOfAClone = 256;
  if (N * kBytesOfAClone > popir::availableMemory())
    throw poplar::graph_memory_allocation_error("cloneN: " + std::to_string(N) +
                                                " clones are more than the host's memory holds");
  std::vector<Tensor> clones;
  for (unsigned i = 0; i < N; ++i)
    clones.push_back(graph.clone(t, {debugContext, std::to_string(i)}, method).expand({0}));
  return poplar::concat(clones, 0);
}

std::vector<poplar::Interval> calculateUnshufflingIntervals(
    const std::vector<poplar::Interval>& intervals) {
  // Each interval with its place in the shuffled tensor, in the order of the tensor.
  std::vector<std::pair<poplar::Interval, std::size_t>> placed;
  std::size_t place = 0;
  for (const poplar::Interval& each : intervals) {
    placed.emplace_back(each, place);
    place += each.size();
  }
  std::sort(placed.begin(), placed.end(),
            [](const auto& a, const auto& b) { return a.first.begin() < b.first.begin(); });
  std::vector<poplar::Interval> undone;
  for (const auto& each : placed) undone.emplace_back(each.second, each.second + each.first.size());
  return undone;
}

std::vector<int> balancedPartition(int rangeUpperBound, int splitCount) {
  if (splitCount < 1 || rangeUpperBound < 0)
    throw poplibs_error("balancedPartition: " + std::to_string(rangeUpperBound) + " in " +
                        std::to_string(splitCount) +
                        " parts; give at least one part, and no "
                        "negative number");
  std::vector<int> parts(splitCount, rangeUpperBound / splitCount);
  for (int i = 0; i < rangeUpperBound % splitCount; ++i) ++parts[i];
  return parts;
}

double castToDeviceHalfValue(const poplar::Target&, double input) {
  return static_cast<double>(static_cast<popir::Half>(input));
}

bool checkAccuracyWhenCast(const poplar::Target& target, double input, poplar::Type inputType,
                           poplar::Type outputType, double tolerance) {
  if (inputType == poplar::HALF && outputType == poplar::FLOAT) return true;
  if (inputType != poplar::FLOAT || outputType != poplar::HALF)
    throw poplibs_error("checkAccuracyWhenCast: from " + inputType.toString() + " to " +
                        outputType.toString() + "; expected FLOAT and HALF");
  const auto value = static_cast<float>(input);
  const double error = std::fabs(castToDeviceHalfValue(target, value) - value);
  return std::fabs(value) * tolerance > error;
}

Tensor factorDims(const Tensor& t, const std::vector<std::size_t>& factors, unsigned startDim) {
  const auto n = static_cast<unsigned>(factors.size());
  bool divides = startDim + n <= t.rank();
  for (unsigned d = 0; divides && d < n; ++d)
    divides = factors[d] > 0 && t.dim(startDim + d) % factors[d] == 0;
  if (!divides)
    throw poplibs_error("factorDims: " + popir::shapeText({factors.begin(), factors.end()}) +
                        " does not divide the dimensions from " + std::to_string(startDim) +
                        " on of " + t.shapeToString());
  std::vector<std::size_t> split;
  std::vector<unsigned> order;
  for (unsigned d = 0; d < n; ++d) {
    split.push_back(t.dim(startDim + d) / factors[d]);
    split.push_back(factors[d]);
  }
  for (unsigned d = 0; d < startDim; ++d) order.push_back(d);
  for (unsigned part = 0; part < 2; ++part)
    for (unsigned d = 0; d < n; ++d) order.push_back(startDim + 2 * d + part);
  for (unsigned d = startDim + 2 * n; d < t.rank() + n; ++d) order.push_back(d);
  return t.reshapePartial(startDim, startDim + n, split).dimShuffle(order);
}

Tensor unfactorDims(const Tensor& t, unsigned numDims, unsigned startDim) {
  if (startDim + 2 * numDims > t.rank())
    throw poplibs_error("unfactorDims: " + t.shapeToString() + " has no 2 x " +
                        std::to_string(numDims) + " dimensions from " + std::to_string(startDim) +
                        " on");
  std::vector<std::size_t> joined;
  std::vector<unsigned> order;
  for (unsigned d = 0; d < startDim; ++d) order.push_back(d);
  for (unsigned d = startDim; d < startDim + numDims; ++d) {
    joined.push_back(t.dim(d) * t.dim(d + numDims));
    order.push_back(d);
    order.push_back(d + numDims);
  }
  for (unsigned d = startDim + 2 * numDims; d < t.rank(); ++d) order.push_back(d);
  return t.dimShuffle(order).reshapePartial(startDim, startDim + 2 * numDims, joined);
}

}  // namespace poputil
