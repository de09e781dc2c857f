// Graph::clone.
#include <algorithm>
#include <numeric>
#include <tuple>

#include "poplar/runs.hpp"

namespace poplar {

using popir::GraphImpl;
using popir::View;
using popir::ViewPtr;

namespace {

/// The dimensions of a view from the slowest to the fastest in memory, if it shows each element
/// once and what is further on along a dimension lies further on in memory. Empty for one that lies
/// in its own order, and for other views.
std::vector<unsigned> orderOf(const View& view) {
  const auto affine = view.affine();
  if (!affine || view.wholeVariable() || view.elements() == 0) return {};
  std::vector<unsigned> order(view.shape().size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](unsigned a, unsigned b) { return affine->strides[a] > affine->strides[b]; });
  std::int64_t extent = 1;
  for (auto d = order.rbegin(); d != order.rend(); ++d) {
    if (view.shape()[*d] == 1) continue;
    if (affine->strides[*d] < extent) return {};
    extent = affine->strides[*d] * view.shape()[*d];
  }
  return std::is_sorted(order.begin(), order.end()) ? std::vector<unsigned>() : order;
}

/// Elements [begin, end) of a variable that a view shows.
struct Shown {
  unsigned tile, variable;
  std::int64_t begin, end;
};

/// What a view shows, each element once, by variables and within them in order.
std::vector<Shown> shownOf(const View& view) {
  std::vector<Shown> all, joined;
  for (popir::Piece& piece : view.pieces()) {
    popir::Nest once{piece.nest.from, piece.nest.from, {}};
    for (const popir::NestDim& d : piece.nest.dims)
      if (d.from != 0) once.dims.push_back({d.n, d.from, d.from});
    popir::forEachRun(piece.variable, once,
                      [&](unsigned id, std::int64_t first, std::int64_t n, std::int64_t) {
                        all.push_back({0, id, first, first + n});
                      });
  }
  const auto key = [](const Shown& s) { return std::tie(s.variable, s.begin); };
  std::sort(all.begin(), all.end(),
            [&](const Shown& a, const Shown& b) { return key(a) < key(b); });
  for (const Shown& each : all)
    if (!joined.empty() && joined.back().variable == each.variable &&
        each.begin <= joined.back().end)
      joined.back().end = std::max(joined.back().end, each.end);
    else
      joined.push_back(each);
  return joined;
}

/// What lies on one tile in a row, tile by tile.
std::vector<Shown> byTiles(const GraphImpl& graph, const std::vector<Shown>& shown) {
  std::vector<Shown> split;
  for (const Shown& each : shown)
    graph.variable(each.variable)
        .mapping.forEach(each.begin, each.end, [&](std::int64_t b, std::int64_t e, unsigned tile) {
          split.push_back({tile, each.variable, b, e});
        });
  std::stable_sort(split.begin(), split.end(),
                   [](const Shown& a, const Shown& b) { return a.tile < b.tile; });
  return split;
}

bool isEverywhere(const std::vector<Shown>& split, const std::vector<Shown>& shown) {
  const auto count = [](const std::vector<Shown>& all) {
    std::int64_t n = 0;
    for (const Shown& each : all) n += each.end - each.begin;
    return n;
  };
  return count(split) == count(shown);
}

/// The variable of a clone, whose elements are those of `shown` one after the other, in place of
/// each variable: what is not shown of a variable is any element.
std::map<unsigned, ViewPtr> standIns(const GraphImpl& graph, const Tensor& made,
                                     const std::vector<Shown>& shown) {
  struct Part {
    std::int64_t begin, end, at;
  };
  std::map<unsigned, std::vector<Part>> of;
  std::int64_t at = 0;
  for (const Shown& each : shown) {
    of[each.variable].push_back({each.begin, each.end, at});
    at += each.end - each.begin;
  }
  const ViewPtr whole = made.viewPtr();
  std::map<unsigned, ViewPtr> by;
  for (auto& [variable, parts] : of) {
    std::sort(parts.begin(), parts.end(),
              [](const Part& a, const Part& b) { return a.begin < b.begin; });
    std::vector<ViewPtr> pieces;
    std::int64_t next = 0;
    const auto fill = [&](std::int64_t until) {
      if (until > next)
        pieces.push_back(
            whole->slice(0, 0, 1)->repeatBefore(0, until - next)->reshape({until - next}));
    };
    for (const Part& part : parts) {
      fill(part.begin);
      pieces.push_back(whole->slice(0, part.at, part.at + part.end - part.begin));
      next = part.end;
    }
    fill(graph.variable(variable).elements);
    by[variable] = View::concat(pieces, 0);
  }
  return by;
}

bool keepsAliases(TensorCloneMethod method) {
  return method == TensorCloneMethod::PRESERVE_ORDER_AND_ALIASES ||
         method == TensorCloneMethod::GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES;
}

}  // namespace

