// Orders of operators with constraints beside those of a graph.
#ifndef popir_popart_schedule_hpp
#define popir_popart_schedule_hpp

#include <popart/names.hpp>
#include <popart/vendored/optional.hpp>

#include <vector>

namespace popir {

/// The operators of a graph in an order that keeps its edges (Graph::getEdgeMap()) and those
/// constraints whose operators are in the graph; otherwise that of `first`, which has them all. With
/// `respectsPhases` no operator comes after one of a later execution phase. Nothing if there is none.
nonstd::optional<std::vector<popart::Op*>> orderOf(const popart::Graph& graph,
                                                   const std::vector<popart::Op*>& first,
                                                   const popart::OpsBeforeKey& constraints,
                                                   bool respectsPhases);

/// The same.
/// \throws popart::error if there is none
std::vector<popart::Op*> requireOrder(const popart::Graph& graph,
                                      const std::vector<popart::Op*>& first,
                                      const popart::OpsBeforeKey& constraints, bool respectsPhases);

}  // namespace popir

#endif
