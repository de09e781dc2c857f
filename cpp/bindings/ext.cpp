// popir.ext: what PopLibs lacks, from the headers under popir/.
#include <pybind11/stl.h>
#include <popir/Nll.hpp>
#include <popir/Pooling.hpp>
#include <popir/Softmax.hpp>

#include "bindings/module.hpp"
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
  const auto context = py::arg("debugContext") = poplar::DebugContext();
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
  options.def_readwrite("dilation", &PoolOptions::dilation)
      .def_readwrite("countIncludePad", &PoolOptions::countIncludePad)
      .def_readwrite("uncountedPaddingUpper", &PoolOptions::uncountedPaddingUpper)
      .def(pickled(&PoolOptions::dilation, &PoolOptions::countIncludePad,
                   &PoolOptions::uncountedPaddingUpper));
  m.def("poolOutputFieldShape", &poolOutputFieldShape, py::arg("params"), py::arg("options"));
  m.def("pool", &pool, py::arg("graph"), py::arg("params"), py::arg("options"), py::arg("in"),
        py::arg("prog"), context);
  m.def("poolInputGradient", &poolInputGradient, py::arg("graph"), py::arg("params"),
        py::arg("options"), py::arg("pooledGradient"), py::arg("prog"), context, "AVG and SUM.");
  m.def("maxPoolInputGradient", &maxPoolInputGradient, py::arg("graph"), py::arg("params"),
        py::arg("options"), py::arg("in"), py::arg("pooledGradient"), py::arg("prog"), context,
        "MAX: to the first maximum of each window, in row-major order.");
}

void bindSoftmax(py::module_& m) {
  const auto context = py::arg("debugContext") = poplar::DebugContext();
  m.def("softmax", &softmax, py::arg("graph"), py::arg("x"), py::arg("prog"), context,
        py::arg("scale") = 1.0f, "scale exp(x) / sum(exp(x)) over the last dimension.");
  m.def("softmaxInPlace", &softmaxInPlace, py::arg("graph"), py::arg("x"), py::arg("prog"), context,
        py::arg("scale") = 1.0f);
  m.def("softmaxGrad", &softmaxGrad, py::arg("graph"), py::arg("y"), py::arg("g"), py::arg("prog"),
        context, "From softmax's output and the gradient with respect to it.");
  m.def("logSoftmax", &logSoftmax, py::arg("graph"), py::arg("x"), py::arg("prog"), context,
        "x - log(sum(exp(x))) over the last dimension.");
  m.def("logSoftmaxInPlace", &logSoftmaxInPlace, py::arg("graph"), py::arg("x"), py::arg("prog"),
        context);
  m.def("logSoftmaxGrad", &logSoftmaxGrad, py::arg("graph"), py::arg("y"), py::arg("g"),
        py::arg("prog"), context, "From logSoftmax's output and the gradient with respect to it.");
}

void bindNll(py::module_& m) {
  py::enum_<LossReduction>(m, "LossReduction")
      .value("None", LossReduction::None)
      .value("Sum", LossReduction::Sum)
      .value("Mean", LossReduction::Mean);
  py::class_<NllParams>(m, "NllParams",
                        "reduction (Mean), inputIsLogProbability, hasIgnoreIndex, ignoreIndex.")
      .def(py::init<>())
      .def_readwrite("reduction", &NllParams::reduction)
      .def_readwrite("inputIsLogProbability", &NllParams::inputIsLogProbability)
      .def_readwrite("hasIgnoreIndex", &NllParams::hasIgnoreIndex)
      .def_readwrite("ignoreIndex", &NllParams::ignoreIndex);
  const auto context = py::arg("debugContext") = poplar::DebugContext();
  const auto weights = py::arg("weights") = py::none();
  m.def("nllLoss", &nllLoss, py::arg("graph"), py::arg("p"), py::arg("labels"), py::arg("params"),
        py::arg("prog"), context, weights,
        "-log(p[label]) of each sample, times the weight of its class if there are any, their sum "
        "or mean. A label that is no class makes NaN.");
  m.def("nllLossGrad", &nllLossGrad, py::arg("graph"), py::arg("g"), py::arg("p"),
        py::arg("labels"), py::arg("params"), py::arg("prog"), context, weights,
        "With respect to p.");
  m.def("nllSoftmaxGrad", &nllSoftmaxGrad, py::arg("graph"), py::arg("g"), py::arg("p"),
        py::arg("labels"), py::arg("params"), py::arg("prog"), context, weights,
        "With respect to what p is the softmax of.");
}

}  // namespace

void bindExt(py::module_& m) {
  bindPooling(m);
  bindSoftmax(m);
  bindNll(m);
}

}  // namespace popir
