#include <poplar/CSRFunctions.hpp>
#include <poplar/exceptions.hpp>

#include "poplar/program_node.hpp"
#include "poplar/rounding_program.hpp"
#include "poplar/view.hpp"
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

unsigned trapsOf(unsigned behaviour) {
  return ((behaviour & 1) != 0 ? kTrapNan : 0u) | ((behaviour & 6) != 0 ? kTrapInfinity : 0u) |
         ((behaviour & 16) != 0 ? kTrapHalf : 0u);
}

namespace {

void requireBehaviour(const char* who, const poplar::Tensor& t) {
  if (!t.valid() || t.elementType() != poplar::UNSIGNED_INT || t.view().variables().size() != 1)
    throw poplar::control_program_error(
        std::string(who) + ": the tensor is none of getAndModifyFloatingPointBehaviour, but " +
        (t.valid() ? t.getDebugStr() : "an invalid one"));
}

}  // namespace

poplar::program::Program modifyRoundingProgram(const poplar::Tensor& table,
                                               const poplar::Tensor& before, unsigned change,
                                               const poplar::DebugContext& debugContext) {
  requireBehaviour("getAndModifyFloatingPointBehaviour", table);
  requireBehaviour("getAndModifyFloatingPointBehaviour", before);
  if (table.rank() != 1 || table.dim(0) != 32 || !before.isParallelWriteable())
    throw poplar::control_program_error(
        "getAndModifyFloatingPointBehaviour: a table of 32 numbers and a variable are needed");
  Made program(Kind::ModifyRounding, debugContext);
  program->inputs = {table};
  program->dst = before;
  program->count = change;
  return program;
}

poplar::program::Program restoreRoundingProgram(const poplar::Tensor& before,
                                                const poplar::DebugContext& debugContext) {
  requireBehaviour("setFloatingPointBehaviour", before);
  Made program(Kind::RestoreRounding, debugContext);
  program->src = before;
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

unsigned bitsOf(const FloatingPointBehaviour& b) {
  return Target::makeFpIctlValue(b.inv, b.div0, b.oflo, b.esr, b.nanoo);
}

void requireAllTiles(const char* who, Graph& graph) {
  const auto& tiles = graph.virtualTiles();
  const auto all = graph.getTopLevelGraph().getTarget().getNumTiles();
  if (tiles && tiles->tiles.size() != all)
    throw poplar_error(std::string(who) + ": the graph has " + std::to_string(tiles->tiles.size()) +
                       " of the machine's " + std::to_string(all) +
                       " tiles, which round all alike; give the top-level graph");
}

void addRounding(Graph& graph, program::Sequence& prog, bool stochastic, unsigned traps,
                 const DebugContext& debugContext) {
  requireAllTiles("setStochasticRounding", graph);
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
  const unsigned bits = bitsOf(behaviour);
  addRounding(graph, prog, behaviour.esr,
              popir::trapsOf(bits) | bits << popir::kBehaviourShift | popir::kSetsAll,
              debugContext);
}

Tensor getAndModifyFloatingPointBehaviour(Graph& graph, program::Sequence& prog,
                                          const FloatingPointBehaviour& clear,
                                          const FloatingPointBehaviour& set,
                                          const DebugContext& debugContext) {
  requireAllTiles("getAndModifyFloatingPointBehaviour", graph);
  Graph all = graph.getTopLevelGraph();
  std::vector<unsigned> numbers(32);
  for (unsigned i = 0; i < numbers.size(); ++i) numbers[i] = i;
  const Tensor table = all.addConstant<unsigned>(UNSIGNED_INT, {numbers.size()}, numbers,
                                                 {debugContext, "fpBehaviours"});
  all.setTileMapping(table, 0);
  const Tensor before =
      all.addVariable(UNSIGNED_INT, {all.getTarget().getNumTiles()}, VariableMappingMethod::LINEAR,
                      {debugContext, "fpBehaviour"});
  prog.add(
      popir::modifyRoundingProgram(table, before, bitsOf(clear) | bitsOf(set) << 8, debugContext));
  return before;
}

void setFloatingPointBehaviour(Graph& graph, program::Sequence& prog, const Tensor& behaviour,
                               const DebugContext& debugContext) {
  requireAllTiles("setFloatingPointBehaviour", graph);
  prog.add(popir::restoreRoundingProgram(behaviour, debugContext));
}

void setStochasticRounding(Graph& graph, program::Sequence& prog, bool enable,
                           const DebugContext& debugContext) {
  addRounding(graph, prog, enable, 0, debugContext);
}

}  // namespace poplar
