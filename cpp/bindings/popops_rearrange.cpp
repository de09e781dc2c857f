// popir.popops.rearrange: layouts of tensors over tiles.
#include <pybind11/stl.h>
#include <pybind11/typing.h>
#include <popops/Rearrange.hpp>

#include "bindings/module.hpp"
#include "bindings/pair.hpp"
#include "bindings/signatures.hpp"

namespace popir {
namespace {

namespace py = pybind11;
namespace rearrange = popops::rearrange;
using poplar::ComputeSet;
using poplar::Graph;
using poplar::Tensor;
using poplar::Type;
using poplar::program::Copy;
using poplar::program::Sequence;
using poputil::GroupingInfo;
using Context = const poplar::DebugContext&;
// Intervals are pairs (begin, end) in Python.
using Pairs = std::vector<std::vector<std::pair<std::size_t, std::size_t>>>;
using Tensors = Pair<Tensor, Tensor>;
using GetInOut = py::typing::Callable<Tensors(std::size_t)>;

/// What `make` returns; the copies that it makes are appended to the list.
template <class Make>
Tensor appending(py::typing::List<Copy> list, const Make& make) {
  std::vector<Copy> copies;
  const Tensor made = make(copies);
  for (const Copy& copy : copies) list.append(copy);
  return made;
}

void addTransposeVertices(Graph& graph, const ComputeSet& cs, const Type& type, unsigned rows,
                          unsigned columns, const Pairs& mapping, const GetInOut& getInOut,
                          Context c) {
  Graph::TileToTensorMapping intervals(mapping.size());
  for (std::size_t tile = 0; tile < mapping.size(); ++tile)
    for (const auto& p : mapping[tile]) intervals[tile].emplace_back(p.first, p.second);
  const auto get = [&](std::size_t i) -> std::pair<const Tensor, const Tensor> {
    const py::object given = getInOut(i);
    try {
      const auto tensors = py::cast<Tensors>(given);
      return {tensors.first, tensors.second};
    } catch (const py::cast_error&) {
      throw py::type_error("addTransposeVertices: getInOut(" + std::to_string(i) + ") gave " +
                           py::cast<std::string>(py::repr(given)) +
                           ", expected two tensors, of the input and of the output");
    }
  };
  rearrange::addTransposeVertices(graph, cs, type, rows, columns, intervals, get, c);
}

void bindTransposes(py::module_& m) {
  const auto context = debugContext();
  m.def("canUseFastTranspose", rearrange::canUseFastTranspose, py::arg("target"), py::arg("type"),
        py::arg("numRows"), py::arg("numColumns"), py::arg("numTranspositions"),
        "Whether the target's fast vertices transpose so many matrices of that size.");
  m.def("addTransposeVertices", addTransposeVertices, py::arg("graph"), py::arg("cs"),
        py::arg("dType"), py::arg("rows"), py::arg("cols"), py::arg("mapping"), py::arg("getInOut"),
        context, "Transposes the matrices that getInOut(i) gives, flat, on the tiles of mapping.");
  m.def("partialTranspose", rearrange::partialTranspose, py::arg("graph"), py::arg("in_"),
        py::arg("cs"), context, "The last two dimensions exchanged, in a new variable.");
  m.def("getMinimumRegroupGrainSize", rearrange::getMinimumRegroupGrainSize, py::arg("type"),
        "Elements in the smallest group that transpositions are worth.");
}

}  // namespace

void bindPopopsRearrange(py::module_& popops) {
  auto m = popops.def_submodule("rearrange",
                                "Layouts of tensors over tiles (PopLibs: popops/Rearrange.hpp).");
  bindTransposes(m);
  const auto context = debugContext();
  m.def("regroupTensor",
        py::overload_cast<Graph&, const Tensor&, Sequence&, const ComputeSet&, const GroupingInfo&,
                          const GroupingInfo&, Context>(&rearrange::regroupTensor),
        py::arg("graph"), py::arg("t"), py::arg("copies"), py::arg("transposeCS"), py::arg("from_"),
        py::arg("to"), context,
        "`t` in another grouping, (dimension, elements), once copies and transposeCS have run.");
  m.def(
      "regroupTensor",
      [](Graph& graph, const Tensor& t, const py::typing::List<Copy>& copies, const ComputeSet& cs,
         const GroupingInfo& from, const GroupingInfo& to, Context c) {
        return appending(copies, [&](std::vector<Copy>& list) {
          return rearrange::regroupTensor(graph, t, list, cs, from, to, c);
        });
      },
      py::arg("graph"), py::arg("t"), py::arg("copies"), py::arg("transposeCS"), py::arg("from_"),
      py::arg("to"), context);
  m.def("regroupIfPossible", rearrange::regroupIfPossible, py::arg("graph"), py::arg("t"),
        py::arg("prog"), py::arg("to"), context,
        "`t` in the grouping `to`; `t` itself where it lies so already or cannot.");
  m.def("regroupIfBeneficial",
        py::overload_cast<Graph&, const Tensor&, const Tensor&, Sequence&, Context>(
            &rearrange::regroupIfBeneficial),
        py::arg("graph"), py::arg("in_"), py::arg("ref"), py::arg("prog"), context,
        "`in` in the innermost grouping of `ref`; `in` itself where that does not pay.");
  m.def(
      "regroupIfBeneficial",
      [](Graph& graph, const Tensor& in, const Tensor& ref, const py::typing::List<Copy>& copies,
         const ComputeSet& cs, Context c) {
        return appending(copies, [&](std::vector<Copy>& list) {
          return rearrange::regroupIfBeneficial(graph, in, ref, list, cs, c);
        });
      },
      py::arg("graph"), py::arg("in_"), py::arg("ref"), py::arg("copies"), py::arg("transposeCS"),
      context);
  m.def("regroupIfBeneficial",
        py::overload_cast<Graph&, const Tensor&, std::size_t, Sequence&, Context>(
            &rearrange::regroupIfBeneficial),
        py::arg("graph"), py::arg("in_"), py::arg("preferredGrouping"), py::arg("prog"), context,
        "`in` in groups of so many elements of the last dimension.");
}

}  // namespace popir
