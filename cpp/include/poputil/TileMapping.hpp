// poputil/TileMapping.hpp: how tensors are laid over tiles.
#ifndef poputil_TileMapping_hpp
#define poputil_TileMapping_hpp

#include <cstddef>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>
#include <poputil/VarStructure.hpp>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace poputil {

/// Elements in order over the tiles, as evenly as grains allow: for each tile, the intervals of the
/// flattened tensor that it gets.
///
/// \param minElementsPerTile  no tile but the last in use gets fewer; so few elements use few
/// tiles. \param grainSize           elements that stay together; > 0. \param offset,
/// ascendingOrder  the first elements go to tile `offset`, counted from the first
///                            tile upwards (from the last downwards), and around.
/// Without sizes: at least 128 bytes on a tile, in grains of the target's vector width.
std::vector<std::vector<poplar::Interval>> calcLinearTileMapping(
    const poplar::Target& target, std::vector<std::size_t> shape, unsigned minElementsPerTile,
    unsigned grainSize, unsigned offset = 0, bool ascendingOrder = true);
std::vector<std::vector<poplar::Interval>> calcLinearTileMapping(
    const poplar::Graph& graph, std::vector<std::size_t> shape, unsigned minElementsPerTile,
    unsigned grainSize, unsigned offset = 0, bool ascendingOrder = true);
std::vector<std::vector<poplar::Interval>> calcLinearTileMapping(
    const poplar::Target& target, const std::vector<std::size_t> shape, poplar::Type elementType,
    unsigned offset = 0, bool ascendingOrder = true);
std::vector<std::vector<poplar::Interval>> calcLinearTileMapping(const poplar::Graph& graph,
                                                                 const poplar::Tensor& t,
                                                                 unsigned offset = 0,
                                                                 bool ascendingOrder = true);
/// Also the tile after the last one used, from which the next tensor may go on.
std::pair<poplar::Graph::TileToTensorMapping, unsigned> calcLinearTileMappingAndNewOffset(
    const poplar::Graph& graph, const poplar::Tensor& t, unsigned offset = 0);

/// Sets the mapping of `t` to what calcLinearTileMapping gives.
void mapTensorLinearly(poplar::Graph& graph, const poplar::Tensor& t, unsigned minElementsPerTile,
                       unsigned grainSize);
void mapTensorLinearly(poplar::Graph& graph, const poplar::Tensor& t);
void mapTensorLinearlyWithOffset(poplar::Graph& graph, const poplar::Tensor& t,
                                 unsigned minElementsPerTile, unsigned grainSize, unsigned offset,
                                 bool ascendingOrder = true);
void mapTensorLinearlyWithOffset(poplar::Graph& graph, const poplar::Tensor& t, unsigned offset = 0,
                                 bool ascendingOrder = true);

/// Elements of the fullest tile beyond what an even mapping would put there.
unsigned getTileImbalance(const poplar::Graph::TileToTensorMapping& mapping,
                          unsigned minElementsPerTile = 0, unsigned grainSize = 1);
unsigned getTileImbalance(const poplar::Graph& graph, const poplar::Tensor& t,
                          unsigned minElementsPerTile = 0, unsigned grainSize = 1);

/// Whether neighbours along `dimension` lie on different tiles anywhere.
bool dimIsSplitOverTiles(const poplar::Graph& graph, const poplar::Tensor& t, unsigned dimension);

}  // namespace poputil
#pragma GCC visibility pop

#endif
