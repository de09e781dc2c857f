// popir.poplar: graphs, tensors, programs. Devices, vertices and the engine have their own files.
// Long, because these classes have many functions, and each has its words for Python here.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>
#include <poplar/CSRFunctions.hpp>
#include <poplar/Graph.hpp>
#include <poplar/MetadataCreation.hpp>

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

/// The variable or constant with an id. \throws py::index_error if the graph has none
const auto& variableOf(const Graph& graph, unsigned id) {
  const auto& variables = graph.impl()->variables;
  if (id >= variables.size())
    throw py::index_error("The graph has no variable " + std::to_string(id) + "; it has " +
                          std::to_string(variables.size()) + ".");
  return variables[id];
}

template <class T>
std::string str(const T& value) {
  std::ostringstream os;
  os << value;
  return os.str();
}

/// The element types, by their names in the module.
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
      py::class_<Type>(
          m, "Type",
          "The type of a tensor's elements, such as poplar.FLOAT (Poplar: poplar/Type.hpp)."))
      .def("toString", &Type::toString, "The name of the type in codelets, such as \"float\".")
      .def("sizeInBytes", &Type::sizeInBytes, "The bytes that one element takes.")
      .def("__repr__", [](const Type& t) { return "poplar.Type(" + t.toString() + ")"; })
      .def("__hash__", [](const Type& t) { return static_cast<int>(t.kind()); })
      .def_property_readonly(
          "dtype", [](const Type& t) { return dtypeOf(t); },
          "The numpy dtype of the same values; int8 for CHAR, ml_dtypes.bfloat16 for BFLOAT16.\n"
          "Raises poplar_type_error for QUARTER.")
      .def(py::pickle(&nameOf, &typeNamed));
  for (const auto& t : types) m.attr(t.first) = t.second;
  m.def(
      "typeOf", [](const DTypeLike& dtype) { return typeOf(py::dtype::from_args(dtype)); },
      py::arg("dtype"),
      "The element type of a numpy dtype. Raises poplar_type_error if there is none.");

  py::enum_<TargetType>(m, "TargetType",
                        "What executes a program (Poplar: poplar/TargetType.hpp). IPU is\n"
                        "simulated as IPU_MODEL is.")
      .value("IPU", TargetType::IPU)
      .value("IPU_MODEL", TargetType::IPU_MODEL)
      .value("CPU", TargetType::CPU);
  py::enum_<VariableMappingMethod>(
      m, "VariableMappingMethod",
      "The tile mapping of a new variable (Poplar: poplar/VariableMappingMethod.hpp). NONE:\n"
      "no mapping yet. LINEAR: spread evenly over the tiles, in order.")
      .value("NONE", VariableMappingMethod::NONE)
      .value("LINEAR", VariableMappingMethod::LINEAR);
  py::enum_<TensorCloneMethod>(
      m, "TensorCloneMethod",
      "A method of cloning a tensor (Poplar: poplar/TensorCloneMethod.hpp). All give the\n"
      "same here: a new variable without aliases.")
      .value("PRESERVE_ORDER_AND_ALIASES", TensorCloneMethod::PRESERVE_ORDER_AND_ALIASES)
      .value("CREATE_NEW_ORDER", TensorCloneMethod::CREATE_NEW_ORDER)
      .value("PRESERVE_ORDER_UNLESS_ALIASES", TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES)
      .value("GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES",
             TensorCloneMethod::GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES);
  withEquality(
      py::class_<Interval>(m, "Interval",
                           "The range [begin, end) of elements (Poplar: poplar/Interval.hpp)."))
      .def(py::init<std::size_t, std::size_t>(), py::arg("begin"), py::arg("end"))
      .def(
          "begin", [](const Interval& i) { return i.begin(); }, "The first element of the range.")
      .def(
          "end", [](const Interval& i) { return i.end(); }, "The element after the last.")
      .def("size", &Interval::size, "The number of elements in the range.")
      .def("__repr__", &str<Interval>);

  py::class_<DebugContext>(
      m, "DebugContext",
      "The path name of what a function adds to a graph, for messages and reports (Poplar:\n"
      "poplar/DebugContext.hpp). A str converts to it.")
      .def(py::init([](const std::string& name) { return DebugContext(name); }),
           py::arg("name") = "")
      .def(py::init([](const DebugContext& parent, const std::string& name) {
             return DebugContext(parent, name);
           }),
           py::arg("parent"), py::arg("name"))
      .def("getPathName", &DebugContext::getPathName,
           "The names of its parents and its own, joined by slashes.");
  py::implicitly_convertible<py::str, DebugContext>();

  py::class_<OptionFlags>(
      m, "OptionFlags",
      "Options by name, with text as values (Poplar: poplar/OptionFlags.hpp). A dict\n"
      "converts to it; its keys and values are converted by str().")
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
      "A view of elements of a graph's variables and constants (Poplar: poplar/Tensor.hpp).\n"
      "Methods that return a Tensor return another view of the same elements; nothing is\n"
      "copied. Methods raise poplar_index_error for dimensions, indices and shapes that do\n"
      "not fit the tensor's own.")
      .def(py::init<>())
      .def("valid", &Tensor::valid,
           "Whether it is a view at all: Tensor() is not, and other methods refuse it.")
      .def("elementType", &Tensor::elementType, "The type of the elements.")
      .def("shape", &Tensor::shape, "The size of each dimension.")
      .def("rank", &Tensor::rank, "The number of dimensions, 0 for a scalar.")
      .def("dim", &Tensor::dim, py::arg("dimension"), "The size of a dimension.")
      .def("numElements", &Tensor::numElements, "The product of all sizes.")
      .def(
          "__len__", [](const Tensor& t) { return t.dim(0); }, "The size of the first dimension.")
      // Without __bool__ Python would use the length. A scalar has none; an
      // empty tensor has 0.
      .def("__bool__", &Tensor::valid, "The same as valid().")
      .def(
          "__getitem__",
          [](const Tensor& t, std::size_t i) {
            if (t.rank() > 0 && i >= t.dim(0))
              throw py::index_error("index " + std::to_string(i) + " given for a tensor of shape " +
                                    t.shapeToString());
            return t[i];
          },
          py::arg("index"),
          "Element `index` of the first dimension, which is removed. Raises IndexError beyond its\n"
          "end, and poplar_index_error for a scalar.")
      .def(
          "slice",
          [](const Tensor& t, std::size_t b, std::size_t e, unsigned d) {
            return t.slice(b, e, d);
          },
          py::arg("begin"), py::arg("end"), py::arg("dimension") = 0,
          "Elements [begin, end) of a dimension.")
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
          "The same elements, in row-major order, with another shape of as many elements.")
      .def(
          "reshapePartial",
          [](const Tensor& t, unsigned b, unsigned e, const Sizes& s) {
            return t.reshapePartial(b, e, s);
          },
          py::arg("beginIndex"), py::arg("endIndex"), py::arg("newDims"),
          "Dimensions [beginIndex, endIndex) replaced by `newDims`,\n"
          "which have as many elements.")
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
      .def("transpose", &Tensor::transpose,
           "The matrix with rows and columns exchanged.\n"
           "Raises poplar_index_error unless the rank is 2.")
      .def("broadcast", &Tensor::broadcast, py::arg("N"), py::arg("dimension"),
           "The tensor repeated `N` times along a dimension, whose size grows by the factor `N`.\n"
           "The repetitions are views of the same elements.")
      .def(
          "upsample",
          [](const Tensor& t, unsigned scale, unsigned d) { return t.upsample(scale, d); },
          py::arg("scale"), py::arg("dimension"),
          "Each element repeated `scale` times along a dimension, whose\n"
          "size grows by that factor.")
      .def(
          "expand", [](const Tensor& t, const Sizes& i) { return t.expand(i); }, py::arg("indices"),
          "A dimension of size 1 inserted before each of the dimensions `indices`.")
      .def(
          "squeeze", [](const Tensor& t) { return t.squeeze(); },
          "All dimensions of size 1 removed.")
      .def(
          "squeeze", [](const Tensor& t, const Sizes& d) { return t.squeeze(d); }, py::arg("dims"),
          "The dimensions `dims` removed, all of which have size 1.")
      .def("reinterpret", &Tensor::reinterpret, py::arg("type"),
           "The same bits as elements of another type of the same size.\n"
           "Raises poplar_type_error for another size.")
      .def("isContiguous", &Tensor::isContiguous,
           "Whether the elements are adjacent in one variable, in row-major order.")
      .def("containsAliases", &Tensor::containsAliases, "Whether an element occurs more than once.")
      .def("containsConstant", &Tensor::containsConstant,
           "Whether an element belongs to a constant.")
      .def("isParallelWriteable", &Tensor::isParallelWriteable,
           "Whether no element occurs twice and none is constant, so that\n"
           "vertices may write the tensor.")
      .def(
          "isTangled", [](const Tensor& t) { return isTangled(t.view()); },
          "Whether the view is so complex that a copy is better than further views of it: it\n"
          "has more than 1024 pieces, or more than 32 levels of views.")
      .def("intersectsWith", &Tensor::intersectsWith, py::arg("other"),
           "Whether an element belongs to both tensors.")
      .def(
          "variables",
          [](const Tensor& t) {
            const auto v = t.view().variables();
            return std::set<unsigned>(v.begin(), v.end());
          },
          "The ids of the variables and constants with elements in the tensor.")
      .def(
          "numPieces", [](const Tensor& t) { return t.view().pieces().size(); },
          "The number of strided boxes that the view consists of.")
      .def("__repr__", &Tensor::getDebugStr);
  m.def(
      "concat", [](const std::vector<Tensor>& ts, unsigned d) { return concat(ts, d); },
      py::arg("tensors"), py::arg("dimension") = 0,
      "The tensors joined along a dimension, the only one in which their shapes may differ.\n"
      "Raises poplar_index_error for other shapes and for an empty list, poplar_type_error\n"
      "for different element types.");
}

