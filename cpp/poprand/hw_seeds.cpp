#include "poprand/hw_seeds.hpp"

#include <poplar/RandomSeed.hpp>
#include <poplar/exceptions.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <poputil/Util.hpp>

#include <numeric>

#include "poplar/graph_impl.hpp"
#include "poplar/rounding_program.hpp"
#include "poplar/virtual_tiles.hpp"
#include "poplar/worker_seeds.hpp"

namespace popir {
namespace {

using poplar::DebugContext;
using poplar::Graph;
using poplar::Tensor;
using poplar::UNSIGNED_INT;
using poplar::program::Copy;
using poplar::program::Sequence;
namespace pe = popops::expr;

/// The numbers of the words of some tiles, among those of all tiles.
Tensor numbers(Graph& graph, const VirtualTiles* part, const DebugContext& context) {
  const auto words = workerSeeds(graph, part);
  const auto perTile = static_cast<unsigned>(words.numElements() / words.dim(0));
  std::vector<unsigned> values(words.numElements());
  for (unsigned i = 0; i < words.dim(0); ++i) {
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(i) * perTile;
    std::iota(at, at + perTile, (part ? part->tiles[i] : i) * perTile);
  }
  const auto made =
      graph.addConstant(UNSIGNED_INT, words.shape(), poplar::ArrayRef<unsigned>(values), context);
  graph.setTileMapping(made, graph.getTileMapping(words));
  return made;
}

/// A word whose bits all depend on all bits of `x`.
pe::Any mixed(const pe::Any& x, unsigned factor, unsigned shift) {
  const pe::Any folded(pe::BitwiseXor(x, pe::Shr(x, pe::Const(shift))));
  return pe::Any(pe::Mul(folded, pe::Const(factor)));
}

void check(const Graph& graph, const Tensor& seeds) {
  const auto& target = graph.getTarget();
  const std::vector<std::size_t> shape = {target.getNumTiles(), target.getNumWorkerContexts(), 4};
  if (seeds.valid() && seeds.elementType() == UNSIGNED_INT && seeds.shape() == shape) return;
  throw poplar::control_program_error(
      "setHwSeeds: the seeds are " + (seeds.valid() ? seeds.getDebugStr() : "no tensor") +
      "; give unsigned int [" + std::to_string(shape[0]) + ", " + std::to_string(shape[1]) +
      ", 4], for the tiles and their workers");
}

}  // namespace

void seedWorkers(Graph& graph, const Tensor& seed, unsigned modifier, Sequence& prog,
                 const DebugContext& debugContext) {
  const Sequence later({}, {debugContext, "workers"});
  prog.add(later);
  // The words of a virtual graph are those of its tiles.
  withWorkerSeeds(graph, [=, name = debugContext.getPathName(), part = graph.virtualTiles(),
                          node = later.node()](Graph& all) {
    const DebugContext context(name);
    Sequence made;
    const auto word = [&](std::size_t i) { return seed.slice(i, i + 1).expand({0, 0}); };
    auto x = mixed(pe::Any(pe::_1 * pe::Const(0x9E3779B1u) + pe::_2), 0x85EBCA77u, 15);
    x = mixed(pe::Any(pe::Add(x, pe::_3)), 0xC2B2AE3Du, 13);
    x = mixed(pe::Any(pe::Add(x, pe::Const(modifier))), 0x27D4EB2Fu, 16);
    const auto words =
        popops::map(all, x, {numbers(all, part.get(), context), word(0), word(1)}, made, context);
    made.add(Copy(words, workerSeeds(all, part.get()), false, context));
    node->children = {made.node()};
  });
}

}  // namespace popir

namespace poplar {

namespace pe = popops::expr;

Tensor getHwSeeds(Graph& graph, program::Sequence& prog, const DebugContext& debugContext) {
  return poputil::duplicate(graph, popir::workerSeeds(graph, graph.virtualTiles().get()), prog,
                            {debugContext, "getHwSeeds"});
}

void setHwSeeds(Graph& graph, const Tensor& seeds, program::Sequence& prog,
                const DebugContext& debugContext) {
  popir::check(graph, seeds);
  const DebugContext context(debugContext, "setHwSeeds");
  const auto* part = graph.virtualTiles().get();
  Graph all = graph.getTopLevelGraph();
  prog.add(program::Copy(seeds, popir::workerSeeds(graph, part), false, context));
  // Two sums over all words, each with weights of its own, are the generator's seed.
  const auto places = popir::numbers(all, part, context);
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
