#include "poplar/runs.hpp"

namespace popir {

void forEachRun(unsigned variable, Nest nest, const VisitRun& visit) {
  nest.coalesce();
  NestDim run{1, 1, 1};
  if (!nest.dims.empty() && nest.dims.back().from == 1 && nest.dims.back().to == 1) {
    run = nest.dims.back();
    nest.dims.pop_back();
  }
  std::function<void(std::size_t, std::int64_t, std::int64_t)> walk =
      [&](std::size_t k, std::int64_t from, std::int64_t to) {
        if (k == nest.dims.size()) return visit(variable, from, run.n, to);
        const auto& d = nest.dims[k];
        for (std::int64_t j = 0; j < d.n; ++j) walk(k + 1, from + j * d.from, to + j * d.to);
      };
  walk(0, nest.from, nest.to);
}

void forEachRun(const View& view, std::int64_t begin, std::int64_t end, const VisitRun& visit) {
  view.expand(Nest{begin, begin, {{end - begin, 1, 1}}},
              [&](unsigned variable, Nest nest) { forEachRun(variable, std::move(nest), visit); });
}

std::optional<unsigned> tileOfAll(const GraphImpl& graph, const View& view) {
  std::optional<unsigned> found;
  for (const auto id : view.variables()) {
    const auto& variable = graph.variable(id);
    const auto tile = variable.mapping.single(variable.elements);
    if (!tile || (found && found != tile)) return std::nullopt;
    found = tile;
  }
  return found;
}

}  // namespace popir
