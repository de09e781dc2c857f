// popir.popops: slices at places that are known when the program runs.
#include <pybind11/stl.h>
#include <popops/DynamicSlice.hpp>

#include "bindings/module.hpp"

namespace popir {

void bindPopopsSlice(pybind11::module_& m) {
  namespace py = pybind11;
  using namespace popops;
  using poplar::Graph;
  using poplar::OptionFlags;
  using poplar::Tensor;
  using poplar::program::Sequence;
  using Context = const poplar::DebugContext&;
  using Sizes = std::vector<std::size_t>;

  const auto context = py::arg("debugContext") = poplar::DebugContext();
  const auto options = py::arg("options") = OptionFlags();
  py::class_<SlicePlan>(m, "SlicePlan", "How a tensor is laid out for its slices; there is one.")
      .def(py::init<>());
  const auto plan = py::arg("plan") = SlicePlan();

  m.def(
      "createSliceableTensor",
      [](Graph& graph, const poplar::Type& type, const Sizes& shape, const Sizes& dims,
         const Sizes& sizes, const SlicePlan& p, const OptionFlags& o,
         Context c) { return createSliceableTensor(graph, type, shape, dims, sizes, p, o, c); },
      py::arg("graph"), py::arg("type"), py::arg("shape"), py::arg("dims"), py::arg("sizes"), plan,
      options, context, "A new tensor to slice, spread evenly over the tiles.");
  m.def("createSliceTensor", &createSliceTensor, py::arg("graph"), py::arg("type"),
        py::arg("shape"), py::arg("dims"), py::arg("sizes"), py::arg("numIndices"), plan, options,
        context);
  m.def("createIndicesTensor", &createIndicesTensor, py::arg("graph"), py::arg("dims"),
        py::arg("numIndices"), plan, options, context);
  m.def("dynamicSlice", &dynamicSlice, py::arg("graph"), py::arg("t"), py::arg("offset"),
        py::arg("dims"), py::arg("sizes"), py::arg("prog"), context, options,
        "sizes[i] elements of dimension dims[i] from offset[i] on; zeros if not within t.");
  m.def("dynamicUpdate", &dynamicUpdate, py::arg("graph"), py::arg("t"), py::arg("s"),
        py::arg("offset"), py::arg("dims"), py::arg("sizes"), py::arg("prog"), context, options,
        "Writes s there.");
  m.def("multiSlice", &multiSlice, py::arg("graph"), py::arg("t"), py::arg("offsets"),
        py::arg("dims"), py::arg("sizes"), py::arg("prog"), plan, options, context,
        "One slice for each row of offsets [slices, dims]: [slices, shape of a slice].");
  m.def("multiUpdate", &multiUpdate, py::arg("graph"), py::arg("t"), py::arg("s"),
        py::arg("offsets"), py::arg("dims"), py::arg("sizes"), py::arg("prog"), plan, options,
        context, "Writes slices; where they overlap, the last one stays.");
  m.def("multiUpdateAdd", &multiUpdateAdd, py::arg("graph"), py::arg("t"), py::arg("s"),
        py::arg("offsets"), py::arg("scale"), py::arg("dims"), py::arg("sizes"), py::arg("prog"),
        plan, options, context, "Adds slices, times the one element of scale, in their order.");
}

}  // namespace popir
