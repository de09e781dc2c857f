// popir._device.tensorflow: operators that were written for TensorFlow on the IPU.
#include <pybind11/stl.h>

#include <chrono>
#include <string>
#include <type_traits>
#include <utility>

#include "bindings/errors.hpp"
#include "bindings/module.hpp"
#include "bindings/signatures.hpp"
#include "foreign/tensorflow.hpp"

namespace popir {
namespace foreign::tensorflow {
namespace {

namespace py = pybind11;
using poplar::Graph;
using poplar::Tensor;
using poplar::program::Program;
using poplar::program::Sequence;
using Tensors = std::vector<Tensor>;

/// Calls a function of a library. What it throws becomes the class of popir.errors of its name, or
/// a popart_exception; `who` and the function are appended to the text.
template <class Code>
auto call(const UserOp& op, const char* suffix, const Code& code) -> decltype(code()) {
  const auto where = [&] { return " (" + op.name() + suffix + "() of '" + op.path() + "')"; };
  try {
    return code();
  } catch (const UserOpError& e) {  // which names the function
    raise("popart_exception", e.what());
  } catch (const std::bad_alloc&) {
    raise("poplar_graph_memory_allocation_error", noMemory + where());
  } catch (const std::exception& e) {
    const char* name = pythonName(e);
    raise(name == nullptr ? "popart_exception" : name, e.what() + where());
  } catch (...) {
    raise("popart_exception", "It threw something that is no std::exception" + where());
  }
}

std::pair<Program, Outputs> parts(Built built) {
  return {std::move(built.program), std::move(built.outputs)};
}

void bind(py::module_& m) {
  m.doc() = "Operators in libraries that were written for TensorFlow on the IPU.";
  py::class_<Metadata>(m, "Metadata", "What a library says of one of its operators.")
      .def(py::init<>())
      .def_readonly("allocating", &Metadata::allocating,
                    "The inputs whose layout the library chooses.")
      .def_readonly("aliasing", &Metadata::aliasing,
                    "The inputs that are written in place, each with the output that shows it.")
      .def_readonly("replicaIdentical", &Metadata::replicaIdentical,
                    "The outputs that are equal on all replicas.")
      .def_readonly("isElementwise", &Metadata::isElementwise,
                    "Whether the output has the layout of the first input.")
      .def_readonly("isStateless", &Metadata::isStateless,
                    "Whether the outputs depend on the inputs alone.")
      .def_readonly("isHashable", &Metadata::isHashable,
                    "Whether a program with the operator may be kept.");
  m.def(
      "requireLevel", &requireLevel, py::arg("path"), py::arg("name") = "",
      "The API level of the library at `path`, read from its file: nothing of the library runs.\n"
      "Raises LibraryLoadError, which says that the operator `name` was asked for if it is given,\n"
      "for a library without a level, and for another level than 1, 2, 4 and 5.");
  py::class_<UserOp>(m, "UserOp",
                     "One operator of a library.\n"
                     "Raises LibraryLoadError for a library that cannot be loaded, for one of\n"
                     "another API level than 1, 2, 4 and 5, and for one without the symbol `name`.")
      .def(py::init<const std::string&, const std::string&>(), py::arg("path"), py::arg("name"))
      .def_property_readonly("path", &UserOp::path, "The path of the library.")
      .def_property_readonly("name", &UserOp::name, "The symbol of the operator.")
      .def_property_readonly("level", &UserOp::level, "The API level of the library.")
      .def("hasAllocator", &UserOp::hasAllocator,
           "Whether the library has a function that chooses layouts of inputs.")
      .def(
          "metadata",
          [](const UserOp& op, std::uint32_t inputs, std::uint32_t outputs) {
            return call(op, "_metadata", [&] { return op.metadata(inputs, outputs); });
          },
          py::arg("inputs"), py::arg("outputs"),
          "Asks for the metadata of the operator with that many inputs and outputs.\n"
          "Raises popart_exception for values that no operator can have.")
      .def(
          "build",
          [](const UserOp& op, Graph& graph, const Tensors& inputs, std::size_t outputs,
             const std::string& attributes, const std::string& debugPrefix) {
            return call(op, "", [&] {
              return parts(op.build(graph, inputs, outputs, attributes, debugPrefix));
            });
          },
          py::arg("graph"), py::arg("inputs"), py::arg("outputs"), py::arg("attributes"),
          py::arg("debugPrefix"),
          "(program, outputs): what the library adds to the graph. At most `outputs` tensors,\n"
          "with None for one that is invalid.\n"
          "Raises what the library throws.")
      .def(
          "buildGradient",
          [](const UserOp& op, Graph& graph, std::int64_t index, const Tensors& gradients,
             const Tensors& fwdInputs, const Tensors& fwdOutputs, std::size_t outputs,
             const std::string& attributes, const std::string& debugPrefix) {
            return call(op, "", [&] {
              const GradientArguments arguments{index, gradients, fwdInputs, fwdOutputs};
              return parts(op.buildGradient(graph, arguments, outputs, attributes, debugPrefix));
            });
          },
          py::arg("graph"), py::arg("index"), py::arg("gradients"), py::arg("fwdInputs"),
          py::arg("fwdOutputs"), py::arg("outputs"), py::arg("attributes"), py::arg("debugPrefix"),
          "The same for an operator that is a gradient, of input `index` or of all.")
      .def(
          "allocate",
          [](const UserOp& op, Graph& graph, std::int64_t operand,
             const std::vector<std::size_t>& shape, poplar::Type type,
             const std::string& attributes, const std::string& debugPrefix) {
            return call(op, "_allocator", [&] {
              return op.allocate(graph, operand, shape, type, attributes, debugPrefix);
            });
          },
          py::arg("graph"), py::arg("operand"), py::arg("shape"), py::arg("type"),
          py::arg("attributes"), py::arg("debugPrefix"),
          "The tensor that the library makes for an input.\n"
          "Raises what the library throws, and popart_exception for another shape or type.")
      .def(
          "addCallback",
          [](const UserOp& op, Graph& graph, Sequence& prog, const Tensors& inputs,
             const Tensors& outputs, const std::string& attributes, const std::string& name,
             const std::string& who, bool asDocumented, std::uint64_t limit) {
            UserOp::CallOptions options{attributes, name, who, asDocumented,
                                        std::chrono::milliseconds(limit)};
            call(op, "", [&] { op.addCallback(graph, prog, inputs, outputs, options); });
          },
          py::arg("graph"), py::arg("prog"), py::arg("inputs"), py::arg("outputs"),
          py::arg("attributes"), py::arg("name"), py::arg("who"), py::arg("asDocumented"),
          py::arg("limit"),
          "Adds a step that calls the function on the host, at most `limit` milliseconds long\n"
          "(0 for any). With `asDocumented` it is called without `attributes`. Messages of a\n"
          "run begin with `who`.");
}

}  // namespace
}  // namespace foreign::tensorflow

void bindTensorflow(pybind11::module_& m) { foreign::tensorflow::bind(m); }

}  // namespace popir
