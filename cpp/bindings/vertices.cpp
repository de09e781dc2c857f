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

// `source` is C++ text if it has a newline, else the path of a .cpp or .gp file.
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

py::array initialValues(const FieldData& field) {
  const auto type = field.elementType();
  py::array values(dtypeOf(type), std::vector<std::size_t>{field.size()});
  field.getValues(type, type.sizeInBytes(), values.mutable_data(), field.size());
  return values;
}

void bindIntrospector(py::module_& m) {
  py::class_<FieldData::SizeT>(m, "VertexFieldRow",
                               "One edge of a vertex field that is a list of edges.")
      .def("size", &FieldData::SizeT::size, "The number of elements of the edge.");
  py::class_<FieldData>(
      m, "VertexFieldInfo",
      "The number of elements of a vertex field, and its initial values if it is state\n"
      "(Poplar: poplar/VertexIntrospector.hpp).")
      .def("size", &FieldData::size,
           "The number of elements; of a list of edges, the number of edges.")
      .def(
          "__getitem__", [](const FieldData& f, std::size_t i) { return f[i]; }, py::arg("index"),
          "Edge `index` of a list of edges. Raises poplar_index_error if there is none.")
      .def(
          "getInitialValue",
          [](const FieldData& f) -> OneOf<bool, std::int64_t, double> {
            return initialValues(f).attr("item")(0);
          },
          "The initial value of state that is one number.\n"
          "Raises poplar_graph_connection_error if the field has none.")
      .def("getInitialValues", &initialValues,
           "The initial values of state, as an array of one dimension.\n"
           "Raises poplar_graph_connection_error if the field has none.");
  py::class_<VertexIntrospector>(
      m, "VertexIntrospector", "A vertex whose cost is estimated; see Graph.registerPerfEstimator.")
      .def(
          "getFieldInfo",
          [](const VertexIntrospector& v, const std::string& name) { return v.getFieldInfo(name); },
          py::arg("name"),
          "The sizes and values of a field.\n"
          "Raises poplar_graph_connection_error if the vertex has no such field.");
}

}  // namespace

void bindVertices(py::module_& m) {
  bindIntrospector(m);
  py::class_<FieldRef>(m, "FieldRef",
                       "A field of a vertex, or one edge of a field that is a list of edges.")
      .def(
          "__getitem__", [](const FieldRef& f, std::size_t i) { return f[i]; }, py::arg("index"),
          "Edge `index` of a field that is a list of edges.");
  py::class_<VertexRef>(m, "VertexRef",
                        "A vertex that Graph.addVertex has added; `vertex[name]` is a field of it.")
      .def("getId", &VertexRef::getId, "The number of the vertex in its graph.")
      .def(
          "__getitem__", [](const VertexRef& v, const std::string& name) { return v[name]; },
          py::arg("field"), "The field of that name. It is looked up when it is used.");
  py::reinterpret_borrow<py::class_<Graph>>(m.attr("Graph"))
      .def("addCodelets", &addCodelets, py::arg("src"), py::arg("compileFlags") = "",
           "Adds codelets. Returns False if the graph has them already.\n"
           "`src`: C++ text, which has a newline; or the path of a .cpp file,\n"
           "or of a .gp file of popc.\n"
           "`compileFlags`: for the compiler, separated by blanks.\n"
           "Raises poplar_graph_program_compilation_error with the compiler's messages, and for\n"
           "a file that cannot be read or that another version of popir has written.")
      .def("addVertex", &addVertex, py::arg("cs"), py::arg("vertexType"),
           py::arg("connections") = py::dict(),
           "Adds a vertex of a codelet to a compute set.\n"
           "`connections`: by field a Tensor, a list of Tensors, or numbers, as for\n"
           "connect() and setInitialValue().\n"
           "Raises poplar_graph_connection_error for an unknown vertex type or field.")
      .def("registerPerfEstimator", &registerPerfEstimator, py::arg("vertexType"),
           py::arg("estimator"),
           "Sets the function that estimates what one run of a vertex of this type costs. It is\n"
           "called for vertices without setPerfEstimate(), when their cost is needed, and\n"
           "replaces an earlier one.\n"
           "`estimator`: called with (VertexIntrospector, Target), it returns cycles, or\n"
           "(cycles, FLOPs), as whole numbers; TypeError for anything else.")
      .def("connect", &connectField, py::arg("field"), py::arg("tensors"),
           "Connects a field to a Tensor: of one element, or of rank 0 or 1 for a vector. A list\n"
           "of edges is connected to a list of Tensors, or to the rows of one.\n"
           "Raises poplar_type_error for another element type,\n"
           "poplar_graph_connection_error for another shape or size, and for a tensor that\n"
           "is written and not isParallelWriteable().")
      .def("setFieldSize", &Graph::setFieldSize, py::arg("field"), py::arg("size"),
           "Sets the number of edges of a list of edges, or the number of elements\n"
           "of a vector that is state.\n"
           "Raises poplar_graph_connection_error for other fields, and for a list that has\n"
           "another number of edges already.")
      .def("getFieldSize", &Graph::getFieldSize, py::arg("field"),
           "The number of edges of a list of edges, or the number of elements of another field\n"
           "that is connected or has values; else 0.")
      .def("setInitialValue", &setFieldValues, py::arg("field"), py::arg("values"),
           "Sets the value of state, or a constant value of an Input: a number, or an array for\n"
           "a vector. Values are converted to the field's type.\n"
           "Raises poplar_graph_connection_error for a field that takes no value, and for\n"
           "another number of values.")
      .def("setTileMapping", py::overload_cast<VertexRef, unsigned>(&Graph::setTileMapping),
           py::arg("vertex"), py::arg("tile"),
           "Sets the tile on which a vertex runs.\n"
           "Raises poplar_invalid_tile_mapping for a tile that the target lacks.")
      .def("setPerfEstimate",
           py::overload_cast<const VertexRef&, std::uint64_t, std::uint64_t>(
               &Graph::setPerfEstimate),
           py::arg("vertex"), py::arg("cycles"), py::arg("flops") = 0,
           "Sets the cycles and FLOPs of one run of a vertex on its tile,\n"
           "for Engine.machineReport.")
      .def("setCycleEstimate", &Graph::setCycleEstimate, py::arg("vertex"), py::arg("cycles"),
           "Sets the cycles of one run of a vertex on its tile, and 0 FLOPs.");
}

}  // namespace popir
