// popir.ext: what PopLibs lacks, from the headers under popir/.
#include <pybind11/stl.h>
#include <popir/Abort.hpp>
#include <popir/ArgExtremum.hpp>
#include <popir/DequantizeBits.hpp>
#include <popir/IntegerProduct.hpp>
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
  py::class_<PoolOptions> options(
      m, "PoolOptions", "The options of ONNX's pooling that popnn.pooling.PoolParams lacks.");
  options.def(
      py::init([](std::vector<unsigned> dilation, bool countIncludePad,
                  std::vector<unsigned> uncountedPaddingUpper) {
        return PoolOptions{std::move(dilation), countIncludePad, std::move(uncountedPaddingUpper)};
      }),
      py::arg("dilation") = std::vector<unsigned>(), py::arg("countIncludePad") = false,
      py::arg("uncountedPaddingUpper") = std::vector<unsigned>(),
      "Lists have one entry for each spatial dimension, or none.");
  options
      .def_readwrite("dilation", &PoolOptions::dilation,
                     "By spatial dimension: the distance of neighbouring elements\n"
                     "of a window; empty for 1.")
      .def_readwrite("countIncludePad", &PoolOptions::countIncludePad,
                     "For AVG: whether padding counts in the divisor.")
      .def_readwrite(
          "uncountedPaddingUpper", &PoolOptions::uncountedPaddingUpper,
          "By spatial dimension: the part of the upper padding that does not count even with\n"
          "`countIncludePad`, because rounding up (ceil_mode) added it; empty for 0.")
      .def(pickled(&PoolOptions::dilation, &PoolOptions::countIncludePad,
                   &PoolOptions::uncountedPaddingUpper));
  m.def("poolOutputFieldShape", &poolOutputFieldShape, py::arg("params"), py::arg("options"),
        "By spatial dimension: the size of the result, (padded input - dilation * (kernel -\n"
        "1) - 1) / stride + 1, rounded down; 0 if the window does not fit.\n"
        "Raises poplibs_exception for lists of other lengths, and for a kernel,\n"
        "stride or dilation of 0.");
  m.def("pool", &pool, py::arg("graph"), py::arg("params"), py::arg("options"), py::arg("in_"),
        py::arg("prog"), context,
        "The same as popnn.pooling.pool(), with these options. Shapes, types\n"
        "and errors are the same.");
  m.def("maxPoolIndices", &maxPoolIndices, py::arg("graph"), py::arg("params"), py::arg("options"),
        py::arg("in_"), py::arg("columnMajor"), py::arg("prog"), context,
        "Where the maxima of a MAX pooling are: LONGLONG, the index in the flattened input of the "
        "first maximum of each window; -1 for a window without an element. columnMajor: within a "
        "channel, its first spatial dimension counts fastest.");
  m.def("poolInputGradient", &poolInputGradient, py::arg("graph"), py::arg("params"),
        py::arg("options"), py::arg("pooledGradient"), py::arg("prog"), context,
        "The gradient of the input of pool() with AVG or SUM: a new tensor of its shape.\n"
        "Types: FLOAT, HALF, BFLOAT16 or DOUBLE.\n"
        "`pooledGradient`: the gradient of the result, of its shape and type.\n"
        "Raises poplibs_exception for MAX, and for parameters, shapes and\n"
        "types that do not match.");
  m.def("maxPoolInputGradient", &maxPoolInputGradient, py::arg("graph"), py::arg("params"),
        py::arg("options"), py::arg("in_"), py::arg("pooledGradient"), py::arg("prog"), context,
        "The gradient of the input of pool() with MAX: a new tensor of its shape. The first\n"
        "maximum of each window in row-major order, or its first NaN, gets the window's\n"
        "gradient, as in PyTorch and onnxruntime. Types: FLOAT, HALF, BFLOAT16 or DOUBLE.\n"
        "Raises poplibs_exception for AVG and SUM, and for parameters, shapes and\n"
        "types that do not match.");
}

