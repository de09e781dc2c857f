// What contractions cost on the tiles of their plans.
#ifndef popir_poplar_machine_contractions_hpp
#define popir_poplar_machine_contractions_hpp

#include <vector>

#include "machine/estimators.hpp"
#include "poplar/machine_reading.hpp"

namespace popir {

/// Whether a vertex of that class, or of none, is planned: it has operands of a contraction.
bool isContraction(const BulkVertex& vertex, const VertexClass* kind);

/// Operands travel to where the plan wants them from where they lie, partial sums to those who add
/// them up, and the result to where it lies, if the plan makes it elsewhere.
std::vector<Phase> phasesOfContraction(const GraphImpl& graph, const BulkVertex& vertex,
                                       const VertexClass& kind, const VertexWork& whole);

}  // namespace popir

#endif
