#include "poplar/tile_mapping.hpp"

#include <algorithm>
#include <utility>

#include "poplar/graph_impl.hpp"
#include "poplar/virtual_tiles.hpp"

namespace popir {
namespace {

class KnownGrid final : public LayoutRule {
 public:
  explicit KnownGrid(Grid grid) : grid_(std::move(grid)) {}
  const Grid& grid() const override { return grid_; }
  bool sameAs(const LayoutRule& other) const override {
    const auto* o = dynamic_cast<const KnownGrid*>(&other);
    return o && grid_ == o->grid_;
  }

 private:
  Grid grid_;
};

}  // namespace

void TileMapping::setLinear(std::int64_t elements, const Linear& linear) {
  runs_.clear();
  rule_.reset();
  elements_ = elements;
  linear_ = linear;
  const auto shares = (elements + linear.perTile - 1) / linear.perTile;
  if (linear.first + shares <= linear.lowest + linear.around) linear_.lowest = linear_.around = 0;
}

void TileMapping::setRule(std::int64_t elements, std::shared_ptr<const LayoutRule> rule) {
  runs_.clear();
  linear_ = {};
  elements_ = elements;
  rule_ = std::move(rule);
}

std::optional<unsigned> TileMapping::single(std::int64_t elements) const {
  if (linear_.perTile >= elements && elements_ >= elements && linear_.perTile > 0)
    return linear_.first;
  if (runs_.size() != 1) return std::nullopt;
  const auto& [begin, run] = *runs_.begin();
  return begin == 0 && run.end >= elements ? std::optional(run.tile) : std::nullopt;
}

std::vector<std::int64_t> TileMapping::byTile() const {
  if (rule_) return rule_->grid().byTile();
  std::vector<std::int64_t> held;
  const auto end = linear_.perTile > 0 ? elements_ : runs_.empty() ? 0 : runs_.rbegin()->second.end;
  forEach(0, end, [&](std::int64_t b, std::int64_t e, unsigned tile) {
    if (tile >= held.size()) held.resize(tile + 1);
    held[tile] += e - b;
  });
  return held;
}

unsigned TileMapping::tilesUpTo() const {
  if (linear_.perTile > 0 && linear_.around == 0 && elements_ > 0)
    return linear_.tile((elements_ - 1) / linear_.perTile) + 1;
  return static_cast<unsigned>(byTile().size());
}

TileMapping::State TileMapping::state() const {
  TileMapping::State s;
  s.elements = elements_;
  if (linear_.around > 0) {
    forEach(0, elements_, [&](std::int64_t b, std::int64_t e, unsigned tile) {
      s.runs.push_back({b, e, tile});
    });
    return s;
  }
  s.perTile = linear_.perTile;
  s.first = linear_.first;
  if (rule_) {
    s.first = rule_->grid().first;
    s.channels = rule_->grid().channels;
    s.lowest = rule_->grid().ring.lowest;
    s.around = rule_->grid().ring.around;
    for (const auto& d : rule_->grid().dims)
      s.grid.push_back({d.size, d.period, d.part, d.sub, d.stride, d.subStride, d.group});
  }
  for (const auto& [begin, run] : runs_) s.runs.push_back({begin, run.end, run.tile});
  return s;
}

TileMapping TileMapping::ofState(const State& state) {
  TileMapping m;
  m.elements_ = state.elements;
  m.linear_ = {state.perTile, state.first};
  if (!state.grid.empty()) {
    Grid grid;
    grid.first = state.first;
    grid.channels = state.channels;
    grid.ring = {state.lowest, state.around};
    for (const auto& d : state.grid)
      grid.dims.push_back(
          {d[0], d[1], d[2], d[3], static_cast<unsigned>(d[4]), static_cast<unsigned>(d[5]), d[6]});
    m.rule_ = std::make_shared<const KnownGrid>(std::move(grid));
  }
  for (const auto& r : state.runs) m.runs_[r[0]] = {r[1], static_cast<unsigned>(r[2])};
  return m;
}

bool TileMapping::sameAs(const TileMapping& other) const {
  if (elements_ != other.elements_ || !(linear_ == other.linear_) || !rule_ != !other.rule_ ||
      (rule_ && !rule_->sameAs(*other.rule_)))
    return false;
  return std::equal(runs_.begin(), runs_.end(), other.runs_.begin(), other.runs_.end(),
                    [](const auto& a, const auto& b) {
                      return a.first == b.first && a.second.end == b.second.end &&
                             a.second.tile == b.second.tile;
                    });
}

void TileMapping::spell() {
  if (rule_) {
    const auto rule = std::exchange(rule_, nullptr);
    rule->grid().forEach(0, elements_, [&](std::int64_t b, std::int64_t e, unsigned tile) {
      runs_.emplace_hint(runs_.end(), b, Run{e, tile});
    });
  }
  const auto was = std::exchange(linear_, Linear());
  if (was.perTile == 0) return;
  for (std::int64_t b = 0, share = 0; b < elements_; b += was.perTile, ++share)
    runs_[b] = {std::min(b + was.perTile, elements_), was.tile(share)};
}

void TileMapping::set(std::int64_t begin, std::int64_t end, unsigned tile) {
  if (begin >= end) return;
  if (begin == 0 && end >= elements_) {
    rule_.reset();
    linear_ = {};
  }
  spell();
  // Remove the range of the new run from existing runs.
  auto it = runs_.upper_bound(begin);
  if (it != runs_.begin()) --it;
  while (it != runs_.end() && it->first < end) {
    const auto oldBegin = it->first;
    const auto old = it->second;
    if (old.end <= begin) {
      ++it;
      continue;
    }
    it = runs_.erase(it);
    if (oldBegin < begin) runs_[oldBegin] = {begin, old.tile};
    if (old.end > end) it = runs_.insert({end, {old.end, old.tile}}).first;
  }
  auto placed = runs_.insert({begin, {end, tile}}).first;
  // Merge with adjacent runs on the same tile.
  if (placed != runs_.begin()) {
    auto before = std::prev(placed);
    if (before->second.end == begin && before->second.tile == tile) {
      before->second.end = end;
      runs_.erase(placed);
      placed = before;
    }
  }
  auto after = std::next(placed);
  if (after != runs_.end() && after->first == placed->second.end && after->second.tile == tile) {
    placed->second.end = after->second.end;
    runs_.erase(after);
  }
}

bool TileMapping::complete(std::int64_t elements) const {
  if (linear_.perTile > 0 || rule_) return elements_ == elements;
  std::int64_t reached = 0;
  for (const auto& run : runs_) {
    if (run.first != reached) return false;
    reached = run.second.end;
  }
  return reached == elements;
}

void TileMapping::forEach(
    std::int64_t begin, std::int64_t end,
    const std::function<void(std::int64_t, std::int64_t, unsigned)>& visit) const {
  if (rule_) return rule_->grid().forEach(begin, end, visit);
  if (linear_.perTile > 0) {
    for (auto at = begin; at < end;) {
      const auto share = at / linear_.perTile;
      const auto stop = std::min((share + 1) * linear_.perTile, end);
      visit(at, stop, linear_.tile(share));
      at = stop;
    }
    return;
  }
  auto it = runs_.upper_bound(begin);
  if (it != runs_.begin()) --it;
  for (; it != runs_.end() && it->first < end; ++it)
    if (it->second.end > begin)
      visit(std::max(it->first, begin), std::min(it->second.end, end), it->second.tile);
}

std::int64_t linearShare(const poplar::Target& target, std::size_t elements,
                         std::size_t elementBytes) {
  constexpr std::size_t kMinBytes = 128, kGrainBytes = 8;
  const auto grain = std::max<std::size_t>(kGrainBytes / elementBytes, 1);
  const auto even = (elements + target.getNumTiles() - 1) / target.getNumTiles();
  const auto share = std::max(even, std::max<std::size_t>(kMinBytes / elementBytes, 1));
  return static_cast<std::int64_t>((share + grain - 1) / grain * grain);
}

void mapLinearly(poplar::Graph& graph, const poplar::Tensor& t, std::size_t minElementsPerTile,
                 std::size_t grainSize, unsigned offset) {
  const std::size_t n = t.numElements(), tiles = graph.getTarget().getNumTiles();
  if (n == 0) return;
  std::size_t perTile = std::max((n + tiles - 1) / tiles, minElementsPerTile);
  perTile = (perTile + grainSize - 1) / grainSize * grainSize;
  const auto* part = graph.virtualTiles().get();
  const auto whole = t.view().wholeVariable();
  const bool ours = t.view().graph() == graph.impl().get();
  if (whole && ours && (!part || part->contiguous())) {
    const auto lowest = part ? part->tiles.front() : 0;
    graph.impl()->variable(*whole).mapping.setLinear(
        static_cast<std::int64_t>(n), {static_cast<std::int64_t>(perTile), lowest + offset, lowest,
                                       static_cast<unsigned>(tiles)});
    return;
  }
  poplar::Graph::TileToTensorMapping mapping(tiles);
  for (std::size_t begin = 0, tile = offset; begin < n; begin += perTile, ++tile)
    mapping[tile % tiles].emplace_back(begin, std::min(begin + perTile, n));
  graph.setTileMapping(t, mapping);
}

void setGrid(poplar::Graph& graph, const poplar::Tensor& t, Grid grid) {
  graph.impl()
      ->variable(*t.view().wholeVariable())
      .mapping.setRule(t.view().elements(), std::make_shared<const KnownGrid>(std::move(grid)));
}

void mapByGrid(poplar::Graph& graph, const poplar::Tensor& t, Grid grid) {
  const auto tiles = graph.getTarget().getNumTiles();
  const auto* part = graph.virtualTiles().get();
  const auto lowest = part && part->contiguous() ? part->tiles.front() : 0;
  grid.first += lowest;
  grid.ring = {lowest, tiles};
  if (!part || part->contiguous()) return setGrid(graph, t, std::move(grid));
  poplar::Graph::TileToTensorMapping mapping(tiles);
  grid.forEach(0, t.view().elements(), [&](std::int64_t b, std::int64_t e, unsigned tile) {
    mapping[tile].emplace_back(b, e);
  });
  graph.setTileMapping(t, mapping);
}

}  // namespace popir
