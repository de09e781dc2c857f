// popir.poplar: codelets and vertices.
#ifndef popir_bindings_vertices_hpp
#define popir_bindings_vertices_hpp

#include <pybind11/pybind11.h>
#include <poplar/Graph.hpp>

#include <string>

namespace popir {

void bindVertices(pybind11::module_& m);

/// C++ text, if it has a newline, else the path of a .cpp or .gp file.
bool addCodelets(poplar::Graph& graph, const std::string& source, const std::string& flags);
poplar::VertexRef addVertex(poplar::Graph& graph, poplar::ComputeSet cs, const std::string& type,
                            const pybind11::dict& connections);
/// `tensors`: a Tensor or a sequence of them.
void connectField(poplar::Graph& graph, const poplar::FieldRef& field,
                  const pybind11::object& tensors);
/// `values`: a number or an array.
void setFieldValues(poplar::Graph& graph, const poplar::FieldRef& field,
                    const pybind11::object& values);

}  // namespace popir

#endif
