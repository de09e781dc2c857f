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
  py::enum_<PoolingType>(m, "PoolingType", "What a pooling makes of the elements of a window.")
      .value("MAX", PoolingType::MAX)
      .value("AVG", PoolingType::AVG)
      .value("SUM", PoolingType::SUM);
  auto pooling =
      m.def_submodule("pooling", "Pooling of spatial dimensions (PopLibs: popnn/Pooling.hpp).");
  py::class_<PoolParams>(pooling, "PoolParams",
                         "Sizes of a pooling; lists have one entry for each spatial dimension.")
      .def(py::init<PoolingType, Sizes, Sizes, std::vector<unsigned>, std::vector<int>,
                    std::vector<int>, std::size_t, std::size_t, poplar::Type>(),
           py::arg("poolingType"), py::arg("inputFieldShape"), py::arg("kernelShape"),
           py::arg("stride"), py::arg("inputTruncationOrPaddingLower"),
           py::arg("inputTruncationOrPaddingUpper"), py::arg("numChannels"), py::arg("batchSize"),
           py::arg("dType"))
      .def("getOutputFieldShape", &PoolParams::getOutputFieldShape,
           "The size of the result by spatial dimension.")
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
  pooling.def("getOutputFieldShape", &getOutputFieldShape, py::arg("params"),
              "The size of the result by spatial dimension. Raises poplibs_exception for "
              "parameters that do not fit.");
  pooling.def("getFwdFlops", &getFwdFlops, py::arg("params"),
              "Floating-point operations of the forward pass.");
  pooling.def("getBwdFlops", &getBwdFlops, py::arg("params"),
              "Floating-point operations of the gradient of the input.");
  pooling.def("pool", &pool, py::arg("graph"), py::arg("params"), py::arg("in_"), py::arg("prog"),
              context, options,
              "Pools [batch, channels, spatial...]. Padding is not counted and never a maximum.");
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
      "MAX: to every maximum of a window, in equal parts if useScaledGradient. "
      "ext.maxPoolInputGradient gives it to the first.");
  pooling.def(
      "poolInputGradient",
      [](Graph& graph, const PoolParams& params, unsigned fwdChansPerGroup,
         const Tensor& pooledGradient, Sequence& prog, Context c, const OptionFlags& o) {
        return poolInputGradient(graph, params, fwdChansPerGroup, pooledGradient, prog, c, o);
      },
      py::arg("graph"), py::arg("params"), py::arg("fwdChansPerGroup"), py::arg("pooledGradient"),
      py::arg("prog"), context, options, "The gradient of an AVG or SUM pooling's input.");
}

void bindNonLinearity(py::module_& m) {
  using popnn::NonLinearityType;
  py::enum_<NonLinearityType> types(m, "NonLinearityType", "The function that a nonLinearity is.");
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
        ("nonLinearity of the type " + std::string(enumerator) + ": a new tensor.").c_str());
    m.def((std::string(name) + "InPlace").c_str(),
          [type](Graph& graph, const Tensor& t, Sequence& prog, Context c) {
            popnn::nonLinearityInPlace(graph, type, t, prog, c);
          },
          py::arg("graph"), py::arg("t"), py::arg("prog"), context,
          ("nonLinearityInPlace of the type " + std::string(enumerator) + ".").c_str());
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
      "A new tensor: the function of each element, or softmax over the last dimension. "
      "FLOAT, HALF or DOUBLE. SOFTMAX_SCALED multiplies by 62000, so that small "
      "probabilities fit in HALF. Raises poplibs_exception for other types, and for a "
      "softmax of a scalar.");
  m.def(
      "nonLinearityInPlace",
      [](Graph& graph, NonLinearityType type, const Tensor& t, Sequence& prog, Context c) {
        popnn::nonLinearityInPlace(graph, type, t, prog, c);
      },
      py::arg("graph"), py::arg("nonLinearityType"), py::arg("t"), py::arg("prog"), context,
      "The same, written over `t`.");
  m.def("nonLinearityInputGradient", &popnn::nonLinearityInputGradient, py::arg("graph"),
        py::arg("nonLinearityType"), py::arg("act"), py::arg("outGradient"), py::arg("prog"),
        context,
        "The gradient of the input of nonLinearity. `act`: its output; for GELU, "
        "GELU_ERF and SWISH its input. Raises poplibs_exception for SOFTMAX_SCALED, and "
        "for different shapes or types.");
  m.def("logSoftmax", &popnn::logSoftmax, py::arg("graph"), py::arg("t"), py::arg("prog"), context,
        "A new tensor: x - log(sum(exp(x))) over the last dimension.");
  m.def("logSoftmaxInPlace", &popnn::logSoftmaxInPlace, py::arg("graph"), py::arg("t"),
        py::arg("prog"), context, "The same, written over `t`.");
}

