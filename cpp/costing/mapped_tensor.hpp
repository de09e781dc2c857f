// Tensors with their tile mapping, and the exchange traffic between two of them.
#ifndef popir_costing_mapped_tensor_hpp
#define popir_costing_mapped_tensor_hpp

#include <optional>
#include <poplar/Tensor.hpp>

#include "machine/exchange/traffic.hpp"
#include "poplar/graph_impl.hpp"

namespace popir {

/// A tensor and the tiles of its elements. A mapping by a rule (Grid) stays a rule as long as
/// possible. The list of runs, which may be long, is computed on the first call of runs().
class MappedTensor {
 public:
  MappedTensor(const GraphImpl& graph, const poplar::Tensor& t);
  /// A tensor that belongs to no variable, mapped by `grid`.
  MappedTensor(const GraphImpl& graph, Grid grid, std::uint64_t elementBytes);

  std::int64_t elements() const { return elements_; }
  std::uint64_t elementBytes() const { return elementBytes_; }
  const TileRuns& runs() const;
  /// Number of elements on each tile of the machine.
  std::vector<std::int64_t> byTile() const;
  /// The rule that maps the tensor's elements in row-major order, if there is one.
  std::optional<Grid> grid() const;
  /// Whether a contraction's plan determines the mapping, for at least one variable of the tensor.
  bool planned() const { return planned_; }
  /// True if element i of both tensors is known to be on the same tile, for each i. Compares
  /// variables and rules only: false does not mean that any element is on another tile.
  bool mappedAs(const MappedTensor& other) const;

  /// Adds the traffic that moves element i of this tensor to the tile of element i of `there`. If
  /// `there` has another number of elements, positions are scaled in proportion.
  void addTraffic(Traffic& traffic, const MappedTensor& there) const;
  /// Adds the traffic to tiles that each need a box of the tensor, reshaped to `shape`. Tile i of
  /// `needs` is tile `first` + i of the machine, in `ring`. `together` is as for Traffic::receive().
  /// \returns false, and adds nothing, if the tensor is not a strided view of one variable (e.g. a
  /// concatenation), or if addBoxTraffic() returns false.
  bool addTraffic(Traffic& traffic, const BoxNeeds& needs, const Dims& shape, unsigned first,
                  unsigned together, const TileRing& ring = {}) const;

 private:
  /// The tensors that a plan's tensor is a concatenation of; none if it is no concatenation. Each
  /// may be mapped by a rule where the whole is not.
  std::vector<MappedTensor> joined() const;

  const GraphImpl& graph_;
  ViewPtr view_;             // null if no variable
  std::optional<Grid> own_;  // the mapping, if no variable
  std::int64_t elements_;
  std::uint64_t elementBytes_;
  bool planned_ = false;
  mutable std::optional<TileRuns> runs_;
};

/// A linear mapping: the first `perTile` elements on tile `first`, the next on the tile after it,
/// and so on.
Grid linearGrid(std::int64_t elements, std::int64_t perTile, unsigned first);
/// Another: a share on tile `first`, the next on the tile after it, and so on.
Grid linearGrid(const Shares& shares, unsigned first);

}  // namespace popir

#endif
