// popir.poplar: codelets and vertices.
#ifndef popir_bindings_vertices_hpp
#define popir_bindings_vertices_hpp

#include <pybind11/pybind11.h>

namespace popir {

/// After Graph, whose methods for them it adds.
void bindVertices(pybind11::module_& m);

}  // namespace popir

#endif
