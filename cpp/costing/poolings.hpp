// The cost of poolings on the tiles that their plans use.
#ifndef popir_costing_poolings_hpp
#define popir_costing_poolings_hpp

#include <vector>

#include "costing/reading.hpp"
#include "machine/estimators/estimators.hpp"

namespace popir {

/// Whether the planner of poolings handles a vertex: its class is described by PoolingWork, and
/// none of its operands is empty. `kind` is null for a vertex without an estimator.
bool isPooling(const BulkVertex& vertex, const VertexClass* kind);

/// The phases of a pooling or of its gradient. Operands move from their tile mapping to the plan's
/// tiles; the result moves to its tile mapping if the plan computes it on other tiles.
std::vector<Phase> phasesOfPooling(const GraphImpl& graph, const BulkVertex& vertex,
                                   const VertexClass& kind, const PoolingWork& whole);

}  // namespace popir

#endif
