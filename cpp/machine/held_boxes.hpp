// Where an operand of a contraction really lies, as boxes, and what follows for the exchange.
#ifndef popir_machine_held_boxes_hpp
#define popir_machine_held_boxes_hpp

#include <algorithm>
#include <functional>
#include <vector>

#include "machine/contraction_layout.hpp"
#include "machine/exchange.hpp"

namespace popir {

/// Dimensions from outer to inner: the sizes into which a variable's flat order is cut.
using Radix = std::vector<std::int64_t>;
/// One stretch along each of them.
using Box = std::vector<Stretch>;

/// Elements of a variable on tiles: along each dimension of `radix` the stretches of a grid, or
/// stretches of the flat order.
class Holding {
 public:
  static Holding of(const Grid& grid);
  /// Runs in ascending order.
  static Holding of(std::vector<TileRun> runs, std::int64_t elements);

  const Radix& radix() const { return radix_; }
  /// The dimension whose elements lie in groups inside of the others; radix().size() for none.
  std::size_t channels() const { return std::min(grid_.channels, radix_.size()); }
  /// Boxes that meet `wanted`, one stretch along each dimension.
  void forEach(const Box& wanted,
               const std::function<void(const Box&, unsigned tile)>& visit) const;

 private:
  Radix radix_;
  Grid grid_;
  std::vector<TileRun> runs_;
};

/// How an operand shows a variable: where its dimensions step through the flat order.
struct Showing {
  std::int64_t elements = 0, offset = 0;  // of the variable; of the operand's first element
  std::vector<std::int64_t> strides;      // by dimension of the operand; 0 where it is broadcast
};

/// Adds to `traffic` what tiles, of which those of `needs` begin at `first`, need and do not hold:
/// bytes, once for each tile; spans, pieces that lie together where they come from; and what
/// holders send. As many tiles as `together` says receive parts of the same directly. False, and
/// nothing done, where the dimensions of operand and holding do not nest in one another.
bool addNeeds(Traffic& traffic, const BoxNeeds& needs, unsigned first, const Showing& showing,
              const Holding& holding, std::uint64_t elementBytes, unsigned together,
              unsigned tilesPerIPU);

}  // namespace popir

#endif
