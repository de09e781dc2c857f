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

void TileMapping::setLinear(const Linear& linear) {
  runs_.clear();
  rule_.reset();
  elements_ = linear.shares.elements;
  linear_ = linear;
  if (linear.first + linear.shares.count <= linear.lowest + linear.around)
    linear_.lowest = linear_.around = 0;
}

void TileMapping::setRule(std::int64_t elements, std::shared_ptr<const LayoutRule> rule) {
  runs_.clear();
  linear_ = {};
  elements_ = elements;
  rule_ = std::move(rule);
}

std::optional<unsigned> TileMapping::single(std::int64_t elements) const {
  if (linear_.shares.count == 1 && elements_ >= elements) return linear_.first;
  if (runs_.size() != 1) return std::nullopt;
  const auto& [begin, run] = *runs_.begin();
  return begin == 0 && run.end >= elements ? std::optional(run.tile) : std::nullopt;
}

std::vector<std::int64_t> TileMapping::byTile() const {
  if (rule_) return rule_->grid().byTile();
  std::vector<std::int64_t> held;
  const auto end = linear_.shares.count > 0 ? elements_
                   : runs_.empty()          ? 0
                                            : runs_.rbegin()->second.end;
  forEach(0, end, [&](std::int64_t b, std::int64_t e, unsigned tile) {
    if (tile >= held.size()) held.resize(tile + 1);
    held[tile] += e - b;
  });
  return held;
}

unsigned TileMapping::tilesUpTo() const {
  if (linear_.shares.count > 0 && linear_.around == 0)
    return linear_.tile(linear_.shares.count - 1) + 1;
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
  s.grain = linear_.shares.grain;
  s.shares = linear_.shares.count;
  s.first = linear_.first;
  if (rule_) {
    s.first = rule_->grid().first;
    s.channels = rule_->grid().channels;
    s.lowest = rule_->grid().ring.lowest;
    s.around = rule_->grid().ring.around;
    for (const auto& d : rule_->grid().dims)
      s.grid.push_back({d.size, d.period, d.part, d.sub, d.stride, d.subStride, d.group, d.shares});
  }
  for (const auto& [begin, run] : runs_) s.runs.push_back({begin, run.end, run.tile});
  return s;
}

TileMapping TileMapping::ofState(const State& state) {
  TileMapping m;
  m.elements_ = state.elements;
  if (state.shares > 0) m.linear_ = {{state.elements, state.grain, state.shares}, state.first};
  if (!state.grid.empty()) {
    Grid grid;
    grid.first = state.first;
    grid.channels = state.channels;
    grid.ring = {state.lowest, state.around};
    for (const auto& d : state.grid)
      grid.dims.push_back({d[0], d[1], d[2], d[3], static_cast<unsigned>(d[4]),
                           static_cast<unsigned>(d[5]), d[6], d[7]});
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
  for (std::int64_t share = 0; share < was.shares.count; ++share)
    runs_[was.shares.begin(share)] = {was.shares.begin(share + 1), was.tile(share)};
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
  if (linear_.shares.count > 0 || rule_) return elements_ == elements;
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
  if (const auto& shares = linear_.shares; shares.count > 0) {
    for (auto at = begin; at < end;) {
      const auto share = shares.of(at);
      const auto stop = std::min(shares.begin(share + 1), end);
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

Shares linearShares(const poplar::Target& target, std::size_t elements, std::size_t elementBytes) {
  constexpr std::size_t kMinBytes = 128, kGrainBytes = 8;
  const auto in = [&](std::size_t bytes) {
    return static_cast<std::int64_t>(std::max<std::size_t>(bytes / elementBytes, 1));
  };
  return sharesOf(static_cast<std::int64_t>(elements), in(kGrainBytes), target.getNumTiles(),
                  in(kMinBytes));
}

GridDim linearDim(const Shares& shares) {
  const auto grain =
      std::clamp<std::int64_t>(shares.grain, 1, std::max<std::int64_t>(shares.elements, 1));
  GridDim dim{shares.elements, shares.elements, grain, grain, 1, 0};
  dim.shares = shares.count;
  return dim;
}

void mapLinearly(poplar::Graph& graph, const poplar::Tensor& t, std::size_t minElementsPerTile,
                 std::size_t grainSize, unsigned offset) {
  mapLinearly(
      graph, t,
      sharesOf(static_cast<std::int64_t>(t.numElements()), static_cast<std::int64_t>(grainSize),
               graph.getTarget().getNumTiles(), static_cast<std::int64_t>(minElementsPerTile)),
      offset);
}

void mapLinearly(poplar::Graph& graph, const poplar::Tensor& t, const Shares& shares,
                 unsigned offset) {
  if (shares.count == 0) return;
  const auto tiles = graph.getTarget().getNumTiles();
  const auto* part = graph.virtualTiles().get();
  const auto whole = t.view().wholeVariable();
  const bool ours = t.view().graph() == graph.impl().get();
  if (whole && ours && (!part || part->contiguous())) {
    const auto lowest = part ? part->tiles.front() : 0;
    graph.impl()->variable(*whole).mapping.setLinear({shares, lowest + offset, lowest, tiles});
    return;
  }
  poplar::Graph::TileToTensorMapping mapping(tiles);
  for (std::int64_t share = 0; share < shares.count; ++share)
    mapping[(offset + static_cast<std::size_t>(share)) % tiles].emplace_back(
        static_cast<std::size_t>(shares.begin(share)),
        static_cast<std::size_t>(shares.begin(share + 1)));
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
