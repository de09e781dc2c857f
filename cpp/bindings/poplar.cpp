// popir.poplar: graphs, tensors, programs. Devices, vertices and the engine have their own files.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>
#include <poplar/CSRFunctions.hpp>
#include <poplar/Graph.hpp>

#include <set>
#include <sstream>

#include "bindings/devices.hpp"
#include "bindings/engine.hpp"
#include "bindings/errors.hpp"
#include "bindings/module.hpp"
#include "bindings/numpy.hpp"
#include "bindings/signatures.hpp"
#include "bindings/values.hpp"
#include "bindings/vertices.hpp"
#include "poplar/graph_impl.hpp"
#include "poplar/program_node.hpp"
#include "poplar/tangle.hpp"
#include "program/accesses.hpp"

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
  withEquality(
      py::class_<Type>(m, "Type",
                       "The type of an element, such as poplar.FLOAT (Poplar: poplar/Type.hpp)."))
      .def("toString", &Type::toString, "The name of the type in C++, such as \"float\".")
      .def("sizeInBytes", &Type::sizeInBytes, "The bytes that one element takes.")
      .def("__repr__", [](const Type& t) { return "poplar.Type(" + t.toString() + ")"; })
      .def("__hash__", [](const Type& t) { return static_cast<int>(t.kind()); })
      .def_property_readonly(
          "dtype", [](const Type& t) { return dtypeOf(t); }, "The numpy dtype of the same values.")
      .def(py::pickle(&nameOf, &typeNamed));
  for (const auto& t : types) m.attr(t.first) = t.second;
  m.def(
      "typeOf", [](const DTypeLike& dtype) { return typeOf(py::dtype::from_args(dtype)); },
      py::arg("dtype"), "The device type of a numpy dtype.");

  py::enum_<TargetType>(m, "TargetType", "What executes a program (Poplar: poplar/TargetType.hpp).")
      .value("IPU", TargetType::IPU)
      .value("IPU_MODEL", TargetType::IPU_MODEL)
      .value("CPU", TargetType::CPU);
  py::enum_<VariableMappingMethod>(
      m, "VariableMappingMethod",
      "How a new variable is spread over tiles: not at all, or evenly in order.")
      .value("NONE", VariableMappingMethod::NONE)
      .value("LINEAR", VariableMappingMethod::LINEAR);
  py::enum_<TensorCloneMethod>(m, "TensorCloneMethod",
                               "What a clone keeps of the order and the aliases of its original.")
      .value("PRESERVE_ORDER_AND_ALIASES", TensorCloneMethod::PRESERVE_ORDER_AND_ALIASES)
      .value("CREATE_NEW_ORDER", TensorCloneMethod::CREATE_NEW_ORDER)
      .value("PRESERVE_ORDER_UNLESS_ALIASES", TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES)
      .value("GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES",
             TensorCloneMethod::GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES);
  withEquality(py::class_<Interval>(m, "Interval", "The range [begin, end) of elements."))
      .def(py::init<std::size_t, std::size_t>(), py::arg("begin"), py::arg("end"))
      .def(
          "begin", [](const Interval& i) { return i.begin(); }, "The first element of the range.")
      .def(
          "end", [](const Interval& i) { return i.end(); }, "The element after the last.")
      .def("size", &Interval::size, "The number of elements in the range.")
      .def("__repr__", &str<Interval>);

  py::class_<DebugContext>(
      m, "DebugContext",
      "A path name, under which the device files what is added. A str converts to it.")
      .def(py::init([](const std::string& name) { return DebugContext(name); }),
           py::arg("name") = "")
      .def(py::init([](const DebugContext& parent, const std::string& name) {
             return DebugContext(parent, name);
           }),
           py::arg("parent"), py::arg("name"))
      .def("getPathName", &DebugContext::getPathName,
           "The names of the parents and the own one, joined by slashes.");
  py::implicitly_convertible<py::str, DebugContext>();

  py::class_<OptionFlags>(
      m, "OptionFlags",
      "Options by name (Poplar: poplar/OptionFlags.hpp). A dict of str converts to it.")
      .def(py::init([](const py::typing::Dict<py::str, py::str>& values) {
             OptionFlags flags;
             const auto text = [](py::handle h) { return py::cast<std::string>(py::str(h)); };
             for (const auto& item : values) flags.set(text(item.first), text(item.second));
             return flags;
           }),
           py::arg("values") = py::dict())
      .def("set", py::overload_cast<const std::string&, const std::string&>(&OptionFlags::set),
           py::arg("option"), py::arg("value"), "Sets or replaces the value of an option.")
      .def("at", &OptionFlags::at, py::arg("option"),
           "The value of an option. Raises poplar_invalid_option if it is not set.")
      .def("__repr__", &str<OptionFlags>);
  py::implicitly_convertible<py::dict, OptionFlags>();
}

