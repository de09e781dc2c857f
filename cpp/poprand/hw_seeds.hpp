// The state behind poplar::getHwSeeds().
#ifndef popir_poprand_hw_seeds_hpp
#define popir_poprand_hw_seeds_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace popir {

/// Keeps the seed and modifier of poprand::setSeed().
void keepSeed(poplar::Graph& graph, const poplar::Tensor& seed, unsigned modifier,
              poplar::program::Sequence& prog, const poplar::DebugContext& debugContext);

}  // namespace popir

#endif
