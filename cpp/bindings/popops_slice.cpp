// popir.popops: slices at places that are known when the program runs.
#include <pybind11/stl.h>
#include <popops/DynamicSlice.hpp>

#include "bindings/module.hpp"
#include "bindings/signatures.hpp"

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

  const auto context = debugContext();
  const auto options = py::arg("options") = OptionFlags();
  py::class_<SlicePlan>(m, "SlicePlan", "How a tensor is laid out for its slices; there is one.")
      .def(py::init<>());
  const auto plan = py::arg_v("plan", SlicePlan(), "SlicePlan()");

  m.def(
      "createSliceableTensor",
      [](Graph& graph, const poplar::Type& type, const Sizes& shape, const Sizes& dims,
         const Sizes& sizes, const SlicePlan& p, const OptionFlags& o,
         Context c) { return createSliceableTensor(graph, type, shape, dims, sizes, p, o, c); },
      py::arg("graph"), py::arg("type"), py::arg("shape"), py::arg("dims"), py::arg("sizes"), plan,
      options, context, "A new tensor to slice, spread evenly over the tiles.");
  m.def("createSliceTensor",
        py::overload_cast<Graph&, const poplar::Type&, const Sizes&, const Sizes&, const Sizes&,
                          std::size_t, const SlicePlan&, const OptionFlags&, Context>(
            &createSliceTensor),
        py::arg("graph"), py::arg("type"), py::arg("shape"), py::arg("dims"), py::arg("sizes"),
        py::arg("numIndices"), plan, options, context,
        "A new tensor for `numIndices` slices: [numIndices, shape with `sizes` for "
        "`dims`].");
  m.def("createIndicesTensor", &createIndicesTensor, py::arg("graph"), py::arg("dims"),
        py::arg("numIndices"), plan, options, context,
        "A new UNSIGNED_INT tensor for the offsets of slices: [numIndices, number of "
        "dims].");
  m.def("dynamicSlice", &dynamicSlice, py::arg("graph"), py::arg("t"), py::arg("offset"),
        py::arg("dims"), py::arg("sizes"), py::arg("prog"), context, options,
        "sizes[i] elements of dimension dims[i] from offset[i] on; zeros if not within t.");
  m.def("dynamicUpdate", &dynamicUpdate, py::arg("graph"), py::arg("t"), py::arg("s"),
        py::arg("offset"), py::arg("dims"), py::arg("sizes"), py::arg("prog"), context, options,
        "Writes the slice `s` there: the inverse of dynamicSlice.");
  using Slices = Tensor (*)(Graph&, const Tensor&, const Tensor&, const Sizes&, const Sizes&,
                            Sequence&, const SlicePlan&, const OptionFlags&, Context);
  const auto slices = [&](const char* name, Slices function, const char* what) {
    m.def(name, function, py::arg("graph"), py::arg("t"), py::arg("offsets"), py::arg("dims"),
          py::arg("sizes"), py::arg("prog"), plan, options, context, what);
  };
  slices("multiSlice", multiSlice,
         "One slice for each row of offsets [slices, dims]: [slices, shape of a slice].");
  slices("groupedMultiSlice", groupedMultiSlice, "The same for each index of a first dimension.");

  using Update = void (*)(Graph&, const Tensor&, const Tensor&, const Tensor&, const Sizes&,
                          const Sizes&, Sequence&, const SlicePlan&, const OptionFlags&, Context);
  const auto update = [&](const char* name, Update function, const char* what) {
    m.def(name, function, py::arg("graph"), py::arg("t"), py::arg("s"), py::arg("offsets"),
          py::arg("dims"), py::arg("sizes"), py::arg("prog"), plan, options, context, what);
  };
  update("multiUpdate", multiUpdate, "Writes slices; where they overlap, the last one stays.");
  update("multiUpdateMax", multiUpdateMax, "Takes the larger of what is there and the slices.");
  update("multiUpdateMin", multiUpdateMin, "Takes the smaller of what is there and the slices.");
  update("multiUpdateMul", multiUpdateMul, "Multiplies by slices, in their order.");
  update("groupedMultiUpdate", groupedMultiUpdate, "For each index of a first dimension.");
  update("groupedMultiUpdateMax", groupedMultiUpdateMax, "For each index of a first dimension.");
  update("groupedMultiUpdateMul", groupedMultiUpdateMul, "For each index of a first dimension.");

  using Sum =
      void (*)(Graph&, const Tensor&, const Tensor&, const Tensor&, const Tensor&, const Sizes&,
               const Sizes&, Sequence&, const SlicePlan&, const OptionFlags&, Context);
  const auto sum = [&](const char* name, Sum function, const char* what) {
    m.def(name, function, py::arg("graph"), py::arg("t"), py::arg("s"), py::arg("offsets"),
          py::arg("scale"), py::arg("dims"), py::arg("sizes"), py::arg("prog"), plan, options,
          context, what);
  };
  sum("multiUpdateAdd", multiUpdateAdd,
      "Adds slices, times the one element of scale, in their order.");
  sum("groupedMultiUpdateAdd", groupedMultiUpdateAdd, "For each index of a first dimension.");
}

}  // namespace popir
