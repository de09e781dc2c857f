// popir.ext: what PopLibs lacks, from the headers under popir/.
#include <pybind11/stl.h>
#include <popir/ArgExtremum.hpp>
#include <popir/Nll.hpp>
#include <popir/Pooling.hpp>
#include <popir/Roi.hpp>
#include <popir/Scan.hpp>
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
  m.def("maxPoolIndices", &maxPoolIndices, py::arg("graph"), py::arg("params"), py::arg("options"),
        py::arg("in_"), py::arg("columnMajor"), py::arg("prog"), context,
        "Where the maxima of a MAX pooling are: LONGLONG, the index in the flattened input of the "
        "first maximum of each window; -1 for a window without an element. columnMajor: within a "
        "channel, its first spatial dimension counts fastest.");
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

void bindScans(py::module_& m) {
  py::class_<ScanOptions>(m, "ScanOptions", "How a scan goes along its dimension.")
      .def(py::init([](bool exclusive, bool reverse) {
             return ScanOptions{exclusive, reverse};
           }),
           py::arg("exclusive") = false, py::arg("reverse") = false,
           "exclusive: without the element itself, so that the first result is 0, or 1. reverse: "
           "from the last element to the first.")
      .def_readwrite("exclusive", &ScanOptions::exclusive,
                     "Whether a result leaves out the element at its place.")
      .def_readwrite("reverse", &ScanOptions::reverse, "Whether it begins at the last element.");
  const auto context = debugContext();
  m.def(
      "runningSum", &runningSum, py::arg("graph"), py::arg("x"), py::arg("dimension"),
      py::arg("options"), py::arg("prog"), context,
      "x[0] + ... + x[i] along a dimension, in the shape of x. Raises poplibs_exception for other "
      "types than floating point and 32- and 64-bit integers, which wrap.");
  m.def("runningProduct", &runningProduct, py::arg("graph"), py::arg("x"), py::arg("dimension"),
        py::arg("options"), py::arg("prog"), context,
        "x[0] ... x[i] along a dimension, as runningSum.");
  m.def("runningProductGradient", &runningProductGradient, py::arg("graph"), py::arg("x"),
        py::arg("g"), py::arg("dimension"), py::arg("options"), py::arg("prog"), context,
        "The gradient of runningProduct's x, from x and the gradient g of its result. x may have "
        "zeros.");
  m.def("argExtremum", &argExtremum, py::arg("graph"), py::arg("input"), py::arg("max"),
        py::arg("last"), py::arg("prog"), context,
        "popnn.argMax or argMin; with `last` the last of several equal extrema. The input may also "
        "be [outer, columns, inner], and the index [outer, inner].");
}

void bindRois(py::module_& m) {
  py::enum_<RoiPooling>(m, "RoiPooling", "What becomes of a bin, an equal part of a region.")
      .value("AlignAverage", RoiPooling::AlignAverage)
      .value("AlignMax", RoiPooling::AlignMax)
      .value("Max", RoiPooling::Max);
  py::class_<RoiParams>(m, "RoiParams", "A pooling over regions of images.")
      .def(py::init<>())
      .def_readwrite("pooling", &RoiParams::pooling,
                     "The mean of interpolated samples (AlignAverage), their largest weighted "
                     "pixel (AlignMax), or the largest pixel (Max).")
      .def_readwrite("height", &RoiParams::height, "Bins of a region, down.")
      .def_readwrite("width", &RoiParams::width, "Bins of a region, across.")
      .def_readwrite("scale", &RoiParams::scale, "Pixels for a step of the coordinates.")
      .def_readwrite("samplingRatio", &RoiParams::samplingRatio,
                     "Samples of a bin in each direction; 0 for as many as it has pixels.")
      .def_readwrite("halfPixel", &RoiParams::halfPixel,
                     "Whether pixel i reaches from i to i + 1, not from i - 1/2 to i + 1/2.")
      .def(pickled(&RoiParams::pooling, &RoiParams::height, &RoiParams::width, &RoiParams::scale,
                   &RoiParams::samplingRatio, &RoiParams::halfPixel));
  const auto context = debugContext();
  m.def("roiPool", &roiPool, py::arg("graph"), py::arg("params"), py::arg("regions"),
        py::arg("images"), py::arg("in_"), py::arg("prog"), context,
        "[regions, channels, height, width] of `in_` [images, channels, height, width]. `regions`: "
        "[regions, 4], x and y of two corners; `images`: INT [regions], the image of each. Raises "
        "poplibs_exception for other shapes and types.");
  m.def("roiPoolInputGradient", &roiPoolInputGradient, py::arg("graph"), py::arg("params"),
        py::arg("regions"), py::arg("images"), py::arg("in_"), py::arg("gradient"), py::arg("prog"),
        context, "The gradient of roiPool's `in_`; a maximum's goes to the first one.");
}

}  // namespace

void bindExt(py::module_& m) {
  m.doc() = "What PopLibs lacks: popir's own functions of the device.";
  bindPooling(m);
  bindSoftmax(m);
  bindNll(m);
  bindScans(m);
  bindRois(m);
}

}  // namespace popir
