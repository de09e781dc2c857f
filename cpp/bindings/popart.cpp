// popir.popart: binds the registry of operator libraries, and connects C++ code with the compiler.
// For popir.foreign.popart.
#include <pybind11/stl.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "bindings/module.hpp"
#include "bindings/popart_run.hpp"
#include "bindings/signatures.hpp"
#include "popart/log_sink.hpp"

extern "C" void popir_install_terminate_handler();

namespace popir {
namespace {

namespace py = pybind11;
using popart::OperatorIdentifier;

py::dict definitionToPython(const popart::OpDefinition& definition) {
  const auto values = [](const auto& items) {
    py::list all;
    for (const auto& item : items) {
      py::list types;
      for (popart::DataType type : item.supportedTensors)
        types.append(popart::logging::internal::text(type));
      all.append(py::make_tuple(item.name, types));
    }
    return all;
  };
  py::dict attributes;
  for (const auto& a : definition.attributes)
    attributes[py::str(a.first)] = a.second.supportedValuesRegex;
  py::dict d;
  d["inputs"] = values(definition.inputs);
  d["outputs"] = values(definition.outputs);
  d["attributes"] = attributes;
  return d;
}

using Infos = py::typing::List<OneOf<PyTensorInfo, py::none>>;

OneOf<Infos, py::none> inferShapes(const Opid& opid,
                                   const py::typing::Dict<py::int_, PyTensorInfo>& inputs,
                                   const Values& attributes, int outputs) {
  const OperatorIdentifier id = opidFrom(opid);
  const popir::ShapeRecord* found = Registry::instance().findShapeFunction(id);
  if (found == nullptr) return py::none();
  const std::string who = popart::logging::format("{}", id);
  return run([&] { return place(who, "the shape inference function", found->origin.path); },
             [&]() -> py::object {
               std::map<int, popart::TensorInfo> infos;
               for (const auto& in : inputs) infos[in.first.cast<int>()] = infoFrom(in.second);
               popart::ShapeInferenceContext context(infos, attributesFrom(attributes, who),
                                                     outputs);
               found->function(context);
               py::list result;
               for (const auto& out : context.getOutputInfos()) result.append(toPython(out.second));
               return result;
             });
}

void bindRegistry(py::module_& m) {
  m.def(
      "generation", [] { return Registry::instance().generation(); },
      "A number that changes whenever a library registers something.");
  m.def(
      "nameLibrary",
      [](const py::bytes& path, const std::string& name) {
        Registry::instance().nameLibrary(path, name);
      },
      py::arg("path"), py::arg("name"),
      "Gives the library that is loaded from `path`, absolute, a name after this call. Its\n"
      "registrations replace those of an earlier library of that name.");
  m.def(
      "takeFaults", [] { return Registry::instance().takeFaults(); },
      "Messages about registrations that failed since the last call.");
  m.def(
      "ops",
      [] {
        py::typing::List<py::typing::Tuple<Opid, py::str, py::bool_, Values, py::bool_>> all;
        for (const auto& op : Registry::instance().ops())
          all.append(py::make_tuple(
              toPython(op.first), op.second.origin.path, op.second.info.isPublic,
              definitionToPython(op.second.info.details), op.second.info.hasGradOps));
        return all;
      },
      "(opid, library, isPublic, definition, hasGradOps) of each operator that libraries\n"
      "have registered. An opid is (domain, type, version); `library` is a path or the name\n"
      "of nameLibrary(); the definition is a dict of the arguments of\n"
      "popir.definitions.OpDefinition.");
  m.def(
      "opxs",
      [] {
        py::typing::List<py::typing::Tuple<Opid, py::str>> all;
        for (const auto& opx : Registry::instance().opxs())
          all.append(py::make_tuple(toPython(opx.first), opx.second.origin.path));
        return all;
      },
      "(opid, library) of each Opx that libraries have registered.");
  m.def(
      "patterns",
      [] {
        py::typing::List<py::typing::Tuple<py::str, py::bool_, py::bool_, py::str>> all;
        for (const PatternRecord& p : Registry::instance().patterns())
          all.append(py::make_tuple(p.name, p.enabled, p.mandatory, p.origin.path));
        return all;
      },
      "(name, enabled, mandatory, library) of each pattern that libraries have\n"
      "registered, in that order.");
  m.def("inferShapes", inferShapes, py::arg("opid"), py::arg("inputs"), py::arg("attributes"),
        py::arg("numOutputs"),
        "A list with the TensorInfo of each output, or None for an output that is not set, by\n"
        "the shape inference function of a library; None if no library has one for `opid`.\n"
        "`inputs`: by index.\n"
        "Raises popart_exception for an error in the function, OperatorAttributeError for an\n"
        "attribute that C++ cannot take.");
}

// ---- Connecting C++ code with the compiler ----

/// The Python logger of a module of popart.
py::object& logger(popart::logging::Module module) {
  static const char* const names[] = {"popart",    "session", "ir",      "devicex",
                                      "transform", "pattern", "builder", "op",
                                      "opx",       "ces",     "python",  "popart"};
  static auto* const loggers = new std::map<popart::logging::Module, py::object>();
  py::object& found = (*loggers)[module];
  if (!found)
    found = py::module_::import("logging").attr("getLogger")(std::string("popir.") +
                                                             names[static_cast<int>(module)]);
  return found;
}

using Adopt = py::typing::Callable<PyOp(OpTwin, PyGraph, Opid, py::str)>;
using Create = py::typing::Callable<PyOp(PyGraph, Opid, py::str, Values)>;
using Register = py::typing::Callable<void(
    Values, OneOf<py::typing::Callable<py::object(py::ellipsis)>, py::none>)>;

/// The level of Python's logging: 10 for DEBUG, and 5 for Trace, which Python lacks.
int levelOf(popart::logging::Level level) { return std::max(5, static_cast<int>(level) * 10); }

/// Passes log messages of C++ code to Python's logging.
void installLogging() {
  LogSink sink{};
  sink.wants = [](popart::logging::Module module, popart::logging::Level level) {
    const py::gil_scoped_acquire gil;
    return logger(module).attr("isEnabledFor")(levelOf(level)).cast<bool>();
  };
  sink.level = [](popart::logging::Module module) {
    const py::gil_scoped_acquire gil;
    const int level = logger(module).attr("getEffectiveLevel")().cast<int>();
    return static_cast<popart::logging::Level>(std::min(std::max(level, 0) / 10, 6));
  };
  sink.setLevel = [](popart::logging::Module module, popart::logging::Level level) {
    const py::gil_scoped_acquire gil;
    logger(module).attr("setLevel")(levelOf(level));
  };
  sink.write = [](popart::logging::Module module, popart::logging::Level level,
                  const std::string& text) {
    const py::gil_scoped_acquire gil;
    logger(module).attr("log")(levelOf(level), "%s",
                               py::module_::import("popir.errors").attr("escaped")(decoded(text)));
  };
  installLogSink(sink);
}

}  // namespace

void bindPopart(py::module_& m) {
  m.doc() =
      "Operators, Opxs and patterns of libraries in C++, for popir.foreign.popart. A twin\n"
      "owns the C++ object of an object of the compiler.";
  bindOps(m);
  bindOpxs(m);
  bindLikeness(m);
  bindPatterns(m);
  bindRegistry(m);
  m.def(
      "install",
      [](Adopt adopt, Create createOp, Register registerSchema) {
        hooks() = {std::move(adopt), std::move(createOp), std::move(registerSchema)};
        installPythonIr();
        installSchemas();
        installLogging();
        popir_install_terminate_handler();
      },
      py::arg("adopt"), py::arg("createOp"), py::arg("registerSchema"),
      "Connects C++ code with the compiler: calls, ONNX schemas and log messages.\n"
      "`adopt`: makes the compiler's operator that holds a twin.\n"
      "`createOp`: makes an operator by the compiler's registry.\n"
      "`registerSchema`: takes a description and an inference function, or None.");
  m.def(
      "irOf",
      [](const py::object& graph) {
        return py::capsule(static_cast<const void*>(&graphOf(graph).ir));
      },
      py::arg("graph"), "The address of a graph's popart::Ir, for programs in C++.");
  m.def("liveOps", &liveOps, "The number of operators that exist in C++, for tests of ownership.");
  m.def("crossings", &crossings,
        "The number of calls so far between Python and C++ code of\n"
        "operators, in both directions.");
}

}  // namespace popir
