// The tile mapping that a plan prefers for each operand, and the box of it that each tile needs.
#ifndef popir_machine_contraction_layout_hpp
#define popir_machine_contraction_layout_hpp

#include <vector>

#include "machine/contraction/grid.hpp"
#include "machine/contraction/planner.hpp"

namespace popir {

/// The preferred tile mapping of an operand (ContractionShape::operands), on tiles `first` and up.
/// Elements that several tiles need are spread over these tiles. E.g. with 2 row parts and 2 column
/// parts, two tiles need the same rows of A: each stores half of them. Elements of the result are
/// spread over the tiles that add up their partial sums. `sizes`: those of the dimensions of a tensor
/// that has more elements than the operand, e.g. a padded result, which is cut as often; by default
/// the operand's.
Grid layoutOf(const ContractionPlan& plan, std::size_t operand, unsigned first,
              const std::vector<std::int64_t>& sizes = {});

/// The number of elements by tile, from tile 0 to the last tile with any, of which those that differ
/// along dimensions of `once` alone count as one: e.g. of a matrix with `once` {true, false} the
/// columns of which a tile has some element. None: all count.
std::vector<std::int64_t> countByTile(const Grid& grid, const std::vector<bool>& once);

/// The box of an operand that each tile needs: one stretch along each dimension. E.g. A [4, 8]
/// whose rows are split over two tiles: tile 0 needs [0, 2) x [0, 8), tile 1 needs [2, 4) x [0, 8).
class BoxNeeds {
 public:
  /// The boxes of an operand that tiles read in the first serial step; of the result, the boxes
  /// that they compute.
  BoxNeeds(const ContractionPlan& plan, std::size_t operand);
  /// The boxes that a grid maps to the tiles. \pre each dimension of the grid is a single period.
  explicit BoxNeeds(const Grid& grid);
  /// The boxes of another operand that tiles need for theirs: along dimension d what
  /// `operand[d].meets()` says of a tile's stretch, and of `taps[d]` taps.
  BoxNeeds(const Grid& grid, const std::vector<OperandDim>& operand,
           const std::vector<std::int64_t>& taps);

  /// The parts of a dimension: elements [0, end) are cut into `count` parts of `part` elements, of
  /// which tiles `stride` apart need one each.
  struct Split {
    std::int64_t size, end, part, count;
    unsigned stride;
  };
  /// The boxes of an operand that is split so, of which `tiles` tiles need one each, some the same.
  BoxNeeds(const std::vector<Split>& splits, unsigned tiles);

  std::size_t dims() const { return dims_.size(); }
  /// The stretches that tiles need along a dimension.
  const std::vector<Stretch>& along(std::size_t dim) const { return dims_[dim].stretches; }
  /// The size of the dimension, and the smallest stretch that contains all of along(dim).
  std::int64_t extent(std::size_t dim) const { return dims_[dim].size; }
  const Stretch& all(std::size_t dim) const { return dims_[dim].all; }
  /// The stretches of along(dim) that may intersect `held`, as a range [begin, end) of indices.
  Stretch meeting(std::size_t dim, Stretch held) const;
  /// The number of boxes. There is a box for each combination of stretches, one along each
  /// dimension; the last dimension varies fastest.
  std::size_t boxes() const { return boxes_; }
  /// The number of tiles, some of which may need no box.
  unsigned tiles() const { return tiles_; }
  /// The number of the box that a tile needs; boxes() if it needs none.
  std::size_t boxOf(unsigned tile) const;
  /// The number of the box with these stretches, given as an index into along(d) for each d.
  std::size_t boxOf(const std::vector<std::size_t>& stretches) const;
  /// The stretch of a box along a dimension.
  const Stretch& stretch(std::size_t box, std::size_t dim) const;
  /// How many elements a tile needs for each of a box: of what is expanded, those of all windows, of
  /// which those with a stride may skip some.
  double density() const { return density_; }
  /// Whether several tiles need the same box.
  bool shared() const { return shared_; }

 private:
  // A coordinate of a tile: tile / stride % count.
  struct Coordinate {
    std::int64_t count;
    unsigned stride;
  };
  struct Dim {
    // One for each combination of the coordinates; the last coordinate varies fastest.
    std::vector<Stretch> stretches;
    std::vector<Coordinate> coordinates;
    std::size_t apart = 1;  // from one stretch to the next, in numbers of boxes
    std::int64_t size = 1;
    Stretch all;
    bool ascending = true;  // begins and ends of the stretches
  };
  // Computes the members that follow from the stretches.
  void finish();

  std::vector<Dim> dims_;
  std::size_t boxes_ = 1;
  unsigned tiles_ = 1;
  double density_ = 1;
  bool shared_ = false;
  bool everyTile_ = true;  // each tile needs a box
};

}  // namespace popir

#endif
