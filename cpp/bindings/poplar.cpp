// popir.poplar: graphs, tensors, programs. Devices, vertices and the engine have their own files.
#include <pybind11/numpy.h>
#include <pybind11/operators.h>
#include <pybind11/stl.h>
#include <poplar/Graph.hpp>

#include <set>
#include <sstream>

#include "bindings/devices.hpp"
#include "bindings/engine.hpp"
#include "bindings/errors.hpp"
#include "bindings/module.hpp"
#include "bindings/numpy.hpp"
#include "bindings/vertices.hpp"
#include "poplar/graph_impl.hpp"
#include "poplar/program_node.hpp"
#include "poplar/tangle.hpp"

namespace popir {
namespace {

namespace py = pybind11;
using namespace poplar;
using Sizes = std::vector<std::size_t>;
using Mapping = std::vector<std::vector<std::pair<std::size_t, std::size_t>>>;

template <class T>
std::string str(const T& value) {
  std::ostringstream os;
  os << value;
  return os.str();
}

/// By their names in the module.
const std::pair<const char*, Type> types[] = {{"BOOL", BOOL},
                                              {"CHAR", CHAR},
                                              {"UNSIGNED_CHAR", UNSIGNED_CHAR},
                                              {"SIGNED_CHAR", SIGNED_CHAR},
                                              {"UNSIGNED_SHORT", UNSIGNED_SHORT},
                                              {"SHORT", SHORT},
                                              {"UNSIGNED_INT", UNSIGNED_INT},
                                              {"INT", INT},
                                              {"UNSIGNED_LONGLONG", UNSIGNED_LONGLONG},
                                              {"LONGLONG", LONGLONG},
                                              {"QUARTER", QUARTER},
                                              {"HALF", HALF},
                                              {"BFLOAT16", BFLOAT16},
                                              {"FLOAT", FLOAT},
                                              {"DOUBLE", DOUBLE}};

Type typeNamed(const std::string& name) {
  for (const auto& [known, type] : types)
    if (name == known) return type;
  throw poplar::type_error("'" + name + "' is not the name of a type");
}

std::string nameOf(const Type& type) {
  for (const auto& [name, known] : types)
    if (known == type) return name;
  throw poplar::type_error(type.toString() + " has no name");
}

void bindTypes(py::module_& m) {
  py::class_<Type>(m, "Type", "An element type.")
      .def("toString", &Type::toString)
      .def("sizeInBytes", &Type::sizeInBytes)
      .def("__repr__", [](const Type& t) { return "poplar.Type(" + t.toString() + ")"; })
      .def(py::self == py::self)
      .def(py::self != py::self)
      .def("__hash__", [](const Type& t) { return static_cast<int>(t.kind()); })
      .def_property_readonly(
          "dtype", [](const Type& t) { return dtypeOf(t); }, "The numpy dtype of the same values.")
      .def(py::pickle(&nameOf, &typeNamed));
  for (const auto& t : types) m.attr(t.first) = t.second;
  m.def(
      "typeOf", [](const py::object& dtype) { return typeOf(py::dtype::from_args(dtype)); },
      py::arg("dtype"), "The device type of a numpy dtype.");

  py::enum_<TargetType>(m, "TargetType")
      .value("IPU", TargetType::IPU)
      .value("IPU_MODEL", TargetType::IPU_MODEL)
      .value("CPU", TargetType::CPU);
  py::enum_<VariableMappingMethod>(m, "VariableMappingMethod")
      .value("NONE", VariableMappingMethod::NONE)
      .value("LINEAR", VariableMappingMethod::LINEAR);
  py::enum_<TensorCloneMethod>(m, "TensorCloneMethod")
      .value("PRESERVE_ORDER_AND_ALIASES", TensorCloneMethod::PRESERVE_ORDER_AND_ALIASES)
      .value("CREATE_NEW_ORDER", TensorCloneMethod::CREATE_NEW_ORDER)
      .value("PRESERVE_ORDER_UNLESS_ALIASES", TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES)
      .value("GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES",
             TensorCloneMethod::GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES);
  py::class_<Interval>(m, "Interval")
      .def(py::init<std::size_t, std::size_t>(), py::arg("begin"), py::arg("end"))
      .def("begin", [](const Interval& i) { return i.begin(); })
      .def("end", [](const Interval& i) { return i.end(); })
      .def("size", &Interval::size)
      .def(py::self == py::self)
      .def("__repr__", &str<Interval>);

  py::class_<DebugContext>(m, "DebugContext", "A path name; a str converts to it.")
      .def(py::init([](const std::string& name) { return DebugContext(name); }),
           py::arg("name") = "")
      .def(py::init([](const DebugContext& parent, const std::string& name) {
             return DebugContext(parent, name);
           }),
           py::arg("parent"), py::arg("name"))
      .def("getPathName", &DebugContext::getPathName);
  py::implicitly_convertible<py::str, DebugContext>();

  py::class_<OptionFlags>(m, "OptionFlags", "Options by name; a dict of str converts to it.")
      .def(py::init([](const py::dict& values) {
             OptionFlags flags;
             const auto text = [](py::handle h) { return py::cast<std::string>(py::str(h)); };
             for (const auto& item : values) flags.set(text(item.first), text(item.second));
             return flags;
           }),
           py::arg("values") = py::dict())
      .def("set", py::overload_cast<const std::string&, const std::string&>(&OptionFlags::set))
      .def("at", &OptionFlags::at)
      .def("__repr__", &str<OptionFlags>);
  py::implicitly_convertible<py::dict, OptionFlags>();
}

void bindTensor(py::module_& m) {
  using Dims = std::vector<unsigned>;
  py::class_<Tensor>(m, "Tensor", "A view of variables; no member function copies.")
      .def(py::init<>())
      .def("valid", &Tensor::valid)
      .def("elementType", &Tensor::elementType)
      .def("shape", &Tensor::shape)
      .def("rank", &Tensor::rank)
      .def("dim", &Tensor::dim)
      .def("numElements", &Tensor::numElements)
      .def("__len__", [](const Tensor& t) { return t.dim(0); })
      // Not by the length: a scalar has none, and a tensor of no elements is a tensor.
      .def("__bool__", &Tensor::valid)
      .def("__getitem__",
           [](const Tensor& t, std::size_t i) {
             if (t.rank() > 0 && i >= t.dim(0))
               throw py::index_error("index " + std::to_string(i) +
                                     " given for a tensor of shape " + t.shapeToString());
             return t[i];
           })
      .def(
          "slice",
          [](const Tensor& t, std::size_t b, std::size_t e, unsigned d) {
            return t.slice(b, e, d);
          },
          py::arg("begin"), py::arg("end"), py::arg("dimension") = 0)
      .def(
          "slice", [](const Tensor& t, const Sizes& b, const Sizes& e) { return t.slice(b, e); },
          py::arg("begin"), py::arg("end"))
      .def("subSample", &Tensor::subSample, py::arg("stride"), py::arg("dimension"))
      .def("reverse", &Tensor::reverse, py::arg("dimension"))
      .def("flatten", [](const Tensor& t) { return t.flatten(); })
      .def(
          "flatten", [](const Tensor& t, unsigned b, unsigned e) { return t.flatten(b, e); },
          py::arg("dimBegin"), py::arg("dimEnd"))
      .def(
          "reshape", [](const Tensor& t, const Sizes& s) { return t.reshape(s); }, py::arg("shape"))
      .def(
          "reshapePartial",
          [](const Tensor& t, unsigned b, unsigned e, const Sizes& s) {
            return t.reshapePartial(b, e, s);
          },
          py::arg("beginIndex"), py::arg("endIndex"), py::arg("newDims"))
      .def(
          "dimShuffle", [](const Tensor& t, const Dims& p) { return t.dimShuffle(p); },
          py::arg("permutation"))
      .def(
          "dimShufflePartial",
          [](const Tensor& t, const Dims& s, const Dims& d) { return t.dimShufflePartial(s, d); },
          py::arg("source"), py::arg("destination"))
      .def("dimRoll", &Tensor::dimRoll, py::arg("dimIdx"), py::arg("newIdx") = 0)
      .def("transpose", &Tensor::transpose)
      .def("broadcast", &Tensor::broadcast, py::arg("N"), py::arg("dimension"))
      .def(
          "upsample",
          [](const Tensor& t, unsigned scale, unsigned d) { return t.upsample(scale, d); },
          py::arg("scale"), py::arg("dimension"))
      .def(
          "expand", [](const Tensor& t, const Sizes& i) { return t.expand(i); }, py::arg("indices"))
      .def("squeeze", [](const Tensor& t) { return t.squeeze(); })
      .def(
          "squeeze", [](const Tensor& t, const Sizes& d) { return t.squeeze(d); }, py::arg("dims"))
      .def("reinterpret", &Tensor::reinterpret, py::arg("type"))
      .def("isContiguous", &Tensor::isContiguous)
      .def("containsAliases", &Tensor::containsAliases)
      .def("containsConstant", &Tensor::containsConstant)
      .def("isParallelWriteable", &Tensor::isParallelWriteable)
      .def("isTangled", [](const Tensor& t) { return isTangled(t.view()); })
      .def("intersectsWith", &Tensor::intersectsWith)
      .def(
          "variables",
          [](const Tensor& t) {
            const auto v = t.view().variables();
            return std::set<unsigned>(v.begin(), v.end());
          },
          "Ids of the variables that this tensor shows.")
      .def(
          "numPieces", [](const Tensor& t) { return t.view().pieces().size(); },
          "Strided boxes that the view consists of.")
      .def("__repr__", &Tensor::getDebugStr);
  m.def(
      "concat", [](const std::vector<Tensor>& ts, unsigned d) { return concat(ts, d); },
      py::arg("tensors"), py::arg("dimension") = 0);
}

void bindPrograms(py::module_& m) {
  using namespace program;
  auto p = m.def_submodule("program", "What a device executes.");
  using Context = const DebugContext&;
  const auto context = py::arg("debugContext") = DebugContext();
  py::class_<Program>(p, "Program").def(py::init<>()).def("isEmpty", &Program::isEmpty);
  py::class_<Sequence, Program>(p, "Sequence", "Programs one after another.")
      .def(py::init([](const std::vector<Program>& programs, Context c) {
             Sequence s(c);
             for (const auto& q : programs) s.add(q);
             return s;
           }),
           py::arg("programs") = std::vector<Program>(), context)
      .def("add", &Sequence::add, py::arg("program"))
      .def("__len__", &Sequence::size);
  py::class_<Execute, Program>(p, "Execute")
      .def(py::init<ComputeSet, Context>(), py::arg("cs"), context);
  py::class_<Copy, Program>(p, "Copy")
      .def(py::init(
               [](const Tensor& s, const Tensor& d, Context c) { return Copy(s, d, false, c); }),
           py::arg("src"), py::arg("dst"), context)
      .def(py::init([](const DataStream& s, const Tensor& d, Context c) {
             return Copy(s, d, false, c);
           }),
           py::arg("stream"), py::arg("dst"), context)
      .def(py::init([](const Tensor& s, const DataStream& d, Context c) {
             return Copy(s, d, false, c);
           }),
           py::arg("src"), py::arg("stream"), context);
  py::class_<Repeat, Program>(p, "Repeat")
      .def(py::init<unsigned, const Program&, Context>(), py::arg("count"), py::arg("body"),
           context);
  py::class_<RepeatWhileTrue, Program>(p, "RepeatWhileTrue")
      .def(py::init<const Program&, Tensor, const Program&, Context>(), py::arg("condition"),
           py::arg("predicate"), py::arg("body"), context);
  py::class_<RepeatWhileFalse, Program>(p, "RepeatWhileFalse")
      .def(py::init<const Program&, Tensor, const Program&, Context>(), py::arg("condition"),
           py::arg("predicate"), py::arg("body"), context);
  py::class_<If, Program>(p, "If").def(py::init<Tensor, const Program&, const Program&, Context>(),
                                       py::arg("predicate"), py::arg("trueBody"),
                                       py::arg("falseBody"), context);
  py::class_<Call, Program>(p, "Call").def(py::init<Function, Context>(), py::arg("function"),
                                           context);
  py::enum_<SyncType>(p, "SyncType")
      .value("INTERNAL", SyncType::INTERNAL)
      .value("EXTERNAL", SyncType::EXTERNAL)
      .value("GLOBAL", SyncType::GLOBAL);
  py::class_<Sync, Program>(p, "Sync").def(py::init<SyncType, Context>(), py::arg("type"), context);
  py::class_<PrintTensor, Program>(p, "PrintTensor")
      .def(
          py::init([](const std::string& title, const Tensor& t) { return PrintTensor(title, t); }),
          py::arg("title"), py::arg("tensor"));
  py::class_<WriteUndef, Program>(p, "WriteUndef")
      .def(py::init<Tensor, Context>(), py::arg("tensor"), context);
}

Tensor addConstant(Graph& g, const Type& type, const Sizes& shape, const py::object& values,
                   const DebugContext& c) {
  const auto array = contiguous(values);
  Tensor t = g.impl()->addVariable(type, {shape.begin(), shape.end()}, c.getPathName(), true);
  setInitialValue(g, t, array);
  return t;
}

void bindGraph(py::module_& m) {
  using Context = const DebugContext&;
  const auto context = py::arg("debugContext") = DebugContext();
  py::class_<ComputeSet>(m, "ComputeSet").def("getId", &ComputeSet::getId);
  py::class_<Function>(m, "Function").def("getId", &Function::getId);
  py::class_<DataStream>(m, "DataStream")
      .def("handle", &DataStream::handle)
      .def("numElements", &DataStream::numElements)
      .def("elementType", &DataStream::elementType);
  py::class_<Graph>(m, "Graph", "Variables, constants, compute sets and streams of one program.")
      .def(py::init([](const Target& t) { return Graph(t); }), py::arg("target"))
      .def(py::init([](const Device& d) { return Graph(d); }), py::arg("device"))
      .def("createVirtualGraph", py::overload_cast<unsigned, unsigned>(&Graph::createVirtualGraph),
           py::arg("lowerTile"), py::arg("upperTile"))
      .def("createVirtualGraph",
           py::overload_cast<const std::vector<unsigned>&>(&Graph::createVirtualGraph),
           py::arg("perIpuTiles"))
      .def("getTopLevelGraph", &Graph::getTopLevelGraph)
      .def("getTarget", &Graph::getTarget)
      .def(
          "addVariable",
          [](Graph& g, const Type& t, const Sizes& s, Context c) { return g.addVariable(t, s, c); },
          py::arg("type"), py::arg("shape"), context)
      .def(
          "addVariable",
          [](Graph& g, const Type& t, const Sizes& s, VariableMappingMethod method, Context c) {
            return g.addVariable(t, s, method, c);
          },
          py::arg("type"), py::arg("shape"), py::arg("method"), context)
      .def("addConstant", &addConstant, py::arg("type"), py::arg("shape"), py::arg("values"),
           context, "A constant of numpy values, converted to `type`; one value fills the shape.")
      .def(
          "setInitialValue",
          [](Graph& g, const Tensor& t, const py::object& values) {
            setInitialValue(g, t, contiguous(values));
          },
          py::arg("tensor"), py::arg("values"))
      .def(
          "clone", [](Graph& g, const Tensor& t, Context c) { return g.clone(t, c); },
          py::arg("tensor"), context)
      .def(
          "clone",
          [](Graph& g, const Type& type, const Tensor& t, Context c) {
            return g.clone(type, t, c);
          },
          py::arg("type"), py::arg("tensor"), context)
      .def("setTileMapping", py::overload_cast<const Tensor&, unsigned>(&Graph::setTileMapping),
           py::arg("tensor"), py::arg("tile"))
      .def(
          "setTileMapping",
          [](Graph& g, const Tensor& t, const Mapping& mapping) {
            Graph::TileToTensorMapping intervals(mapping.size());
            for (std::size_t i = 0; i < mapping.size(); ++i)
              for (const auto& range : mapping[i])
                intervals[i].emplace_back(range.first, range.second);
            g.setTileMapping(t, intervals);
          },
          py::arg("tensor"), py::arg("mapping"),
          "`mapping[tile]` is a list of (begin, end) in the flattened tensor.")
      .def(
          "getTileMapping",
          [](const Graph& g, const Tensor& t, bool requireComplete) {
            Mapping mapping;
            for (const auto& tile : g.getTileMapping(t, requireComplete)) {
              mapping.emplace_back();
              for (const auto& i : tile) mapping.back().emplace_back(i.begin(), i.end());
            }
            return mapping;
          },
          py::arg("tensor"), py::arg("requireComplete") = true)
      .def("addComputeSet", &Graph::addComputeSet, context)
      .def("addFunction", &Graph::addFunction, py::arg("program"))
      .def(
          "addHostToDeviceFIFO",
          [](Graph& g, const std::string& handle, const Type& t, std::size_t n) {
            return g.addHostToDeviceFIFO(handle, t, n);
          },
          py::arg("handle"), py::arg("elementType"), py::arg("numElements"))
      .def(
          "addDeviceToHostFIFO",
          [](Graph& g, const std::string& handle, const Type& t, std::size_t n) {
            return g.addDeviceToHostFIFO(handle, t, n);
          },
          py::arg("handle"), py::arg("elementType"), py::arg("numElements"))
      .def(
          "createHostWrite",
          [](Graph& g, const std::string& handle, const Tensor& t) {
            g.createHostWrite(handle, t);
          },
          py::arg("handle"), py::arg("tensor"))
      .def(
          "createHostRead",
          [](Graph& g, const std::string& handle, const Tensor& t) { g.createHostRead(handle, t); },
          py::arg("handle"), py::arg("tensor"))
      .def("numVariables", [](const Graph& g) { return g.impl()->variables.size(); })
      .def("numVertices", [](const Graph& g) { return g.impl()->vertices.size(); })
      .def("variableName",
           [](const Graph& g, unsigned v) { return g.impl()->variables.at(v).name; })
      .def(
          "variableOf",
          [](const Graph& g, unsigned v) {
            const auto& variable = g.impl()->variables.at(v);
            return Tensor(View::ofVariable(g.impl().get(), v, variable.constant, variable.type,
                                           variable.shape));
          },
          py::arg("id"), "The whole of a variable, by its id.");
  m.def(
      "programAccesses",
      [](const Graph& g, const program::Program& p) {
        auto found = programAccesses(g, p);
        return std::make_pair(std::move(found.reads), std::move(found.writes));
      },
      py::arg("graph"), py::arg("program"),
      "Ids of the variables that a program reads and of those it writes, whatever way its "
      "branches go.");
}

}  // namespace

void bindPoplar(py::module_& m) {
  m.doc() = "Poplar: graphs, tensors, programs, engines.";
  registerErrors();
  bindTypes(m);
  bindDevices(m);
  bindTensor(m);
  bindPrograms(m);
  bindGraph(m);
  bindVertices(m);
  bindEngine(m);
}

}  // namespace popir
