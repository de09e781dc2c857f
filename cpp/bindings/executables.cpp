// popir.poplar: Executable and compileGraph, HostFunction.
#include <pybind11/stl.h>
#include <poplar/Engine.hpp>

#include <sstream>

#include "bindings/engine.hpp"
#include "bindings/pair.hpp"
#include "bindings/signatures.hpp"
#include "kernels/saved_kernel.hpp"

namespace popir {
namespace {

namespace py = pybind11;
using namespace poplar;

using Arguments = std::vector<Pair<Type, std::size_t>>;

HostFunction addHostFunction(Graph& graph, const std::string& handle, const Arguments& inputs,
                             const Arguments& outputs) {
  const auto listed = [](const Arguments& given) {
    std::vector<HostFunctionArgument> all;
    for (const auto& [type, n] : given) all.emplace_back(type, n);
    return all;
  };
  return graph.addHostFunction(handle, listed(inputs), listed(outputs));
}

}  // namespace

void bindHostFunctions(py::module_& m) {
  py::class_<HostFunction>(m, "HostFunction",
                           "A function of the host that programs call by program.Call;\n"
                           "Engine.connectHostFunction gives it a callback.")
      .def("handle", &HostFunction::handle, "The name by which the engine connects the function.");
  py::reinterpret_borrow<py::class_<Graph>>(m.attr("Graph"))
      .def("addHostFunction", &addHostFunction, py::arg("handle"), py::arg("inputs"),
           py::arg("outputs"),
           "A new function of the host.\n"
           "`inputs`, `outputs`: (type, number of elements) of each argument.\n"
           "Raises poplar_exception if another function has the handle.");
  using program::Call;
  py::reinterpret_borrow<py::class_<Call>>(m.attr("program").attr("Call"))
      .def(py::init([](const HostFunction& f, const std::vector<Tensor>& inputs,
                       const std::vector<Tensor>& outputs,
                       const DebugContext& context) { return Call(f, inputs, outputs, context); }),
           py::arg("function"), py::arg("inputs"), py::arg("outputs"), debugContext());
}

void bindExecutable(py::module_& m) {
  py::class_<Executable>(
      m, "Executable",
      "A graph and its programs, checked and saved (Poplar: poplar/Executable.hpp). It has\n"
      "native code of codelets: load it only from a trusted source.")
      .def(
          "serialize",
          [](const Executable& e) {
            std::ostringstream out;
            e.serialize(out);
            return py::bytes(out.str());
          },
          "The executable as bytes, for deserialize().")
      .def_static(
          "deserialize",
          [](const py::bytes& bytes) {
            std::istringstream in{std::string(bytes)};
            return Executable::deserialize(in);
          },
          py::arg("bytes"),
          "The executable that serialize() gave these bytes for.\n"
          "Raises poplar_exception for damaged bytes, and for those of\n"
          "another version of popir.");
  m.def("_saved_kernel_names", &savedKernelNames,
        "The names of all kernels that an executable may contain.");
  m.def(
      "compileGraph",
      [](const Graph& graph, const std::vector<program::Program>& programs,
         const OptionFlags& options) {
        return compileGraph(graph, ArrayRef<program::Program>(programs), options);
      },
      py::arg("graph"), py::arg("programs"), py::arg("options") = OptionFlags(),
      "Checks programs and what they use of the graph, and saves both in their present\n"
      "state. Engine() takes the result.\n"
      "Raises the same errors as Engine(), except for lack of host memory.");
}

}  // namespace popir
