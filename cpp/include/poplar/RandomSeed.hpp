// The seeds of the tiles' random number generators. After poplar/RandomSeed.hpp of the Poplar SDK
// 3.
//
// Vertices of poprand draw from them. Stochastic rounding has a generator of its own, which counts
// what it has drawn by itself, so seeds that are read and set again begin it anew; poprand's
// functions have seeds of their own.
#ifndef poplar_RandomSeed_hpp
#define poplar_RandomSeed_hpp

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

#pragma GCC visibility push(default)

namespace poplar {

/// Returns the seeds of all workers of the graph's tiles, UNSIGNED_INT [tiles, workers, 4]: what
/// setHwSeeds(), poprand::setSeed() and vertices of poprand have made of them; in the beginning
/// they are what setSeed() makes of (0, 0).
Tensor getHwSeeds(Graph& graph, program::Sequence& prog, const DebugContext& debugContext = {});

/// Sets these seeds: stochastic rounding is then a function of all of them.
/// \throws control_program_error for a tensor of another type or shape
void setHwSeeds(Graph& graph, const Tensor& seeds, program::Sequence& prog,
                const DebugContext& debugContext = {});

}  // namespace poplar

#pragma GCC visibility pop

#endif