void bindLoss(py::module_& m) {
  using popnn::LossType;
  using T = const Tensor&;
  py::enum_<LossType>(m, "LossType", "What calcLoss computes of each sample.")
      .value("SUM_SQUARED_LOSS", popnn::SUM_SQUARED_LOSS)
      .value("CROSS_ENTROPY_LOSS", popnn::CROSS_ENTROPY_LOSS);
  const auto context = debugContext();
  const py::arg graph("graph"), outputs("modelOutputs"), expected("expected"), loss("loss"),
      deltas("deltas"), deltasScale("deltasScale"), scaling("modelOutputScaling"),
      correct("numCorrect"), type("lossType"), input("input"), prog("prog");
  m.def("calcLoss", py::overload_cast<Graph&, T, T, T, T, LossType, Context>(&popnn::calcLoss),
        graph, outputs, expected, loss, deltas, type, context,
        "A program that writes `loss` [batch] and `deltas` [batch, classes], the "
        "gradient with respect to `modelOutputs` [batch, classes], FLOAT or HALF. "
        "`expected` [batch]: the class of each sample, INT or UNSIGNED_INT. Raises "
        "poplibs_exception for shapes and types that do not fit each other.");
  m.def("calcLoss",
        py::overload_cast<Graph&, T, T, T, T, T, T, LossType, Context>(&popnn::calcLoss), graph,
        outputs, expected, loss, deltas, deltasScale, scaling, type, context,
        "The same of CROSS_ENTROPY_LOSS with the deltas times `deltasScale` and the "
        "outputs divided by `modelOutputScaling`, one element each.");
  m.def("calcLoss", py::overload_cast<Graph&, T, T, T, T, T, LossType, Context>(&popnn::calcLoss),
        graph, outputs, expected, loss, deltas, correct, type, context,
        "The same, and `numCorrect`, one element, grows by the number of samples whose "
        "first largest output is that of the expected class.");
  m.def("calcLoss",
        py::overload_cast<Graph&, T, T, T, T, T, T, T, LossType, Context>(&popnn::calcLoss), graph,
        outputs, expected, loss, deltas, deltasScale, scaling, correct, type, context,
        "The same of CROSS_ENTROPY_LOSS with scales and numCorrect.");
  m.def("calcAccuracy", &popnn::calcAccuracy, graph, outputs, expected, correct, context,
        "A program that adds to `numCorrect` as that of calcLoss does.");
  m.def("argMax", &popnn::argMax, graph, input, prog, context,
        "The column of the first maximum of each row, UNSIGNED_INT [rows]. NaN is larger "
        "than every number.");
  m.def("argMin", &popnn::argMin, graph, input, prog, context,
        "The column of the first minimum of each row, UNSIGNED_INT [rows]. NaN is "
        "smaller than every number.");
  m.def("maxAndArgMax", &popnn::maxAndArgMax, graph, input, prog, context,
        "The first maximum of each row, and its column.");
  m.def("minAndArgMin", &popnn::minAndArgMin, graph, input, prog, context,
        "The first minimum of each row, and its column.");
}

}  // namespace

void bindPopnn(py::module_& m) {
  m.doc() = "Pooling, non-linear functions and losses (PopLibs: popnn).";
  bindPooling(m);
  bindNonLinearity(m);
  bindLoss(m);
}

}  // namespace popir