void bindTensor(py::module_& m) {
  using Dims = std::vector<unsigned>;
  py::class_<Tensor>(
      m, "Tensor",
      "A view of variables of a graph (Poplar: poplar/Tensor.hpp). Its methods give "
      "other views and copy nothing. They raise poplar_index_error for dimensions and "
      "elements that there are not.")
      .def(py::init<>())
      .def("valid", &Tensor::valid, "Whether the tensor shows anything: Tensor() does not.")
      .def("elementType", &Tensor::elementType, "The type of the elements.")
      .def("shape", &Tensor::shape, "The size of each dimension.")
      .def("rank", &Tensor::rank, "The number of dimensions, 0 for a scalar.")
      .def("dim", &Tensor::dim, py::arg("dimension"), "The size of a dimension.")
      .def("numElements", &Tensor::numElements, "The product of all sizes.")
      .def("__len__", [](const Tensor& t) { return t.dim(0); })
      // Not by the length: a scalar has none, and a tensor of no elements is a tensor.
      .def("__bool__", &Tensor::valid)
      .def(
          "__getitem__",
          [](const Tensor& t, std::size_t i) {
            if (t.rank() > 0 && i >= t.dim(0))
              throw py::index_error("index " + std::to_string(i) + " given for a tensor of shape " +
                                    t.shapeToString());
            return t[i];
          },
          py::arg("index"))
      .def(
          "slice",
          [](const Tensor& t, std::size_t b, std::size_t e, unsigned d) {
            return t.slice(b, e, d);
          },
          py::arg("begin"), py::arg("end"), py::arg("dimension") = 0,
          "Elements [begin, end) of one dimension.")
      .def(
          "slice", [](const Tensor& t, const Sizes& b, const Sizes& e) { return t.slice(b, e); },
          py::arg("begin"), py::arg("end"), "Elements [begin[i], end[i]) of each dimension i.")
      .def("subSample", &Tensor::subSample, py::arg("stride"), py::arg("dimension"),
           "Every element whose index along a dimension is a multiple of `stride`.")
      .def("reverse", &Tensor::reverse, py::arg("dimension"),
           "The elements in reverse order along a dimension.")
      .def(
          "flatten", [](const Tensor& t) { return t.flatten(); },
          "All elements as one dimension, in row-major order.")
      .def(
          "flatten", [](const Tensor& t, unsigned b, unsigned e) { return t.flatten(b, e); },
          py::arg("dimBegin"), py::arg("dimEnd"), "Dimensions [dimBegin, dimEnd) as one.")
      .def(
          "reshape", [](const Tensor& t, const Sizes& s) { return t.reshape(s); }, py::arg("shape"),
          "The same elements in row-major order, as another shape of as many.")
      .def(
          "reshapePartial",
          [](const Tensor& t, unsigned b, unsigned e, const Sizes& s) {
            return t.reshapePartial(b, e, s);
          },
          py::arg("beginIndex"), py::arg("endIndex"), py::arg("newDims"),
          "Dimensions [beginIndex, endIndex) replaced by `newDims`, of as many elements.")
      .def(
          "dimShuffle", [](const Tensor& t, const Dims& p) { return t.dimShuffle(p); },
          py::arg("permutation"),
          "The dimensions in another order: dimension i is permutation[i] of this tensor.")
      .def(
          "dimShufflePartial",
          [](const Tensor& t, const Dims& s, const Dims& d) { return t.dimShufflePartial(s, d); },
          py::arg("source"), py::arg("destination"),
          "Dimension source[i] moved to place destination[i]; the others keep their order.")
      .def("dimRoll", &Tensor::dimRoll, py::arg("dimIdx"), py::arg("newIdx") = 0,
           "Dimension `dimIdx` moved to place `newIdx`; the others keep their order.")
      .def("transpose", &Tensor::transpose, "A matrix with rows and columns exchanged.")
      .def("broadcast", &Tensor::broadcast, py::arg("N"), py::arg("dimension"),
           "`N` copies along a dimension, which grows by the factor N. All show the same "
           "elements.")
      .def(
          "upsample",
          [](const Tensor& t, unsigned scale, unsigned d) { return t.upsample(scale, d); },
          py::arg("scale"), py::arg("dimension"),
          "Each element `scale` times in a row along a dimension.")
      .def(
          "expand", [](const Tensor& t, const Sizes& i) { return t.expand(i); }, py::arg("indices"),
          "A dimension of size 1 put before each of the dimensions `indices`.")
      .def(
          "squeeze", [](const Tensor& t) { return t.squeeze(); }, "Dimensions of size 1 removed.")
      .def(
          "squeeze", [](const Tensor& t, const Sizes& d) { return t.squeeze(d); }, py::arg("dims"),
          "The dimensions `dims` removed, which have size 1.")
      .def("reinterpret", &Tensor::reinterpret, py::arg("type"),
           "The same bits as elements of another type of the same size. Raises "
           "poplar_type_error for another size.")
      .def("isContiguous", &Tensor::isContiguous,
           "Whether the elements lie in one variable, one after another.")
      .def("containsAliases", &Tensor::containsAliases,
           "Whether an element is shown more than once.")
      .def("containsConstant", &Tensor::containsConstant,
           "Whether an element belongs to a constant.")
      .def("isParallelWriteable", &Tensor::isParallelWriteable,
           "Whether no element appears twice and none is constant, so that vertices may "
           "write it.")
      .def(
          "isTangled", [](const Tensor& t) { return isTangled(t.view()); },
          "Whether the view consists of so many pieces that copying it pays.")
      .def("intersectsWith", &Tensor::intersectsWith, py::arg("other"),
           "Whether both tensors show an element of the same variable.")
      .def(
          "variables",
          [](const Tensor& t) {
            const auto v = t.view().variables();
            return std::set<unsigned>(v.begin(), v.end());
          },
          "The ids of the variables that the tensor shows.")
      .def(
          "numPieces", [](const Tensor& t) { return t.view().pieces().size(); },
          "The number of strided boxes that the view consists of.")
      .def("__repr__", &Tensor::getDebugStr);
  m.def(
      "concat", [](const std::vector<Tensor>& ts, unsigned d) { return concat(ts, d); },
      py::arg("tensors"), py::arg("dimension") = 0,
      "The tensors joined along a dimension, in which alone their shapes may differ.");
}

