// popir._device.xla: custom calls of XLA.
#include <dlfcn.h>
#include <pybind11/stl.h>

#include <filesystem>
#include <system_error>

#include "bindings/errors.hpp"
#include "bindings/module.hpp"
#include "bindings/signatures.hpp"
#include "foreign/shared_library.hpp"
#include "foreign/xla_call.hpp"
#include "foreign/xla_ffi.hpp"
#include "foreign/xla_programs.hpp"
#include "foreign/xla_targets.hpp"

namespace popir {
namespace {

namespace py = pybind11;
using foreign::SharedLibrary;
using foreign::xla::Attribute;
using foreign::xla::Call;
using foreign::xla::Shape;
using foreign::xla::Target;
using foreign::xla::Targets;
using Address = std::uintptr_t;

/// Libraries stay loaded: targets and calls have addresses in them.
const SharedLibrary& library(const std::string& path) {
  static auto* const loaded = new std::vector<SharedLibrary>;
  loaded->emplace_back(path);
  return loaded->back();
}

/// The address of a symbol that the library defines: a look-up also finds those of the libraries
/// that it needs, such as system() of the C library. Null if there is none.
void* own(const SharedLibrary& library, const std::string& symbol) {
  void* found = symbol.empty() ? nullptr : library.findFunction(symbol);
  Dl_info info;
  if (found == nullptr || dladdr(found, &info) == 0 || info.dli_fname == nullptr) return nullptr;
  std::error_code failed;
  return std::filesystem::equivalent(info.dli_fname, library.path(), failed) ? found : nullptr;
}

Target made(std::string name, std::string platform) {
  Target target;
  target.name = std::move(name);
  target.platform = std::move(platform);
  return target;
}

void add(Target target, const std::string& library, Address address) {
  Targets::instance().setOrigin(target, reinterpret_cast<const void*>(address));
  target.library = target.source = library;
  Targets::instance().add(std::move(target));
}

std::vector<std::pair<bool, std::string>> listed(const std::vector<foreign::xla::Fault>& faults) {
  std::vector<std::pair<bool, std::string>> found;
  for (const auto& each : faults) found.emplace_back(each.isDuplicate, each.text);
  return found;
}

/// The name of a file as Python has it, whatever its bytes are.
py::str fileName(const std::string& path) {
  PyObject* made =
      PyUnicode_DecodeFSDefaultAndSize(path.data(), static_cast<Py_ssize_t>(path.size()));
  if (made == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(made);
}

foreign::ffi::Handler* handler(Address address) {
  return reinterpret_cast<foreign::ffi::Handler*>(address);
}

Attribute attribute(foreign::ffi::AttributeKind kind, int type, const py::bytes& bytes,
                    std::size_t count) {
  Attribute value;
  value.kind = kind;
  value.type = type;
  value.bytes = bytes;
  value.count = count;
  return value;
}

void bindShapes(py::module_& m) {
  py::class_<Shape>(m, "Shape", "The shape of an operand or a result.")
      .def_static(
          "array",
          [](int type, std::vector<std::int64_t> dims) {
            return Shape{type, std::move(dims), false, {}};
          },
          py::arg("type"), py::arg("dims"),
          "An array; `type` is a number of xla::PrimitiveType, 17 for a token.")
      .def_static(
          "tupleOf",
          [](std::vector<Shape> elements) {
            return Shape{0, {}, true, std::move(elements)};
          },
          py::arg("elements"), "A tuple of shapes.")
      .def("leaves", &Shape::leaves, "The number of arrays and tokens in it.");
  using namespace foreign::ffi;
  py::class_<Attribute>(m, "Attribute", "An attribute of a call with the typed interface.")
      .def_static(
          "scalar",
          [](int type, const py::bytes& bytes) { return attribute(kScalar, type, bytes, 1); },
          py::arg("type"), py::arg("bytes"), "A number, as the bytes of its type.")
      .def_static(
          "array",
          [](int type, std::size_t count, const py::bytes& bytes) {
            return attribute(kArray, type, bytes, count);
          },
          py::arg("type"), py::arg("count"), py::arg("bytes"), "Numbers of one type.")
      .def_static(
          "text", [](const py::bytes& bytes) { return attribute(kString, 0, bytes, 0); },
          py::arg("bytes"), "Text, or any bytes.")
      .def_static(
          "dictionary",
          [](std::vector<std::pair<std::string, Attribute>> items) {
            Attribute value;
            value.kind = kDictionary;
            value.items = std::move(items);
            return value;
          },
          py::arg("items"), "Attributes, sorted by name.");
}

void bindTargets(py::module_& m) {
  py::class_<Target>(m, "Target", "A registered target of custom calls.")
      .def_readonly("name", &Target::name, "The name that custom calls use.")
      .def_readonly("platform", &Target::platform, "Host, CUDA or ROCM.")
      .def_readonly("typed", &Target::typed, "Whether it has the typed interface, API version 4.")
      .def_property_readonly(
          "library", [](const Target& target) { return fileName(target.library); },
          "The absolute path of its library; '' if Python code has registered it.")
      .def_property_readonly(
          "source", [](const Target& target) { return decoded(target.source); },
          "What the library is called: its path, or the sources it was built from.")
      .def_property_readonly(
          "address",
          [](const Target& target) { return reinterpret_cast<Address>(target.address()); },
          "The address of the function.");
  m.def(
      "targets", [] { return Targets::instance().all(); },
      "All targets that are registered, in order.");
  m.def(
      "find",
      [](const std::string& name, const std::string& platform) {
        return Targets::instance().find(name, platform);
      },
      py::arg("name"), py::arg("platform"), "The target with that name, or None.");
  m.def(
      "registerFunction",
      [](std::string name, std::string platform, Address function, const std::string& library) {
        Target target = made(std::move(name), std::move(platform));
        target.function = reinterpret_cast<void*>(function);
        add(std::move(target), library, function);
      },
      py::arg("name"), py::arg("platform"), py::arg("function"), py::arg("library"),
      "Registers the function at an address, for the API versions 1 to 3.");
  m.def(
      "registerHandlers",
      [](std::string name, std::string platform, Address instantiate, Address prepare,
         Address initialize, Address execute, const std::string& library) {
        Target target = made(std::move(name), std::move(platform));
        target.typed = true;
        target.bundle = {handler(instantiate), handler(prepare), handler(initialize),
                         handler(execute)};
        add(std::move(target), library, execute);
      },
      py::arg("name"), py::arg("platform"), py::arg("instantiate"), py::arg("prepare"),
      py::arg("initialize"), py::arg("execute"), py::arg("library"),
      "Registers handlers of the typed interface; 0 for a stage without one.");
  m.def(
      "registerType",
      [](const std::string& name, Address id, Address info) {
        try {
          foreign::ffi::registerType(name, reinterpret_cast<foreign::ffi::TypeId*>(id),
                                     reinterpret_cast<const foreign::ffi::TypeInfo*>(info));
        } catch (const std::invalid_argument& e) {
          raise("popart_exception", e.what());
        }
      },
      py::arg("name"), py::arg("id"), py::arg("info"),
      "Registers a type of handlers' states, by the addresses of its id and its info.\n"
      "Raises popart_exception if it has another id already.");
  m.def(
      "nameLibrary",
      [](const py::bytes& path, const std::string& source, const py::bytes& library) {
        Targets::instance().nameLibrary(path, source, library);
      },
      py::arg("path"), py::arg("source"), py::arg("library"),
      "The library that is loaded from `path` after this is called `source`, and is found again\n"
      "at `library`.");
  m.def(
      "remove",
      [](const std::string& name, const std::string& platform) {
        return Targets::instance().remove(name, platform);
      },
      py::arg("name"), py::arg("platform"), "Removes a target. Returns whether it was there.");
  m.def(
      "takeFaults", [] { return listed(Targets::instance().takeFaults()); },
      "What was wrong with registrations since the last call: whether the name was taken, and the\n"
      "message.");
  m.def(
      "refusals",
      [](const py::bytes& library) { return listed(Targets::instance().refusals(library)); },
      py::arg("library"),
      "The faults for which the targets of a library were refused, as `takeFaults` gives them.");
  m.def(
      "generation", [] { return Targets::instance().generation(); },
      "A number that changes with every registration.");
  m.def(
      "symbol",
      [](const py::bytes& path, const std::string& symbol) {
        return reinterpret_cast<Address>(own(library(path), symbol));
      },
      py::arg("path"), py::arg("symbol"),
      "The address of a symbol that a library defines itself; 0 if it has none of that name. The\n"
      "library is loaded.\n"
      "Raises LibraryLoadError if it cannot be loaded.");
}

void addCall(poplar::Graph& graph, poplar::program::Sequence& prog, const std::string& who,
             const Call& call, const std::vector<poplar::Tensor>& inputs,
             const std::vector<poplar::Tensor>& outputs, const poplar::DebugContext& debugContext,
             bool hasEffects, std::int64_t limit) {
  HostCallOptions options;
  options.hasEffects = hasEffects;
  options.limit = std::chrono::milliseconds(limit);
  options.work.vertexClass = "custom call";
  HostCall function;
  std::string failed;
  {
    py::gil_scoped_release unlocked;  // A handler's first stage is the user's code.
    try {
      function = foreign::xla::hostCall(call);
    } catch (const std::exception& e) {
      failed = e.what();
    } catch (...) {
      failed = "it threw what is no std::exception";
    }
  }
  if (!failed.empty()) raise("popart_exception", who + ": " + failed);
  addHostCall(graph, prog, who, std::move(function), inputs, outputs, debugContext, options);
}

void bindCalls(py::module_& m) {
  py::class_<Call>(m, "Call", "What a custom call calls, and how.")
      .def(py::init([](const Target& target, int apiVersion, const py::bytes& opaque,
                       std::vector<Shape> operands, Shape result,
                       std::vector<std::pair<std::size_t, std::size_t>> aliases,
                       std::vector<std::pair<std::string, Attribute>> attributes) {
             return Call{target,
                         apiVersion,
                         opaque,
                         std::move(operands),
                         std::move(result),
                         std::move(aliases),
                         std::move(attributes)};
           }),
           py::arg("target"), py::arg("apiVersion"), py::arg("opaque"), py::arg("operands"),
           py::arg("result"), py::arg("aliases"), py::arg("attributes"),
           "`aliases`: pairs of a leaf of the result and the leaf of the operands whose memory it\n"
           "has. `attributes`: for API version 4, sorted by name.");
  m.def("addCall", addCall, py::arg("graph"), py::arg("prog"), py::arg("who"), py::arg("call"),
        py::arg("inputs"), py::arg("outputs"), debugContext(), py::arg("hasEffects") = true,
        py::arg("limit") = 0,
        "Adds a step that makes the call. `inputs` and `outputs` are the leaves of operands and\n"
        "result. `limit`: the longest time that it may take, in milliseconds; 0 for any.\n"
        "Raises popart_exception, beginning with `who`, if the target does not fit the version\n"
        "or refuses the call.");
}

using Programs = std::vector<std::tuple<py::str, py::str, py::str>>;

Programs programs(const py::bytes& path, const std::string& symbol) {
  // The library stays: what a program's text names is in it.
  const auto found = library(path);
  void* const function = own(found, symbol);
  if (function == nullptr) raise("LibraryLoadError", "there is no function '" + symbol + "'");
  std::vector<foreign::xla::Program> built;
  std::string failed;
  {
    py::gil_scoped_release unlocked;
    try {
      built = foreign::xla::programsOf(function);
    } catch (const std::exception& e) {
      failed = "xla_programs: the function '" + symbol + "' threw: " + e.what();
    }
  }
  if (!failed.empty()) raise("popart_exception", failed);
  Programs made;
  for (const auto& each : built)
    made.emplace_back(decoded(each.name), decoded(each.text), decoded(each.error));
  return made;
}

}  // namespace

void bindXla(py::module_& m) {
  m.doc() = "Custom calls of XLA: targets, and steps that call them.";
  bindShapes(m);
  bindTargets(m);
  bindCalls(m);
  m.def("programs", programs, py::arg("path"), py::arg("symbol"),
        "Calls a function without arguments of a library. Returns name, text and error of each\n"
        "program that it built with xla::XlaBuilder.\n"
        "Raises LibraryLoadError if there is none, popart_exception if it throws.");
}

}  // namespace popir
