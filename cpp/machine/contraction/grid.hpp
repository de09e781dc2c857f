// Grid: a tile mapping as a rule. The rule has a few numbers for each dimension, independent of the
// number of elements.
#ifndef popir_machine_contraction_grid_hpp
#define popir_machine_contraction_grid_hpp

#include <algorithm>
#include <cstdint>
#include <vector>

#include "support/shares.hpp"

namespace popir {

/// How a dimension of `size` elements is mapped. It is cut into periods, all mapped alike. A period
/// is cut into parts, on tiles `stride` apart; a part into pieces of `sub` elements, on tiles
/// `subStride` apart. With period 8, part 4, stride 10, sub 2, subStride 1:
///   element  0 1 2 3  4  5  6  7  8 9 ...
///   tile     0 0 1 1 10 10 11 11  0 0 ...
struct GridDim {
  std::int64_t size = 1, period = 1, part = 1, sub = 1;
  unsigned stride = 0, subStride = 0;
  /// Groups of so many elements lie inside of the groups of all other dimensions, in a tile's memory.
  std::int64_t group = 1;
  /// If this is not 0, parts are the grains of so many shares, and shares are on tiles `stride` apart.
  /// There is one period then, and a part is one piece.
  std::int64_t shares = 0;

  /// The tile of element i, relative to Grid::first.
  unsigned tile(std::int64_t i) const {
    if (shares > 0) return static_cast<unsigned>(shared().of(i)) * stride;
    const auto j = i % period;
    return static_cast<unsigned>(j / part) * stride +
           static_cast<unsigned>(j % part / sub) * subStride;
  }
  /// The first element after i that may be on another tile.
  std::int64_t boundary(std::int64_t i) const;
  bool split() const { return boundary(0) < size; }
  /// \pre shares > 0
  Shares shared() const { return {size, part, shares}; }

  friend bool operator==(const GridDim& a, const GridDim& b) {
    return a.size == b.size && a.period == b.period && a.part == b.part && a.sub == b.sub &&
           a.stride == b.stride && a.subStride == b.subStride && a.shares == b.shares;
  }
};

/// Bytes of a channel group: the channels of one pixel that a convolution unit reads at once, 16
/// halves or 8 floats. PopLibs stores a group contiguously.
constexpr std::uint64_t kChannelGroupBytes = 32;

/// Tiles that follow one another in a ring: tile `lowest` follows on tile `lowest` + `around` - 1.
/// All tiles in order if `around` is 0.
struct TileRing {
  unsigned lowest = 0, around = 0;

  /// The tile of a number that counts on beyond the last tile.
  unsigned tile(unsigned number) const {
    return around == 0 ? number : lowest + (number - lowest) % around;
  }
  /// How many tiles after `first` a tile comes; `around` or more, if there is no such tile.
  unsigned after(unsigned first, unsigned tile) const {
    return tile < first ? tile + around - first : tile - first;
  }

  friend bool operator==(const TileRing& a, const TileRing& b) {
    return a.lowest == b.lowest && a.around == b.around;
  }
};

/// A tile mapping. The tile of an element is `first` plus the sum of GridDim::tile() over the
/// element's coordinates, in the ring. Dimensions are in row-major order, outermost first.
struct Grid {
  std::vector<GridDim> dims;
  unsigned first = 0;
  /// The number of the channel dimension, if channel groups (kChannelGroupBytes) are innermost in a
  /// tile's memory; dims.size() or more if the elements on a tile are row-major.
  std::size_t channels = ~std::size_t{0};
  TileRing ring = {};

  std::int64_t elements() const;
  unsigned tile(std::int64_t element) const;
  /// Number of elements by tile, from tile 0 to the last tile with any.
  std::vector<std::int64_t> byTile() const;

  /// Calls visit(begin, end, tile) for stretches of [begin, end), in order. Each is on one tile;
  /// two neighbours may be on the same tile.
  template <class Visit>
  void forEach(std::int64_t begin, std::int64_t end, const Visit& visit) const {
    std::int64_t below = 1;  // product of the innermost dimensions that are not split
    std::size_t d = dims.size();
    while (d > 0 && !dims[d - 1].split()) below *= dims[--d].size;
    if (d == 0) {
      if (begin < end) visit(begin, end, tile(begin));
      return;
    }
    const auto& inner = dims[d - 1];
    for (auto at = begin; at < end;) {
      const auto row = at / (below * inner.size) * inner.size;
      const auto outer = number(row * below);
      for (auto i = at / below - row; i < inner.size && at < end;) {
        const auto next = inner.boundary(i);
        const auto stop = std::min(end, (row + next) * below);
        visit(at, stop, ring.tile(outer + inner.tile(i)));
        at = stop;
        i = next;
      }
    }
  }

  friend bool operator==(const Grid& a, const Grid& b) {
    return a.first == b.first && a.ring == b.ring && a.dims == b.dims;
  }

 private:
  /// The tile of an element before the ring.
  unsigned number(std::int64_t element) const;
};

}  // namespace popir

#endif
