// Which tile each element of a variable lives on.
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

#include "machine/grid.hpp"

namespace popir {

/// Where a variable's elements lie, worked out when somebody asks: the host never does.
class LayoutRule {
 public:
  virtual ~LayoutRule() = default;
  virtual const Grid& grid() const = 0;
};

class TileMapping {
 public:
  /// Forgets all else; `perTile` elements on each tile, from tile `first` upwards. Kept as a rule,
  /// not as a list, so that thousands of variables over thousands of tiles cost nothing.
  void setLinear(std::int64_t elements, std::int64_t perTile, unsigned first = 0);
  /// Forgets all else; the rule says where each of as many elements is.
  void setRule(std::int64_t elements, std::shared_ptr<const LayoutRule> rule);
  void set(std::int64_t begin, std::int64_t end, unsigned tile);
  bool complete(std::int64_t elements) const;
  /// Visits the mapped parts of [begin, end) in order.
  void forEach(std::int64_t begin, std::int64_t end,
               const std::function<void(std::int64_t, std::int64_t, unsigned)>& visit) const;
  /// The rule of setLinear(), where it still holds.
  struct Linear {
    std::int64_t perTile;
    unsigned first;
  };
  std::optional<Linear> linear() const {
    return perTile_ > 0 ? std::optional<Linear>({perTile_, first_}) : std::nullopt;
  }
  /// That of setRule(), likewise; null if it does not hold.
  const std::shared_ptr<const LayoutRule>& rule() const { return rule_; }
  /// Elements on each of the tiles up to the last that has any.
  std::vector<std::int64_t> byTile() const;
  /// Its rule or its runs, {begin, end, tile} each; for saved programs.
  struct State {
    std::int64_t elements = 0, perTile = 0;
    unsigned first = 0;
    std::vector<std::array<std::int64_t, 3>> runs;
    /// Of a grid, the members of each GridDim in their order.
    std::vector<std::array<std::int64_t, 6>> grid;
    std::uint64_t channels = ~std::uint64_t{0};
  };
  State state() const;
  static TileMapping ofState(const State& state);
  bool empty() const { return perTile_ == 0 && !rule_ && runs_.empty(); }

 private:
  struct Run {
    std::int64_t end;
    unsigned tile;
  };
  void spell();  // from rule to runs

  std::int64_t elements_ = 0, perTile_ = 0;
  unsigned first_ = 0;
  std::shared_ptr<const LayoutRule> rule_;
  std::map<std::int64_t, Run> runs_;
};

/// Elements of a tensor that each tile but the last gets where they are spread linearly by
/// default: at least 128 bytes, in grains of 8.
std::int64_t linearShare(const poplar::Target& target, std::size_t elements,
                         std::size_t elementBytes);

/// Spreads the elements of `t` evenly over the tiles of the graph, in order, at least
/// `minElementsPerTile` and a multiple of `grainSize` on each but the last.
void mapLinearly(poplar::Graph& graph, const poplar::Tensor& t, std::size_t minElementsPerTile,
                 std::size_t grainSize);

}  // namespace popir

#endif