/// Handles that programs and graphs refer to.
void bindReferences(py::module_& m) {
  py::class_<ComputeSet>(
      m, "ComputeSet",
      "A set of vertices that run in parallel (Poplar: poplar/GraphElements.hpp).\n"
      "Graph.addComputeSet makes it.")
      .def("getId", &ComputeSet::getId, "The number of the compute set in its graph.");
  py::class_<Function>(
      m, "Function",
      "A program that other programs call by program.Call. Graph.addFunction makes it.")
      .def("getId", &Function::getId, "The number of the function in its graph.");
  py::class_<DataStream>(m, "DataStream",
                         "A stream between host and device (Poplar: poplar/DataStream.hpp);\n"
                         "see Engine.connectStream.")
      .def("handle", &DataStream::handle, "The name by which the engine connects the stream.")
      .def("numElements", &DataStream::numElements, "The number of elements of one transfer.")
      .def("elementType", &DataStream::elementType, "The type of the elements.");
  py::class_<RemoteBuffer>(
      m, "RemoteBuffer",
      "Rows of memory beside the device's (Poplar: poplar/DataStream.hpp), which program.Copy\n"
      "reads and writes. Each engine has its own, zero at first. See\n"
      "Engine.copyToRemoteBuffer.")
      .def("handle", &RemoteBuffer::handle, "The name by which an engine knows the buffer.")
      .def("numElements", &RemoteBuffer::numElements, "The number of elements of a row.")
      .def("getRepeats", &RemoteBuffer::getRepeats, "The number of rows.")
      .def("elementType", &RemoteBuffer::elementType, "The type of the elements.");
}

