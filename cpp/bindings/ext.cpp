// popir.ext: what PopLibs lacks, from the headers under popir/.
#include <pybind11/stl.h>
#include <popir/Nll.hpp>
#include <popir/Pooling.hpp>
#include <popir/Softmax.hpp>

#include "bindings/module.hpp"
#include "bindings/signatures.hpp"
#include "bindings/values.hpp"

namespace popir {
namespace {

namespace py = pybind11;
using poplar::Graph;
using poplar::Tensor;
using poplar::program::Sequence;
using Context = const poplar::DebugContext&;

void bindPooling(py::module_& m) {
  using popnn::pooling::PoolParams;
  const auto context = debugContext();
  py::class_<PoolOptions> options(m, "PoolOptions",
                                  "What ONNX's pooling has beyond popnn.pooling.");
  options.def(
      py::init([](std::vector<unsigned> dilation, bool countIncludePad,
                  std::vector<unsigned> uncountedPaddingUpper) {
        return PoolOptions{std::move(dilation), countIncludePad, std::move(uncountedPaddingUpper)};
      }),
      py::arg("dilation") = std::vector<unsigned>(), py::arg("countIncludePad") = false,
      py::arg("uncountedPaddingUpper") = std::vector<unsigned>(),
      "dilation: empty for 1. uncountedPaddingUpper: the part of the upper padding that "
      "countIncludePad leaves out, because rounding up (ceil_mode) added it.");
  options
      .def_readwrite("dilation", &PoolOptions::dilation,
                     "By dimension, the distance of neighbours in a window; empty for 1.")
      .def_readwrite("countIncludePad", &PoolOptions::countIncludePad,
                     "Whether an average counts padding as zeros.")
      .def_readwrite("uncountedPaddingUpper", &PoolOptions::uncountedPaddingUpper,
                     "By dimension, the upper padding that countIncludePad leaves out.")
      .def(pickled(&PoolOptions::dilation, &PoolOptions::countIncludePad,
                   &PoolOptions::uncountedPaddingUpper));
  m.def("poolOutputFieldShape", &poolOutputFieldShape, py::arg("params"), py::arg("options"),
        "The size of the result by spatial dimension.");
  m.def("pool", &pool, py::arg("graph"), py::arg("params"), py::arg("options"), py::arg("in_"),
        py::arg("prog"), context, "Pools [batch, channels, spatial...] with these options.");
  m.def("poolInputGradient", &poolInputGradient, py::arg("graph"), py::arg("params"),
        py::arg("options"), py::arg("pooledGradient"), py::arg("prog"), context,
        "The gradient of an AVG or SUM pooling's input.");
  m.def("maxPoolInputGradient", &maxPoolInputGradient, py::arg("graph"), py::arg("params"),
        py::arg("options"), py::arg("in_"), py::arg("pooledGradient"), py::arg("prog"), context,
        "The gradient of a MAX pooling's input: to the first maximum of each window, in "
        "row-major order.");
}

void bindSoftmax(py::module_& m) {
  const auto context = debugContext();
  m.def("softmax", &softmax, py::arg("graph"), py::arg("x"), py::arg("prog"), context,
        py::arg("scale") = 1.0f, "scale exp(x) / sum(exp(x)) over the last dimension.");
  m.def("softmaxInPlace", &softmaxInPlace, py::arg("graph"), py::arg("x"), py::arg("prog"), context,
        py::arg("scale") = 1.0f, "The same, written over `x`.");
  m.def("softmaxGrad", &softmaxGrad, py::arg("graph"), py::arg("y"), py::arg("g"), py::arg("prog"),
        context,
        "The gradient of the input, from softmax's output `y` and the gradient `g` of it.");
  m.def("logSoftmax", &logSoftmax, py::arg("graph"), py::arg("x"), py::arg("prog"), context,
        "x - log(sum(exp(x))) over the last dimension.");
  m.def("logSoftmaxInPlace", &logSoftmaxInPlace, py::arg("graph"), py::arg("x"), py::arg("prog"),
        context, "The same, written over `x`.");
  m.def("logSoftmaxGrad", &logSoftmaxGrad, py::arg("graph"), py::arg("y"), py::arg("g"),
        py::arg("prog"), context,
        "The gradient of the input, from logSoftmax's output `y` and the gradient `g` of "
        "it.");
}

void bindNll(py::module_& m) {
  py::enum_<LossReduction>(m, "LossReduction", "What becomes of the losses of the samples.")
      .value("None_", LossReduction::None)
      .value("Sum", LossReduction::Sum)
      .value("Mean", LossReduction::Mean);
  py::class_<NllParams>(m, "NllParams", "How a negative log likelihood is computed.")
      .def(py::init<>())
      .def_readwrite("reduction", &NllParams::reduction,
                     "Sum, Mean (the default), or None_ for a loss of each sample.")
      .def_readwrite("inputIsLogProbability", &NllParams::inputIsLogProbability,
                     "Whether p holds logarithms of probabilities.")
      .def_readwrite("hasIgnoreIndex", &NllParams::hasIgnoreIndex,
                     "Whether samples labelled ignoreIndex count for nothing.")
      .def_readwrite("ignoreIndex", &NllParams::ignoreIndex,
                     "The label of samples that count for nothing.");
  const auto context = debugContext();
  const auto weights = py::arg("weights") = py::none();
  m.def("nllLoss", withOptionals(&nllLoss), py::arg("graph"), py::arg("p"), py::arg("labels"),
        py::arg("params"), py::arg("prog"), context, weights,
        "-log(p[label]) of each sample, times the weight of its class if there are any, their sum "
        "or mean. A label that is no class makes NaN.");
  m.def("nllLossGrad", withOptionals(&nllLossGrad), py::arg("graph"), py::arg("g"), py::arg("p"),
        py::arg("labels"), py::arg("params"), py::arg("prog"), context, weights,
        "The gradient of nllLoss with respect to p.");
  m.def("nllSoftmaxGrad", withOptionals(&nllSoftmaxGrad), py::arg("graph"), py::arg("g"),
        py::arg("p"), py::arg("labels"), py::arg("params"), py::arg("prog"), context, weights,
        "The gradient of nllLoss with respect to what p is the softmax of.");
}

}  // namespace

void bindExt(py::module_& m) {
  m.doc() = "What PopLibs lacks: popir's own functions of the device.";
  bindPooling(m);
  bindSoftmax(m);
  bindNll(m);
}

}  // namespace popir
