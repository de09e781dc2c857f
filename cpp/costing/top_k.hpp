// The cost of topK, in the steps of PopLibs' network.
#ifndef popir_costing_top_k_hpp
#define popir_costing_top_k_hpp

#include <vector>

#include "costing/reading.hpp"
#include "workload/work.hpp"

namespace popir {

/// The phases of a vertex of the class "popops::TopK": one for each step of the network, in which
/// elements first move to the tiles that compare them, and one that brings the result home. Values
/// that follow the keys move as these do. \pre no operand is empty
std::vector<Phase> phasesOfTopK(const GraphImpl& graph, const BulkVertex& vertex,
                                const SortedRowsWork& whole);

}  // namespace popir

#endif
