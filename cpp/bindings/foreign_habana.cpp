// popir._device.habana: TPC kernels, and operators of Habana's TensorFlow API.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include "bindings/errors.hpp"
#include "bindings/module.hpp"
#include "bindings/signatures.hpp"
#include "foreign/habana/kernels.hpp"
#include "foreign/habana/operators.hpp"

namespace popir {
namespace {

namespace py = pybind11;
namespace hb = foreign::habana;

using Specs = std::vector<std::pair<int, std::vector<std::int64_t>>>;
using Attributes = std::map<std::string, std::pair<std::string, tensorflow::AnyValue>>;

std::vector<hb::TensorSpec> tensorSpecs(const Specs& given) {
  std::vector<hb::TensorSpec> found;
  for (const auto& [type, shape] : given)
    found.push_back({static_cast<tpc_lib_api::TensorDataType>(type), shape});
  return found;
}

std::vector<habana::TensorInfo> tensorInfos(const Specs& given) {
  std::vector<habana::TensorInfo> found;
  for (const auto& [type, shape] : given)
    found.push_back({static_cast<tensorflow::DataType>(type), tensorflow::TensorShape(shape)});
  return found;
}

/// Arrays by the number of the input.
using Values = std::map<int, py::array>;

std::vector<hb::HostValue> hostValues(const Values& given) {
  std::vector<hb::HostValue> found;
  for (const auto& [index, array] : given) {
    const bool dense = array.flags() & py::array::c_style;
    found.push_back({index, array.data(), dense ? static_cast<std::size_t>(array.nbytes()) : 0});
  }
  return found;
}

/// A node: its name, its operator, its attributes, the names of its inputs.
using Node = std::tuple<std::string, std::string, Attributes, std::vector<std::string>>;

tensorflow::NodeDef nodeDef(const Node& given) {
  const auto& [name, op, attributes, inputs] = given;
  std::map<std::string, tensorflow::AttrValue> found;
  for (const auto& [key, value] : attributes) {
    found[key].kind = value.first;
    found[key].value = value.second;
  }
  return {name, op, std::move(found), inputs};
}

void bindKernels(py::module_& m) {
  py::class_<hb::Kernel, std::shared_ptr<hb::Kernel>>(
      m, "Kernel", "A TPC kernel for concrete shapes: KernelLibrary.instantiate makes it.")
      .def_property_readonly("guid", &hb::Kernel::guid, "The name of the kernel.")
      .def_property_readonly("indexSpace", &hb::Kernel::indexSpace,
                             "The sizes of its index space, five of them.")
      .def_property_readonly("scalars", &hb::Kernel::scalars,
                             "The words that its scalar parameters are read from, 32 of them.")
      .def_property_readonly("auxiliaries", &hb::Kernel::auxiliaries,
                             "The number of tensors that the library has filled in itself.");
  py::class_<hb::KernelLibrary, std::shared_ptr<hb::KernelLibrary>>(
      m, "KernelLibrary", "A library with GetKernelGuids and InstantiateTpcKernel.")
      .def(py::init<const std::string&>(), py::arg("path"),
           "Raises LibraryLoadError if it does not load, or lacks one of the two.")
      .def_property_readonly("path", &hb::KernelLibrary::path, "The file that it was loaded from.")
      .def(
          "guids",
          [](const hb::KernelLibrary& self, int device) {
            return self.guids(static_cast<tpc_lib_api::DeviceId>(device));
          },
          py::arg("device"),
          "The names of its kernels for a device, by its number. Raises OperatorInputError\n"
          "if the library returns an error.")
      .def(
          "instantiate",
          [](const hb::KernelLibrary& self, int device, const std::string& guid,
             const Specs& inputs, const Specs& outputs, const py::bytes& parameters) {
            return std::const_pointer_cast<hb::Kernel>(
                self.instantiate(static_cast<tpc_lib_api::DeviceId>(device), guid,
                                 tensorSpecs(inputs), tensorSpecs(outputs), parameters));
          },
          py::arg("device"), py::arg("guid"), py::arg("inputs"), py::arg("outputs"),
          py::arg("parameters"),
          "A kernel for tensors of these types (numbers of the interface) and shapes.\n"
          "Raises OperatorInputError if the library refuses, with the name of its code;\n"
          "LibraryLoadError if its program is not for the host.");
  m.def(
      "addKernel",
      [](poplar::Graph& graph, poplar::program::Sequence& prog, const std::string& who,
         const std::shared_ptr<hb::Kernel>& kernel, const std::vector<poplar::Tensor>& inputs,
         const std::vector<poplar::Tensor>& outputs, unsigned limit,
         const poplar::DebugContext& context) {
        hb::addKernel(graph, prog, who, kernel, inputs, outputs, std::chrono::milliseconds(limit),
                      context);
      },
      py::arg("graph"), py::arg("prog"), py::arg("who"), py::arg("kernel").none(false),
      py::arg("inputs"), py::arg("outputs"), py::arg("limit"), debugContext(),
      "Adds a step that runs a kernel. What goes wrong in it is an error that begins with\n"
      "`who`. `limit` is the longest time of a call in milliseconds, 0 for any.");
}

void bindOperators(py::module_& m) {
  py::class_<hb::OperatorRecord>(m, "OperatorRecord", "An operator that REGISTER_OP registers.")
      .def_readonly("name", &hb::OperatorRecord::name, "The name that models call it by.")
      .def_readonly("library", &hb::OperatorRecord::library, "The file of its library.")
      .def_readonly("doc", &hb::OperatorRecord::doc, "What the library says of it.")
      .def_readonly("inputs", &hb::OperatorRecord::inputs, "Specifications, such as \"x: T\".")
      .def_readonly("outputs", &hb::OperatorRecord::outputs, "Specifications, such as \"y: T\".")
      .def_readonly("attributes", &hb::OperatorRecord::attributes,
                    "Specifications, such as \"T: {float, bfloat16}\".")
      .def_readonly("stateful", &hb::OperatorRecord::stateful, "Whether it is stateful.")
      .def_readonly("hasShapeFunction", &hb::OperatorRecord::hasShapeFunction,
                    "Whether it has a shape function.");
  py::class_<hb::KernelRecord>(m, "KernelRecord",
                               "A kernel that REGISTER_KERNEL_BUILDER registers.")
      .def_readonly("op", &hb::KernelRecord::op, "The name of its operator.")
      .def_readonly("device", &hb::KernelRecord::device, "The device, such as \"HPU\".")
      .def_readonly("library", &hb::KernelRecord::library, "The file of its library.")
      .def_readonly("label", &hb::KernelRecord::label, "The label that a node would ask for it by.")
      .def_readonly("constraints", &hb::KernelRecord::constraints,
                    "Names of attributes, each with the types that it may have.")
      .def_readonly("hostMemory", &hb::KernelRecord::hostMemory,
                    "The arguments whose values are on the host.")
      .def_readonly("priority", &hb::KernelRecord::priority, "The highest one is taken.")
      .def_readonly("number", &hb::KernelRecord::number, "What `define` knows it by.");
  py::class_<hb::DefinedNode>(m, "DefinedNode", "One TPC kernel of an operator.")
      .def_readonly("guid", &hb::DefinedNode::guid, "The name of the kernel.")
      .def_property_readonly(
          "parameters", [](const hb::DefinedNode& self) { return py::bytes(self.parameters); },
          "The bytes of its parameters.")
      .def_readonly("name", &hb::DefinedNode::name, "The name that the functor gave, or \"\".")
      .def_readonly("inputs", &hb::DefinedNode::inputs, "The operator's inputs that it reads.")
      .def_readonly("outputs", &hb::DefinedNode::outputs, "The operator's outputs that it writes.");
  m.def("loadOperators", &hb::loadOperators, py::arg("path"),
        "Loads a library, whose operators are registered then. Raises LibraryLoadError.");
  m.def("registeredOperators", &hb::registeredOperators,
        "What the libraries loaded so far have registered by REGISTER_OP.");
  m.def("registeredKernels", &hb::registeredKernels,
        "What the libraries loaded so far have registered by REGISTER_KERNEL_BUILDER.");
  m.def("forget", &hb::forget, py::arg("library"), "Removes what a library has registered.");
  m.def("definitions", &hb::definitions,
        "How often functors have been asked for a node in this process.");
  m.def(
      "define",
      [](std::size_t kernel, const Node& node, const Specs& inputs, int outputs,
         const Values& hostMemory, bool severalNodes) {
        if (outputs < 0) throw hb::DefinitionError("a negative number of outputs");
        const auto found = hb::define(kernel, nodeDef(node), tensorInfos(inputs), outputs,
                                      hostValues(hostMemory), severalNodes);
        Specs infos;
        for (const auto& each : found.outputs)
          infos.emplace_back(each.dtype, each.shape.dim_sizes());
        return std::pair(found.nodes, infos);
      },
      py::arg("kernel"), py::arg("node"), py::arg("inputs"), py::arg("outputs"),
      py::arg("hostMemory"), py::arg("severalNodes"),
      "Has the functor of a kernel define its nodes. Types are TensorFlow's numbers.\n"
      "`node` is its name, its operator, its attributes and the names of its inputs;\n"
      "`hostMemory` has C-contiguous arrays by the number of the input. Returns the nodes,\n"
      "and type and shape of each output. Raises OperatorInputError with what is\nwrong.");
  m.def(
      "inferShapes",
      [](const std::string& library, const Node& node, const Specs& inputs, const Values& values,
         const hb::Places& inputNames, const hb::Places& outputNames, int outputs) {
        if (outputs < 0) throw hb::DefinitionError("a negative number of outputs");
        std::vector<std::optional<std::vector<std::int64_t>>> found;
        for (const auto& each :
             hb::inferShapes(library, nodeDef(node), tensorInfos(inputs), hostValues(values),
                             inputNames, outputNames, outputs))
          found.push_back(each.known ? std::optional(each.sizes) : std::nullopt);
        return found;
      },
      py::arg("library"), py::arg("node"), py::arg("inputs"), py::arg("values"),
      py::arg("inputNames"), py::arg("outputNames"), py::arg("outputs"),
      "The shapes of the outputs, by the operator's shape function: None for one that is\n"
      "not known, -1 for a size that is not. `values` has C-contiguous arrays of inputs that\n"
      "are constants; the names are those of arguments, each with the first of its tensors\n"
      "and how many they are. Raises OperatorInputError with what is\nwrong.");
}

}  // namespace

void bindHabana(py::module_& m) {
  m.doc() =
      "TPC kernels of Habana's accelerators, compiled for the host, and operators of\n"
      "Habana's TensorFlow API.";
  bindKernels(m);
  bindOperators(m);
}

}  // namespace popir
