// The tile mapping that a plan prefers for each operand, and the box of it that each tile needs.
#ifndef popir_machine_contraction_layout_hpp
#define popir_machine_contraction_layout_hpp

#include "machine/contraction/grid.hpp"
#include "machine/contraction/planner.hpp"

namespace popir {

/// The preferred tile mapping of an operand (ContractionShape::operands), on tiles `first` and up.
/// Elements that several tiles need are spread over these tiles. Elements of the result are spread
/// over the tiles that add up their partial sums.
Grid layoutOf(const ContractionPlan& plan, std::size_t operand, unsigned first);

/// The box of an operand that each tile needs: one stretch along each dimension.
class BoxNeeds {
 public:
  /// The boxes of an operand that tiles read in the first serial step; of the result, the boxes
  /// that they compute.
  BoxNeeds(const ContractionPlan& plan, std::size_t operand);
  /// The boxes that a grid maps to the tiles. \pre each dimension of the grid is a single period.
  explicit BoxNeeds(const Grid& grid);

  std::size_t dims() const { return dims_.size(); }
  /// Different stretches that tiles need along a dimension.
  const std::vector<Stretch>& along(std::size_t dim) const { return dims_[dim].stretches; }
  /// Elements of the dimension, and those of them that any tile needs.
  std::int64_t extent(std::size_t dim) const { return dims_[dim].size; }
  const Stretch& all(std::size_t dim) const { return dims_[dim].all; }
  /// The first and the last of them that may meet a stretch of the dimension: [begin, end).
  Stretch meeting(std::size_t dim, Stretch held) const;
  /// Different boxes, one stretch along each dimension; their numbers count the last dimension
  /// fastest.
  std::size_t boxes() const { return boxes_; }
  /// Tiles, of which 0 is the first; some may need nothing.
  unsigned tiles() const { return tiles_; }
  /// Which box a tile needs, boxes() for none.
  std::size_t boxOf(unsigned tile) const;
  std::size_t boxOf(const std::vector<std::size_t>& stretches) const;
  /// The stretch along a dimension that belongs to a box.
  const Stretch& stretch(std::size_t box, std::size_t dim) const;
  /// The fraction of a box's elements that are needed: windows with a stride may skip some.
  double density() const { return density_; }
  /// Whether several tiles need the same box.
  bool shared() const { return shared_; }

 private:
  struct Coordinate {
    std::int64_t count;
    unsigned stride;
  };
  struct Dim {
    std::vector<Stretch> stretches;  // the last of the coordinates fastest
    std::vector<Coordinate> coordinates;
    std::size_t apart = 1;
    std::int64_t size = 1;
    Stretch all;
    bool ascending = true;
  };
  void finish();

  std::vector<Dim> dims_;
  std::size_t boxes_ = 1;
  unsigned tiles_ = 1;
  double density_ = 1;
  bool shared_ = false;
  bool everyTile_ = true;  // needs a box
};

}  // namespace popir

#endif
