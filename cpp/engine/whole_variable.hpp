// Which variable a tensor shows as a whole.
#ifndef popir_engine_whole_variable_hpp
#define popir_engine_whole_variable_hpp

#include <optional>

#include "poplar/graph_impl.hpp"

namespace popir {

/// The variable of which a tensor shows each element once, in whatever order; nothing if there is none.
std::optional<unsigned> shownWhole(const GraphImpl& graph, const poplar::Tensor& t);

}  // namespace popir

#endif
