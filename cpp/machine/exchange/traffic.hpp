// The exchange traffic of an operand, from its tile mapping to tiles that need boxes of it.
#ifndef popir_machine_exchange_traffic_hpp
#define popir_machine_exchange_traffic_hpp

#include <algorithm>
#include <functional>
#include <vector>

#include "machine/contraction/layout.hpp"
#include "machine/exchange/exchange.hpp"

namespace popir {

/// Sizes of dimensions, outermost first, for positions in the flat order of a variable: with radix
/// {3, 4}, element 4 * i + j has coordinates (i, j).
using Radix = std::vector<std::int64_t>;
/// One stretch along each dimension of a radix.
using Box = std::vector<Stretch>;

/// The tile mapping of a variable as boxes over the dimensions of its radix. The boxes come from a
/// grid, or from runs of the flat order.
class BoxMapping {
 public:
  static BoxMapping of(const Grid& grid);
  /// Runs in ascending order.
  static BoxMapping of(std::vector<TileRun> runs, std::int64_t elements);

  const Radix& radix() const { return radix_; }
  /// The elements of a group of a dimension (GridDim::group).
  std::int64_t group(std::size_t dim) const {
    return dim < grid_.dims.size() ? grid_.dims[dim].group : 1;
  }
  /// Visits the boxes of the mapping that intersect `wanted`, each with its tile.
  void forEach(const Box& wanted,
               const std::function<void(const Box&, unsigned tile)>& visit) const;

 private:
  Radix radix_;
  Grid grid_;
  std::vector<TileRun> runs_;
};

/// An operand as a strided view of a variable's flat order.
struct StridedOperand {
  // The variable's number of elements; the position of the operand's first element in it.
  std::int64_t elements = 0, offset = 0;
  std::vector<std::int64_t> strides;  // by dimension of the operand; 0 where it is broadcast
};

/// Adds to `traffic` the bytes and spans that tiles receive, and the bytes that others send for
/// them. Tile i of `needs` is tile `first` + i, in `ring`. A tile receives only elements that are mapped to
/// other tiles. `together` is as for Traffic::receive(). \returns false, with `traffic` unchanged,
/// if the dimensions of operand and mapping do not nest: e.g. a [4, 6] operand of a variable that
/// is mapped as [3, 8].
bool addBoxTraffic(Traffic& traffic, const BoxNeeds& needs, unsigned first,
                   const StridedOperand& operand, const BoxMapping& mapping,
                   std::uint64_t elementBytes, unsigned together, unsigned tilesPerIPU,
                   const TileRing& ring = {});

}  // namespace popir

#endif
