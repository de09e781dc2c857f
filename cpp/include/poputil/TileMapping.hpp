// Mapping of tensors to tiles. After poputil/TileMapping.hpp of PopLibs 3.
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

/// Distributes the elements in order over the tiles, as splitRegions() does. Returns for each tile
/// the intervals of the flattened tensor that it holds.
///
/// \param minElementsPerTile every tile gets at least so many elements, of a last grain that is not
/// whole apart; so a small tensor uses few tiles
/// \param grainSize number of elements that must stay on one tile; > 0
/// \param offset number of the tile that gets the first elements, counted in mapping order; after
/// the last tile the mapping wraps around
/// \param ascendingOrder if false, tiles are counted downwards from the last one
///
/// Overloads without sizes use at least 128 bytes per tile, and the target's vector width as grain
/// size.
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
/// Also returns the tile after the last one used, as the offset for the next tensor.
std::pair<poplar::Graph::TileToTensorMapping, unsigned> calcLinearTileMappingAndNewOffset(
    const poplar::Graph& graph, const poplar::Tensor& t, unsigned offset = 0);

/// Sets the tile mapping of `t` by calcLinearTileMapping().
void mapTensorLinearly(poplar::Graph& graph, const poplar::Tensor& t, unsigned minElementsPerTile,
                       unsigned grainSize);
void mapTensorLinearly(poplar::Graph& graph, const poplar::Tensor& t);
void mapTensorLinearlyWithOffset(poplar::Graph& graph, const poplar::Tensor& t,
                                 unsigned minElementsPerTile, unsigned grainSize, unsigned offset,
                                 bool ascendingOrder = true);
void mapTensorLinearlyWithOffset(poplar::Graph& graph, const poplar::Tensor& t, unsigned offset = 0,
                                 bool ascendingOrder = true);

/// Number of elements on the fullest tile in excess of an even mapping.
unsigned getTileImbalance(const poplar::Graph::TileToTensorMapping& mapping,
                          unsigned minElementsPerTile = 0, unsigned grainSize = 1);
unsigned getTileImbalance(const poplar::Graph& graph, const poplar::Tensor& t,
                          unsigned minElementsPerTile = 0, unsigned grainSize = 1);

/// Chooses an offset by hashing the shape, so that not all small tensors start on tile 0. Returns a
/// value below `numTiles`, which must be > 0.
std::size_t chooseMappingOffset(std::size_t numTiles, const std::vector<std::size_t>& shape);
std::size_t chooseMappingOffset(std::size_t numTiles, const std::vector<std::size_t>& shape,
                                std::size_t seed);

/// Position of `tile` in the order that calcLinearTileMapping() uses. invTransformTileIndex() is
/// the inverse.
unsigned transformTileIndex(unsigned tile, unsigned numTiles, unsigned offset, bool ascending);
unsigned invTransformTileIndex(unsigned tile, unsigned numTiles, unsigned offset, bool ascending);

/// Records which tiles use which elements. resolve() and mapTensorsByUse() then map each element to
/// one of the tiles that use it. Elements with several users are distributed evenly among them.
class TensorUseTracker {
 public:
  enum class MappingMethod {
    /// A stretch with the users of both its neighbours and no others goes to those of the first.
    OptimizeHaloRegions,
    /// Grains are cut from what tiles share, joined with neighbours of which a user is the same, so
    /// that no tile gets an element for the rest of a grain alone.
    ConstrainMappingToUsedTiles,
    /// A grain of which several tiles use parts goes to the users of its first element.
    None
  };

  explicit TensorUseTracker(unsigned numTiles, unsigned startTile = 0,
                            bool ascendingMappingOrder = true);

  /// Records that `tile` uses all elements of `t`.
  void add(const poplar::Graph& graph, unsigned tile, const poplar::Tensor& t);
  void add(TensorUseTracker other);
  /// Assigns each recorded element to one tile, in runs of whole grains with at least
  /// `minElementsPerTile` elements, in mapping order. With `extendPartialUsage`, elements of the
  /// same variables without users go to the tile of a neighbouring element.
  void resolve(const poplar::Graph& graph, unsigned grainSize, unsigned minElementsPerTile,
               bool extendPartialUsage = false, MappingMethod method = MappingMethod::None);
  /// Calls resolve(), and sets the tile mapping of all recorded variables.
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

/// Clones `t` to another IPU. Each element keeps its tile number within the IPU.
/// \throws poplibs_error if the graph has no such IPU
poplar::Tensor cloneToIpu(
    poplar::Graph& graph, const poplar::Tensor& t, unsigned dstIPU,
    const poplar::DebugContext& debugContext = {},
    poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
/// Clones `t` to another virtual graph. Each element keeps its tile number.
poplar::Tensor cloneToGraph(
    poplar::Graph& srcGraph, poplar::Graph& dstGraph, const poplar::Tensor& t,
    const poplar::DebugContext& debugContext = {},
    poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
/// Clones `t` without aliasing: the clone has one element per element of `t`. Also returns the tile
/// after the last one used. If `t` contains aliases, the clone is mapped linearly from tile
/// `offset`.
std::pair<poplar::Tensor, unsigned> cloneAndExpandAliasing(
    poplar::Graph& graph, const poplar::Tensor& t, unsigned offset = 0,
    const poplar::DebugContext& debugContext = {});
/// Calls cloneToIpu() and appends a copy to `prog`.
poplar::Tensor copyToIpu(
    poplar::Graph& graph, const poplar::Tensor& t, poplar::program::Sequence& prog, unsigned dstIPU,
    const poplar::DebugContext& debugContext = {},
    poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
/// Calls cloneToIpu(). To copy the values, add Copy(copySrc, copyDst) to a program.
poplar::Tensor createIpuCopy(
    poplar::Graph& graph, const poplar::Tensor& t, unsigned dstIpu, poplar::Tensor& copySrc,
    poplar::Tensor& copyDst, const poplar::DebugContext& debugContext = {},
    poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_AND_ALIASES);

/// Creates a vector with the size of dimension `dim` of `fullTensor`. Element i is on a tile that
/// holds elements of `fullTensor` with index i in this dimension.
poplar::Tensor createBroadcastOperand(poplar::Graph& graph, const poplar::Tensor& fullTensor,
                                      const poplar::Type& type, unsigned dim,
                                      bool ditherMapping = false,
                                      const poplar::DebugContext& debugContext = {});

/// True if adjacent elements along `dimension` are on different tiles (or IPUs) anywhere.
bool dimIsSplitOverTiles(const poplar::Graph& graph, const poplar::Tensor& t, unsigned dimension);
bool dimIsSplitOverIPUs(const poplar::Graph& graph, const poplar::Tensor& t, unsigned dimension);

}  // namespace poputil
#pragma GCC visibility pop

#endif
