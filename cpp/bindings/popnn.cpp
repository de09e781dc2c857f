// popir.popnn: pooling, non-linear functions, losses.
#include <pybind11/operators.h>
#include <pybind11/stl.h>
#include <popnn/LogSoftmax.hpp>
#include <popnn/Loss.hpp>
#include <popnn/NonLinearity.hpp>
#include <popnn/Pooling.hpp>

#include <sstream>

#include "bindings/module.hpp"
#include "bindings/signatures.hpp"
#include "bindings/values.hpp"

namespace popir {
namespace {

namespace py = pybind11;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::program::Sequence;
using Context = const poplar::DebugContext&;

void bindPooling(py::module_& m) {
  using namespace popnn::pooling;
  using popnn::PoolingType;
  using Sizes = std::vector<std::size_t>;
  py::enum_<PoolingType>(
      m, "PoolingType",
      "What a pooling computes of the elements of a window (PopLibs: popnn/PoolingDef.hpp).\n"
      "AVG divides by the number of elements, without padding.")
      .value("MAX", PoolingType::MAX)
      .value("AVG", PoolingType::AVG)
      .value("SUM", PoolingType::SUM);
  auto pooling = m.def_submodule(
      "pooling",
      "Pooling over the spatial dimensions of [batch, channels, spatial...] (PopLibs:\n"
      "popnn/Pooling.hpp). ext has pooling with the options of ONNX.");
  py::class_<PoolParams>(
      pooling, "PoolParams",
      "The parameters of a pooling. Lists have one entry for each spatial dimension.\n"
      "Negative padding is truncation: it removes elements of the input.")
      .def(py::init<PoolingType, Sizes, Sizes, std::vector<unsigned>, std::vector<int>,
                    std::vector<int>, std::size_t, std::size_t, poplar::Type>(),
           py::arg("poolingType"), py::arg("inputFieldShape"), py::arg("kernelShape"),
           py::arg("stride"), py::arg("inputTruncationOrPaddingLower"),
           py::arg("inputTruncationOrPaddingUpper"), py::arg("numChannels"), py::arg("batchSize"),
           py::arg("dType"))
      .def("getOutputFieldShape", &PoolParams::getOutputFieldShape,
           "The same as getOutputFieldShape(params).")
      .def(pickled(&PoolParams::poolingType, &PoolParams::inputFieldShape, &PoolParams::kernelShape,
                   &PoolParams::stride, &PoolParams::inputTruncationOrPaddingLower,
                   &PoolParams::inputTruncationOrPaddingUpper, &PoolParams::numChannels,
                   &PoolParams::batchSize, &PoolParams::dType))
      .def("__repr__", [](const PoolParams& p) {
        std::ostringstream os;
        os << p;
        return os.str();
      });
  const auto context = debugContext();
  const auto options = py::arg("options") = OptionFlags();
  pooling.def(
      "getOutputFieldShape", &getOutputFieldShape, py::arg("params"),
      "By spatial dimension: the size of the result, (padded input - kernel) / stride + 1,\n"
      "rounded down; 0 if the kernel does not fit.\n"
      "Raises poplibs_exception for lists of other lengths, and for\n"
      "a kernel or stride of 0.");
  pooling.def("getFwdFlops", &getFwdFlops, py::arg("params"),
              "The floating-point operations of pool(): one for each element of each window,\n"
              "padding excluded; for AVG one more for each window.");
  pooling.def("getBwdFlops", &getBwdFlops, py::arg("params"),
              "The floating-point operations of poolInputGradient(): as many as those of pool().");
  pooling.def("pool", &pool, py::arg("graph"), py::arg("params"), py::arg("in_"), py::arg("prog"),
              context, options,
              "Pools `in_` [batch, channels, spatial...], of the shape and type in `params`, to a\n"
              "new tensor [batch, channels, result's spatial...]. Types: FLOAT, HALF, BFLOAT16 or\n"
              "DOUBLE, and integers for MAX. Padding does not count in AVG and is never the\n"
              "maximum; a window of padding alone gives 0. NaN in a window of MAX gives NaN.\n"
              "Raises poplibs_exception for parameters, shapes and types that do not match.\n"
              "Raises poplar_invalid_option for invalid options.");
  pooling.def(
      "poolInputGradient",
      [](Graph& graph, const PoolParams& params, const Tensor& in, const Tensor& pooled,
         const Tensor& pooledGradient, bool useScaledGradient, Sequence& prog, Context c,
         const OptionFlags& o) {
        return poolInputGradient(graph, params, in, pooled, pooledGradient, useScaledGradient, prog,
                                 c, o);
      },
      py::arg("graph"), py::arg("params"), py::arg("in_"), py::arg("pooled"),
      py::arg("pooledGradient"), py::arg("useScaledGradient"), py::arg("prog"), context, options,
      "The gradient of the input of pool(): a new tensor of its shape. Types: FLOAT,\n"
      "HALF, BFLOAT16 or DOUBLE. For MAX every maximum of a window gets the window's\n"
      "gradient, in equal parts if `useScaledGradient`; ext.maxPoolInputGradient gives\n"
      "it to the first maximum.\n"
      "`in_`, `pooled`: the input and the result of pool(); only MAX needs them.\n"
      "`pooledGradient`: the gradient of the result, of its shape and type.\n"
      "Raises poplibs_exception for parameters, shapes and types that do not match.\n"
      "Raises poplar_invalid_option for invalid options.");
  pooling.def(
      "poolInputGradient",
      [](Graph& graph, const PoolParams& params, unsigned fwdChansPerGroup,
         const Tensor& pooledGradient, Sequence& prog, Context c, const OptionFlags& o) {
        return poolInputGradient(graph, params, fwdChansPerGroup, pooledGradient, prog, c, o);
      },
      py::arg("graph"), py::arg("params"), py::arg("fwdChansPerGroup"), py::arg("pooledGradient"),
      py::arg("prog"), context, options,
      "The same for AVG and SUM, which need only the gradient of the result.\n"
      "`fwdChansPerGroup` has no effect.\n"
      "Raises poplibs_exception for MAX too.");
}

void bindNonLinearity(py::module_& m) {
  using popnn::NonLinearityType;
  py::enum_<NonLinearityType> types(
      m, "NonLinearityType",
      "The functions of nonLinearity() (PopLibs: popnn/NonLinearityDef.hpp). HARD_SIGMOID:\n"
      "max(0, min(1, 0.2 x + 0.5)). GELU: by tanh; GELU_ERF: by erf. SWISH: x sigmoid(x).\n"
      "SOFTMAX and SOFTMAX_STABLE are the same; SOFTMAX_SCALED is 62000 times softmax.");
  const auto context = debugContext();
  const auto bind = [&](const char* enumerator, NonLinearityType type, const char* name) {
    types.value(enumerator, type);
    if (name == nullptr) return;
    m.def(
        name,
        [type](Graph& graph, const Tensor& t, Sequence& prog, Context c) {
          return popnn::nonLinearity(graph, type, t, prog, c);
        },
        py::arg("graph"), py::arg("t"), py::arg("prog"), context,
        ("The same as nonLinearity() of the type " + std::string(enumerator) + ".").c_str());
    m.def(
        (std::string(name) + "InPlace").c_str(),
        [type](Graph& graph, const Tensor& t, Sequence& prog, Context c) {
          popnn::nonLinearityInPlace(graph, type, t, prog, c);
        },
        py::arg("graph"), py::arg("t"), py::arg("prog"), context,
        ("The same as nonLinearityInPlace() of the type " + std::string(enumerator) + ".").c_str());
  };
  bind("SIGMOID", NonLinearityType::SIGMOID, "sigmoid");
  bind("HARD_SIGMOID", NonLinearityType::HARD_SIGMOID, nullptr);
  bind("RELU", NonLinearityType::RELU, "relu");
  bind("TANH", NonLinearityType::TANH, "tanh");
  bind("GELU", NonLinearityType::GELU, "gelu");
  bind("GELU_ERF", NonLinearityType::GELU_ERF, "geluErf");
  bind("SWISH", NonLinearityType::SWISH, "swish");
  bind("SOFTMAX", NonLinearityType::SOFTMAX, "softmax");
  bind("SOFTMAX_STABLE", NonLinearityType::SOFTMAX_STABLE, "softmaxStable");
  bind("SOFTMAX_SCALED", NonLinearityType::SOFTMAX_SCALED, "scaledSoftmaxStable");
  m.def(
      "nonLinearity",
      [](Graph& graph, NonLinearityType type, const Tensor& t, Sequence& prog, Context c) {
        return popnn::nonLinearity(graph, type, t, prog, c);
      },
      py::arg("graph"), py::arg("nonLinearityType"), py::arg("t"), py::arg("prog"), context,
      "A new tensor of the shape and type of `t`: the function of each element, or softmax\n"
      "over the last dimension. Types: FLOAT, HALF, BFLOAT16 or DOUBLE. SOFTMAX_SCALED\n"
      "multiplies by 62000, so that small probabilities fit in HALF.\n"
      "Raises poplibs_exception for other types, and for a softmax of a scalar.");
  m.def(
      "nonLinearityInPlace",
      [](Graph& graph, NonLinearityType type, const Tensor& t, Sequence& prog, Context c) {
        popnn::nonLinearityInPlace(graph, type, t, prog, c);
      },
      py::arg("graph"), py::arg("nonLinearityType"), py::arg("t"), py::arg("prog"), context,
      "The same as nonLinearity(), with the result written to `t`.");
  m.def("nonLinearityInputGradient", &popnn::nonLinearityInputGradient, py::arg("graph"),
        py::arg("nonLinearityType"), py::arg("act"), py::arg("outGradient"), py::arg("prog"),
        context,
        "The gradient of the input of nonLinearity(): a new tensor of its shape and type.\n"
        "`act`: the output of nonLinearity(); for GELU, GELU_ERF and SWISH its input.\n"
        "`outGradient`: the gradient of the output.\n"
        "Raises poplibs_exception for SOFTMAX_SCALED, for other types than those of\n"
        "nonLinearity(), and for different shapes or types.");
  m.def("logSoftmax", &popnn::logSoftmax, py::arg("graph"), py::arg("t"), py::arg("prog"), context,
        "A new tensor of the shape and type of `t`: t - log(sum(exp(t))) over the last\n"
        "dimension. Types: FLOAT, HALF, BFLOAT16 or DOUBLE.\n"
        "Raises poplibs_exception for other types and for a scalar.");
  m.def("logSoftmaxInPlace", &popnn::logSoftmaxInPlace, py::arg("graph"), py::arg("t"),
        py::arg("prog"), context, "The same as logSoftmax(), with the result written to `t`.");
}

void bindLoss(py::module_& m) {
  using popnn::LossType;
  using T = const Tensor&;
  py::enum_<LossType>(
      m, "LossType",
      "The losses of calcLoss() (PopLibs: popnn/Loss.hpp). With t = 1 for the expected\n"
      "class and 0 for others, SUM_SQUARED_LOSS is sum((output - t)^2) / 2, with deltas\n"
      "output - t; CROSS_ENTROPY_LOSS is -log(output of the expected class), with deltas\n"
      "output - t, the gradient of the softmax's input.")
      .value("SUM_SQUARED_LOSS", popnn::SUM_SQUARED_LOSS)
      .value("CROSS_ENTROPY_LOSS", popnn::CROSS_ENTROPY_LOSS);
  const auto context = debugContext();
  const py::arg graph("graph"), outputs("modelOutputs"), expected("expected"), loss("loss"),
      deltas("deltas"), deltasScale("deltasScale"), scaling("modelOutputScaling"),
      correct("numCorrect"), type("lossType"), input("input"), prog("prog");
  m.def("calcLoss", py::overload_cast<Graph&, T, T, T, T, LossType, Context>(&popnn::calcLoss),
        graph, outputs, expected, loss, deltas, type, context,
        "A program that computes the loss of each sample, and its gradient.\n"
        "`modelOutputs`: [batch, classes], FLOAT or HALF.\n"
        "`expected`: [batch], INT or UNSIGNED_INT, the class of each sample. A\n"
        "masked label (2**32 - 1, in INT -1) gives loss and deltas 0, any other\n"
        "number that is no class NaN.\n"
        "`loss`: [batch], written.\n"
        "`deltas`: [batch, classes], written. Both have the type of `modelOutputs`.\n"
        "Raises poplibs_exception for shapes and types that do not match.");
  m.def("calcLoss",
        py::overload_cast<Graph&, T, T, T, T, T, T, LossType, Context>(&popnn::calcLoss), graph,
        outputs, expected, loss, deltas, deltasScale, scaling, type, context,
        "The same for CROSS_ENTROPY_LOSS, with `modelOutputs` divided by\n"
        "`modelOutputScaling`, then the deltas multiplied by `deltasScale`: one element each,\n"
        "of the type of `modelOutputs`.\n"
        "Raises poplibs_exception for the other loss too.");
  m.def("calcLoss", py::overload_cast<Graph&, T, T, T, T, T, LossType, Context>(&popnn::calcLoss),
        graph, outputs, expected, loss, deltas, correct, type, context,
        "The same as the first form, and adds to `numCorrect`, one element of INT or\n"
        "UNSIGNED_INT, the number of samples whose first maximum is at the expected class.");
  m.def("calcLoss",
        py::overload_cast<Graph&, T, T, T, T, T, T, T, LossType, Context>(&popnn::calcLoss), graph,
        outputs, expected, loss, deltas, deltasScale, scaling, correct, type, context,
        "The same with scales and `numCorrect`.");
  m.def("calcAccuracy", &popnn::calcAccuracy, graph, outputs, expected, correct, context,
        "A program that adds to `numCorrect`, one element of INT or UNSIGNED_INT, the number\n"
        "of samples whose first maximum is at the expected class. `modelOutputs` and\n"
        "`expected` are those of calcLoss().\n"
        "Raises poplibs_exception for other shapes and types.");
  m.def("argMax", &popnn::argMax, graph, input, prog, context,
        "The column of the first maximum of each row of `input` [rows, columns]: a new tensor\n"
        "[rows] of UNSIGNED_INT. NaN is larger than every number. Types: FLOAT, HALF,\n"
        "BFLOAT16 or DOUBLE, 32-bit and 64-bit integers.\n"
        "Raises poplibs_exception for another type or rank, and for rows without columns.");
  m.def("argMin", &popnn::argMin, graph, input, prog, context,
        "The same as argMax() for the first minimum of each row. NaN is\n"
        "smaller than every number.");
  m.def("maxAndArgMax", &popnn::maxAndArgMax, graph, input, prog, context,
        "(maxima, columns): the first maximum of each row, [rows] of the type of `input`,\n"
        "and the result of argMax().");
  m.def("minAndArgMin", &popnn::minAndArgMin, graph, input, prog, context,
        "(minima, columns): the first minimum of each row, [rows] of the type of `input`,\n"
        "and the result of argMin().");
}

}  // namespace

void bindPopnn(py::module_& m) {
  m.doc() = "Pooling, non-linear functions and losses (PopLibs: popnn).";
  bindPooling(m);
  bindNonLinearity(m);
  bindLoss(m);
}

}  // namespace popir
