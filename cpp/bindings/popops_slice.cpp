// popir.popops: slices at offsets that are known only at run time.
#include <pybind11/stl.h>
#include <popops/DynamicSlice.hpp>

#include <sstream>

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
  py::class_<SlicePlan>(
      m, "SlicePlan",
      "How a table and its slices are split over tiles (PopLibs: popops/DynamicSlice.hpp).\n"
      "embeddingPlan() makes one. An empty plan is for slices without one: a tile has all\n"
      "elements along the sliced dimensions. Results do not depend on plans.")
      .def(py::init<>())
      .def(
          "__eq__", [](const SlicePlan& a, const SlicePlan& b) { return a == b; }, py::arg("other"))
      .def("__repr__", [](const SlicePlan& plan) {
        std::ostringstream text;
        text << plan;
        return text.str();
      });
  m.def(
      "embeddingPlan",
      [](const Graph& graph, const poplar::Type& type, std::size_t groupSize,
         std::size_t numEntries, std::size_t outputSize, const Sizes& numLookups,
         const OptionFlags& o) {
        return embedding::plan(graph, type, groupSize, numEntries, outputSize, numLookups, o);
      },
      py::arg("graph"), py::arg("dataType"), py::arg("groupSize"), py::arg("numEntries"),
      py::arg("outputSize"), py::arg("numLookups"), options,
      "popops::embedding::plan: the plan with the fewest cycles, by the machine model, for\n"
      "slices of `groupSize` tables [numEntries, outputSize], of which the largest of\n"
      "`numLookups` rows are read or updated at a time. An empty plan if a size is 0.\n"
      "Raises poplibs_exception for a plan that is neither for slices nor for updates, and\n"
      "for sums of half for FLOAT; poplar_invalid_option for invalid options.");
  const auto plan = py::arg_v("plan", SlicePlan(), "SlicePlan()");

  m.def(
      "createSliceableTensor",
      [](Graph& graph, const poplar::Type& type, const Sizes& shape, const Sizes& dims,
         const Sizes& sizes, const SlicePlan& p, const OptionFlags& o,
         Context c) { return createSliceableTensor(graph, type, shape, dims, sizes, p, o, c); },
      py::arg("graph"), py::arg("type"), py::arg("shape"), py::arg("dims"), py::arg("sizes"), plan,
      options, context,
      "A new variable of a shape, of which slices of `sizes` in the dimensions `dims` are taken: "
      "a\n"
      "tile has all elements along these, and the others are spread evenly over the tiles.\n"
      "With a plan the rows are split, too, as it says.\n"
      "Raises poplibs_exception unless `dims` are distinct dimensions of `shape` and\n"
      "`sizes` are within theirs.");
  m.def("createSliceableTensorFromSlice", &createSliceableTensorFromSlice, py::arg("graph"),
        py::arg("s"), py::arg("dims"), py::arg("numSlices"), context,
        "A new variable to slice, of the shape of `s` with numSlices[i] times its elements in\n"
        "dimension dims[i]. Each slice is on the tiles that `s` is on.\n"
        "Raises poplibs_exception unless `dims` are distinct dimensions of `s`, with a number\n"
        "for each.");
  m.def("createSliceTensor",
        py::overload_cast<Graph&, const poplar::Type&, const Sizes&, const Sizes&, const Sizes&,
                          std::size_t, const SlicePlan&, const OptionFlags&, Context>(
            &createSliceTensor),
        py::arg("graph"), py::arg("type"), py::arg("shape"), py::arg("dims"), py::arg("sizes"),
        py::arg("numIndices"), plan, options, context,
        "A new variable for `numIndices` slices: [numIndices, shape with\n"
        "sizes[i] for dimension dims[i]], where a tensor for such slices has them.\n"
        "Raises poplibs_exception unless `dims` are distinct dimensions of `shape` and\n"
        "`sizes` are within theirs.");
  m.def("createIndicesTensor", &createIndicesTensor, py::arg("graph"), py::arg("dims"),
        py::arg("numIndices"), plan, options, context,
        "A new variable for the offsets of slices: UNSIGNED_INT\n"
        "[numIndices, number of `dims`].");
  m.def("dynamicSlice", &dynamicSlice, py::arg("graph"), py::arg("t"), py::arg("offset"),
        py::arg("dims"), py::arg("sizes"), py::arg("prog"), context, options,
        "A new tensor: one slice of `t`, with elements [offset[i], offset[i] +\n"
        "sizes[i]) of dimension dims[i] and all of the others. A slice that is not\n"
        "entirely inside of `t` is zero.\n"
        "`offset`: UNSIGNED_INT or INT [number of `dims`].\n"
        "Raises poplibs_exception for other offsets, and unless `dims` are distinct\n"
        "dimensions of `t` and `sizes` are within theirs.\n"
        "Raises poplar_invalid_option for invalid options.");
  m.def("dynamicUpdate", &dynamicUpdate, py::arg("graph"), py::arg("t"), py::arg("s"),
        py::arg("offset"), py::arg("dims"), py::arg("sizes"), py::arg("prog"), context, options,
        "Writes the slice `s` to the place from which dynamicSlice() reads it. A slice that\n"
        "is not entirely inside of `t` is not written.\n"
        "Raises poplibs_exception as dynamicSlice() does, and for a slice\n"
        "of another shape or type.");
  using Slices = Tensor (*)(Graph&, const Tensor&, const Tensor&, const Sizes&, const Sizes&,
                            Sequence&, const SlicePlan&, const OptionFlags&, Context);
  const auto slices = [&](const char* name, Slices function, const char* what) {
    m.def(name, function, py::arg("graph"), py::arg("t"), py::arg("offsets"), py::arg("dims"),
          py::arg("sizes"), py::arg("prog"), plan, options, context, what);
  };
  slices("multiSlice", multiSlice,
         "A new tensor with one slice of `t` for each row of `offsets`: [slices,\n"
         "shape of a slice]. A slice is that of dynamicSlice(); one that is not\n"
         "entirely inside of `t` is zero.\n"
         "`offsets`: UNSIGNED_INT or INT [slices, number of `dims`].\n"
         "Raises poplibs_exception for other offsets, and unless `dims` are distinct\n"
         "dimensions of `t` and `sizes` are within theirs.\n"
         "Raises poplar_invalid_option for invalid options.");
  slices("groupedMultiSlice", groupedMultiSlice,
         "The same as multiSlice() for each group: `t` is [groups, ...], `offsets` [groups,\n"
         "slices, number of `dims`], the result [groups, slices, shape of a slice]. `dims` and\n"
         "`sizes` are those of one group.");

  using Update = void (*)(Graph&, const Tensor&, const Tensor&, const Tensor&, const Sizes&,
                          const Sizes&, Sequence&, const SlicePlan&, const OptionFlags&, Context);
  const auto update = [&](const char* name, Update function, const char* what) {
    m.def(name, function, py::arg("graph"), py::arg("t"), py::arg("s"), py::arg("offsets"),
          py::arg("dims"), py::arg("sizes"), py::arg("prog"), plan, options, context, what);
  };
  update("multiUpdate", multiUpdate,
         "Writes slices to `t`, at the places from which multiSlice() reads them.\n"
         "Where slices overlap, the last one stays. A slice that is not entirely\n"
         "inside of `t` is not written.\n"
         "`s`: [slices, shape of a slice], of the type of `t`.\n"
         "`offsets`: UNSIGNED_INT or INT [slices, number of `dims`].\n"
         "Raises poplibs_exception for shapes, types and dimensions that do not match,\n"
         "poplar_invalid_option for invalid options.");
  update("multiUpdateMax", multiUpdateMax,
         "The same as multiUpdate(), with the maximum of the elements of `t` and of the\n"
         "slices. Types: FLOAT, HALF, BFLOAT16 or DOUBLE, INT or UNSIGNED_INT.");
  update("multiUpdateMin", multiUpdateMin, "The same as multiUpdateMax(), with the minimum.");
  update("multiUpdateMul", multiUpdateMul,
         "The same as multiUpdate(), with the elements of `t` multiplied by the slices, in\n"
         "order. Types: FLOAT, HALF, BFLOAT16 or DOUBLE, INT or UNSIGNED_INT.");
  update("groupedMultiUpdate", groupedMultiUpdate,
         "The same as multiUpdate() for each group: `t` is [groups, ...], `s` [groups,\n"
         "slices, shape of a slice], `offsets` [groups, slices, number of `dims`]. `dims` and\n"
         "`sizes` are those of one group.");
  update("groupedMultiUpdateMax", groupedMultiUpdateMax,
         "The same as multiUpdateMax() for each group; see groupedMultiUpdate().");
  update("groupedMultiUpdateMul", groupedMultiUpdateMul,
         "The same as multiUpdateMul() for each group; see groupedMultiUpdate().");

  using Sum =
      void (*)(Graph&, const Tensor&, const Tensor&, const Tensor&, const Tensor&, const Sizes&,
               const Sizes&, Sequence&, const SlicePlan&, const OptionFlags&, Context);
  const auto sum = [&](const char* name, Sum function, const char* what) {
    m.def(name, function, py::arg("graph"), py::arg("t"), py::arg("s"), py::arg("offsets"),
          py::arg("scale"), py::arg("dims"), py::arg("sizes"), py::arg("prog"), plan, options,
          context, what);
  };
  sum("multiUpdateAdd", multiUpdateAdd,
      "The same as multiUpdate(), with scale * slice added to the\n"
      "elements of `t`, in order.\n"
      "`scale`: one element of the type of `t`, or FLOAT if that is HALF or BFLOAT16.\n"
      "Types: FLOAT, HALF, BFLOAT16 or DOUBLE, INT or UNSIGNED_INT.");
  sum("groupedMultiUpdateAdd", groupedMultiUpdateAdd,
      "The same as multiUpdateAdd() for each group; see groupedMultiUpdate().");
}

}  // namespace popir
