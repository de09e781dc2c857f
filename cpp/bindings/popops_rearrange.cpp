// popir.popops.rearrange: changes of the memory layout of tensors.
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

/// Calls `make` with a vector, and appends the copies that it puts there to `list`.
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
        "Whether the target's fast vertices can transpose so many\n"
        "matrices of this type and size.");
  m.def("addTransposeVertices", addTransposeVertices, py::arg("graph"), py::arg("cs"),
        py::arg("dType"), py::arg("rows"), py::arg("cols"), py::arg("mapping"), py::arg("getInOut"),
        context,
        "Adds transpositions of matrices [rows, cols] to a compute set.\n"
        "`mapping`: for each tile, intervals (begin, end) of the\n"
        "numbers of its transpositions.\n"
        "`getInOut`: returns (input, output) of a number, both flattened and of `dType`; the\n"
        "output is mapped to the tile.\n"
        "Raises poplibs_exception for a type that cannot be transposed, for more than\n"
        "65535 rows or columns, and for tensors of another size or type; TypeError if\n"
        "`getInOut` returns anything else.");
  m.def("partialTranspose", rearrange::partialTranspose, py::arg("graph"), py::arg("in_"),
        py::arg("cs"), context,
        "A new variable: `in_` with the last two dimensions exchanged, each matrix on the\n"
        "tile of its first element. The transpositions are added to `cs`.\n"
        "Raises poplibs_exception for a rank below 2, a type that cannot be transposed, and\n"
        "more than 65535 rows or columns.");
  m.def("getMinimumRegroupGrainSize", rearrange::getMinimumRegroupGrainSize, py::arg("type"),
        "The size of the smallest group that is worth transposing: 8 elements of 1 byte, 4 of\n"
        "2 bytes, 2 of 4 bytes; 1 for types that cannot be transposed.");
}

}  // namespace

void bindPopopsRearrange(py::module_& popops) {
  auto m = popops.def_submodule(
      "rearrange",
      "Changes of the memory layout of tensors (PopLibs: popops/Rearrange.hpp). A\n"
      "grouping is (dimension, number of its elements that are contiguous on one\n"
      "tile). Types that can be transposed: QUARTER, HALF, SHORT, UNSIGNED_SHORT,\n"
      "FLOAT, INT and UNSIGNED_INT.");
  bindTransposes(m);
  const auto context = debugContext();
  m.def("regroupTensor",
        py::overload_cast<Graph&, const Tensor&, Sequence&, const ComputeSet&, const GroupingInfo&,
                          const GroupingInfo&, Context>(&rearrange::regroupTensor),
        py::arg("graph"), py::arg("t"), py::arg("copies"), py::arg("transposeCS"), py::arg("from_"),
        py::arg("to"), context,
        "`t`, which has the grouping `from_`, with the same values in the grouping `to`, or\n"
        "in smaller groups if that balances the tiles better. The copies are appended to\n"
        "`copies`, the transpositions added to `transposeCS`, which has to run after them. A\n"
        "tensor of rank 0 or 1 is returned as it is.\n"
        "Raises poplibs_exception for a type that cannot be transposed, and for a grouping\n"
        "whose dimension does not exist or is not a multiple of its size.");
  m.def(
      "regroupTensor",
      [](Graph& graph, const Tensor& t, const py::typing::List<Copy>& copies, const ComputeSet& cs,
         const GroupingInfo& from, const GroupingInfo& to, Context c) {
        return appending(copies, [&](std::vector<Copy>& list) {
          return rearrange::regroupTensor(graph, t, list, cs, from, to, c);
        });
      },
      py::arg("graph"), py::arg("t"), py::arg("copies"), py::arg("transposeCS"), py::arg("from_"),
      py::arg("to"), context, "The same with the copies appended to a list.");
  m.def("regroupIfPossible", rearrange::regroupIfPossible, py::arg("graph"), py::arg("t"),
        py::arg("prog"), py::arg("to"), context,
        "`t` in the grouping `to`, by steps appended to `prog`. Returns `t` itself if its\n"
        "innermost grouping has the dimension of `to` already or is no multiple of\n"
        "getMinimumRegroupGrainSize(), and if the dimension of `to` does not exist or is\n"
        "not a multiple of its size.");
  m.def("regroupIfBeneficial",
        py::overload_cast<Graph&, const Tensor&, const Tensor&, Sequence&, Context>(
            &rearrange::regroupIfBeneficial),
        py::arg("graph"), py::arg("in_"), py::arg("ref"), py::arg("prog"), context,
        "`in_` in the innermost grouping of `ref`, by steps appended to `prog`. Returns `in_`\n"
        "itself unless its type can be transposed and both have innermost groupings in\n"
        "different dimensions, in multiples of getMinimumRegroupGrainSize().\n"
        "Raises poplibs_exception for different shapes of rank 2 or more.");
  m.def(
      "regroupIfBeneficial",
      [](Graph& graph, const Tensor& in, const Tensor& ref, const py::typing::List<Copy>& copies,
         const ComputeSet& cs, Context c) {
        return appending(copies, [&](std::vector<Copy>& list) {
          return rearrange::regroupIfBeneficial(graph, in, ref, list, cs, c);
        });
      },
      py::arg("graph"), py::arg("in_"), py::arg("ref"), py::arg("copies"), py::arg("transposeCS"),
      context,
      "The same with the copies appended to a list, and the transpositions added to a compute set\n"
      "that has to run after them.");
  m.def("regroupIfBeneficial",
        py::overload_cast<Graph&, const Tensor&, std::size_t, Sequence&, Context>(
            &rearrange::regroupIfBeneficial),
        py::arg("graph"), py::arg("in_"), py::arg("preferredGrouping"), py::arg("prog"), context,
        "The same to groups of `preferredGrouping` elements of the last dimension.\n"
        "Raises poplibs_exception if that dimension is not a multiple of it.");
}

}  // namespace popir
