// popir.poplin: matrix products and convolutions.
#include <pybind11/stl.h>
#include <poplin/ConvUtil.hpp>
#include <poplin/Convolution.hpp>
#include <poplin/MatMul.hpp>
#include <poplin/codelets.hpp>
#include <poputil/exceptions.hpp>

#include <functional>
#include <sstream>

#include "bindings/contraction.hpp"
#include "bindings/module.hpp"
#include "bindings/signatures.hpp"
#include "bindings/values.hpp"

namespace popir {
namespace {

namespace py = pybind11;
using namespace poplin;
using poplar::DebugContext;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::Type;
using poplar::program::Sequence;
using Shape = std::vector<std::size_t>;
using Unsigneds = std::vector<unsigned>;

#define POPIR_GRAPH py::arg("graph")
#define POPIR_OPTIONS \
  py::arg("options") = OptionFlags(), py::arg("cache") = static_cast<PlanningCache*>(nullptr)
#define POPIR_TAIL debugContext(), POPIR_OPTIONS

/// Binds a getter of a field dimension. Python may set members to anything, so the getter checks
/// them first.
template <class Get>
auto ofDimension(Get get) {
  return [get](const ConvParams& params, unsigned dim) {
    params.validate();
    if (dim >= params.getNumFieldDims())
      throw poputil::poplibs_error("poplin::ConvParams: dimension " + std::to_string(dim) +
                                   " given, the field has " +
                                   std::to_string(params.getNumFieldDims()));
    return (params.*get)(dim);
  };
}

/// Binds a function of parameters, and checks these first.
template <class Get>
auto ofValid(Get get) {
  return [get](const ConvParams& params) {
    params.validate();
    return get(params);
  };
}

void bindParams(py::module_& m) {
  py::class_<ConvParams> params(
      m, "ConvParams",
      "The parameters of a grouped cross-correlation (PopLibs: poplin/ConvParams.hpp).\n"
      "Activations are [batchSize, groups * channels, field...], weights [groups,\n"
      "outputChannelsPerConvGroup, inputChannelsPerConvGroup, kernel...], with 1 to 3 field\n"
      "dimensions. The input and the kernel are transformed, then correlated where the\n"
      "whole kernel fits, then the result is transformed; without transforms in the\n"
      "constructor, these do nothing. The constructor and the getters raise\n"
      "poplibs_exception as validate() does.");

  using In = ConvParams::InputTransform;
  withEquality(
      py::class_<In>(params, "InputTransform",
                     "Truncation, dilation, padding and flip of each field dimension, in this\n"
                     "order. InputTransform(size) changes nothing; raises poplibs_exception\n"
                     "for more than 3 dimensions."))
      .def(py::init<std::size_t>(), py::arg("size"))
      .def(py::init<Unsigneds, Unsigneds, Unsigneds, Unsigneds, Unsigneds, std::vector<bool>>(),
           py::arg("truncationLower"), py::arg("truncationUpper"), py::arg("dilation"),
           py::arg("paddingLower"), py::arg("paddingUpper"), py::arg("flip"))
      .def_readwrite("truncationLower", &In::truncationLower,
                     "By field dimension: the number of elements removed at the lower end.")
      .def_readwrite("truncationUpper", &In::truncationUpper,
                     "By field dimension: the number of elements removed at the upper end.")
      .def_readwrite(
          "dilation", &In::dilation,
          "By field dimension: the distance of neighbouring elements after dilation, with zeros\n"
          "between them; 1 for none.")
      .def_readwrite("paddingLower", &In::paddingLower,
                     "By field dimension: the number of zeros added at the lower end.")
      .def_readwrite("paddingUpper", &In::paddingUpper,
                     "By field dimension: the number of zeros added at the upper end.")
      .def_readwrite("flip", &In::flip,
                     "By field dimension: whether the order of the elements is reversed.")
      .def(pickled(&In::truncationLower, &In::truncationUpper, &In::dilation, &In::paddingLower,
                   &In::paddingUpper, &In::flip));

  using Out = ConvParams::OutputTransform;
  withEquality(py::class_<Out>(params, "OutputTransform",
                               "Truncation, stride and padding of each field dimension, in this\n"
                               "order. OutputTransform(size) changes nothing; raises\n"
                               "poplibs_exception for more than 3 dimensions."))
      .def(py::init<std::size_t>(), py::arg("size"))
      .def(py::init<Unsigneds, Unsigneds, Unsigneds, Unsigneds, Unsigneds>(),
           py::arg("truncationLower"), py::arg("truncationUpper"), py::arg("stride"),
           py::arg("paddingLower"), py::arg("paddingUpper"))
      .def_readwrite("truncationLower", &Out::truncationLower,
                     "By field dimension: the number of elements removed at the lower end.")
      .def_readwrite("truncationUpper", &Out::truncationUpper,
                     "By field dimension: the number of elements removed at the upper end.")
      .def_readwrite("stride", &Out::stride,
                     "By field dimension: elements 0, stride, 2 * stride and so on are kept.")
      .def_readwrite("paddingLower", &Out::paddingLower,
                     "By field dimension: the number of zeros added at the lower end.")
      .def_readwrite("paddingUpper", &Out::paddingUpper,
                     "By field dimension: the number of zeros added at the upper end.")
      .def(pickled(&Out::truncationLower, &Out::truncationUpper, &Out::stride, &Out::paddingLower,
                   &Out::paddingUpper));

  withEquality(params)
      .def(py::init<Type, std::size_t, Shape, Shape, std::size_t, std::size_t, std::size_t>(),
           py::arg("dataType"), py::arg("batchSize"), py::arg("inputFieldShape"),
           py::arg("kernelShape"), py::arg("inputChannelsPerConvGroup"),
           py::arg("outputChannelsPerConvGroup"), py::arg("numConvGroups"))
      .def(py::init<Type, Type, std::size_t, Shape, Shape, std::size_t, std::size_t, std::size_t>(),
           py::arg("inputType"), py::arg("outputType"), py::arg("batchSize"),
           py::arg("inputFieldShape"), py::arg("kernelShape"), py::arg("inputChannelsPerConvGroup"),
           py::arg("outputChannelsPerConvGroup"), py::arg("numConvGroups"))
      .def(py::init<Type, Type, std::size_t, Shape, Shape, std::size_t, std::size_t, std::size_t,
                    In, In, Out>(),
           py::arg("inputType"), py::arg("outputType"), py::arg("batchSize"),
           py::arg("inputFieldShape"), py::arg("kernelShape"), py::arg("inputChannelsPerConvGroup"),
           py::arg("outputChannelsPerConvGroup"), py::arg("numConvGroups"),
           py::arg("inputTransform"), py::arg("kernelTransform"), py::arg("outputTransform"))
      .def_readwrite("inputType", &ConvParams::inputType,
                     "The element type of the activations and the weights.")
      .def_readwrite("outputType", &ConvParams::outputType, "The element type of the result.")
      .def_readwrite("batchSize", &ConvParams::batchSize, "The number of samples in a batch.")
      .def_readwrite("inputFieldShape", &ConvParams::inputFieldShape,
                     "By field dimension: the size of the input before its transform.")
      .def_readwrite("kernelShape", &ConvParams::kernelShape,
                     "By field dimension: the size of the kernel before its transform.")
      .def_readwrite("inputChannelsPerConvGroup", &ConvParams::inputChannelsPerConvGroup,
                     "The number of input channels of each group.")
      .def_readwrite("outputChannelsPerConvGroup", &ConvParams::outputChannelsPerConvGroup,
                     "The number of output channels of each group.")
      .def_readwrite("numConvGroups", &ConvParams::numConvGroups,
                     "The number of groups, which share no channels.")
      .def_readwrite("inputTransform", &ConvParams::inputTransform,
                     "The transform of the input's field.")
      .def_readwrite("kernelTransform", &ConvParams::kernelTransform,
                     "The transform of the kernel's field.")
      .def_readwrite("outputTransform", &ConvParams::outputTransform,
                     "The transform of the result's field.")
      .def(pickled(&ConvParams::inputType, &ConvParams::outputType, &ConvParams::batchSize,
                   &ConvParams::inputFieldShape, &ConvParams::kernelShape,
                   &ConvParams::inputChannelsPerConvGroup, &ConvParams::outputChannelsPerConvGroup,
                   &ConvParams::numConvGroups, &ConvParams::inputTransform,
                   &ConvParams::kernelTransform, &ConvParams::outputTransform))
      .def("getOutputFieldShape", ofValid(std::mem_fn(&ConvParams::getOutputFieldShape)),
           "By field dimension: the size of the result after its transform.")
      .def("getOutputSize", ofDimension(&ConvParams::getOutputSize), py::arg("dim"),
           "The size of field dimension `dim` of the result after its transform.")
      .def("getUntransformedOutputSize", ofDimension(&ConvParams::getUntransformedOutputSize),
           py::arg("dim"), "The size of field dimension `dim` of the result before its transform.")
      .def("getTransformedInputSize", ofDimension(&ConvParams::getTransformedInputSize),
           py::arg("dim"), "The size of field dimension `dim` of the input after its transform.")
      .def("getTransformedKernelSize", ofDimension(&ConvParams::getTransformedKernelSize),
           py::arg("dim"), "The size of field dimension `dim` of the kernel after its transform.")
      .def("getNumInputChans", &ConvParams::getNumInputChans,
           "The number of input channels of all groups.")
      .def("getNumOutputChans", &ConvParams::getNumOutputChans,
           "The number of output channels of all groups.")
      .def("getNumFieldDims", &ConvParams::getNumFieldDims, "The number of field dimensions.")
      .def("validate", &ConvParams::validate,
           "Raises poplibs_exception that names the wrong member: a list without one entry for\n"
           "each field dimension, a dilation or stride of 0, truncation of the whole size, a\n"
           "kernel that is larger than the field.")
      .def("canonicalize", &ConvParams::canonicalize,
           "The same convolution in a canonical form: padding and truncation that cancel are\n"
           "removed. So equivalent convolutions compare equal more often.")
      .def("__hash__", [](const ConvParams& p) { return hash_value(p); })
      .def("__repr__", [](const ConvParams& p) {
        std::ostringstream os;
        os << p;
        return os.str();
      });

  m.def("getGradientParams", &getGradientParams, py::arg("params"),
        "The parameters of the convolution that computes the gradient of the input from the\n"
        "gradient of the output. Its weights have their channels exchanged and their fields\n"
        "reversed: see `transposeAndFlipWeights` of convolution().");
  m.def("getFwdFlops", ofValid(&getFwdFlops), py::arg("params"),
        "The floating-point operations of the forward pass. Products with the zeros of\n"
        "padding and dilation are not counted.");
  m.def("getBwdFlops", ofValid(&getBwdFlops), py::arg("params"),
        "The floating-point operations of the gradient of the input.");
  m.def("getWuFlops", ofValid(&getWuFlops), py::arg("params"),
        "The floating-point operations of the gradient of the weights.");
}

void bindConvolution(py::module_& m) {
  const auto create = [&](const char* name, auto function, const char* doc) {
    m.def(name, function, POPIR_GRAPH, py::arg("params"), POPIR_TAIL, doc);
  };
  create("createInput", &createInput,
         "A new variable [batch, input channels, field...] of `params.inputType`, mapped to\n"
         "tiles as convolution() prefers.\n"
         "Raises poplibs_exception for invalid parameters,\n"
         "poplar_invalid_option for invalid options.");
  create("createWeights", &createWeights,
         "A new variable [groups, output channels, input channels, kernel...]\n"
         "of `params.inputType`, with the channels of one group, mapped to\n"
         "tiles as convolution() prefers.\n"
         "Raises poplibs_exception for invalid parameters,\n"
         "poplar_invalid_option for invalid options.");
  create("createConvOutput", &createConvOutput,
         "A new variable [batch, output channels, field...] of `params.outputType`, mapped to\n"
         "tiles as convolution() prefers.\n"
         "Raises poplibs_exception for invalid parameters,\n"
         "poplar_invalid_option for invalid options.");
  m.def(
      "createBiases",
      py::overload_cast<poplar::Graph&, const poplar::Tensor&, const DebugContext&>(&createBiases),
      POPIR_GRAPH, py::arg("activations"),
      py::arg_v("debugContext", DebugContext("biases"), "'biases'"),
      "A new variable [channels] of the type of `activations` [batch, channels, field...].\n"
      "Raises poplibs_exception for activations of rank below 2.");
  m.def("convolution", &convolution, POPIR_GRAPH, py::arg("in_"), py::arg("weights"),
        py::arg("params"), py::arg("transposeAndFlipWeights"), py::arg("prog"), POPIR_TAIL,
        "The convolution of `in_` with `weights`: a new variable [batch, output channels,\n"
        "field...] of `params.outputType`.\n"
        "`in_`, `weights`: of the shapes of createInput() and createWeights(), and of\n"
        "`params.inputType`. Input and output type are any of FLOAT, HALF and BFLOAT16, or\n"
        "both DOUBLE. With `transposeAndFlipWeights` the weights are those of the forward\n"
        "pass, [groups, input channels, output channels, kernel...]; their channels are\n"
        "exchanged and their fields reversed. So parameters of getGradientParams() give the\n"
        "gradient of the forward pass's input.\n"
        "`options`: those of poplin.convolution in `popir options`; they change the costs on\n"
        "the machine and not the result. `cache` changes no result.\n"
        "Raises poplibs_exception for shapes and types that do not match `params`,\n"
        "poplar_invalid_option for invalid options.");
  m.def("convolutionWithOutput", &convolutionWithOutput, POPIR_GRAPH, py::arg("in_"),
        py::arg("weights"), py::arg("out"), py::arg("params"), py::arg("transposeAndFlipWeights"),
        py::arg("prog"), POPIR_TAIL,
        "The same as convolution(), with the result written to `out` [batch, output channels,\n"
        "field...] of `params.outputType`.");
  m.def("calculateWeightDeltas", &calculateWeightDeltas, POPIR_GRAPH, py::arg("zDeltas"),
        py::arg("activations"), py::arg("params"), py::arg("prog"), POPIR_TAIL,
        "The gradient of the weights of convolution(): a new variable\n"
        "of their shape and type.\n"
        "`zDeltas`: the gradient of the result, of its shape and type.\n"
        "`activations`: the input of the convolution.\n"
        "Raises poplibs_exception for shapes and types that do not match `params`,\n"
        "poplar_invalid_option for invalid options.");
  m.def("addBias", &addBias, POPIR_GRAPH, py::arg("activations"), py::arg("biases"),
        py::arg("prog"), debugContext(), py::arg("options") = OptionFlags(),
        "activations[n, c, ...] += biases[c].\n"
        "Raises poplibs_exception unless both have one type, `activations` is [batch,\n"
        "channels, field...] and `biases` [channels].");
  m.def(
      "convolutionWeightUpdate",
      py::overload_cast<poplar::Graph&, const poplar::Tensor&, const poplar::Tensor&,
                        const poplar::Tensor&, const ConvParams&, float, poplar::program::Sequence&,
                        const DebugContext&, const OptionFlags&, PlanningCache*>(
          &convolutionWeightUpdate),
      POPIR_GRAPH, py::arg("zDeltas"), py::arg("weights"), py::arg("activations"),
      py::arg("params"), py::arg("scale"), py::arg("prog"), POPIR_TAIL,
      "weights += scale * calculateWeightDeltas(...), which has the same errors. The\n"
      "weights have a type that popops.scaledAddTo() takes.");
  m.def("weightsTransposeChansFlipXY", &weightsTransposeChansFlipXY, POPIR_GRAPH,
        py::arg("weightsIn"), py::arg("weightsOut"), py::arg("prog"), debugContext(),
        "Copies `weightsIn` [groups, O, I, kernel...] to `weightsOut` [groups, I, O,\n"
        "kernel...], with reversed fields.\n"
        "Raises poplibs_exception for other shapes and for different types.");
}

void bindMatMul(py::module_& m) {
  const auto create = [&](const char* name, auto function, const char* doc) {
    m.def(name, function, POPIR_GRAPH, py::arg("inputType"), py::arg("outputType"),
          py::arg("aShape"), py::arg("bShape"), POPIR_TAIL, doc);
  };
  const auto createOneType = [&](const char* name, auto function, const char* doc) {
    m.def(name, function, POPIR_GRAPH, py::arg("dataType"), py::arg("aShape"), py::arg("bShape"),
          POPIR_TAIL, doc);
  };
  using TwoTypes = Tensor (*)(Graph&, const Type&, const Type&, const Shape&, const Shape&,
                              const DebugContext&, const OptionFlags&, PlanningCache*);
  using OneType = Tensor (*)(Graph&, const Type&, const Shape&, const Shape&, const DebugContext&,
                             const OptionFlags&, PlanningCache*);
  create("createMatMulInputLHS", static_cast<TwoTypes>(&createMatMulInputLHS),
         "A new variable of `inputType` for the left operand [M, K] = `aShape` of matMul(),\n"
         "mapped to tiles as it prefers.\n"
         "Raises poplibs_exception for shapes and types that matMul() does not take,\n"
         "poplar_invalid_option for invalid options.");
  createOneType("createMatMulInputLHS", static_cast<OneType>(&createMatMulInputLHS),
                "The same for operands and a result of one type.");
  create("createMatMulInputRHS", static_cast<TwoTypes>(&createMatMulInputRHS),
         "A new variable of `inputType` for the right operand [K, N] = `bShape` of matMul(),\n"
         "mapped to tiles as it prefers.\n"
         "Raises poplibs_exception for shapes and types that matMul() does not take,\n"
         "poplar_invalid_option for invalid options.");
  createOneType("createMatMulInputRHS", static_cast<OneType>(&createMatMulInputRHS),
                "The same for operands and a result of one type.");
  create("createMatMulOutput", &createMatMulOutput,
         "A new variable of `outputType` for the result [M, N] of matMul(),\n"
         "mapped to tiles as it prefers.\n"
         "Raises poplibs_exception for shapes and types that matMul() does not take,\n"
         "poplar_invalid_option for invalid options.");
  create("createMatMulGroupedInputLHS", &createMatMulGroupedInputLHS,
         "A new variable of `inputType` for the left operand [G, M, K] = `aShape` of\n"
         "matMulGrouped(), mapped to tiles as it prefers.\n"
         "Raises poplibs_exception for shapes and types that matMulGrouped() does not take,\n"
         "poplar_invalid_option for invalid options.");
  create("createMatMulGroupedInputRHS", &createMatMulGroupedInputRHS,
         "A new variable of `inputType` for the right operand [G, K, N] = `bShape` of\n"
         "matMulGrouped(), mapped to tiles as it prefers.\n"
         "Raises poplibs_exception for shapes and types that matMulGrouped() does not take,\n"
         "poplar_invalid_option for invalid options.");
  create("createMatMulGroupedOutput", &createMatMulGroupedOutput,
         "A new variable of `outputType` for the result [G, M, N] of matMulGrouped(),\n"
         "mapped to tiles as it prefers.\n"
         "Raises poplibs_exception for shapes and types that matMulGrouped() does not take,\n"
         "poplar_invalid_option for invalid options.");

  using Typed = Tensor (*)(Graph&, const Tensor&, const Tensor&, Sequence&, const Type&,
                           const DebugContext&, const OptionFlags&, PlanningCache*);
  using Untyped = Tensor (*)(Graph&, const Tensor&, const Tensor&, Sequence&, const DebugContext&,
                             const OptionFlags&, PlanningCache*);
  m.def("matMul", static_cast<Typed>(&matMul), POPIR_GRAPH, py::arg("A"), py::arg("B"),
        py::arg("prog"), py::arg("outputType"), POPIR_TAIL,
        "A [M, K] times B [K, N]: a new variable [M, N] of `outputType`. A and B have one\n"
        "type: FLOAT, HALF, BFLOAT16, DOUBLE, or an integer of 16, 32 or 64 bits. `outputType` is\n"
        "the same, or both are of FLOAT, HALF and BFLOAT16; of SHORT it is INT.\n"
        "`options`: those of poplin.matMul in `popir options`; they change the costs on the\n"
        "machine and not the result. `cache` changes no result.\n"
        "Raises poplibs_exception for shapes and types that do not match,\n"
        "poplar_invalid_option for invalid options.");
  m.def("matMul", static_cast<Untyped>(&matMul), POPIR_GRAPH, py::arg("A"), py::arg("B"),
        py::arg("prog"), POPIR_TAIL, "The same with a result of the type of A.");
  m.def("matMulGrouped", &matMulGrouped, POPIR_GRAPH, py::arg("A"), py::arg("B"), py::arg("prog"),
        py::arg("outputType"), POPIR_TAIL,
        "A [G, M, K] times B [G, K, N], group by group: a new variable [G, M, N] of\n"
        "`outputType`. Types, options and errors are those of matMul().");
  m.def("matMulWithOutput", &matMulWithOutput, POPIR_GRAPH, py::arg("A"), py::arg("B"),
        py::arg("out"), py::arg("prog"), POPIR_TAIL,
        "A [M, K] times B [K, N], written to `out` [M, N]. Types, options and\n"
        "errors are those of matMul().");
  m.def("matMulGroupedWithOutput", &matMulGroupedWithOutput, POPIR_GRAPH, py::arg("A"),
        py::arg("B"), py::arg("out"), py::arg("prog"), POPIR_TAIL,
        "A [G, M, K] times B [G, K, N], written to `out` [G, M, N]. Types, options and\n"
        "errors are those of matMul().");
  using Scaled = void (*)(Graph&, const Tensor&, float, const Tensor&, const Tensor&, Sequence&,
                          const DebugContext&, const OptionFlags&, PlanningCache*);
  m.def("matMulAcc", static_cast<Scaled>(&matMulAcc), POPIR_GRAPH, py::arg("C"), py::arg("k"),
        py::arg("A"), py::arg("B"), py::arg("prog"), POPIR_TAIL,
        "C [M, N] += k * A [M, K] * B [K, N]. Types, options and\n"
        "errors are those of matMul().");
  m.def("matMulGroupedAcc", static_cast<Scaled>(&matMulGroupedAcc), POPIR_GRAPH, py::arg("C"),
        py::arg("k"), py::arg("A"), py::arg("B"), py::arg("prog"), POPIR_TAIL,
        "C [G, M, N] += k * A [G, M, K] * B [G, K, N]. Types, options and\n"
        "errors are those of matMul().");
  using ScaledByTensor =
      void (*)(Graph&, const Tensor&, const Tensor&, const Tensor&, const Tensor&, Sequence&,
               const DebugContext&, const OptionFlags&, PlanningCache*);
  m.def("matMulAcc", static_cast<ScaledByTensor>(&matMulAcc), POPIR_GRAPH, py::arg("C"),
        py::arg("k"), py::arg("A"), py::arg("B"), py::arg("prog"), POPIR_TAIL,
        "The same with a tensor of one element as `k`. `C` and `k` have types that\n"
        "popops.scaledAddTo() takes.");
  m.def("matMulGroupedAcc", static_cast<ScaledByTensor>(&matMulGroupedAcc), POPIR_GRAPH,
        py::arg("C"), py::arg("k"), py::arg("A"), py::arg("B"), py::arg("prog"), POPIR_TAIL,
        "The same with a tensor of one element as `k`. `C` and `k` have types that\n"
        "popops.scaledAddTo() takes.");
  m.def("preArrangeMatMulInputRHS", &preArrangeMatMulInputRHS, POPIR_GRAPH, py::arg("aShape"),
        py::arg("B"), py::arg("prog"), POPIR_TAIL,
        "B [K, N] in a layout that suits a product with A of shape `aShape` [M, K]: for a\n"
        "TRAINING_BWD whose option inputRHSIsPreArranged is true a transposed copy of it, else B.\n"
        "Raises poplibs_exception for shapes that do not match,\n"
        "poplar_invalid_option for invalid options.");
  m.def("transposeGroupedMatrix", &transposeGroupedMatrix, py::arg("A"),
        "A [groups, rows, columns] as a view with the last two dimensions exchanged.\n"
        "Raises poplibs_exception for another rank.");
  m.def("matmulValidateOptions", &matmulValidateOptions, py::arg("options"),
        "Raises poplar_invalid_option for an option or a value that\n"
        "matrix products do not take.");
}

}  // namespace

void bindPoplin(py::module_& m) {
  m.doc() = "Matrix products and convolutions (PopLibs: poplin).";
  py::class_<PlanningCache>(
      m, "PlanningCache",
      "Keeps one plan for each distinct matrix product and convolution that is given the\n"
      "cache (PopLibs: poplin/Convolution.hpp).")
      .def(py::init<>())
      .def("size", &PlanningCache::size, "The number of distinct contractions in the cache.");
  m.def("addCodelets", &addCodelets, POPIR_GRAPH, "Adds nothing: kernels are built in.");
  bindParams(m);
  bindConvolution(m);
  bindMatMul(m);
  auto contraction = m.def_submodule("contraction");
  bindContraction(contraction);
}

}  // namespace popir