/// What programs and graphs refer to.
void bindReferences(py::module_& m) {
  py::class_<ComputeSet>(m, "ComputeSet", "Vertices that run in one step, in any order.")
      .def("getId", &ComputeSet::getId, "The number of the compute set in its graph.");
  py::class_<Function>(m, "Function",
                       "A program that is there once and called from several places.")
      .def("getId", &Function::getId, "The number of the function in its graph.");
  py::class_<DataStream>(m, "DataStream",
                         "A way of elements between host and device; see Engine.connectStream.")
      .def("handle", &DataStream::handle, "The name that the host connects it by.")
      .def("numElements", &DataStream::numElements, "The elements of one transfer.")
      .def("elementType", &DataStream::elementType, "The type of the elements.");
}

void bindPrograms(py::module_& m) {
  using namespace program;
  auto p = m.def_submodule("program", "What a device executes.");
  using Context = const DebugContext&;
  const auto context = debugContext();
  py::class_<Program>(p, "Program", "What a device executes (Poplar: poplar/Program.hpp).")
      .def(py::init<>())
      .def("isEmpty", &Program::isEmpty, "Whether the program does nothing.");
  py::class_<Sequence, Program>(p, "Sequence", "Programs one after another.")
      .def(py::init([](const std::vector<Program>& programs, Context c) {
             Sequence s(c);
             for (const auto& q : programs) s.add(q);
             return s;
           }),
           py::arg("programs") = std::vector<Program>(), context)
      .def("add", &Sequence::add, py::arg("program"), "Adds a program to the end.")
      .def("__len__", &Sequence::size);
  py::class_<Execute, Program>(p, "Execute", "Runs the vertices of a compute set.")
      .def(py::init<ComputeSet, Context>(), py::arg("cs"), context);
  py::class_<Copy, Program>(
      p, "Copy",
      "Copies elements of a tensor or a stream to others, of as many elements and the "
      "same type.")
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
  py::class_<Repeat, Program>(p, "Repeat", "Runs a program a number of times.")
      .def(py::init<unsigned, const Program&, Context>(), py::arg("count"), py::arg("body"),
           context);
  py::class_<RepeatWhileTrue, Program>(
      p, "RepeatWhileTrue",
      "Runs `condition`, then, while `predicate` is not zero, `body` and `condition` again. "
      "`predicate`: one element of BOOL, INT or UNSIGNED_INT.")
      .def(py::init<const Program&, Tensor, const Program&, Context>(), py::arg("condition"),
           py::arg("predicate"), py::arg("body"), context);
  py::class_<RepeatWhileFalse, Program>(
      p, "RepeatWhileFalse",
      "Runs `condition`, then, while `predicate` is zero, `body` and `condition` again. "
      "`predicate`: one element of BOOL, INT or UNSIGNED_INT.")
      .def(py::init<const Program&, Tensor, const Program&, Context>(), py::arg("condition"),
           py::arg("predicate"), py::arg("body"), context);
  py::class_<If, Program>(p, "If",
                          "Runs `trueBody` if `predicate` is not zero, else `falseBody`. "
                          "`predicate`: one element of BOOL, INT or UNSIGNED_INT.")
      .def(py::init<Tensor, const Program&, const Program&, Context>(), py::arg("predicate"),
           py::arg("trueBody"), py::arg("falseBody"), context);
  py::class_<Call, Program>(p, "Call", "Calls a function of the graph, or one of the host.")
      .def(py::init<Function, Context>(), py::arg("function"), context);
  py::enum_<SyncType>(p, "SyncType", "How far a synchronisation reaches.")
      .value("INTERNAL", SyncType::INTERNAL)
      .value("EXTERNAL", SyncType::EXTERNAL)
      .value("GLOBAL", SyncType::GLOBAL);
  py::class_<Sync, Program>(p, "Sync",
                            "A synchronisation of tiles. It costs cycles and changes no results.")
      .def(py::init<SyncType, Context>(), py::arg("type"), context);
  py::class_<PrintTensor, Program>(p, "PrintTensor",
                                   "Prints a tensor after its title, each time that it runs.")
      .def(
          py::init([](const std::string& title, const Tensor& t) { return PrintTensor(title, t); }),
          py::arg("title"), py::arg("tensor"));
  py::class_<WriteUndef, Program>(p, "WriteUndef",
                                  "Says that the values of a tensor are not needed any more.")
      .def(py::init<Tensor, Context>(), py::arg("tensor"), context);
}