void bindSoftmax(py::module_& m) {
  const auto context = debugContext();
  m.def("softmax", &softmax, py::arg("graph"), py::arg("x"), py::arg("prog"), context,
        py::arg("scale") = 1.0f,
        "A new tensor of the shape and type of `x`: scale * exp(x) / sum(exp(x))\n"
        "over the last dimension. Finite inputs never overflow. Types: FLOAT,\n"
        "HALF, BFLOAT16 or DOUBLE.\n"
        "Raises poplibs_exception for other types and for a scalar.");
  m.def("softmaxInPlace", &softmaxInPlace, py::arg("graph"), py::arg("x"), py::arg("prog"), context,
        py::arg("scale") = 1.0f, "The same as softmax(), with the result written to `x`.");
  m.def("softmaxGrad", &softmaxGrad, py::arg("graph"), py::arg("y"), py::arg("g"), py::arg("prog"),
        context,
        "The gradient of the input of softmax() with scale 1: a new\n"
        "tensor, y * (g - sum(g * y)).\n"
        "`y`: its output.\n"
        "`g`: the gradient of the output.\n"
        "Raises poplibs_exception for different shapes or types, and as softmax().");
  m.def("logSoftmax", &logSoftmax, py::arg("graph"), py::arg("x"), py::arg("prog"), context,
        "A new tensor of the shape and type of `x`: x - log(sum(exp(x))) over the last\n"
        "dimension. Types: FLOAT, HALF, BFLOAT16 or DOUBLE.\n"
        "Raises poplibs_exception for other types and for a scalar.");
  m.def("logSoftmaxInPlace", &logSoftmaxInPlace, py::arg("graph"), py::arg("x"), py::arg("prog"),
        context, "The same as logSoftmax(), with the result written to `x`.");
  m.def("logSoftmaxGrad", &logSoftmaxGrad, py::arg("graph"), py::arg("y"), py::arg("g"),
        py::arg("prog"), context,
        "The gradient of the input of logSoftmax(): a new tensor, g - exp(y) * sum(g).\n"
        "`y`: its output.\n"
        "`g`: the gradient of the output.\n"
        "Raises poplibs_exception for different shapes or types, and as logSoftmax().");
}

void bindNll(py::module_& m) {
  py::enum_<LossReduction>(
      m, "LossReduction",
      "What nllLoss() returns: a loss for each sample (None_), their sum, or their mean.")
      .value("None_", LossReduction::None)
      .value("Sum", LossReduction::Sum)
      .value("Mean", LossReduction::Mean);
  py::class_<NllParams>(m, "NllParams", "The parameters of nllLoss() and its gradients.")
      .def(py::init<>())
      .def_readwrite("reduction", &NllParams::reduction,
                     "Sum, Mean (the default), or None_ for a loss of each sample.")
      .def_readwrite("inputIsLogProbability", &NllParams::inputIsLogProbability,
                     "Whether `p` holds logarithms of probabilities.")
      .def_readwrite("hasIgnoreIndex", &NllParams::hasIgnoreIndex,
                     "Whether samples with the label `ignoreIndex` have loss and gradient 0, and\n"
                     "do not count in the mean.")
      .def_readwrite("ignoreIndex", &NllParams::ignoreIndex,
                     "The label of samples that `hasIgnoreIndex` leaves out.");
  const auto context = debugContext();
  const auto weights = py::arg("weights") = py::none();
  m.def("nllLoss", withOptionals(&nllLoss), py::arg("graph"), py::arg("p"), py::arg("labels"),
        py::arg("params"), py::arg("prog"), context, weights,
        "The negative log likelihood loss, as PopART's nllloss defines it: -log(p[label]) of\n"
        "each sample, times the weight of its class. The result has the type of `p`:\n"
        "[samples...] for None_, else a scalar. The mean is over the samples that are not\n"
        "ignored, and weighted by the weights.\n"
        "`p`: probabilities [samples..., classes], FLOAT, HALF, BFLOAT16 or DOUBLE; below\n"
        "1e-7 (6.104e-5 for HALF) they count as this.\n"
        "`labels`: [samples...], 32-bit or 64-bit integers; a label\n"
        "that is no class makes NaN.\n"
        "`weights`: [classes] of the type of `p`, or None.\n"
        "Raises poplibs_exception for shapes and types that do not match.");
  m.def("nllLossGrad", withOptionals(&nllLossGrad), py::arg("graph"), py::arg("g"), py::arg("p"),
        py::arg("labels"), py::arg("params"), py::arg("prog"), context, weights,
        "The gradient of nllLoss() with respect to `p`: a new tensor of its shape and type.\n"
        "`g`: the gradient of the loss, [samples...] for None_, else one element; of\n"
        "the type of `p`, or FLOAT.\n"
        "Raises poplibs_exception for shapes and types that do not match.");
  m.def("nllSoftmaxGrad", withOptionals(&nllSoftmaxGrad), py::arg("graph"), py::arg("g"),
        py::arg("p"), py::arg("labels"), py::arg("params"), py::arg("prog"), context, weights,
        "The gradient of nllLoss() with respect to x, where p = softmax(x), or p =\n"
        "logSoftmax(x) if `inputIsLogProbability`: a new tensor of the shape and type of `p`.\n"
        "`g`: as for nllLossGrad().\n"
        "Raises poplibs_exception for shapes and types that do not match.");
}

