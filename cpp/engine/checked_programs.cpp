// Flattens the programs of an engine and checks them for errors of the user.
#include <poplar/exceptions.hpp>

#include <algorithm>

#include "costing/reading.hpp"
#include "engine/engine_options.hpp"
#include "program/accesses.hpp"
#include "program/flat_program.hpp"

namespace popir {
namespace {

/// \throws poplar_error for a vertex that can only round to nearest while stochastic rounding is
///         on, and for a vertex whose rounding depends on which program ran before.
void checkRounding(const std::vector<FlatProgram>& programs) {
  const auto leaves = std::find_if(programs.begin(), programs.end(), [](const FlatProgram& p) {
    return p.rounding == RoundingMode::Stochastic;
  });
  for (const auto& program : programs)
    for (const auto& step : program.steps) {
      if (step.vertex == nullptr || step.rounding == RoundingMode::ToNearest) continue;
      const auto rounds = roundsOf(*step.vertex);
      const auto refuse = [&](const std::string& why) {
        throw poplar::poplar_error("setStochasticRounding: vertex '" +
                                   (step.name().empty() ? step.vertex->name : step.name()) + "' (" +
                                   step.vertex->kernel->name() + ") " + why);
      };
      if (step.rounding == RoundingMode::Stochastic && rounds == Rounds::ToNearest)
        refuse(
            "stores 16-bit floats rounded to nearest, as all codelets do; turn stochastic rounding "
            "off before it and on again after it, or let it write float");
      if (step.rounding == RoundingMode::Inherited && rounds != Rounds::Nothing &&
          leaves != programs.end())
        refuse("rounds before its program says how, and program " +
               std::to_string(leaves - programs.begin()) +
               " leaves stochastic rounding on; call it at the beginning of both");
    }
}

}  // namespace

std::vector<FlatProgram> checkedPrograms(const GraphImpl& graph,
                                         const std::vector<std::shared_ptr<ProgramNode>>& programs,
                                         const poplar::OptionFlags& options, EngineParts& parts) {
  for (std::size_t id = 0; id < graph.variables.size(); ++id) {
    const Variable& v = graph.variables[id];
    if (!v.mapping.complete(v.elements))
      throw poplar::invalid_tile_mapping(
          "Engine: " + std::string(v.constant ? "constant" : "variable") + " '" + v.name +
          "' of shape " + shapeText(v.shape) + " (variable " + std::to_string(id) +
          " of the graph) has elements without a tile; use Graph::setTileMapping or "
          "poputil::mapTensorLinearly");
  }
  const ProgramNode nothing;
  parts.codelets.checkBounds = flagFrom(options, "debug.checkBounds", false);
  if (countsFrom(options)) parts.codelets.counts = std::make_shared<CodeletCounts>();
  std::vector<FlatProgram> flat;
  for (const auto& p : programs) {
    if (p) requireGraph(graph, *p);
    flat.push_back(flatten(graph, p ? *p : nothing, parts));
  }
  checkRounding(flat);
  if (!flagFrom(options, "debug.allowOutOfMemory", false)) requireTileMemory(graph, programs);
  return flat;
}

}  // namespace popir
