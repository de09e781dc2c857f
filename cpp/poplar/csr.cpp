#include <poplar/CSRFunctions.hpp>
#include <poplar/exceptions.hpp>

#include "poplar/program_node.hpp"
#include "poplar/rounding_program.hpp"
#include "poplar/virtual_tiles.hpp"

namespace popir {
namespace {

using Kind = ProgramNode::Kind;

class Made : public poplar::program::Program {
 public:
  Made(Kind kind, const poplar::DebugContext& debugContext)
      : Program(std::make_shared<ProgramNode>()) {
    node_->kind = kind;
    node_->name = debugContext.getPathName();
  }
  ProgramNode* operator->() { return node_.get(); }
};

}  // namespace

poplar::program::Program roundingProgram(bool stochastic, const poplar::DebugContext& debugContext,
                                         unsigned traps) {
  Made program(Kind::SetRounding, debugContext);
  program->expected = stochastic;
  program->count = traps;
  return program;
}

poplar::program::Program seedProgram(const poplar::Tensor& seed, unsigned modifier,
                                     const poplar::DebugContext& debugContext) {
  if (!seed.valid() || seed.elementType() != poplar::UNSIGNED_INT || seed.rank() != 1 ||
      seed.dim(0) != 2)
    throw poplar::control_program_error("setSeed: the seed must be unsigned int [2], not " +
                                        (seed.valid() ? seed.getDebugStr() : "an invalid tensor"));
  Made program(Kind::SeedRounding, debugContext);
  program->src = seed;
  program->count = modifier;
  return program;
}

}  // namespace popir

namespace poplar {
namespace {

void addRounding(Graph& graph, program::Sequence& prog, bool stochastic, unsigned traps,
                 const DebugContext& debugContext) {
  const auto& tiles = graph.virtualTiles();
  const auto all = graph.getTopLevelGraph().getTarget().getNumTiles();
  if (tiles && tiles->tiles.size() != all)
    throw poplar_error("setStochasticRounding: the graph has " +
                       std::to_string(tiles->tiles.size()) + " of the machine's " +
                       std::to_string(all) +
                       " tiles, which round all alike; give the top-level graph");
  prog.add(popir::roundingProgram(stochastic, debugContext, traps));
}

}  // namespace

void setFloatingPointBehaviour(Graph& graph, program::Sequence& prog,
                               const FloatingPointBehaviour& behaviour,
                               const DebugContext& debugContext) {
  if (behaviour.nanoo && !behaviour.oflo)
    throw poplar_error(
        "setFloatingPointBehaviour: half overflows to infinity, never to NaN; leave nanoo off, or "
        "give oflo too, which ends the run there");
  const unsigned traps = (behaviour.inv ? popir::kTrapNan : 0u) |
                         (behaviour.div0 || behaviour.oflo ? popir::kTrapInfinity : 0u) |
                         (behaviour.nanoo ? popir::kTrapHalf : 0u);
  addRounding(graph, prog, behaviour.esr, traps, debugContext);
}

void setStochasticRounding(Graph& graph, program::Sequence& prog, bool enable,
                           const DebugContext& debugContext) {
  addRounding(graph, prog, enable, 0, debugContext);
}

}  // namespace poplar
