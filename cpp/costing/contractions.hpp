// The cost of contractions on the tiles that their plans use.
#ifndef popir_costing_contractions_hpp
#define popir_costing_contractions_hpp

#include <vector>

#include "costing/reading.hpp"
#include "machine/contraction/planner.hpp"
#include "machine/estimators/estimators.hpp"

namespace popir {

/// Whether the planner handles a vertex: its class is described by ContractionWork, and it has at
/// least three operands, none of them empty. `kind` is null for a vertex without an estimator.
bool isContraction(const BulkVertex& vertex, const VertexClass* kind);

/// The plan of a contraction.
const ContractionPlan& planOf(const GraphImpl& graph, const BulkVertex& vertex,
                              const VertexClass& kind, const ContractionWork& whole);

/// The phases of a contraction. Exchange traffic moves operands from their tile mapping to the
/// plan's tiles, partial sums to the tiles that add them up, and the result to its tile mapping if
/// the plan computes it on other tiles.
std::vector<Phase> phasesOfContraction(const GraphImpl& graph, const BulkVertex& vertex,
                                       const VertexClass& kind, const ContractionWork& whole);

}  // namespace popir

#endif
