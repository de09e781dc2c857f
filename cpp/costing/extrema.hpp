// The cost of the index of an extremum, in the stages of PopLibs' maxMinArgMaxMin.
#ifndef popir_costing_extrema_hpp
#define popir_costing_extrema_hpp

#include <vector>

#include "costing/reading.hpp"
#include "machine/estimators/estimators.hpp"

namespace popir {

/// Whether a class of vertices looks for the index of an extremum: "popnn::ReduceMaxClassGather" or
/// "popnn::ReduceMinClassGather".
bool isExtremum(const VertexClass* kind);

/// The phases of such a vertex. Rows are spread over all tiles, some elements of a row on a tile or
/// several rows; each worker leaves a partial result. Stages follow in which a worker takes up to 32
/// partial results of a row, until there is one; then results go to their tiles.
std::vector<Phase> phasesOfExtremum(const GraphImpl& graph, const BulkVertex& vertex,
                                    const RowsWork& whole);

}  // namespace popir

#endif
