// Tensors with their tile mapping, and the exchange traffic between two of them.
#ifndef popir_costing_mapped_tensor_hpp
#define popir_costing_mapped_tensor_hpp

#include <optional>
#include <poplar/Tensor.hpp>

#include "machine/exchange/traffic.hpp"
#include "poplar/graph_impl.hpp"

namespace popir {

/// A tensor and the tiles of its elements. A mapping given by a rule (Grid) is kept as a rule as
/// long as possible; the list of runs, which may be long, is made on the first call of runs().
class MappedTensor {
 public:
  MappedTensor(const GraphImpl& graph, const poplar::Tensor& t);
  /// A tensor that belongs to no variable, mapped by `grid`.
  MappedTensor(const GraphImpl& graph, Grid grid, std::uint64_t elementBytes);

  std::int64_t elements() const { return elements_; }
  std::uint64_t elementBytes() const { return elementBytes_; }
  const TileRuns& runs() const;
  /// Elements on each tile of the machine.
  std::vector<std::int64_t> byTile() const;
  /// The rule that maps the elements in the tensor's order, if there is one.
  std::optional<Grid> grid() const;
  /// Whether the mapping was made by a contraction's plan.
  bool planned() const { return planned_; }
  /// Whether element i of both tensors is on the same tile, for each i.
  bool mappedAs(const MappedTensor& other) const;

  /// Adds the traffic that moves element i of this tensor to the tile of element i of `there`. If
  /// `there` has another number of elements, positions are scaled in proportion.
  void addTraffic(Traffic& traffic, const MappedTensor& there) const;
  /// Adds the traffic to tiles `first` and up, each of which needs a box of the tensor seen as
  /// `shape`. \returns false if the tensor's mapping cannot be described by boxes.
  bool addTraffic(Traffic& traffic, const BoxNeeds& needs, const Dims& shape, unsigned first,
                  unsigned together) const;

 private:
  const GraphImpl& graph_;
  ViewPtr view_;  // or null
  std::optional<Grid> own_;
  std::int64_t elements_;
  std::uint64_t elementBytes_;
  bool planned_ = false;
  mutable std::optional<TileRuns> runs_;
};

/// A linear mapping: the first `perTile` elements on tile `first`, the next on the tile after it,
/// and so on.
Grid linearGrid(std::int64_t elements, std::int64_t perTile, unsigned first);

}  // namespace popir

#endif
