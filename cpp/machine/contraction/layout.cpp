#include "machine/contraction/layout.hpp"

#include <algorithm>

#include "machine/estimators/formulas.hpp"

namespace popir {
namespace {

std::int64_t ceilOf(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// Cuts each part of the grid into pieces, for `count` tiles that need the same part and whose
// numbers are `stride` apart: each stores a piece. Pieces are as small as they can be; among those
// that are equally small, dimensions with long parts are cut first, the innermost dimension last, so
// that contiguous stretches stay long. They are cut between groups, and have at least `least`
// elements.
void spread(Grid& grid, std::int64_t count, unsigned stride, std::int64_t least) {
  auto& dims = grid.dims;
  std::int64_t elements = 1;
  for (const auto& d : dims) elements *= d.part;
  count = std::min(count, std::max<std::int64_t>(1, elements / least));
  struct Cut {
    GridDim* dim;
    std::int64_t grain, grains;  // elements of a grain, grains of a part
  };
  std::vector<Cut> order;
  for (auto& d : dims) {
    if (d.subStride == 0 && d.part > d.group)
      order.push_back({&d, d.group, ceilOf(d.part, d.group)});
  }
  std::stable_sort(order.begin(), order.end(), [&](const Cut& a, const Cut& b) {
    const bool aInner = a.dim == &dims.back(), bInner = b.dim == &dims.back();
    return aInner != bInner ? bInner : a.dim->part > b.dim->part;
  });
  // Grains of a piece along each dimension: those of the first one are tried, the others get what
  // tiles are left.
  const auto cutFrom = [&](std::int64_t first) {
    std::vector<std::int64_t> pieces;
    auto left = count;
    for (const auto& cut : order) {
      const auto piece = pieces.empty() ? first : ceilOf(cut.grains, std::min(left, cut.grains));
      pieces.push_back(piece);
      left /= ceilOf(cut.grains, piece);
    }
    return pieces;
  };
  if (order.empty() || count <= 1) return;
  std::vector<std::int64_t> best;
  double smallest = 0;
  const auto whole = order.front().grains;
  for (auto piece = ceilOf(whole, std::min(count, whole)); piece <= whole; ++piece) {
    // The smallest piece of those that make as many
    if (piece > 1 && ceilOf(whole, piece) == ceilOf(whole, piece - 1) &&
        piece > ceilOf(whole, std::min(count, whole)))
      continue;
    const auto pieces = cutFrom(piece);
    double size = 1;
    for (std::size_t k = 0; k < order.size(); ++k)
      size *= static_cast<double>(std::min(pieces[k] * order[k].grain, order[k].dim->part));
    if (best.empty() || size < smallest) {
      best = pieces;
      smallest = size;
    }
  }
  for (std::size_t k = 0; k < order.size(); ++k) {
    const auto used = ceilOf(order[k].grains, best[k]);
    if (used == 1) continue;
    order[k].dim->sub = best[k] * order[k].grain;
    order[k].dim->subStride = stride;
    stride *= static_cast<unsigned>(used);
  }
}

// The bytes that a tile at least has of an operand that several tiles need, as PopLibs maps them: less
// would make more exchange code.
std::uint64_t leastBytes(Axis lacks) { return lacks == Axis::Row ? 256 : 128; }

// Of the operand that lacks rows, inner elements and columns both lie in groups: those that its vertex
// takes together. Kernel elements that have become inner elements lie outside of the channels, as in
// PopLibs. Of several other dimensions with columns, or inner elements, no order is known.
void groupBoth(Grid& grid, const ContractionPlan& plan, std::size_t operand) {
  const auto& dims = plan.shape.operands[operand];
  for (const auto axis : {Axis::Inner, Axis::Column}) {
    GridDim* only = nullptr;
    std::size_t found = 0;
    for (std::size_t d = 0; d < dims.size(); ++d)
      if (plan.shape.indices[dims[d].index].axis == axis && !plan.expands(dims[d].index) &&
          dims[d].size > 1) {
        only = &grid.dims[d];
        ++found;
      }
    const auto group = axis == Axis::Inner ? plan.grains.inner : plan.grains.columns;
    if (found == 1 && only->group == 1) only->group = static_cast<std::int64_t>(group);
  }
}

}  // namespace

Grid layoutOf(const ContractionPlan& plan, std::size_t operand, unsigned first,
              const std::vector<std::int64_t>& sizes) {
  Grid grid;
  grid.first = first;
  for (const auto& d : plan.shape.operands[operand]) {
    const auto& split = plan.splits[d.index];
    GridDim dim;
    dim.size = sizes.empty() ? d.size : sizes[grid.dims.size()];
    // A dimension that a window moves over, e.g. the input height of a convolution, has another
    // size than its index, the output height. It is cut into equally many periods and parts.
    dim.period =
        dim.size == split.size ? split.period : ceilOf(dim.size, ceilOf(split.size, split.period));
    dim.part = dim.period == split.period ? split.part : ceilOf(dim.period, split.count);
    dim.stride = split.count > 1 ? split.stride : 0;
    dim.sub = dim.part;
    if (d.window && plan.splits[d.tap].count > 1) {
      const auto& taps = plan.splits[d.tap];
      dim.sub = ceilOf(dim.part, std::min(taps.count, dim.part));
      dim.subStride = taps.stride;
    }
    const auto axis = plan.shape.indices[d.index].axis;
    if ((axis == Axis::Inner || axis == Axis::Column) && !plan.expands(d.index))
      grid.channels = grid.dims.size();
    grid.dims.push_back(dim);
  }
  const auto lacks = plan.shape.lacks(operand);
  const auto bytes = plan.part.type.sizeInBytes();
  if (grid.channels < grid.dims.size())
    grid.dims[grid.channels].group = static_cast<std::int64_t>(kChannelGroupBytes / bytes);
  if (lacks == Axis::Row) groupBoth(grid, plan, operand);
  const bool sums = operand == plan.shape.result;
  const auto least = sums ? 1 : leastBytes(lacks) / bytes;
  spread(grid, static_cast<std::int64_t>(sums ? plan.partialSums() : plan.along(lacks)),
         plan.stride(sums ? Axis::Tap : lacks), static_cast<std::int64_t>(least));
  return grid;
}

BoxNeeds::BoxNeeds(const ContractionPlan& plan, std::size_t operand) {
  for (const auto& d : plan.shape.operands[operand]) {
    Dim dim;
    const auto& split = plan.splits[d.index];
    dim.size = d.size;
    dim.coordinates.push_back({split.count, split.stride});
    IndexSplit whole;
    if (d.window) whole = plan.splits[d.tap];
    const bool tapped = whole.count > 1;
    if (tapped) dim.coordinates.push_back({whole.count, whole.stride});
    for (std::int64_t c = 0; c < split.count; ++c)
      for (std::int64_t t = 0; t < whole.count; ++t)
        dim.stretches.push_back(
            d.meets(split.of(c), tapped ? whole.of(t) : Stretch{0, whole.size}));
    if (plan.expands(d)) {
      const auto longest =
          std::max_element(dim.stretches.begin(), dim.stretches.end(),
                           [](const Stretch& a, const Stretch& b) { return a.size() < b.size(); });
      const auto points = split.part * (tapped ? whole.part : whole.size);
      density_ *= static_cast<double>(points) /
                  static_cast<double>(std::max<std::int64_t>(longest->size(), 1));
    }
    dims_.push_back(std::move(dim));
  }
  tiles_ = static_cast<unsigned>(plan.tiles());
  finish();
  shared_ = tiles_ > boxes_;
}

BoxNeeds::BoxNeeds(const Grid& grid) {
  std::uint64_t last = 0;
  for (const auto& d : grid.dims) {
    Dim dim;
    dim.size = d.size;
    if (d.shares > 0) {
      dim.coordinates = {{d.shares, d.stride}};
      for (std::int64_t s = 0; s < d.shares; ++s)
        dim.stretches.push_back({d.shared().begin(s), d.shared().begin(s + 1)});
      last += static_cast<std::uint64_t>(d.shares - 1) * d.stride;
      dims_.push_back(std::move(dim));
      continue;
    }
    const auto parts = ceilOf(d.size, d.part), pieces = ceilOf(std::min(d.part, d.size), d.sub);
    dim.coordinates = {{parts, d.stride}, {pieces, d.subStride}};
    for (std::int64_t p = 0; p < parts; ++p)
      for (std::int64_t s = 0; s < pieces; ++s) {
        const auto end = std::min(d.size, (p + 1) * d.part);
        const auto begin = std::min(end, p * d.part + s * d.sub);
        dim.stretches.push_back({begin, std::min(end, begin + d.sub)});
      }
    for (const auto& c : dim.coordinates)
      last += static_cast<std::uint64_t>(c.count - 1) * c.stride;
    dims_.push_back(std::move(dim));
  }
  tiles_ = static_cast<unsigned>(last) + 1;
  everyTile_ = false;
  finish();
}

BoxNeeds::BoxNeeds(const Grid& grid, const std::vector<OperandDim>& operand,
                   const std::vector<std::int64_t>& taps)
    : BoxNeeds(grid) {
  boxes_ = 1;
  for (std::size_t d = 0; d < dims_.size(); ++d) {
    dims_[d].size = operand[d].size;
    for (auto& s : dims_[d].stretches) s = operand[d].meets(s, {0, taps[d]});
  }
  finish();
}

BoxNeeds::BoxNeeds(const std::vector<Split>& splits, unsigned tiles) : tiles_(tiles) {
  for (const auto& s : splits) {
    Dim dim;
    dim.size = s.size;
    dim.coordinates = {{s.count, s.stride}};
    for (std::int64_t c = 0; c < s.count; ++c)
      dim.stretches.push_back({std::min(s.end, c * s.part), std::min(s.end, (c + 1) * s.part)});
    dims_.push_back(std::move(dim));
  }
  finish();
  shared_ = tiles_ > boxes_;
}

void BoxNeeds::finish() {
  for (auto d = dims_.rbegin(); d != dims_.rend(); ++d) {
    d->apart = boxes_;
    boxes_ *= d->stretches.size();
    d->all = d->stretches.front();
    for (std::size_t i = 0; i < d->stretches.size(); ++i) {
      const auto& s = d->stretches[i];
      d->all = {std::min(d->all.begin, s.begin), std::max(d->all.end, s.end)};
      if (i > 0 && (s.begin < d->stretches[i - 1].begin || s.end < d->stretches[i - 1].end))
        d->ascending = false;
    }
  }
}

Stretch BoxNeeds::meeting(std::size_t dim, Stretch held) const {
  const auto& all = dims_[dim].stretches;
  if (!dims_[dim].ascending) return {0, static_cast<std::int64_t>(all.size())};
  const auto from = std::partition_point(all.begin(), all.end(),
                                         [&](const Stretch& s) { return s.end <= held.begin; });
  const auto to =
      std::partition_point(from, all.end(), [&](const Stretch& s) { return s.begin < held.end; });
  return {from - all.begin(), to - all.begin()};
}

std::size_t BoxNeeds::boxOf(unsigned tile) const {
  std::size_t box = 0;
  std::uint64_t at = 0;
  for (const auto& d : dims_) {
    std::size_t stretch = 0;
    for (const auto& c : d.coordinates) {
      const auto mine = c.count > 1 ? tile / c.stride % static_cast<unsigned>(c.count) : 0;
      stretch = stretch * static_cast<std::size_t>(c.count) + mine;
      at += static_cast<std::uint64_t>(mine) * c.stride;
    }
    box += stretch * d.apart;
  }
  return everyTile_ || at == tile ? box : boxes_;
}

std::size_t BoxNeeds::boxOf(const std::vector<std::size_t>& stretches) const {
  std::size_t box = 0;
  for (std::size_t d = 0; d < dims_.size(); ++d) box += stretches[d] * dims_[d].apart;
  return box;
}

const Stretch& BoxNeeds::stretch(std::size_t box, std::size_t dim) const {
  const auto& d = dims_[dim];
  return d.stretches[box / d.apart % d.stretches.size()];
}

}  // namespace popir