void bindPrograms(py::module_& m) {
  using namespace program;
  auto p =
      m.def_submodule("program", "Programs that a device executes (Poplar: poplar/Program.hpp).");
  using Context = const DebugContext&;
  const auto context = debugContext();
  py::class_<Program>(
      p, "Program",
      "The base class of all programs; Program() does nothing. A program is a value: adding\n"
      "to a Sequence does not change programs that contain it already.")
      .def(py::init<>())
      .def("isEmpty", &Program::isEmpty, "Whether the program does nothing.");
  py::class_<Sequence, Program>(p, "Sequence", "Runs programs one after another.")
      .def(py::init([](const std::vector<Program>& programs, Context c) {
             Sequence s(c);
             for (const auto& q : programs) s.add(q);
             return s;
           }),
           py::arg("programs") = std::vector<Program>(), context)
      .def("add", &Sequence::add, py::arg("program"), "Adds a program to the end.")
      .def("__len__", &Sequence::size, "The number of programs in the sequence.");
  py::class_<Execute, Program>(p, "Execute", "Runs the vertices of a compute set, in parallel.")
      .def(py::init<ComputeSet, Context>(), py::arg("cs"), context);
  py::class_<Copy, Program>(
      p, "Copy",
      "Copies a tensor to a tensor, or between a tensor and a stream, or between a tensor and\n"
      "those rows of a remote buffer whose numbers `offset` has, in row-major order.\n"
      "With `optimiseMemory` the host puts a stream's data in order, and tiles transfer what\n"
      "they have; else the tiles put it in order, which the machine model counts.\n"
      "Both have the same element type and number of elements; shapes may differ.\n"
      "Raises poplar_stream_connection_error for a stream or remote buffer that does not\n"
      "fit, or a stream that goes the other way.\n"
      "Raises poplar_graph_connection_error for tensors that do not fit, and for a\n"
      "destination that is not isParallelWriteable().")
      .def(py::init(
               [](const Tensor& s, const Tensor& d, Context c) { return Copy(s, d, false, c); }),
           py::arg("src"), py::arg("dst"), context)
      .def(py::init([](const DataStream& s, const Tensor& d, Context c, bool optimiseMemory) {
             return Copy(s, d, optimiseMemory, c);
           }),
           py::arg("stream"), py::arg("dst"), context, py::arg("optimiseMemory") = false)
      .def(py::init([](const Tensor& s, const DataStream& d, Context c, bool optimiseMemory) {
             return Copy(s, d, optimiseMemory, c);
           }),
           py::arg("src"), py::arg("stream"), context, py::arg("optimiseMemory") = false)
      .def(py::init([](const RemoteBuffer& s, const Tensor& d, const Tensor& rows, Context c) {
             return Copy(s, d, rows, c);
           }),
           py::arg("buffer"), py::arg("dst"), py::arg("offset"), context)
      .def(py::init([](const Tensor& s, const RemoteBuffer& d, const Tensor& rows, Context c) {
             return Copy(s, d, rows, c);
           }),
           py::arg("src"), py::arg("buffer"), py::arg("offset"), context);
  py::class_<Repeat, Program>(p, "Repeat", "Runs a program a number of times.")
      .def(py::init<unsigned, const Program&, Context>(), py::arg("count"), py::arg("body"),
           context);
  py::class_<RepeatWhileTrue, Program>(
      p, "RepeatWhileTrue",
      "Runs `condition`, then, while `predicate` is not zero, `body` and `condition` again.\n"
      "`predicate`: one element, BOOL, INT or UNSIGNED_INT.\n"
      "Raises poplar_control_program_error for another one.")
      .def(py::init<const Program&, Tensor, const Program&, Context>(), py::arg("condition"),
           py::arg("predicate"), py::arg("body"), context);
  py::class_<RepeatWhileFalse, Program>(
      p, "RepeatWhileFalse",
      "Runs `condition`, then, while `predicate` is zero, `body` and `condition` again.\n"
      "`predicate`: one element, BOOL, INT or UNSIGNED_INT.\n"
      "Raises poplar_control_program_error for another one.")
      .def(py::init<const Program&, Tensor, const Program&, Context>(), py::arg("condition"),
           py::arg("predicate"), py::arg("body"), context);
  py::class_<If, Program>(p, "If",
                          "Runs `trueBody` if `predicate` is not zero, else `falseBody`.\n"
                          "`predicate`: one element, BOOL, INT or UNSIGNED_INT.\n"
                          "Raises poplar_control_program_error for another one.")
      .def(py::init<Tensor, const Program&, const Program&, Context>(), py::arg("predicate"),
           py::arg("trueBody"), py::arg("falseBody"), context);
  py::class_<Call, Program>(
      p, "Call",
      "Calls a function of the graph, or a function of the host. A function of\n"
      "the host reads `inputs` and writes `outputs`, of the types and sizes\n"
      "given to Graph.addHostFunction; raises poplar_graph_connection_error for\n"
      "tensors that do not fit.")
      .def(py::init<Function, Context>(), py::arg("function"), context);
  py::enum_<SyncType>(p, "SyncType",
                      "The reach of a synchronisation; all members do the same here.")
      .value("INTERNAL", SyncType::INTERNAL)
      .value("EXTERNAL", SyncType::EXTERNAL)
      .value("GLOBAL", SyncType::GLOBAL);
  py::class_<Sync, Program>(p, "Sync",
                            "A synchronisation of tiles. It costs cycles and changes no results.")
      .def(py::init<SyncType, Context>(), py::arg("type"), context);
  py::class_<PrintTensor, Program>(
      p, "PrintTensor",
      "Prints a title and the values of a tensor to standard error, each time that it runs.\n"
      "The other arguments are those of Poplar's PrintTensorFmt; `floatFormat` is 0 for a form\n"
      "that the values choose, 1 for a fixed point, 2 for an exponent, 3 for that of a stream.\n"
      "Raises poplar_control_program_error for another `floatFormat`.")
      .def(py::init([](const std::string& title, const Tensor& t, unsigned summariseThreshold,
                       unsigned edgeItems, unsigned maxLineWidth, unsigned digits,
                       unsigned floatFormat, char separator, char openBracket, char closeBracket) {
             if (floatFormat > 3) {
               throw control_program_error("PrintTensor: floatFormat is " +
                                           std::to_string(floatFormat) + "; it is 0 to 3");
             }
             const PrintTensorFmt format(summariseThreshold, edgeItems, maxLineWidth, digits,
                                         static_cast<PrintTensorFmt::FloatFormat>(floatFormat),
                                         separator, openBracket, closeBracket);
             return PrintTensor(title, t, format);
           }),
           py::arg("title"), py::arg("tensor"),
           py::arg("summariseThreshold") = PrintTensorFmt::DefaultSummariseThreshold,
           py::arg("edgeItems") = PrintTensorFmt::DefaultEdgeItems,
           py::arg("maxLineWidth") = PrintTensorFmt::DefaultMaxLineWidth,
           py::arg("digits") = PrintTensorFmt::DefaultDigits, py::arg("floatFormat") = 0,
           py::arg("separator") = PrintTensorFmt::DefaultSeparator,
           py::arg("openBracket") = PrintTensorFmt::DefaultOpenBracket,
           py::arg("closeBracket") = PrintTensorFmt::DefaultCloseBracket);
  py::class_<WriteUndef, Program>(
      p, "WriteUndef",
      "Marks the values of a tensor as undefined until it is written again,\n"
      "which ends their lifetime.")
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
  py::class_<Graph>(
      m, "Graph",
      "Variables, constants, vertices, functions and streams, for programs (Poplar:\n"
      "poplar/Graph.hpp). Methods raise poplar_graph_connection_error for tensors, compute\n"
      "sets and vertices of another graph.")
      .def(py::init([](const Target& t, unsigned replicas) {
             return Graph(t, replication_factor(replicas));
           }),
           py::arg("target"), py::arg("replicationFactor") = 1)
      .def(py::init([](const Device& d, unsigned replicas) {
             return Graph(d, replication_factor(replicas));
           }),
           py::arg("device"), py::arg("replicationFactor") = 1)
      .def("createVirtualGraph", py::overload_cast<unsigned, unsigned>(&Graph::createVirtualGraph),
           py::arg("lowerTile"), py::arg("upperTile"),
           "A virtual graph: the same graph restricted to tiles [lowerTile,\n"
           "upperTile), which it counts from 0.\n"
           "Raises poplar_invalid_tile_mapping for no tile, and for tiles that the graph lacks.")
      .def("createVirtualGraph",
           py::overload_cast<const std::vector<unsigned>&>(&Graph::createVirtualGraph),
           py::arg("perIpuTiles"),
           "A virtual graph of these tiles of each IPU.\n"
           "Raises poplar_invalid_tile_mapping for no tile, for a tile that occurs twice, and\n"
           "for tiles that an IPU lacks.")
      .def("getTopLevelGraph", &Graph::getTopLevelGraph, "The same graph with all tiles.")
      .def("getTarget", &Graph::getTarget,
           "The target of the graph; that of a virtual graph has its tiles only.")
      .def(
          "addVariable",
          [](Graph& g, const Type& t, const Sizes& s, Context c) { return g.addVariable(t, s, c); },
          py::arg("type"), py::arg("shape"), context,
          "A new variable; its elements are on no tile yet.\n"
          "Raises poplar_graph_memory_allocation_error for a shape that no machine holds.")
      .def(
          "addVariable",
          [](Graph& g, const Type& t, const Sizes& s, VariableMappingMethod method, Context c) {
            return g.addVariable(t, s, method, c);
          },
          py::arg("type"), py::arg("shape"), py::arg("method"), context,
          "A new variable, mapped to tiles by `method`.")
      .def(
          "addVariable",
          [](Graph& g, const Type& t, const Tensor& metadata, const Sizes& s, Context c) {
            return g.addVariable(t, metadata, s, c);
          },
          py::arg("type"), py::arg("metadata"), py::arg("shape"), context,
          "A new variable of QUARTER with its metadata, one UNSIGNED_CHAR.\n"
          "Raises poplar_type_error for another type, and for metadata of another type or size.")
      .def("addConstant", &addConstant, py::arg("type"), py::arg("shape"), py::arg("values"),
           context,
           "A new constant; its elements are on no tile yet.\n"
           "`values`: as many as the shape has elements, in row-major order, or one for all;\n"
           "they are converted to `type`.\n"
           "Raises poplar_graph_connection_error for another number of values, poplar_type_error\n"
           "for values that the device does not have.")
      .def(
          "setInitialValue",
          [](Graph& g, const Tensor& t, const ArrayLike& values) {
            setInitialValue(g, t, contiguous(values));
          },
          py::arg("tensor"), py::arg("values"),
          "Sets the values that the tensor's elements have after Engine.load: as\n"
          "many as the tensor has elements, in row-major order, or one for all; they\n"
          "are converted to its type.\n"
          "Raises poplar_graph_connection_error for another number of values or a tensor with\n"
          "aliases, poplar_type_error for values that the device does not have.")
      .def(
          "clone",
          [](Graph& g, const Tensor& t, Context c, TensorCloneMethod method) {
            return g.clone(t, c, method);
          },
          py::arg("tensor"), context,
          py::arg("method") = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES,
          "A new variable of the same type, shape and tile mapping. Its values are not copied. "
          "One\n"
          "of a tensor that shows a part of one variable with its dimensions in another order has\n"
          "that order in memory, too. By a method that keeps aliases it has the order of any\n"
          "tensor, and shows an element twice where that does.")
      .def(
          "clone",
          [](Graph& g, const Type& type, const Tensor& t, Context c, TensorCloneMethod method) {
            return g.clone(type, t, c, method);
          },
          py::arg("type"), py::arg("tensor"), context,
          py::arg("method") = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES,
          "The same with elements of another type.")
      .def(
          "clone",
          [](Graph& g, const Type& type, const Tensor& metadata, const Tensor& t, Context c,
             TensorCloneMethod method) { return g.clone(type, metadata, t, c, method); },
          py::arg("type"), py::arg("metadata"), py::arg("tensor"), context,
          py::arg("method") = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES,
          "The same with elements of QUARTER, and its metadata, one UNSIGNED_CHAR.\n"
          "Raises poplar_type_error for another type, and for metadata of another type or size.")
      .def("getMetadata", &Graph::getMetadata, py::arg("tensor"),
           "The metadata of a tensor of QUARTER, UNSIGNED_CHAR, [].\n"
           "Raises poplar_type_error for other tensors, and for one that joins tensors of\n"
           "different metadata or of none.")
      .def("setTileMapping", py::overload_cast<const Tensor&, unsigned>(&Graph::setTileMapping),
           py::arg("tensor"), py::arg("tile"),
           "Maps all elements to one tile.\n"
           "Raises poplar_invalid_tile_mapping for a tile that the target lacks.")
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
          "Maps elements to tiles: `mapping[tile]` is a list of intervals (begin, end)\n"
          "of the flattened tensor.\n"
          "Raises poplar_invalid_tile_mapping for tiles and elements that do not exist, and for\n"
          "an element on two tiles.")
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
          "For each tile, a list of intervals (begin, end) of the flattened tensor.\n"
          "Raises poplar_invalid_tile_mapping if `requireComplete` and an element is\n"
          "on no tile of the graph.")
      .def("addComputeSet", &Graph::addComputeSet, context, "A new compute set, without vertices.")
      .def("addFunction", &Graph::addFunction, py::arg("program"),
           "Makes a program a function, for program.Call.")
      .def(
          "addHostToDeviceFIFO",
          [](Graph& g, const std::string& handle, const Type& t, std::size_t n) {
            return g.addHostToDeviceFIFO(handle, t, n);
          },
          py::arg("handle"), py::arg("elementType"), py::arg("numElements"),
          "A new stream from the host, which transfers `numElements` elements at a time.\n"
          "Engine.connectStream connects it by `handle`.\n"
          "Raises poplar_exception if another stream has the handle.")
      .def(
          "addDeviceToHostFIFO",
          [](Graph& g, const std::string& handle, const Type& t, std::size_t n) {
            return g.addDeviceToHostFIFO(handle, t, n);
          },
          py::arg("handle"), py::arg("elementType"), py::arg("numElements"),
          "A new stream to the host, which transfers `numElements` elements at a time.\n"
          "Engine.connectStream connects it by `handle`.\n"
          "Raises poplar_exception if another stream has the handle.")
      .def(
          "addRemoteBuffer",
          [](Graph& g, const std::string& handle, const Type& t, std::size_t n, std::size_t rows) {
            return g.addRemoteBuffer(handle, t, n, rows);
          },
          py::arg("handle"), py::arg("elementType"), py::arg("numElements"), py::arg("repeats") = 1,
          "A new remote buffer of `repeats` rows, of `numElements` elements each.\n"
          "Raises poplar_exception if another one has the handle, and for an empty one.")
      .def(
          "createHostWrite",
          [](Graph& g, const std::string& handle, const Tensor& t) {
            g.createHostWrite(handle, t);
          },
          py::arg("handle"), py::arg("tensor"),
          "Lets Engine.writeTensor write the tensor by `handle`.\n"
          "Raises poplar_exception if the handle is taken, poplar_graph_connection_error if the\n"
          "tensor is not isParallelWriteable().")
      .def(
          "createHostRead",
          [](Graph& g, const std::string& handle, const Tensor& t) { g.createHostRead(handle, t); },
          py::arg("handle"), py::arg("tensor"),
          "Lets Engine.readTensor read the tensor by `handle`.\n"
          "Raises poplar_exception if the handle is taken.")
      .def(
          "numVariables", [](const Graph& g) { return g.impl()->variables.size(); },
          "The number of variables and constants in the graph.")
      .def(
          "numVertices", [](const Graph& g) { return g.impl()->vertices.size(); },
          "The number of vertices that addVertex has added; those of library\n"
          "functions are not counted.")
      .def(
          "variableName", [](const Graph& g, unsigned v) { return variableOf(g, v).name; },
          py::arg("id"),
          "The path name of the variable or constant with this id.\n"
          "Raises IndexError if there is none.")
      .def(
          "variableOf",
          [](const Graph& g, unsigned v) {
            const auto& variable = variableOf(g, v);
            return Tensor(View::ofVariable(g.impl().get(), v, variable.constant, variable.type,
                                           variable.shape));
          },
          py::arg("id"),
          "The whole variable or constant with this id, as a tensor.\n"
          "Raises IndexError if there is none.");
  m.def("setStochasticRounding", &poplar::setStochasticRounding, py::arg("graph"), py::arg("prog"),
        py::arg("enable"), context,
        "Appends to `prog` a switch of the rounding of HALF and BFLOAT16 results: stochastic\n"
        "if `enable`, else to nearest, as at the start of a program. It holds for what `prog`\n"
        "runs afterwards; poprand.setSeed seeds it (Poplar: poplar/CSRFunctions.hpp).\n"
        "Raises poplar_exception for a virtual graph of some tiles.");
  m.def("mappedAlike", &mappedAlike, py::arg("a"), py::arg("b"),
        "Whether two tensors of one shape show whole variables that are mapped to tiles by one "
        "rule.\n"
        "No plan is computed for it: rules that give the same tiles by chance differ.");
  m.def("programWrites", &programWrites, py::arg("graph"), py::arg("program"),
        "The ids of the variables that a program may write, over all of its branches.");
}

}  // namespace

void bindPoplar(py::module_& m) {
  m.doc() = "Targets, graphs, tensors, programs and engines (Poplar).";
  registerErrors();
  bindTypes(m);
  bindDevices(m);
  bindTensor(m);
  bindReferences(m);
  bindPrograms(m);
  bindGraph(m);
  bindQuarter(m);
  bindVertices(m);
  bindEngine(m);
}

}  // namespace popir
