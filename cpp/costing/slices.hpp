// The cost of slices with a plan.
#ifndef popir_costing_slices_hpp
#define popir_costing_slices_hpp

#include <vector>

#include "costing/reading.hpp"

namespace popir {

/// The phases of a vertex of a SlicesKernel with a plan: `whole.planned` is set, and no operand is
/// empty.
std::vector<Phase> phasesOfPlannedSlices(const GraphImpl& graph, const BulkVertex& vertex,
                                         const SlicesWork& whole);

}  // namespace popir

#endif
