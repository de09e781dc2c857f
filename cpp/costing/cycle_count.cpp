#include <poplar/CycleCount.hpp>
#include <poplar/exceptions.hpp>

#include <cstdint>
#include <string>

#include "costing/reading.hpp"
#include "poplar/program_node.hpp"
#include "support/option_table.hpp"

namespace poplar {
namespace {

Tensor modelled(const char* who, Graph& graph, const program::Sequence& prog, unsigned tile,
                const DebugContext& debugContext) {
  const auto tiles = graph.getTarget().getNumTiles();
  if (tile >= tiles)
    throw invalid_tile_mapping(std::string(who) + ": tile " + std::to_string(tile) +
                               " given, the target has " + std::to_string(tiles));
  std::uint64_t cycles = 0;
  if (graph.getTarget().getTargetType() != TargetType::CPU) {
    const auto report = popir::readMachine(*graph.impl(), {prog.node()}, 0, {});
    cycles = report.cycles;
    for (const auto& name : report.unknown)
      popir::noteOption(std::string(who) + ": nobody says what vertices of class '" + name +
                        "' take, so they are not in the count; give them setPerfEstimate or "
                        "registerPerfEstimator");
  }
  const std::uint32_t halves[] = {static_cast<std::uint32_t>(cycles),
                                  static_cast<std::uint32_t>(cycles >> 32)};
  const auto t = graph.addConstant(UNSIGNED_INT, {2}, ArrayRef<std::uint32_t>(halves, 2),
                                   DebugContext(debugContext, "cycles"));
  graph.setTileMapping(t, tile);
  return t;
}

}  // namespace

Tensor cycleCount(Graph& graph, program::Sequence& prog, unsigned tile, SyncType,
                  const DebugContext& debugContext) {
  return modelled("poplar::cycleCount", graph, prog, tile, debugContext);
}
Tensor cycleCount(Graph& graph, program::Sequence& prog, unsigned tile,
                  const DebugContext& debugContext) {
  return modelled("poplar::cycleCount", graph, prog, tile, debugContext);
}
Tensor cycleStamp(Graph& graph, program::Sequence& prog, unsigned tile, SyncType,
                  const DebugContext& debugContext) {
  return modelled("poplar::cycleStamp", graph, prog, tile, debugContext);
}
Tensor cycleStamp(Graph& graph, program::Sequence& prog, unsigned tile,
                  const DebugContext& debugContext) {
  return modelled("poplar::cycleStamp", graph, prog, tile, debugContext);
}

}  // namespace poplar
