// popir.popart: what operator libraries have registered, and how they reach the compiler. For
// foreign/popart.py.
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
      "Changes whenever a library registers something.");
  m.def(
      "nameLibrary",
      [](const py::bytes& path, const std::string& name) {
        Registry::instance().nameLibrary(path, name);
      },
      py::arg("path"), py::arg("name"),
      "What is loaded from `path` from now on is called `name`, and replaces what has that name.");
  m.def(
      "takeFaults", [] { return Registry::instance().takeFaults(); },
      "What libraries registered wrongly since the last call, one message each.");
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
      "(opid, library, isPublic, definition, hasGradOps) of each operator.");
  m.def(
      "opxs",
      [] {
        py::typing::List<py::typing::Tuple<Opid, py::str>> all;
        for (const auto& opx : Registry::instance().opxs())
          all.append(py::make_tuple(toPython(opx.first), opx.second.origin.path));
        return all;
      },
      "(opid, library) of each Opx.");
  m.def(
      "patterns",
      [] {
        py::typing::List<py::typing::Tuple<py::str, py::bool_, py::bool_, py::str>> all;
        for (const PatternRecord& p : Registry::instance().patterns())
          all.append(py::make_tuple(p.name, p.enabled, p.mandatory, p.origin.path));
        return all;
      },
      "(name, enabled, mandatory, library) of each pattern.");
  m.def("inferShapes", inferShapes, py::arg("opid"), py::arg("inputs"), py::arg("attributes"),
        py::arg("numOutputs"), "The infos of the outputs; None if no function is registered.");
}

// Installation.

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

/// Python's level; it has none below DEBUG, and any number may be one.
int levelOf(popart::logging::Level level) { return std::max(5, static_cast<int>(level) * 10); }

void installLogging() {
  LogSink sink{};
  sink.wants = [](popart::logging::Module module, popart::logging::Level level) {
    const py::gil_scoped_acquire gil;
    return logger(module).attr("isEnabledFor")(levelOf(level)).cast<bool>();
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
  m.doc() = "Operators, lowerings and patterns that are written in C++.";
  bindOps(m);
  bindOpxs(m);
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
      "Lets C++ code call the compiler.");
  m.def("liveOps", &liveOps, "How many operators live in C++.");
  m.def("crossings", &crossings, "How many calls were made between Python and operators in C++.");
}

}  // namespace popir
