// The state behind poplar::getHwSeeds().
#ifndef popir_poprand_hw_seeds_hpp
#define popir_poprand_hw_seeds_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace popir {

/// Adds a program that sets the words of the graph's workers by the seed and modifier of
/// poprand::setSeed(). It is empty as long as nothing uses such words.
void seedWorkers(poplar::Graph& graph, const poplar::Tensor& seed, unsigned modifier,
                 poplar::program::Sequence& prog, const poplar::DebugContext& debugContext);

}  // namespace popir

#endif
