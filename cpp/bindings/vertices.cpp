#include "bindings/vertices.hpp"

#include <pybind11/stl.h>

#include <sstream>

#include "bindings/numpy.hpp"
#include "poplar/graph_impl.hpp"

namespace popir {

namespace py = pybind11;
using namespace poplar;

bool addCodelets(Graph& graph, const std::string& source, const std::string& flags) {
  if (source.find('\n') == std::string::npos)
    return graph.addCodelets(source, CodeletFileType::Auto, flags);
  std::stringstream text(source);
  const auto key = source + '\0' + flags;
  const bool known = graph.impl()->codelets.has(key);
  graph.addCodelets(text, flags);
  return !known;
}

void connectField(Graph& graph, const FieldRef& field, const py::object& tensors) {
  if (py::isinstance<Tensor>(tensors)) return graph.connect(field, tensors.cast<const Tensor&>());
  graph.connect(field, tensors.cast<std::vector<Tensor>>());
}

void setFieldValues(Graph& graph, const FieldRef& field, const py::object& values) {
  const auto array = contiguous(values);
  const auto type = typeOf(array.dtype());
  graph.setFieldValue(
      field, {type, type.sizeInBytes(), array.data(), static_cast<std::size_t>(array.size())},
      array.ndim() == 0);
}

VertexRef addVertex(Graph& graph, ComputeSet cs, const std::string& type,
                    const py::dict& connections) {
  const auto v = graph.addVertex(cs, type);
  for (const auto& item : connections) {
    const auto field = v[py::cast<std::string>(item.first)];
    const auto value = py::reinterpret_borrow<py::object>(item.second);
    const bool tensors = py::isinstance<Tensor>(value) ||
                         (py::isinstance<py::sequence>(value) && !py::isinstance<py::str>(value) &&
                          py::len(value) > 0 && py::isinstance<Tensor>(value[py::int_(0)]));
    if (tensors)
      connectField(graph, field, value);
    else
      setFieldValues(graph, field, value);
  }
  return v;
}

void bindVertices(py::module_& m) {
  py::class_<FieldRef>(m, "FieldRef", "A field of a vertex, or an element of a list of edges.")
      .def(
          "__getitem__", [](const FieldRef& f, std::size_t i) { return f[i]; }, py::arg("index"));
  py::class_<VertexRef>(m, "VertexRef", "A vertex of a graph.")
      .def("getId", &VertexRef::getId)
      .def(
          "__getitem__", [](const VertexRef& v, const std::string& name) { return v[name]; },
          py::arg("field"));
}

}  // namespace popir
