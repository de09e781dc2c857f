#include "poprand/hw_seeds.hpp"

#include <poplar/RandomSeed.hpp>
#include <poplar/exceptions.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <poputil/TileMapping.hpp>

#include <numeric>

#include "poplar/graph_impl.hpp"
#include "poplar/rounding_program.hpp"

namespace popir {
namespace {

using poplar::DebugContext;
using poplar::Graph;
using poplar::Tensor;
using poplar::UNSIGNED_INT;
using poplar::program::Copy;
using poplar::program::Sequence;
namespace pe = popops::expr;

/// The words of a seed, its modifier, and 1 if the seeds of all workers were set since.
constexpr std::size_t kWords = 4;

std::vector<std::size_t> shapeOf(const Graph& graph) {
  const auto& target = graph.getTarget();
  return {target.getNumTiles(), target.getNumWorkerContexts(), 4};
}

/// A variable of the graph that is made when it is first asked for, and 0 at first.
Tensor kept(Graph& graph, Tensor& own, const std::vector<std::size_t>& shape, const char* name) {
  if (own.valid()) return own;
  own = graph.addVariable(UNSIGNED_INT, shape, name);
  poputil::mapTensorLinearly(graph, own);
  graph.setInitialValue(own.flatten(),
                        poplar::ArrayRef<unsigned>(std::vector<unsigned>(own.numElements())));
  return own;
}
Tensor stateOf(Graph& graph) { return kept(graph, graph.impl()->seedState, {kWords}, "seedState"); }

Tensor numbers(Graph& graph, const DebugContext& context) {
  const auto shape = shapeOf(graph);
  std::vector<unsigned> values(shape[0] * shape[1] * shape[2]);
  std::iota(values.begin(), values.end(), 0u);
  const auto made =
      graph.addConstant(UNSIGNED_INT, shape, poplar::ArrayRef<unsigned>(values), context);
  poputil::mapTensorLinearly(graph, made);
  return made;
}

/// A word whose bits all depend on all bits of `x`.
pe::Any mixed(const pe::Any& x, unsigned factor, unsigned shift) {
  const pe::Any folded(pe::BitwiseXor(x, pe::Shr(x, pe::Const(shift))));
  return pe::Any(pe::Mul(folded, pe::Const(factor)));
}

void check(const Graph& graph, const Tensor& seeds) {
  if (seeds.valid() && seeds.elementType() == UNSIGNED_INT && seeds.shape() == shapeOf(graph))
    return;
  const auto shape = shapeOf(graph);
  throw poplar::control_program_error(
      "setHwSeeds: the seeds are " + (seeds.valid() ? seeds.getDebugStr() : "no tensor") +
      "; give unsigned int [" + std::to_string(shape[0]) + ", " + std::to_string(shape[1]) +
      ", 4], for the tiles and their workers");
}

}  // namespace

void keepSeed(Graph& graph, const Tensor& seed, unsigned modifier, Sequence& prog,
              const DebugContext& debugContext) {
  const auto state = stateOf(graph);
  const auto rest = graph.addConstant(UNSIGNED_INT, {2}, std::vector<unsigned>{modifier, 0});
  graph.setTileMapping(rest, 0);
  prog.add(Copy(seed, state.slice(0, 2), false, debugContext));
  prog.add(Copy(rest, state.slice(2, 4), false, debugContext));
}

}  // namespace popir

namespace poplar {

namespace pe = popops::expr;

Tensor getHwSeeds(Graph& graph, program::Sequence& prog, const DebugContext& debugContext) {
  const DebugContext context(debugContext, "getHwSeeds");
  const auto state = popir::stateOf(graph);
  const auto set =
      popir::kept(graph, graph.impl()->workerSeeds, popir::shapeOf(graph), "workerSeeds");
  const auto word = [&](std::size_t i) { return state.slice(i, i + 1).expand({0, 0}); };
  // _1: the numbers of the words; _2, _3, _4: the state; _5: whether seeds were set, which are _6.
  auto x = popir::mixed(pe::Any(pe::_1 * pe::Const(0x9E3779B1u) + pe::_2), 0x85EBCA77u, 15);
  x = popir::mixed(pe::Any(pe::Add(x, pe::_3)), 0xC2B2AE3Du, 13);
  x = popir::mixed(pe::Any(pe::Add(x, pe::_4)), 0x27D4EB2Fu, 16);
  return popops::map(graph, pe::Select(pe::_6, x, pe::_5 != pe::Const(0u)),
                     {popir::numbers(graph, context), word(0), word(1), word(2), word(3), set},
                     prog, context);
}

void setHwSeeds(Graph& graph, const Tensor& seeds, program::Sequence& prog,
                const DebugContext& debugContext) {
  popir::check(graph, seeds);
  const DebugContext context(debugContext, "setHwSeeds");
  const auto state = popir::stateOf(graph);
  const auto set =
      popir::kept(graph, graph.impl()->workerSeeds, popir::shapeOf(graph), "workerSeeds");
  prog.add(program::Copy(seeds, set, false, context));
  const auto one = graph.addConstant(UNSIGNED_INT, {1}, 1u, context);
  graph.setTileMapping(one, 0);
  prog.add(program::Copy(one, state.slice(3, 4), false, context));
  // Two sums over all words, each with weights of its own, are the generator's seed.
  const auto places = popir::numbers(graph, context);
  const auto sum = [&](unsigned factor) {
    const auto words = popops::map(
        graph, popir::mixed(pe::Any(pe::Add(pe::_1, pe::_2 * pe::Const(factor))), factor | 1u, 15),
        {seeds, places}, prog, context);
    return popops::reduce(graph, words.flatten(), {0}, popops::Operation::ADD, prog, context)
        .reshape({1});
  };
  const auto first = sum(0x9E3779B1u), second = sum(0x85EBCA77u);
  prog.add(popir::seedProgram(concat(first, second), 0, context));
}

}  // namespace poplar
