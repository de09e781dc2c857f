// How tiles share a box of elements: a rule of a few numbers, however large the box.
#ifndef popir_machine_grid_hpp
#define popir_machine_grid_hpp

#include <algorithm>
#include <cstdint>
#include <vector>

namespace popir {

/// A dimension of `size` elements. Of every `period` of them, parts of `part` elements each are on
/// tiles `stride` apart, and of each part again pieces of `sub` elements on tiles `subStride`
/// apart.
struct GridDim {
  std::int64_t size = 1, period = 1, part = 1, sub = 1;
  unsigned stride = 0, subStride = 0;

  /// Of element i.
  unsigned tile(std::int64_t i) const {
    const auto j = i % period;
    return static_cast<unsigned>(j / part) * stride +
           static_cast<unsigned>(j % part / sub) * subStride;
  }
  /// The first element after i that may be on another tile.
  std::int64_t boundary(std::int64_t i) const;
  bool split() const { return boundary(0) < size; }

  friend bool operator==(const GridDim& a, const GridDim& b) {
    return a.size == b.size && a.period == b.period && a.part == b.part && a.sub == b.sub &&
           a.stride == b.stride && a.subStride == b.subStride;
  }
};

/// What a convolution unit takes of a pixel at once, and PopLibs therefore keeps together: 16
/// halves, 8 floats.
constexpr std::uint64_t kChannelGroupBytes = 32;

/// Dimensions from outer to inner, row-major; the tile of an element is `first` and what each
/// dimension adds.
struct Grid {
  std::vector<GridDim> dims;
  unsigned first = 0;
  /// The dimension of channels, of which groups lie together on a tile, inside of all other
  /// dimensions (kChannelGroupBytes); dims.size() or beyond if what lies on a tile is row-major.
  std::size_t channels = ~std::size_t{0};

  std::int64_t elements() const;
  unsigned tile(std::int64_t element) const;
  /// Elements on each of the tiles up to the last that has any.
  std::vector<std::int64_t> byTile() const;

  /// Visits [begin, end) in order: visit(begin, end, tile) for stretches on one tile, of which
  /// neighbours may be on the same.
  template <class Visit>
  void forEach(std::int64_t begin, std::int64_t end, const Visit& visit) const {
    std::int64_t below = 1;  // elements of the dimensions that no tile splits, from the right
    std::size_t d = dims.size();
    while (d > 0 && !dims[d - 1].split()) below *= dims[--d].size;
    if (d == 0) {
      if (begin < end) visit(begin, end, tile(begin));
      return;
    }
    const auto& inner = dims[d - 1];
    for (auto at = begin; at < end;) {
      const auto row = at / (below * inner.size) * inner.size;
      const auto outer = tile(row * below);
      for (auto i = at / below - row; i < inner.size && at < end;) {
        const auto next = inner.boundary(i);
        const auto stop = std::min(end, (row + next) * below);
        visit(at, stop, outer + inner.tile(i));
        at = stop;
        i = next;
      }
    }
  }

  friend bool operator==(const Grid& a, const Grid& b) {
    return a.first == b.first && a.dims == b.dims;
  }
};

}  // namespace popir

#endif
