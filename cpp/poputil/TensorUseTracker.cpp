#include <algorithm>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

#include "poplar/graph_impl.hpp"

namespace poputil {

TensorUseTracker::TensorUseTracker(unsigned numTiles, unsigned startTile,
                                   bool ascendingMappingOrder)
    : tiles_(numTiles), start_(startTile), ascending_(ascendingMappingOrder) {
  if (numTiles == 0) throw poplibs_error("TensorUseTracker: 0 tiles given, expected one or more");
}

void TensorUseTracker::add(const poplar::Graph&, unsigned tile, const poplar::Tensor& t) {
  if (tile >= tiles_)
    throw poplibs_error("TensorUseTracker: a use on tile " + std::to_string(tile) + " given, of " +
                        std::to_string(tiles_));
  const auto n = t.view().elements();
  t.view().expand({0, 0, {{n, 1, 1}}}, [&](unsigned variable, popir::Nest nest) {
    nest.coalesce();
    std::int64_t run = 1;
    if (!nest.dims.empty() && nest.dims.back().from == 1) {
      run = nest.dims.back().n;
      nest.dims.pop_back();
    }
    std::vector<std::int64_t> starts{nest.from};
    for (const auto& d : nest.dims) {
      std::vector<std::int64_t> more;
      for (const auto start : starts)
        for (std::int64_t j = 0; j < (d.from == 0 ? 1 : d.n); ++j)
          more.push_back(start + j * d.from);
      starts.swap(more);
    }
    for (const auto start : starts) uses_[variable].push_back({start, start + run, tile});
  });
}

void TensorUseTracker::add(TensorUseTracker other) {
  for (auto& [variable, uses] : other.uses_)
    uses_[variable].insert(uses_[variable].end(), uses.begin(), uses.end());
}

void TensorUseTracker::resolve(const poplar::Graph& graph, unsigned grainSize,
                               unsigned minElementsPerTile, bool extendPartialUsage,
                               MappingMethod) {
  if (grainSize == 0) throw poplibs_error("TensorUseTracker: a grain of 0 elements given");
  const auto place = [&](unsigned tile) {
    return transformTileIndex(tile, tiles_, start_ % tiles_, ascending_);
  };
  struct Shared {
    std::int64_t begin, end;
    std::vector<unsigned> users;
  };
  for (auto& [variable, uses] : uses_) {
    // Split at every position where a use begins or ends.
    std::vector<std::int64_t> cuts;
    for (const auto& use : uses) cuts.insert(cuts.end(), {use.begin, use.end});
    std::sort(cuts.begin(), cuts.end());
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    std::map<std::int64_t, std::vector<unsigned>> users;  // by the begin of a segment
    for (const auto& use : uses)
      for (auto at = std::lower_bound(cuts.begin(), cuts.end(), use.begin); *at < use.end; ++at)
        users[*at].push_back(use.tile);
    std::vector<Shared> stretches;
    for (auto& [begin, tiles] : users) {
      std::sort(tiles.begin(), tiles.end(),
                [&](unsigned a, unsigned b) { return place(a) < place(b); });
      tiles.erase(std::unique(tiles.begin(), tiles.end()), tiles.end());
      const auto end = *std::upper_bound(cuts.begin(), cuts.end(), begin);
      if (!stretches.empty() && stretches.back().end == begin && stretches.back().users == tiles)
        stretches.back().end = end;
      else
        stretches.push_back({begin, end, tiles});
    }
    std::vector<Use> resolved;
    for (const auto& s : stretches) {
      const auto n = s.end - s.begin, sharers = static_cast<std::int64_t>(s.users.size());
      auto each = std::max<std::int64_t>((n + sharers - 1) / sharers, minElementsPerTile);
      each = (each + grainSize - 1) / grainSize * grainSize;
      for (std::int64_t at = s.begin, i = 0; at < s.end; at += each, ++i)
        resolved.push_back({at, std::min(at + each, s.end), s.users[static_cast<std::size_t>(i)]});
    }
    if (extendPartialUsage) {
      for (std::size_t i = 0; i + 1 < resolved.size(); ++i) resolved[i].end = resolved[i + 1].begin;
      resolved.front().begin = 0;
      resolved.back().end = graph.impl()->variable(variable).elements;
    }
    uses.swap(resolved);
  }
}

void TensorUseTracker::mapTensorsByUse(poplar::Graph& graph, unsigned grainSize,
                                       unsigned minElementsPerTile, bool extendPartialUsage,
                                       MappingMethod method) {
  resolve(graph, grainSize, minElementsPerTile, extendPartialUsage, method);
  for (const auto& [id, uses] : uses_) {
    const auto& variable = graph.impl()->variable(id);
    const auto t = poplar::Tensor(popir::View::ofVariable(graph.impl().get(), id, variable.constant,
                                                          variable.type, {variable.elements}));
    for (const auto& use : uses)
      graph.setTileMapping(
          t.slice(static_cast<std::size_t>(use.begin), static_cast<std::size_t>(use.end)),
          use.tile);
  }
}

}  // namespace poputil