void bindProducts(py::module_& m) {
  m.def("integerProduct", &integerProduct, py::arg("graph"), py::arg("A"), py::arg("B"),
        py::arg("aZeros"), py::arg("bZeros"), py::arg("prog"), debugContext(),
        "(A - aZeros) (B - bZeros), a new tensor INT [groups, m, n], for A [groups, m, k] and B\n"
        "[groups, k, n] of SIGNED_CHAR or UNSIGNED_CHAR. The sums wrap around at 32 bits.\n"
        "`aZeros`, `bZeros`: zero points in the type of their operand, [1] or one for each row\n"
        "of A, [groups, m], or column of B, [groups, n]; None for none.\n"
        "Raises poplibs_exception for shapes and types that do not match.");
  m.def("integerConvolution", &integerConvolution, py::arg("graph"), py::arg("in_"),
        py::arg("weights"), py::arg("params"), py::arg("inZero"), py::arg("weightZeros"),
        py::arg("prog"), debugContext(),
        "The convolution of `in_` - inZero and `weights` - weightZeros, a new tensor INT, of\n"
        "SIGNED_CHAR or UNSIGNED_CHAR in the shapes that `params`, a poplin.ConvParams, has; its\n"
        "types do not count. It pads with inZero. The sums wrap around at 32 bits.\n"
        "`inZero`, `weightZeros`: zero points in the type of their operand, [1], or one for each\n"
        "output channel of the weights; None for none.\n"
        "Raises poplibs_exception for shapes and types that do not match, and for parameters with\n"
        "other transforms than truncation and padding of the input, dilation of the kernel, and\n"
        "strides, and if windows reach too far (isCompact).");
  m.def("isCompact", py::overload_cast<const poplin::ConvParams&>(&isCompact), py::arg("params"),
        "Whether the windows of a convolution reach over no more than 16 times the elements of\n"
        "its input and output, and 2^16, in a channel.");
}

void bindBits(py::module_& m) {
  m.def(
      "dequantizeBits", withOptionals(&dequantizeBits), py::arg("graph"), py::arg("numbers"),
      py::arg("scales"), py::arg("zeros"), py::arg("type"), py::arg("bits"), py::arg("columns"),
      py::arg("roundsRows"), py::arg("prog"), debugContext(),
      "The values of a matrix [rows, columns] of numbers of `bits` bits, 2, 4 or 8: a new tensor\n"
      "of `type`, FLOAT, HALF or BFLOAT16, (number - 2^(bits - 1) - zero point) * scale.\n"
      "`numbers`: UNSIGNED_CHAR [rows, blocks, bytes of a block], the lowest bits of a byte\n"
      "first. The last block of a row may reach beyond `columns`. A block has a multiple of 16\n"
      "numbers.\n"
      "`scales`, `zeros`: FLOAT [blocks, rows]; None for zero points that are all 0.\n"
      "A matrix product that alone reads the values, transposed, reads the numbers instead\n"
      "(engine option host.fuse). With `roundsRows` it may round its other operand to bytes,\n"
      "with a scale for each block.\n"
      "Raises poplibs_exception for shapes and types that do not match, for other bits and "
      "blocks.");
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
  m.def("abortOnCondition", &abortOnCondition, py::arg("graph"), py::arg("condition"),
        py::arg("text"), py::arg("prog"), context,
        "Ends the run with an error, with this text, if an element of `condition` is true. What "
        "the program has written until then stays written.\n"
        "`condition`: BOOL, of any shape.\n"
        "Raises poplibs_exception for another type.");
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
  m.def("roiPoolTangent", &roiPoolTangent, py::arg("graph"), py::arg("params"), py::arg("regions"),
        py::arg("images"), py::arg("in_"), py::arg("tangent"), py::arg("prog"), context,
        "The derivative of roiPool in a direction: `tangent` has type and shape of `in_`, the "
        "result those of roiPool's. A maximum's is that of the first one.");
}

}  // namespace

void bindExt(py::module_& m) {
  m.doc() = "Functions that PopLibs lacks: popir's own, from the C++ headers under popir/.";
  bindPooling(m);
  bindSoftmax(m);
  bindNll(m);
  bindProducts(m);
  bindBits(m);
  bindScans(m);
  bindRois(m);
}

}  // namespace popir
