#include <gcl/TileAllocation.hpp>
#include <poplar/exceptions.hpp>

#include <algorithm>
#include <string>

namespace gcl {
namespace {

constexpr unsigned kLeast = 32;
constexpr unsigned kParts = 32;  // as many as an IPU has exchange blocks

}  // namespace

unsigned getMinIoTiles(const poplar::Graph& graph) {
  return std::min(kLeast, graph.getTarget().getTilesPerIPU() / 2);
}

std::vector<unsigned> perIPUTiles(const poplar::Graph& graph, unsigned offset, unsigned count,
                                  bool sorted, bool tilePairs) {
  const unsigned tiles = graph.getTarget().getTilesPerIPU(), step = tilePairs ? 2 : 1;
  if (offset > tiles || count > tiles - offset)
    throw poplar::poplar_error("gcl::perIPUTiles: " + std::to_string(count) + " tiles from " +
                               std::to_string(offset) + " on; an IPU has " + std::to_string(tiles));
  // Groups of `step` tiles, one of each part in turn.
  const unsigned groups = (tiles + step - 1) / step, each = (groups + kParts - 1) / kParts;
  std::vector<unsigned> order;
  for (unsigned i = 0; i < each; ++i)
    for (unsigned group = i; group < groups; group += each)
      for (unsigned tile = group * step; tile < std::min(tiles, (group + 1) * step); ++tile)
        order.push_back(tile);
  std::vector<unsigned> found(order.begin() + offset, order.begin() + offset + count);
  if (sorted) std::sort(found.begin(), found.end());
  return found;
}

}  // namespace gcl
