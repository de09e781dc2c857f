// The seeds of the tiles' random number generators. After poplar/RandomSeed.hpp of the Poplar SDK 3.
//
// There is one generator here, that of stochastic rounding; poprand's functions have seeds of their
// own. It counts what it has drawn by itself, so seeds that are read and set again begin anew.
#ifndef poplar_RandomSeed_hpp
#define poplar_RandomSeed_hpp

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

#pragma GCC visibility push(default)

namespace poplar {

/// Returns the seeds of all workers of all tiles, UNSIGNED_INT [tiles, workers, 4]: those that
/// setHwSeeds() has set last, else what poprand::setSeed() makes of its seed, or of (0, 0).
Tensor getHwSeeds(Graph& graph, program::Sequence& prog, const DebugContext& debugContext = {});

/// Sets these seeds: stochastic rounding is then a function of all of them.
/// \throws control_program_error for a tensor of another type or shape
void setHwSeeds(Graph& graph, const Tensor& seeds, program::Sequence& prog,
                const DebugContext& debugContext = {});

}  // namespace poplar

#pragma GCC visibility pop

#endif