Tensor Graph::clone(const Type& type, const Tensor& t, const DebugContext& debugContext,
                    TensorCloneMethod method) {
  popir::checkGraph("clone", *impl_, t);
  const View& view = t.view();
  if (keepsAliases(method) && !view.wholeVariable() && view.elements() > 0) {
    std::vector<Shown> shown = shownOf(view);
    if (method == TensorCloneMethod::GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES) {
      // What has no tile has no order by tiles.
      auto gathered = byTiles(*impl_, shown);
      if (isEverywhere(gathered, shown)) shown = std::move(gathered);
    }
    std::size_t elements = 0;
    for (const Shown& each : shown) elements += static_cast<std::size_t>(each.end - each.begin);
    const Tensor made = addVariable(type, {elements}, debugContext);
    auto& mapping = impl_->variable(*made.view().wholeVariable()).mapping;
    std::int64_t at = 0;
    for (const Shown& each : shown) {
      impl_->variable(each.variable)
          .mapping.forEach(each.begin, each.end,
                           [&](std::int64_t b, std::int64_t e, unsigned tile) {
                             mapping.set(at + b - each.begin, at + e - each.begin, tile);
                           });
      at += each.end - each.begin;
    }
    return Tensor(view.reinterpret(type)->replaced(standIns(*impl_, made, shown)));
  }
  if (const auto order = orderOf(view);
      !order.empty() && method != TensorCloneMethod::CREATE_NEW_ORDER) {
    std::vector<unsigned> back(order.size());
    for (unsigned d = 0; d < order.size(); ++d) back[order[d]] = d;
    return clone(type, t.dimShuffle(order), debugContext, method).dimShuffle(back);
  }
  Tensor copy = addVariable(type, t.shape(), debugContext);
  auto& mapping = impl_->variable(*copy.view().wholeVariable()).mapping;
  if (const auto whole = view.wholeVariable()) {
    mapping = impl_->variable(*whole).mapping;
  } else if (const auto tile = popir::tileOfAll(*impl_, view)) {
    mapping.set(0, view.elements(), *tile);
  } else {
    popir::forEachRun(view, 0, view.elements(),
                      [&](unsigned id, std::int64_t first, std::int64_t n, std::int64_t flat) {
                        impl_->variable(id).mapping.forEach(
                            first, first + n, [&](std::int64_t b, std::int64_t e, unsigned tile) {
                              mapping.set(flat + b - first, flat + e - first, tile);
                            });
                      });
  }
  return copy;
}

Tensor Graph::clone(const Tensor& t, const DebugContext& debugContext, TensorCloneMethod method) {
  return clone(t.elementType(), t, debugContext, method);
}

Tensor Graph::cloneN(const Type& type, const Tensor& metadata, const Tensor& t, std::size_t N,
                     const DebugContext& debugContext, TensorCloneMethod method,
                     TensorCloneDuplicationMethod duplication) {
  if (N == 0) throw index_error("Graph::cloneN: 0 clones given, expected 1 or more");
  if (metadata.numElements() != 1 && metadata.numElements() != N)
    throw type_error("Graph::cloneN: " + std::to_string(metadata.numElements()) +
                     " metadata given for " + std::to_string(N) +
                     " clones, expected one, or one for each");
  // A variable has one metadata, so clones of several are apart.
  if (metadata.numElements() > 1)
    duplication = TensorCloneDuplicationMethod::DUPLICATE_BY_OUTER_DIMENSION;
  const Tensor all = cloneN(type, t, N, debugContext, method, duplication);
  const auto of = [&](const Tensor& clones, const Tensor& one) {
    popir::withMetadata(clones, one);  // refuses what is no metadata
    clones.view().eachVariable([&](unsigned id) { impl_->metadata.emplace(id, one.reshape({})); });
  };
  const Tensor each = metadata.flatten();
  if (each.numElements() == 1) of(all, each[0]);
  for (std::size_t i = 0; each.numElements() > 1 && i < N; ++i) of(all[i], each[i]);
  return all;
}

Tensor Graph::cloneN(const Type& type, const Tensor& t, std::size_t N,
                     const DebugContext& debugContext, TensorCloneMethod method,
                     TensorCloneDuplicationMethod duplication) {
  if (N == 0) throw index_error("Graph::cloneN: 0 clones given, expected 1 or more");
  std::vector<std::pair<Interval, unsigned>> runs;  // of elements on one tile
  if (duplication == TensorCloneDuplicationMethod::DUPLICATE_BY_TILE_CONTIGUOUS_REGION) {
    const auto mapping = getTileMapping(t);
    for (unsigned tile = 0; tile < mapping.size(); ++tile)
      for (const auto& interval : mapping[tile]) runs.emplace_back(interval, tile);
    std::sort(runs.begin(), runs.end(),
              [](const auto& a, const auto& b) { return a.first.begin() < b.first.begin(); });
  }
  if (runs.empty()) {
    std::vector<Tensor> clones;
    for (std::size_t i = 0; i < N; ++i)
      clones.push_back(clone(type, t, debugContext, method).expand({0}));
    return concat(clones);
  }
  const Tensor made = addVariable(type, {t.numElements() * N}, debugContext);
  std::vector<Tensor> parts;
  for (const auto& [interval, tile] : runs) {
    const Tensor part = made.slice(interval.begin() * N, interval.end() * N);
    setTileMapping(part, tile);
    parts.push_back(part.reshape({N, interval.size()}));
  }
  auto shape = t.shape();
  shape.insert(shape.begin(), N);
  return concat(parts, 1).reshape(shape);
}

}  // namespace poplar
