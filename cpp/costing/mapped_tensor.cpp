#include "costing/mapped_tensor.hpp"

#include <algorithm>

#include "costing/reading.hpp"

namespace popir {
namespace {

// The tile mapping of a variable as a grid, if a contraction's plan made it or if it is linear and
// does not begin again at the lowest tile.
std::optional<Grid> gridOf(const Variable& variable) {
  if (const auto& rule = variable.mapping.rule()) return rule->grid();
  if (const auto linear = variable.mapping.linear(); linear && linear->around == 0)
    return linearGrid(linear->shares, linear->first);
  return std::nullopt;
}

BoxMapping boxMappingOf(const Variable& variable) {
  if (auto grid = gridOf(variable)) return BoxMapping::of(*grid);
  std::vector<TileRun> runs;
  variable.mapping.forEach(0, variable.elements,
                           [&](std::int64_t b, std::int64_t e, unsigned tile) {
                             runs.push_back({b, e, tile});
                           });
  return BoxMapping::of(std::move(runs), variable.elements);
}

bool ofOnePeriod(const Grid& grid) {
  return std::all_of(grid.dims.begin(), grid.dims.end(),
                     [](const GridDim& d) { return d.period >= d.size; });
}

// Views whose elements, one after another, are those of `view`; more than one if it is a whole
// concatenation along the outermost dimension.
std::vector<ViewPtr> joinedIn(const ViewPtr& view) {
  const auto state = view->state();
  std::int64_t all = 0;
  for (const auto& part : state.parts) all += part->elements();
  const bool whole = state.outer == 1 && state.offset == 0 && view->elements() == all &&
                     state.strides == rowMajorStrides(state.shape);
  if (state.parts.empty() || !whole) return {view};
  return state.parts.size() == 1 ? joinedIn(state.parts.front()) : state.parts;
}

}  // namespace

Grid linearGrid(std::int64_t elements, std::int64_t perTile, unsigned first) {
  return {{{elements, elements, perTile, perTile, 1, 0}}, first};
}

Grid linearGrid(const Shares& shares, unsigned first) { return {{linearDim(shares)}, first}; }

MappedTensor::MappedTensor(const GraphImpl& graph, const poplar::Tensor& t)
    : graph_(graph),
      view_(t.viewPtr()),
      elements_(view_->elements()),
      elementBytes_(t.elementType().sizeInBytes()) {
  for (const auto v : view_->variables())
    if (graph.variable(v).mapping.rule()) planned_ = true;
}

MappedTensor::MappedTensor(const GraphImpl& graph, Grid grid, std::uint64_t elementBytes)
    : graph_(graph),
      own_(std::move(grid)),
      elements_(own_->elements()),
      elementBytes_(elementBytes) {}

const TileRuns& MappedTensor::runs() const {
  if (runs_) return *runs_;
  if (view_) {
    runs_ = tileRuns(graph_, poplar::Tensor(view_));
    return *runs_;
  }
  runs_.emplace();
  runs_->elements = runs_->distinct = elements_;
  runs_->elementBytes = elementBytes_;
  own_->forEach(0, elements_,
                [&](std::int64_t b, std::int64_t e, unsigned tile) { runs_->append(b, e, tile); });
  return *runs_;
}

std::vector<std::int64_t> MappedTensor::byTile() const {
  const auto tiles = graph_.target.spec().numTiles();
  std::vector<std::int64_t> counts;
  if (const auto parts = joined(); !parts.empty()) {
    counts.resize(tiles);
    for (const auto& part : parts) {
      const auto held = part.byTile();
      for (unsigned t = 0; t < tiles; ++t) counts[t] += held[t];
    }
    return counts;
  }
  if (own_) {
    counts = own_->byTile();
  } else if (const auto affine = view_->affine();
             affine && !view_->containsAliases() &&
             graph_.variable(affine->variable).elements == elements_) {
    counts = graph_.variable(affine->variable).mapping.byTile();
  } else {
    return runs().byTile(tiles);
  }
  counts.resize(tiles);
  return counts;
}

std::vector<MappedTensor> MappedTensor::joined() const {
  std::vector<MappedTensor> parts;
  if (!planned_) return parts;
  const auto views = joinedIn(view_);
  if (views.size() == 1) return parts;
  for (const auto& view : views) parts.emplace_back(graph_, poplar::Tensor(view));
  return parts;
}

std::optional<Grid> MappedTensor::grid() const {
  if (own_) return own_;
  const auto whole = view_->wholeVariable();
  return whole ? gridOf(graph_.variable(*whole)) : std::nullopt;
}

bool MappedTensor::mappedAs(const MappedTensor& other) const {
  if (elements_ != other.elements_) return false;
  const auto whole = view_ ? view_->wholeVariable() : std::nullopt;
  const auto others = other.view_ ? other.view_->wholeVariable() : std::nullopt;
  if (whole && others) {
    if (*whole == *others) return true;
    const auto& rule = graph_.variable(*whole).mapping.rule();
    if (rule && rule == graph_.variable(*others).mapping.rule()) return true;
  }
  const auto mine = grid(), its = other.grid();
  return mine && its && *mine == *its;
}

void MappedTensor::addTraffic(Traffic& traffic, const MappedTensor& there) const {
  if (mappedAs(there)) return;
  const auto mine = joined(), its = there.joined();
  const auto alike = [](const auto& a, const auto& b) { return a.elements_ == b.elements_; };
  if (!mine.empty() && std::equal(mine.begin(), mine.end(), its.begin(), its.end(), alike) &&
      !view_->containsAliases()) {
    for (std::size_t i = 0; i < mine.size(); ++i) mine[i].addTraffic(traffic, its[i]);
    return;
  }
  if (elements_ == there.elements_ && (planned_ || there.planned_ || !view_ || !there.view_)) {
    const auto grid = there.grid();
    if (grid && ofOnePeriod(*grid)) {
      Dims shape;
      for (const auto& d : grid->dims) shape.push_back(d.size);
      if (addTraffic(traffic, BoxNeeds(*grid), shape, grid->first, 1, grid->ring)) return;
    }
  }
  traffic.add(runs(), there.runs());
}

bool MappedTensor::addTraffic(Traffic& traffic, const BoxNeeds& needs, const Dims& shape,
                              unsigned first, unsigned together, const TileRing& ring) const {
  const auto& spec = graph_.target.spec();
  const auto add = [&](const StridedOperand& operand, const BoxMapping& mapping) {
    return addBoxTraffic(traffic, needs, first, operand, mapping, elementBytes_, together,
                         spec.tilesPerIPU, ring);
  };
  if (own_) return add({elements_, 0, rowMajorStrides(shape)}, BoxMapping::of(*own_));
  const auto shaped = view_->reshape(shape);
  const auto affine = shaped->affine();
  if (!affine) return false;
  const auto& variable = graph_.variable(affine->variable);
  return add({variable.elements, affine->offset, affine->strides}, boxMappingOf(variable));
}

}  // namespace popir
