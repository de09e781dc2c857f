// The words of random numbers that the workers of the tiles have.
#ifndef popir_poplar_worker_seeds_hpp
#define popir_poplar_worker_seeds_hpp

#include <poplar/Graph.hpp>

#include <functional>
#include <optional>

namespace popir {

/// The words of all workers, UNSIGNED_INT [tiles, workers, 4], of the tiles of the whole graph.
/// They are made when they are first asked for.
poplar::Tensor workerSeeds(const poplar::Graph& graph);

/// Those of some tiles only; of all for null.
poplar::Tensor workerSeeds(const poplar::Graph& graph, const VirtualTiles* part);

/// Calls a function once there are words: at once, or when they are made.
void withWorkerSeeds(poplar::Graph& graph, std::function<void(poplar::Graph&)> function);

/// Connects the field of a vertex of poprand, if it has one, to words of its tile: what only writes
/// them to those of all workers, others to those of a worker that no other vertex of the compute
/// set draws from.
/// \param before the tile that the vertex was on
/// \throws poplar::graph_connection_error if there is no such worker
void connectWorkerSeeds(poplar::Graph& graph, const poplar::VertexRef& vertex,
                        std::optional<unsigned> before);

}  // namespace popir

#endif
