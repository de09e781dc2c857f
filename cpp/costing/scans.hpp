// The cost of running sums and products.
#ifndef popir_costing_scans_hpp
#define popir_costing_scans_hpp

#include <vector>

#include "costing/reading.hpp"
#include "machine/estimators/estimators.hpp"

namespace popir {

/// Whether a vertex is a scan, of at least one element.
bool isScan(const BulkVertex& vertex);

/// The phases of a scan along lines. Where there are fewer lines than workers a worker has a piece of
/// a line: it reduces the piece, the results of a line's pieces are scanned in the same way, and the
/// worker scans its piece from what comes before it. Pieces are as many as take the fewest cycles.
std::vector<Phase> phasesOfScan(const GraphImpl& graph, const BulkVertex& vertex,
                                const VertexClass& kind, const RowsWork& whole);

}  // namespace popir

#endif
