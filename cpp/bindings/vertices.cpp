#include "bindings/vertices.hpp"

#include <pybind11/stl.h>

#include <poplar/VertexIntrospector.hpp>
#include <sstream>

#include "bindings/numpy.hpp"
#include "bindings/signatures.hpp"
#include "poplar/graph_impl.hpp"

namespace popir {

namespace py = pybind11;
using namespace poplar;

namespace {

// C++ text, if it has a newline, else the path of a .cpp or .gp file.
bool addCodelets(Graph& graph, const std::string& source, const std::string& flags) {
  if (source.find('\n') == std::string::npos)
    return graph.addCodelets(source, CodeletFileType::Auto, flags);
  std::stringstream text(source);
  const auto key = source + '\0' + flags;
  const bool known = graph.impl()->codelets.has(key);
  graph.addCodelets(text, flags);
  return !known;
}

using Tensors = OneOf<Tensor, std::vector<Tensor>>;

void connectField(Graph& graph, const FieldRef& field, const Tensors& tensors) {
  if (py::isinstance<Tensor>(tensors)) return graph.connect(field, tensors.cast<const Tensor&>());
  graph.connect(field, tensors.cast<std::vector<Tensor>>());
}

void setFieldValues(Graph& graph, const FieldRef& field, const ArrayLike& values) {
  const auto array = contiguous(values);
  const auto type = typeOf(array.dtype());
  graph.setFieldValue(
      field, {type, type.sizeInBytes(), array.data(), static_cast<std::size_t>(array.size())},
      array.ndim() == 0);
}

using Connections = py::typing::Dict<py::str, OneOf<Tensor, std::vector<Tensor>, ArrayLike>>;

VertexRef addVertex(Graph& graph, ComputeSet cs, const std::string& type,
                    const Connections& connections) {
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

using Cycles = std::uint64_t;
using Estimator =
    py::typing::Callable<OneOf<Cycles, std::pair<Cycles, Cycles>>(VertexIntrospector, Target)>;

void registerPerfEstimator(Graph& graph, const std::string& vertexType,
                           const Estimator& estimator) {
  const auto held = std::make_shared<Estimator>(estimator);
  graph.registerPerfEstimator(
      vertexType, [held, vertexType](const VertexIntrospector& vertex, const Target& target) {
        const py::gil_scoped_acquire locked;
        const py::object given = (*held)(vertex, target);
        try {
          if (!py::isinstance<py::tuple>(given))
            return VertexPerfEstimate(py::cast<std::uint64_t>(given));
          const auto [cycles, flops] = py::cast<std::pair<std::uint64_t, std::uint64_t>>(given);
          return VertexPerfEstimate(cycles, flops);
        } catch (const py::cast_error&) {
          throw py::type_error("The estimator of '" + vertexType + "' gave " +
                               py::cast<std::string>(py::repr(given)) +
                               ", expected cycles, or cycles and FLOPs, as whole numbers.");
        }
      });
}

py::array initialValues(const VertexFieldInfo& field) {
  const auto type = field.elementType();
  py::array values(dtypeOf(type), std::vector<std::size_t>{field.size()});
  field.getValues(type, type.sizeInBytes(), values.mutable_data(), field.size());
  return values;
}

void bindIntrospector(py::module_& m) {
  py::class_<VertexFieldInfo::Row>(m, "VertexFieldRow",
                                   "One edge of a field that is a list of edges.")
      .def("size", &VertexFieldInfo::Row::size, "The number of elements of the edge.");
  py::class_<VertexFieldInfo>(m, "VertexFieldInfo",
                              "How many elements a field has, and what state holds.")
      .def("size", &VertexFieldInfo::size, "Elements; of a list of edges, edges.")
      .def(
          "__getitem__", [](const VertexFieldInfo& f, std::size_t i) { return f[i]; },
          py::arg("index"))
      .def(
          "getInitialValue",
          [](const VertexFieldInfo& f) -> OneOf<bool, std::int64_t, double> {
            return initialValues(f).attr("item")(0);
          },
          "The value of state that is one number.")
      .def("getInitialValues", &initialValues, "The values of state, one dimension.");
  py::class_<VertexIntrospector>(m, "VertexIntrospector", "What an estimator may ask of a vertex.")
      .def(
          "getFieldInfo",
          [](const VertexIntrospector& v, const std::string& name) { return v.getFieldInfo(name); },
          py::arg("name"),
          "What is known of a field. Raises poplar_exception if the vertex has none of "
          "that name.");
}

}  // namespace

void bindVertices(py::module_& m) {
  bindIntrospector(m);
  py::class_<FieldRef>(m, "FieldRef", "A field of a vertex, or an element of a list of edges.")
      .def(
          "__getitem__", [](const FieldRef& f, std::size_t i) { return f[i]; }, py::arg("index"));
  py::class_<VertexRef>(m, "VertexRef", "A vertex of a graph; `vertex[name]` is a field of it.")
      .def("getId", &VertexRef::getId, "The number of the vertex in its graph.")
      .def(
          "__getitem__", [](const VertexRef& v, const std::string& name) { return v[name]; },
          py::arg("field"));
  py::reinterpret_borrow<py::class_<Graph>>(m.attr("Graph"))
      .def("addCodelets", &addCodelets, py::arg("src"), py::arg("compileFlags") = "",
           "Codelets of a .cpp or .gp file, or of C++ text, which has newlines. False if the graph "
           "has them already.")
      .def("addVertex", &addVertex, py::arg("cs"), py::arg("vertexType"),
           py::arg("connections") = py::dict(),
           "`connections`: by field a Tensor, a list of Tensors, or numbers.")
      .def(
          "registerPerfEstimator", &registerPerfEstimator, py::arg("vertexType"),
          py::arg("estimator"),
          "`estimator`: a function of a VertexIntrospector and the Target, to cycles, or cycles "
          "and FLOPs; asked for vertices of the type without setPerfEstimate when they are costed.")
      .def("connect", &connectField, py::arg("field"), py::arg("tensors"),
           "Connects a field to a Tensor, or a list of edges to a list of them. Raises "
           "poplar_graph_connection_error for a type or size that does not fit.")
      .def("setFieldSize", &Graph::setFieldSize, py::arg("field"), py::arg("size"),
           "Says how many elements a list of edges, or a vector that is state, is going to "
           "have.")
      .def("getFieldSize", &Graph::getFieldSize, py::arg("field"),
           "How many elements a list of edges, or a vector that is state, has.")
      .def("setInitialValue", &setFieldValues, py::arg("field"), py::arg("values"),
           "Sets a field that is state to a number, or to an array of them.")
      .def("setTileMapping", py::overload_cast<VertexRef, unsigned>(&Graph::setTileMapping),
           py::arg("vertex"), py::arg("tile"), "Puts a vertex on a tile.")
      .def("setPerfEstimate", &Graph::setPerfEstimate, py::arg("vertex"), py::arg("cycles"),
           py::arg("flops") = 0,
           "Says the cycles and FLOPs that one run of a vertex takes on its tile, for "
           "Engine.machineReport.")
      .def("setCycleEstimate", &Graph::setCycleEstimate, py::arg("vertex"), py::arg("cycles"),
           "Says the cycles that one run of a vertex takes on its tile.");
}

}  // namespace popir
