// Exchange traffic of an operand from the tiles of its mapping to tiles that need boxes of it.
#ifndef popir_machine_exchange_traffic_hpp
#define popir_machine_exchange_traffic_hpp

#include <algorithm>
#include <functional>
#include <vector>

#include "machine/contraction/layout.hpp"
#include "machine/exchange/exchange.hpp"

namespace popir {

/// Dimensions from outer to inner: the sizes into which a variable's flat order is cut.
using Radix = std::vector<std::int64_t>;
/// One stretch along each dimension.
using Box = std::vector<Stretch>;

/// The tile mapping of a variable as boxes over the dimensions of its radix. The boxes come from a
/// grid, or from runs of the flat order.
class BoxMapping {
 public:
  static BoxMapping of(const Grid& grid);
  /// Runs in ascending order.
  static BoxMapping of(std::vector<TileRun> runs, std::int64_t elements);

  const Radix& radix() const { return radix_; }
  /// The channel dimension if groups of channels are innermost in memory (Grid::channels);
  /// radix().size() for none.
  std::size_t channels() const { return std::min(grid_.channels, radix_.size()); }
  /// Visits the boxes that intersect `wanted`, with their tiles.
  void forEach(const Box& wanted,
               const std::function<void(const Box&, unsigned tile)>& visit) const;

 private:
  Radix radix_;
  Grid grid_;
  std::vector<TileRun> runs_;
};

/// An operand as a strided view of a variable's flat order.
struct StridedOperand {
  std::int64_t elements = 0, offset = 0;  // of the variable; of the operand's first element
  std::vector<std::int64_t> strides;      // by dimension of the operand; 0 where it is broadcast
};

/// Adds to `traffic` the bytes and spans that tiles receive, and the bytes that others send for
/// them. Tile i of `needs` is tile `first` + i. A tile receives only what it does not hold.
/// `together` is as for Traffic::receive(). \returns false, with `traffic` unchanged, if the
/// dimensions of operand and mapping do not nest.
bool addBoxTraffic(Traffic& traffic, const BoxNeeds& needs, unsigned first,
                   const StridedOperand& operand, const BoxMapping& mapping,
                   std::uint64_t elementBytes, unsigned together, unsigned tilesPerIPU);

}  // namespace popir

#endif
