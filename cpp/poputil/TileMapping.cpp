#include "poplar/tile_mapping.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

namespace poputil {
namespace {

using poplar::Graph;
using poplar::Interval;
using poplar::Target;
using poplar::Tensor;

struct Sizes {
  unsigned minElements, grain;
};

Sizes usualSizes(const Target& target, const poplar::Type& type) {
  constexpr std::size_t kMinBytes = 128;
  const std::size_t bytes = target.getTypeSize(type);
  return {static_cast<unsigned>((kMinBytes + bytes - 1) / bytes), target.getVectorWidth(type)};
}

void checkGrain(unsigned grainSize) {
  if (grainSize == 0)
    throw poplibs_error(
        "calcLinearTileMapping: grainSize is 0; give the number of elements that "
        "stay together, at least 1");
}

}  // namespace

std::vector<std::vector<Interval>> calcLinearTileMapping(const Target& target,
                                                         std::vector<std::size_t> shape,
                                                         unsigned minElementsPerTile,
                                                         unsigned grainSize, unsigned offset,
                                                         bool ascendingOrder) {
  checkGrain(grainSize);
  const std::size_t n =
      std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<std::size_t>());
  const std::size_t tiles = target.getNumTiles();
  std::vector<std::vector<Interval>> mapping(tiles);
  const popir::Shares shares = popir::sharesOf(static_cast<std::int64_t>(n), grainSize,
                                               target.getNumTiles(), minElementsPerTile);
  for (std::int64_t share = 0; share < shares.count; ++share) {
    const std::size_t i = (offset + static_cast<std::size_t>(share)) % tiles;
    mapping[ascendingOrder ? i : tiles - 1 - i].emplace_back(
        static_cast<std::size_t>(shares.begin(share)),
        static_cast<std::size_t>(shares.begin(share + 1)));
  }
  return mapping;
}

std::vector<std::vector<Interval>> calcLinearTileMapping(const Graph& graph,
                                                         std::vector<std::size_t> shape,
                                                         unsigned minElementsPerTile,
                                                         unsigned grainSize, unsigned offset,
                                                         bool ascendingOrder) {
  return calcLinearTileMapping(graph.getTarget(), std::move(shape), minElementsPerTile, grainSize,
                               offset, ascendingOrder);
}

std::vector<std::vector<Interval>> calcLinearTileMapping(const Target& target,
                                                         const std::vector<std::size_t> shape,
                                                         poplar::Type elementType, unsigned offset,
                                                         bool ascendingOrder) {
  const Sizes sizes = usualSizes(target, elementType);
  return calcLinearTileMapping(target, shape, sizes.minElements, sizes.grain, offset,
                               ascendingOrder);
}

std::vector<std::vector<Interval>> calcLinearTileMapping(const Graph& graph, const Tensor& t,
                                                         unsigned offset, bool ascendingOrder) {
  return calcLinearTileMapping(graph.getTarget(), t.shape(), t.elementType(), offset,
                               ascendingOrder);
}

std::pair<Graph::TileToTensorMapping, unsigned> calcLinearTileMappingAndNewOffset(
    const Graph& graph, const Tensor& t, unsigned offset) {
  auto mapping = calcLinearTileMapping(graph, t, offset);
  unsigned used = 0;
  for (const auto& tile : mapping) used += !tile.empty();
  return {std::move(mapping), (offset + used) % graph.getTarget().getNumTiles()};
}

void mapTensorLinearly(Graph& graph, const Tensor& t, unsigned minElementsPerTile,
                       unsigned grainSize) {
  mapTensorLinearlyWithOffset(graph, t, minElementsPerTile, grainSize, 0);
}

void mapTensorLinearly(Graph& graph, const Tensor& t) {
  const Sizes sizes = usualSizes(graph.getTarget(), t.elementType());
  mapTensorLinearly(graph, t, sizes.minElements, sizes.grain);
}

void mapTensorLinearlyWithOffset(Graph& graph, const Tensor& t, unsigned minElementsPerTile,
                                 unsigned grainSize, unsigned offset, bool ascendingOrder) {
  checkGrain(grainSize);
  if (ascendingOrder)
    return popir::mapLinearly(graph, t, minElementsPerTile, grainSize,
                              offset % graph.getTarget().getNumTiles());
  graph.setTileMapping(t, calcLinearTileMapping(graph, t.shape(), minElementsPerTile, grainSize,
                                                offset, ascendingOrder));
}

