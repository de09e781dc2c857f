// popir.poplar: codelets and vertices.
#ifndef popir_bindings_vertices_hpp
#define popir_bindings_vertices_hpp

#include <pybind11/pybind11.h>

namespace popir {

/// Call it after Graph is bound: it adds methods to it.
void bindVertices(pybind11::module_& m);

}  // namespace popir

#endif
