// popir.popops, without expressions, slices and layouts: reductions, casts, fills, scaled sums.
#include <pybind11/stl.h>
#include <popops/Cast.hpp>
#include <popops/Fill.hpp>
#include <popops/Reduce.hpp>
#include <popops/ScaledAdd.hpp>
#include <popops/TopK.hpp>
#include <popops/Zero.hpp>

#include <sstream>

#include "bindings/module.hpp"
#include "bindings/signatures.hpp"

namespace popir {
namespace {

namespace py = pybind11;
using namespace popops;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::program::Sequence;
using Context = const poplar::DebugContext&;
using Dimensions = std::vector<std::size_t>;

void bindReduce(py::module_& m) {
  py::enum_<Operation>(
      m, "Operation",
      "The operation of a reduction (PopLibs: popops/Operation.hpp). SQUARE_ADD adds\n"
      "squares; LOG_ADD is log(sum(exp(x))).")
      .value("ADD", Operation::ADD)
      .value("MUL", Operation::MUL)
      .value("MIN", Operation::MIN)
      .value("MAX", Operation::MAX)
      .value("LOGICAL_AND", Operation::LOGICAL_AND)
      .value("LOGICAL_OR", Operation::LOGICAL_OR)
      .value("SQUARE_ADD", Operation::SQUARE_ADD)
      .value("LOG_ADD", Operation::LOG_ADD);
  py::class_<ReduceParams>(
      m, "ReduceParams",
      "The operation of a reduction, and how its result is written (PopLibs:\n"
      "popops/Reduce.hpp). An Operation converts to it.\n"
      "`update`: add the result to the output.\n"
      "`scale`: one element of FLOAT, which multiplies the result; for LOG_ADD\n"
      "it is added to the result.\n"
      "Both are for ADD, SQUARE_ADD and LOG_ADD only; reduce() checks that.")
      .def(py::init<Operation, bool>(), py::arg("op"), py::arg("update") = false)
      .def(py::init<Operation, bool, Tensor>(), py::arg("op"), py::arg("update"), py::arg("scale"))
      .def_readonly("op", &ReduceParams::op, "The operation that is done with the elements.")
      .def_readonly("update", &ReduceParams::update, "Whether the result is added to the output.")
      .def_readonly("useScale", &ReduceParams::useScale,
                    "Whether the result is multiplied by a tensor.");
  py::implicitly_convertible<Operation, ReduceParams>();

  const auto context = debugContext();
  const auto options = py::arg("options") = OptionFlags();
  m.def(
      "reduce",
      [](Graph& graph, const Tensor& in, const poplar::Type& outType, const Dimensions& dims,
         ReduceParams params, Sequence& prog, Context c, const OptionFlags& o) {
        return reduce(graph, in, outType, dims, std::move(params), prog, c, o);
      },
      py::arg("graph"), py::arg("in_"), py::arg("outType"), py::arg("dims"), py::arg("params"),
      py::arg("prog"), context, options,
      "A new tensor: `in_` reduced over the dimensions `dims`, with the others in their\n"
      "order. Sums and products are computed in the type of `in_`, for 16-bit floats in\n"
      "FLOAT. Sums are pairwise, in an order that depends on the shape only. Without\n"
      "elements to reduce the result is the neutral element.\n"
      "`in_`: FLOAT, HALF, BFLOAT16 or DOUBLE, 32-bit and 64-bit integers; for\n"
      "MIN and MAX any integer, for LOGICAL_AND and LOGICAL_OR only BOOL, for\n"
      "LOG_ADD only floating point.\n"
      "`outType`: the type of `in_`; FLOAT and 16-bit floats may be combined.\n"
      "`dims`: each at most once; if empty, every element is reduced by itself.\n"
      "Raises poplibs_exception for dimensions, types and parameters that do not fit, and\n"
      "for `update`, which needs reduceWithOutput().\n"
      "Raises poplar_invalid_option for invalid options.");
  m.def(
      "reduce",
      [](Graph& graph, const Tensor& in, const Dimensions& dims, ReduceParams params,
         Sequence& prog, Context c,
         const OptionFlags& o) { return reduce(graph, in, dims, std::move(params), prog, c, o); },
      py::arg("graph"), py::arg("in_"), py::arg("dims"), py::arg("params"), py::arg("prog"),
      context, options, "The same with a result of the type of `in_`.");
  m.def(
      "reduceWithOutput",
      [](Graph& graph, const Tensor& in, const Tensor& out, const Dimensions& dims,
         ReduceParams params, Sequence& prog, Context c, const OptionFlags& o) {
        reduceWithOutput(graph, in, out, dims, std::move(params), prog, c, o);
      },
      py::arg("graph"), py::arg("in_"), py::arg("out"), py::arg("dims"), py::arg("params"),
      py::arg("prog"), context, options,
      "The same as reduce(), with the result written to `out`, or\n"
      "added to it with `update`.\n"
      "`out`: of the shape of the remaining dimensions, and of a type that\n"
      "reduce() takes as `outType`.");

  py::class_<SingleReduceOp>(
      m, "SingleReduceOp",
      "One reduction of reduceMany(). The arguments are those of reduce(); without\n"
      "`outType` the result has the type of `in_`.")
      .def(py::init<Tensor, Dimensions, ReduceParams, std::string>(), py::arg("in_"),
           py::arg("dims"), py::arg("params"), py::arg("debugName") = "")
      .def(py::init<Tensor, Dimensions, ReduceParams, poplar::Type, std::string>(), py::arg("in_"),
           py::arg("dims"), py::arg("params"), py::arg("outType"), py::arg("debugName") = "");
  m.def(
      "reduceMany",
      [](Graph& graph, const std::vector<SingleReduceOp>& reductions, std::vector<Tensor> outputs,
         Sequence& prog, Context c, const OptionFlags& o) {
        reduceMany(graph, reductions, outputs, prog, c, o);
        return outputs;
      },
      py::arg("graph"), py::arg("reductions"), py::arg("outputs"), py::arg("prog"), context,
      options,
      "Runs several reductions in one compute set. Returns a list with the result of each:\n"
      "the tensors `outputs`, which are written, or new tensors if `outputs` is empty.\n"
      "Raises poplibs_exception for another number of outputs, and as\n"
      "reduce() and reduceWithOutput().");
}

void bindTopK(py::module_& m) {
  py::enum_<SortOrder>(m, "SortOrder", "The order of the elements that topK gives.")
      .value("NONE", SortOrder::NONE)
      .value("ASCENDING", SortOrder::ASCENDING)
      .value("DESCENDING", SortOrder::DESCENDING);
  py::class_<TopKParams>(m, "TopKParams",
                         "How many elements topK takes, the largest or the smallest, and their "
                         "order. Equal elements are taken and sorted by their indices, with and "
                         "without stableSort.")
      .def(py::init<unsigned, bool, SortOrder, bool>(), py::arg("k"), py::arg("largest"),
           py::arg("sortOrder"), py::arg("stableSort") = false)
      .def_readonly("k", &TopKParams::k, "How many elements are taken.")
      .def_readonly("largest", &TopKParams::largest, "The largest ones, else the smallest.")
      .def_readonly("sortOrder", &TopKParams::sortOrder,
                    "Their order; with NONE the best is first.")
      .def_readonly("stableSort", &TopKParams::stableSort,
                    "Whether equal elements keep their order; they always do.")
      .def("__repr__", [](const TopKParams& params) {
        std::ostringstream os;
        os << params;
        return os.str();
      });
  const auto context = debugContext();
  m.def("createTopKInput", &createTopKInput, py::arg("graph"), py::arg("type"), py::arg("shape"),
        py::arg("params"), context, "A tensor for topK, on the tiles in rows.");
  m.def("topK", &topK, py::arg("graph"), py::arg("prog"), py::arg("t"), py::arg("params"), context,
        "The largest or smallest elements along the last dimension. NaN is larger than every "
        "number. Raises poplibs_exception for a k beyond the dimension.");
  m.def("topKWithPermutation", &topKWithPermutation, py::arg("graph"), py::arg("prog"),
        py::arg("t"), py::arg("params"), context,
        "The same, and the indices of these elements, UNSIGNED_INT.");
}

void bindFill(py::module_& m) {
  const auto context = debugContext();
  m.def(
      "cast",
      [](Graph& graph, const Tensor& src, const poplar::Type& dstType, Sequence& prog, Context c) {
        return cast(graph, src, dstType, prog, c);
      },
      py::arg("graph"), py::arg("src"), py::arg("dstType"), py::arg("prog"), context,
      "A new tensor of the shape of `src`, with its values converted to `dstType`. To\n"
      "floating point: the nearest value, or as poplar.setStochasticRounding says. From\n"
      "floating point to integers: truncated and clamped to the range; NaN becomes 0.\n"
      "Between integers: modulo 2^bits. To BOOL: whether the value is not 0. Of QUARTER: the\n"
      "number times 2^scale, by its metadata.\n"
      "Raises poplar_type_error for QUARTER without metadata.");
  m.def(
      "cast",
      [](Graph& graph, const Tensor& src, const poplar::Type& dstType, const Tensor& metadata,
         Sequence& prog, Context c) { return cast(graph, src, dstType, metadata, prog, c); },
      py::arg("graph"), py::arg("src"), py::arg("dstType"), py::arg("metadata"), py::arg("prog"),
      context,
      "To QUARTER, `dstType`, with this metadata, one UNSIGNED_CHAR: the nearest number to\n"
      "x / 2^scale, ties to even, NaN beyond the largest.\n"
      "Raises poplar_type_error for another type.");
  m.def("castWithOutput", &castWithOutput, py::arg("graph"), py::arg("src"), py::arg("dst"),
        py::arg("prog"), context,
        "Writes the values of `src` to `dst`, converted to its type as cast() does.\n"
        "Raises poplibs_exception for different shapes, poplar_type_error for QUARTER without\n"
        "metadata.");
  m.def(
      "zero",
      [](Graph& graph, const Tensor& t, Sequence& prog, Context c) { zero(graph, t, prog, c); },
      py::arg("graph"), py::arg("t"), py::arg("prog"), context,
      "Sets every element of `t` to zero.");
  const char* doc =
      "Sets every element of `t` to a number, converted to its type as cast() does.\n"
      "Raises poplibs_exception for QUARTER.";
  // Integers first, so that a Python int is not converted to float.
  m.def(
      "fill",
      [](Graph& graph, const Tensor& t, Sequence& prog, bool value, Context c) {
        fill(graph, t, prog, value, c);
      },
      py::arg("graph"), py::arg("t"), py::arg("prog"), py::arg("fillValue").noconvert(), context,
      doc);
  m.def(
      "fill",
      [](Graph& graph, const Tensor& t, Sequence& prog, long long value, Context c) {
        fill(graph, t, prog, value, c);
      },
      py::arg("graph"), py::arg("t"), py::arg("prog"), py::arg("fillValue").noconvert(), context);
  m.def(
      "fill",
      [](Graph& graph, const Tensor& t, Sequence& prog, double value, Context c) {
        fill(graph, t, prog, value, c);
      },
      py::arg("graph"), py::arg("t"), py::arg("prog"), py::arg("fillValue"), context);
}

// Binds each function with one scale and with two. Scale is float or Tensor.
template <class Scale>
void bindScaled(py::module_& m) {
  const auto context = debugContext();
  const auto options = py::arg("options") = OptionFlags();
  const char* one =
      "A += scaleB * B, in place; scaledSubtractFrom: A -= scaleB * B. If a type is HALF\n"
      "the result is computed in FLOAT and rounded once.\n"
      "`A`, `B`: of one shape and type: FLOAT, HALF, DOUBLE, 32-bit or 64-bit\n"
      "integers; FLOAT and HALF may be combined. A tensor as scale: one\n"
      "element of any of these types.\n"
      "Raises poplibs_exception for other shapes and types,\n"
      "poplar_invalid_option for invalid options.";
  const char* two =
      "A = scaleA * A + scaleB * B, in place; scaledSubtractFrom: A = scaleA * A - scaleB *\n"
      "B. Types, shapes and errors are those of the form with one scale.";
  const auto bindOne = [&](const char* name, auto function) {
    m.def(
        name,
        [function](Graph& graph, const Tensor& a, const Tensor& b, Scale scale, Sequence& prog,
                   Context c, const OptionFlags& o) { function(graph, a, b, scale, prog, c, o); },
        py::arg("graph"), py::arg("A"), py::arg("B"), py::arg("scaleB"), py::arg("prog"), context,
        options, one);
  };
  using One = void (*)(Graph&, Tensor, Tensor, Scale, Sequence&, Context, const OptionFlags&);
  using Two =
      void (*)(Graph&, Tensor, Scale, Tensor, Scale, Sequence&, Context, const OptionFlags&);
  const auto bindTwo = [&](const char* name, auto function) {
    m.def(
        name,
        [function](Graph& graph, const Tensor& a, Scale scaleA, const Tensor& b, Scale scaleB,
                   Sequence& prog, Context c,
                   const OptionFlags& o) { function(graph, a, scaleA, b, scaleB, prog, c, o); },
        py::arg("graph"), py::arg("A"), py::arg("scaleA"), py::arg("B"), py::arg("scaleB"),
        py::arg("prog"), context, options, two);
  };
  bindOne("scaledAddTo", static_cast<One>(scaledAddTo));
  bindOne("scaledSubtractFrom", static_cast<One>(scaledSubtractFrom));
  bindTwo("scaledAddTo", static_cast<Two>(scaledAddTo));
  bindTwo("scaledSubtractFrom", static_cast<Two>(scaledSubtractFrom));
  m.def(
      "scaledAddTo",
      [](Graph& graph, const Tensor& a, Scale scaleA, const Tensor& b, Scale scaleB, Sequence& prog,
         ScaledAddSpecialisation speciality, Context c, const OptionFlags& o) {
        scaledAddTo(graph, a, scaleA, b, scaleB, prog, speciality, c, o);
      },
      py::arg("graph"), py::arg("A"), py::arg("scaleA"), py::arg("B"), py::arg("scaleB"),
      py::arg("prog"), py::arg("speciality"), context, options,
      "The same for DEFAULT; A = A - scaleA * A + scaleB * B for X_MINUS_AX_PLUS_BY.");
}

}  // namespace

void bindPopops(py::module_& m) {
  m.doc() =
      "Element-wise functions, reductions, slices, casts and layouts (PopLibs: popops).\n"
      "Results are new tensors unless the name ends with InPlace or WithOutput. Shapes of\n"
      "element-wise functions are broadcast by numpy's rules.";
  bindReduce(m);
  bindTopK(m);
  bindFill(m);
  py::enum_<ScaledAddSpecialisation>(m, "ScaledAddSpecialisation",
                                     "The formula of scaledAddTo() with two scales.")
      .value("DEFAULT", ScaledAddSpecialisation::DEFAULT)
      .value("X_MINUS_AX_PLUS_BY", ScaledAddSpecialisation::X_MINUS_AX_PLUS_BY,
             "A = A - scaleA * A + scaleB * B.");
  bindScaled<float>(m);
  bindScaled<Tensor>(m);
  bindPopopsRearrange(m);
}

}  // namespace popir
