// Walks over the elements of a tensor: their runs in variables and their tiles.
#ifndef popir_poplar_runs_hpp
#define popir_poplar_runs_hpp

#include <poplar/Graph.hpp>
#include <poplar/exceptions.hpp>

#include <cstdint>
#include <functional>
#include <optional>

#include "poplar/graph_impl.hpp"
#include "poplar/view.hpp"

namespace popir {

/// \throws poplar::graph_connection_error if a tensor is not valid, or of another graph
inline void checkGraph(const char* what, const GraphImpl& graph, const poplar::Tensor& t) {
  if (!t.valid() || t.view().graph() != &graph)
    throw poplar::graph_connection_error(
        std::string("Graph::") + what + ": " +
        (t.valid() ? "the tensor belongs to another graph" : "the tensor is not valid"));
}

/// Called with a variable, the first element of a run in it, their number, and the place of the
/// first one in the tensor.
using VisitRun = std::function<void(unsigned, std::int64_t, std::int64_t, std::int64_t)>;

/// Visits the contiguous runs of a part of a view.
void forEachRun(unsigned variable, Nest nest, const VisitRun& visit);
/// Visits those of variables in a range of the flattened view.
void forEachRun(const View& view, std::int64_t begin, std::int64_t end, const VisitRun& visit);

/// The one tile that holds all variables of a view; null if there are several. Views in small pieces
/// need not be visited piece by piece then.
std::optional<unsigned> tileOfAll(const GraphImpl& graph, const View& view);

}  // namespace popir

#endif
