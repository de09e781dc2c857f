// The tile of each element of a variable.
#ifndef popir_poplar_tile_mapping_hpp
#define popir_poplar_tile_mapping_hpp

#include <poplar/Graph.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "machine/contraction/grid.hpp"

namespace popir {

/// A layout that is computed on demand, for the machine model. Execution on the host does not need
/// it.
class LayoutRule {
 public:
  virtual ~LayoutRule() = default;
  virtual const Grid& grid() const = 0;
  /// True if `other` gives the same grid, as far as that is known without computing it.
  virtual bool sameAs(const LayoutRule& other) const { return this == &other; }
};

class TileMapping {
 public:
  /// A share on each tile, from tile `first` on. If `around` is not 0, tile `lowest` + `around` does
  /// not follow on the one before it, but tile `lowest` does.
  struct Linear {
    Shares shares;
    unsigned first = 0, lowest = 0, around = 0;

    /// The tile of a share.
    unsigned tile(std::int64_t share) const {
      const auto tile = first + static_cast<unsigned>(share);
      return around == 0 ? tile : lowest + (tile - lowest) % around;
    }
    friend bool operator==(const Linear& a, const Linear& b) {
      return a.shares == b.shares && a.first == b.first && a.lowest == b.lowest &&
             a.around == b.around;
    }
  };
  /// Replaces the mapping. It is stored as a rule, not as a list of runs, so that thousands of
  /// variables on thousands of tiles need little memory. \pre there is a share
  void setLinear(const Linear& linear);
  /// Replaces the mapping: `rule` determines the tile of each of `elements` elements.
  void setRule(std::int64_t elements, std::shared_ptr<const LayoutRule> rule);
  void set(std::int64_t begin, std::int64_t end, unsigned tile);
  bool complete(std::int64_t elements) const;
  /// Visits the mapped runs of [begin, end) in order.
  void forEach(std::int64_t begin, std::int64_t end,
               const std::function<void(std::int64_t, std::int64_t, unsigned)>& visit) const;
  /// What setLinear() was given, as long as no later call changed the mapping; `around` is 0 if the
  /// elements do not reach the tile where it matters.
  std::optional<Linear> linear() const {
    return linear_.shares.count > 0 ? std::optional(linear_) : std::nullopt;
  }
  /// The rule of setRule(), or null if a later call changed the mapping.
  const std::shared_ptr<const LayoutRule>& rule() const { return rule_; }
  /// The one tile that holds all elements from 0 up to `elements`; null if several do, or one has
  /// no tile.
  std::optional<unsigned> single(std::int64_t elements) const;
  /// Number of elements by tile, up to the last tile with any.
  std::vector<std::int64_t> byTile() const;
  /// The last tile with any element, and one more; 0 if there is none.
  unsigned tilesUpTo() const;
  /// The rule, or the runs {begin, end, tile}, for saved executables.
  struct State {
    std::int64_t elements = 0, grain = 0, shares = 0;
    unsigned first = 0;
    std::vector<std::array<std::int64_t, 3>> runs;
    /// The members of each GridDim of a grid, in order.
    std::vector<std::array<std::int64_t, 8>> grid;
    std::uint64_t channels = ~std::uint64_t{0};
    unsigned lowest = 0, around = 0;  // the ring of a grid
  };
  State state() const;
  static TileMapping ofState(const State& state);
  bool empty() const { return linear_.shares.count == 0 && !rule_ && runs_.empty(); }
  /// True if the two are given by the same rule or the same runs.
  bool sameAs(const TileMapping& other) const;

 private:
  struct Run {
    std::int64_t end;
    unsigned tile;
  };
  void spell();  // converts the rule to runs

  std::int64_t elements_ = 0;
  Linear linear_;
  std::shared_ptr<const LayoutRule> rule_;
  std::map<std::int64_t, Run> runs_;
};

/// The shares of a tensor's default linear mapping: of 128 bytes at least, in grains of 8 bytes.
Shares linearShares(const poplar::Target& target, std::size_t elements, std::size_t elementBytes);
/// A dimension of a grid with a share on each tile.
GridDim linearDim(const Shares& shares);

/// Maps `t`, a whole variable with the elements of `grid`, whose tile numbers are the machine's.
void setGrid(poplar::Graph& graph, const poplar::Tensor& t, Grid grid);
/// The same with tile numbers of the graph, in the ring of its tiles.
void mapByGrid(poplar::Graph& graph, const poplar::Tensor& t, Grid grid);

/// Maps `t` to the tiles of the graph, a share on each, from tile `offset` on and around.
/// \pre there are no more shares than tiles
void mapLinearly(poplar::Graph& graph, const poplar::Tensor& t, const Shares& shares,
                 unsigned offset = 0);
/// The same with the shares of sharesOf() for all tiles of the graph.
void mapLinearly(poplar::Graph& graph, const poplar::Tensor& t, std::size_t minElementsPerTile,
                 std::size_t grainSize, unsigned offset = 0);

}  // namespace popir

#endif