Tensor addConstant(Graph& g, const Type& type, const Sizes& shape, const ArrayLike& values,
                   const DebugContext& c) {
  const auto array = contiguous(values);
  Tensor t = g.impl()->addVariable(type, {shape.begin(), shape.end()}, c.getPathName(), true);
  setInitialValue(g, t, array);
  return t;
}

void bindGraph(py::module_& m) {
  using Context = const DebugContext&;
  const auto context = debugContext();
  py::class_<Graph>(m, "Graph",
                    "Variables, constants, vertices, functions and streams of one program (Poplar: "
                    "poplar/Graph.hpp).")
      .def(py::init([](const Target& t) { return Graph(t); }), py::arg("target"))
      .def(py::init([](const Device& d) { return Graph(d); }), py::arg("device"))
      .def("createVirtualGraph", py::overload_cast<unsigned, unsigned>(&Graph::createVirtualGraph),
           py::arg("lowerTile"), py::arg("upperTile"),
           "The same graph seen through tiles [lowerTile, upperTile) alone, which it counts "
           "from 0.")
      .def("createVirtualGraph",
           py::overload_cast<const std::vector<unsigned>&>(&Graph::createVirtualGraph),
           py::arg("perIpuTiles"), "The same graph seen through these tiles of each IPU alone.")
      .def("getTopLevelGraph", &Graph::getTopLevelGraph,
           "The graph that a virtual graph is a part of, with all tiles.")
      .def("getTarget", &Graph::getTarget,
           "The machine that the graph is for, with the tiles that the graph sees.")
      .def(
          "addVariable",
          [](Graph& g, const Type& t, const Sizes& s, Context c) { return g.addVariable(t, s, c); },
          py::arg("type"), py::arg("shape"), context, "A new variable, on no tile yet.")
      .def(
          "addVariable",
          [](Graph& g, const Type& t, const Sizes& s, VariableMappingMethod method, Context c) {
            return g.addVariable(t, s, method, c);
          },
          py::arg("type"), py::arg("shape"), py::arg("method"), context,
          "A new variable, on tiles as `method` says.")
      .def("addConstant", &addConstant, py::arg("type"), py::arg("shape"), py::arg("values"),
           context, "A constant of numpy values, converted to `type`; one value fills the shape.")
      .def(
          "setInitialValue",
          [](Graph& g, const Tensor& t, const ArrayLike& values) {
            setInitialValue(g, t, contiguous(values));
          },
          py::arg("tensor"), py::arg("values"),
          "Gives a variable the values that it has when an engine is loaded. One value "
          "fills the shape. Raises poplar_type_error for values that the device does not "
          "have.")
      .def(
          "clone", [](Graph& g, const Tensor& t, Context c) { return g.clone(t, c); },
          py::arg("tensor"), context, "A new variable of the same type, shape and tiles.")
      .def(
          "clone",
          [](Graph& g, const Type& type, const Tensor& t, Context c) {
            return g.clone(type, t, c);
          },
          py::arg("type"), py::arg("tensor"), context, "The same with elements of another type.")
      .def("setTileMapping", py::overload_cast<const Tensor&, unsigned>(&Graph::setTileMapping),
           py::arg("tensor"), py::arg("tile"), "Puts all elements on one tile.")
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
          "Puts elements on tiles: `mapping[tile]` is a list of (begin, end) in the "
          "flattened tensor.")
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
          py::arg("tensor"), py::arg("requireComplete") = true,
          "By tile, a list of (begin, end) in the flattened tensor. Raises "
          "poplar_invalid_tile_mapping for elements on no tile, if `requireComplete`.")
      .def("addComputeSet", &Graph::addComputeSet, context, "A new compute set, without vertices.")
      .def("addFunction", &Graph::addFunction, py::arg("program"),
           "A function of a program, to be called by program.Call.")
      .def(
          "addHostToDeviceFIFO",
          [](Graph& g, const std::string& handle, const Type& t, std::size_t n) {
            return g.addHostToDeviceFIFO(handle, t, n);
          },
          py::arg("handle"), py::arg("elementType"), py::arg("numElements"),
          "A new stream from the host.")
      .def(
          "addDeviceToHostFIFO",
          [](Graph& g, const std::string& handle, const Type& t, std::size_t n) {
            return g.addDeviceToHostFIFO(handle, t, n);
          },
          py::arg("handle"), py::arg("elementType"), py::arg("numElements"),
          "A new stream to the host.")
      .def(
          "createHostWrite",
          [](Graph& g, const std::string& handle, const Tensor& t) {
            g.createHostWrite(handle, t);
          },
          py::arg("handle"), py::arg("tensor"),
          "Lets Engine.writeTensor reach a tensor by `handle`.")
      .def(
          "createHostRead",
          [](Graph& g, const std::string& handle, const Tensor& t) { g.createHostRead(handle, t); },
          py::arg("handle"), py::arg("tensor"),
          "Lets Engine.readTensor reach a tensor by `handle`.")
      .def(
          "numVariables", [](const Graph& g) { return g.impl()->variables.size(); },
          "The number of variables and constants in the graph.")
      .def(
          "numVertices", [](const Graph& g) { return g.impl()->vertices.size(); },
          "The number of vertices in the graph; one may stand for many of an IPU.")
      .def(
          "variableName", [](const Graph& g, unsigned v) { return g.impl()->variables.at(v).name; },
          py::arg("id"), "The path name of a variable, by its id.")
      .def(
          "variableOf",
          [](const Graph& g, unsigned v) {
            const auto& variable = g.impl()->variables.at(v);
            return Tensor(View::ofVariable(g.impl().get(), v, variable.constant, variable.type,
                                           variable.shape));
          },
          py::arg("id"), "The whole of a variable, by its id.");
  m.def("setStochasticRounding", &poplar::setStochasticRounding, py::arg("graph"), py::arg("prog"),
        py::arg("enable"), context,
        "How what prog does from here on rounds to 16-bit floats: stochastically, or to nearest.");
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
  bindReferences(m);
  bindPrograms(m);
  bindGraph(m);
  bindVertices(m);
  bindEngine(m);
}

}  // namespace popir
