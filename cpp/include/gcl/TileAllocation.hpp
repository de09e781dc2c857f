// Tiles that are set aside for transfers. After gcl/TileAllocation.hpp of the Poplar SDK 3.
#ifndef gcl_TileAllocation_hpp
#define gcl_TileAllocation_hpp

#include <poplar/Graph.hpp>

#include <vector>

#pragma GCC visibility push(default)
namespace gcl {

/// The least number of tiles of an IPU to set aside for transfers: 32, or half of a smaller IPU's.
unsigned getMinIoTiles(const poplar::Graph& graph);

/// `count` tiles of an IPU, for Graph::createVirtualGraph(tiles): those with the numbers from
/// `offset` on in an order that takes them from all parts of the IPU in turn. Calls with ranges that
/// do not overlap give different tiles.
/// \param sorted in ascending order, else in that order
/// \param tilePairs the two tiles of a pair, 2 i and 2 i + 1, follow one another
/// \throws poplar::poplar_error if the IPU has less than offset + count tiles
std::vector<unsigned> perIPUTiles(const poplar::Graph& graph, unsigned offset, unsigned count,
                                  bool sorted = true, bool tilePairs = true);

}  // namespace gcl
#pragma GCC visibility pop

#endif
