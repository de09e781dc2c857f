// Where a tensor's elements lie, and what travels between two such places.
#ifndef popir_poplar_placed_hpp
#define popir_poplar_placed_hpp

#include <optional>
#include <poplar/Tensor.hpp>

#include "machine/held_boxes.hpp"
#include "poplar/graph_impl.hpp"

namespace popir {

/// Elements of a tensor on tiles. Mappings that are rules stay rules where that will do; runs are
/// spelled when they are asked for.
class Placed {
 public:
  Placed(const GraphImpl& graph, const poplar::Tensor& t);
  /// Elements of no variable.
  Placed(const GraphImpl& graph, Grid grid, std::uint64_t elementBytes);

  std::int64_t elements() const { return elements_; }
  std::uint64_t elementBytes() const { return elementBytes_; }
  const TileRuns& runs() const;
  /// Elements on each tile of the machine.
  std::vector<std::int64_t> byTile() const;
  /// The rule of all of them in their order, if there is one.
  std::optional<Grid> grid() const;
  /// Whether that is a plan's.
  bool planned() const { return planned_; }
  /// Elements of both that have the same place have the same tile.
  bool liesAs(const Placed& other) const;

  /// What tiles that have elements of `there` need of these: the elements in their places, or where
  /// there are more or fewer of them those in proportion.
  void travel(Traffic& traffic, const Placed& there) const;
  /// What needs boxes of the tensor, seen with that shape, from tile `first` upwards.
  /// \returns false where it cannot be said in boxes.
  bool travel(Traffic& traffic, const BoxNeeds& needs, const Dims& shape, unsigned first,
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

/// Elements of one shape of `elements` bytes each, as many as given on each tile, from `first` on.
Grid linearGrid(std::int64_t elements, std::int64_t perTile, unsigned first);

}  // namespace popir

#endif