void mapTensorLinearlyWithOffset(Graph& graph, const Tensor& t, unsigned offset,
                                 bool ascendingOrder) {
  const Sizes sizes = usualSizes(graph.getTarget(), t.elementType());
  mapTensorLinearlyWithOffset(graph, t, sizes.minElements, sizes.grain, offset, ascendingOrder);
}

unsigned getTileImbalance(const Graph::TileToTensorMapping& mapping, unsigned minElementsPerTile,
                          unsigned grainSize) {
  checkGrain(grainSize);
  std::size_t all = 0, fullest = 0;
  for (const auto& tile : mapping) {
    std::size_t n = 0;
    for (const Interval& interval : tile) n += interval.size();
    all += n;
    fullest = std::max(fullest, n);
  }
  if (all == 0) return 0;
  const std::size_t even = std::max<std::size_t>(
      {(all + mapping.size() - 1) / mapping.size(), minElementsPerTile, grainSize});
  return fullest > even ? static_cast<unsigned>(fullest - even) : 0;
}

unsigned getTileImbalance(const Graph& graph, const Tensor& t, unsigned minElementsPerTile,
                          unsigned grainSize) {
  return getTileImbalance(graph.getTileMapping(t), minElementsPerTile, grainSize);
}

std::size_t chooseMappingOffset(std::size_t numTiles, const std::vector<std::size_t>& shape) {
  return chooseMappingOffset(numTiles, shape, 0);
}

std::size_t chooseMappingOffset(std::size_t numTiles, const std::vector<std::size_t>& shape,
                                std::size_t seed) {
  std::uint64_t hash = seed;  // FNV-1a over the sizes
  for (const std::size_t size : shape) hash = (hash ^ size) * 0x100000001b3u;
  return static_cast<std::size_t>((hash ^ hash >> 32) % numTiles);
}

unsigned transformTileIndex(unsigned tile, unsigned numTiles, unsigned offset, bool ascending) {
  const unsigned from = ascending ? tile : numTiles - 1 - tile;
  return (from + numTiles - offset) % numTiles;
}

unsigned invTransformTileIndex(unsigned tile, unsigned numTiles, unsigned offset, bool ascending) {
  const unsigned to = (tile + offset) % numTiles;
  return ascending ? to : numTiles - 1 - to;
}

bool dimIsSplitOverIPUs(const Graph& graph, const Tensor& t, unsigned dimension) {
  if (dimension >= t.rank())
    throw poplibs_error("dimIsSplitOverIPUs: dimension " + std::to_string(dimension) +
                        " of a tensor of shape " + t.shapeToString());
  const std::size_t n = t.dim(dimension), tiles = graph.getTarget().getTilesPerIPU();
  const auto mapping = graph.getTileMapping(t.dimRoll(dimension, t.rank() - 1));
  std::map<std::size_t, std::size_t> ipuOf;  // by row along the dimension
  for (std::size_t tile = 0; tile < mapping.size(); ++tile)
    for (const Interval& interval : mapping[tile])
      for (std::size_t row = interval.begin() / n; row <= (interval.end() - 1) / n; ++row)
        if (ipuOf.emplace(row, tile / tiles).first->second != tile / tiles) return true;
  return false;
}

bool dimIsSplitOverTiles(const Graph& graph, const Tensor& t, unsigned dimension) {
  if (dimension >= t.rank())
    throw poplibs_error("dimIsSplitOverTiles: dimension " + std::to_string(dimension) +
                        " of a tensor of shape " + t.shapeToString());
  // With `dimension` last, adjacent elements along it are adjacent in memory order. So an interval
  // of the mapping must not end inside of a row.
  const std::size_t n = t.dim(dimension);
  const auto mapping = graph.getTileMapping(t.dimRoll(dimension, t.rank() - 1));
  for (const auto& tile : mapping)
    for (const Interval& interval : tile)
      if (interval.begin() % n != 0 || interval.end() % n != 0) return true;
  return false;
}

}  // namespace poputil
