#include <algorithm>
#include <iterator>
#include <poputil/TileMapping.hpp>
#include <poputil/Util.hpp>
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

namespace {

// Grains with the same users, which are in mapping order.
struct Shared {
  std::int64_t begin, end;
  std::vector<unsigned> users;
};

// A halo, which is used by the users of both neighbours and nobody else, goes to those of the first.
void simplifyHalos(std::vector<Shared>& all) {
  const auto given = all;
  for (std::size_t i = 1; i + 1 < given.size(); ++i) {
    std::vector<unsigned> both;
    for (const auto* each : {&given[i - 1], &given[i + 1]})
      both.insert(both.end(), each->users.begin(), each->users.end());
    auto of = given[i].users;
    std::sort(both.begin(), both.end());
    std::sort(of.begin(), of.end());
    if (both == of) all[i].users = given[i - 1].users;
  }
}

// Neighbours that have a user in common become one, which all their users share.
template <class Before>
void joinShared(std::vector<Shared>& all, const Before& before) {
  std::vector<Shared> joined;
  for (const auto& next : all) {
    std::vector<unsigned> both;
    if (!joined.empty())
      std::set_union(joined.back().users.begin(), joined.back().users.end(), next.users.begin(),
                     next.users.end(), std::back_inserter(both), before);
    if (joined.empty() || both.size() == joined.back().users.size() + next.users.size()) {
      joined.push_back(next);
      continue;
    }
    joined.back().end = next.end;
    joined.back().users = std::move(both);
  }
  all.swap(joined);
}

}  // namespace

// The rules are PopLibs'.
void TensorUseTracker::resolve(const poplar::Graph& graph, unsigned grainSize,
                               unsigned minElementsPerTile, bool extendPartialUsage,
                               MappingMethod method) {
  if (grainSize == 0) throw poplibs_error("TensorUseTracker: a grain of 0 elements given");
  const auto before = [&](unsigned a, unsigned b) {
    const auto place = [&](unsigned tile) {
      return transformTileIndex(tile, tiles_, start_ % tiles_, ascending_);
    };
    return place(a) < place(b);
  };
  // Grains of elements, or what is divided among the users.
  const bool joins = method == MappingMethod::ConstrainMappingToUsedTiles;
  const auto grain = joins ? 1 : std::int64_t{grainSize};
  const auto divided = joins ? grainSize : 1;
  for (auto& [variable, uses] : uses_) {
    const auto elements = graph.impl()->variable(variable).elements;
    const auto grains = (elements + grain - 1) / grain;
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
      std::sort(tiles.begin(), tiles.end(), before);
      tiles.erase(std::unique(tiles.begin(), tiles.end()), tiles.end());
      const auto end = *std::upper_bound(cuts.begin(), cuts.end(), begin);
      // A grain goes to the users of its first element that has any.
      const auto from = std::max(begin / grain, stretches.empty() ? 0 : stretches.back().end),
                 to = (end + grain - 1) / grain;
      if (from >= to) continue;
      if (!stretches.empty() && stretches.back().end == from && stretches.back().users == tiles)
        stretches.back().end = to;
      else
        stretches.push_back({from, to, tiles});
    }
    if (extendPartialUsage) {
      for (std::size_t i = 0; i + 1 < stretches.size(); ++i)
        stretches[i].end = stretches[i + 1].begin;
      stretches.front().begin = 0;
      stretches.back().end = grains;
    }
    if (method == MappingMethod::OptimizeHaloRegions) simplifyHalos(stretches);
    if (joins) joinShared(stretches, before);
    std::map<std::vector<unsigned>, std::vector<poplar::Interval>> byUsers;
    for (const auto& s : stretches)
      byUsers[s.users].emplace_back(static_cast<std::size_t>(s.begin),
                                    static_cast<std::size_t>(s.end));
    uses.clear();
    const auto least = (minElementsPerTile + grain - 1) / grain;
    for (const auto& [tiles, shared] : byUsers) {
      const auto parts = splitRegions(shared, divided, static_cast<unsigned>(tiles.size()),
                                      static_cast<unsigned>(least));
      for (std::size_t i = 0; i < parts.size(); ++i)
        for (const auto& part : parts[i])
          uses.push_back({static_cast<std::int64_t>(part.begin()) * grain,
                          std::min(static_cast<std::int64_t>(part.end()) * grain, elements),
                          tiles[i]});
    }
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
