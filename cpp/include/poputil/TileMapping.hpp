// poputil/TileMapping.hpp: how tensors are laid over tiles.
#ifndef poputil_TileMapping_hpp
#define poputil_TileMapping_hpp

#include <cstddef>
#include <cstdint>
#include <map>
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

/// A tile for the first element that depends on the shape alone, so that small tensors do not all
/// begin on tile 0. Below numTiles, which is > 0.
std::size_t chooseMappingOffset(std::size_t numTiles, const std::vector<std::size_t>& shape);
std::size_t chooseMappingOffset(std::size_t numTiles, const std::vector<std::size_t>& shape,
                                std::size_t seed);

/// The place of a tile in the order that calcLinearTileMapping uses from `offset` on, and the tile
/// at a place.
unsigned transformTileIndex(unsigned tile, unsigned numTiles, unsigned offset, bool ascending);
unsigned invTransformTileIndex(unsigned tile, unsigned numTiles, unsigned offset, bool ascending);

/// Remembers which tiles use which elements, and maps elements to tiles that use them; what several
/// use is shared out evenly among them.
class TensorUseTracker {
 public:
  enum class MappingMethod {
    /// As None: elements that neighbours have in common are shared out among them.
    OptimizeHaloRegions,
    ConstrainMappingToUsedTiles,
    None
  };

  explicit TensorUseTracker(unsigned numTiles, unsigned startTile = 0,
                            bool ascendingMappingOrder = true);

  void add(const poplar::Graph& graph, unsigned tile, const poplar::Tensor& t);
  void add(TensorUseTracker other);
  /// Afterwards every element used has one tile: stretches of whole grains, of at least
  /// `minElementsPerTile`, the tiles taken in mapping order. With `extendPartialUsage` elements of
  /// the same variables that no tile uses go to the tile of a neighbour.
  void resolve(const poplar::Graph& graph, unsigned grainSize, unsigned minElementsPerTile,
               bool extendPartialUsage = false, MappingMethod method = MappingMethod::None);
  /// Resolves, and sets the mapping.
  void mapTensorsByUse(poplar::Graph& graph, unsigned grainSize, unsigned minElementsPerTile,
                       bool extendPartialUsage = false, MappingMethod method = MappingMethod::None);
  bool empty() const { return uses_.empty(); }

 private:
  struct Use {
    std::int64_t begin, end;
    unsigned tile;
  };
  unsigned tiles_, start_;
  bool ascending_;
  std::map<unsigned, std::vector<Use>> uses_;  // by variable
};

/// A clone on another IPU, on the tiles of the same numbers there. \throws poplibs_error if the
/// graph has no such IPU.
poplar::Tensor cloneToIpu(
    poplar::Graph& graph, const poplar::Tensor& t, unsigned dstIPU,
    const poplar::DebugContext& debugContext = {},
    poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
/// A clone on another part of the machine, on the tiles of the same numbers there.
poplar::Tensor cloneToGraph(
    poplar::Graph& srcGraph, poplar::Graph& dstGraph, const poplar::Tensor& t,
    const poplar::DebugContext& debugContext = {},
    poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
/// A clone with an element for each of `t`, and the tile after the last used. Where `t` shows an
/// element twice the clone is mapped linearly from tile `offset`.
std::pair<poplar::Tensor, unsigned> cloneAndExpandAliasing(
    poplar::Graph& graph, const poplar::Tensor& t, unsigned offset = 0,
    const poplar::DebugContext& debugContext = {});
/// cloneToIpu, and a copy there at the end of `prog`.
poplar::Tensor copyToIpu(
    poplar::Graph& graph, const poplar::Tensor& t, poplar::program::Sequence& prog, unsigned dstIPU,
    const poplar::DebugContext& debugContext = {},
    poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
/// cloneToIpu; a Copy of copySrc to copyDst, for the caller to add, moves the values.
poplar::Tensor createIpuCopy(
    poplar::Graph& graph, const poplar::Tensor& t, unsigned dstIpu, poplar::Tensor& copySrc,
    poplar::Tensor& copyDst, const poplar::DebugContext& debugContext = {},
    poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_AND_ALIASES);

/// A tensor of one dimension, as long as dimension `dim` of `fullTensor`, each element on a tile
/// that holds elements of `fullTensor` of that index.
poplar::Tensor createBroadcastOperand(poplar::Graph& graph, const poplar::Tensor& fullTensor,
                                      const poplar::Type& type, unsigned dim,
                                      bool ditherMapping = false,
                                      const poplar::DebugContext& debugContext = {});

/// Whether neighbours along `dimension` lie on different tiles, or IPUs, anywhere.
bool dimIsSplitOverTiles(const poplar::Graph& graph, const poplar::Tensor& t, unsigned dimension);
bool dimIsSplitOverIPUs(const poplar::Graph& graph, const poplar::Tensor& t, unsigned dimension);

}  // namespace poputil
#pragma GCC visibility pop

#endif
