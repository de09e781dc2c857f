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

/// What `get` says of a dimension of the field. Members may be set to anything, so all is checked.
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

/// What `get` says of parameters that are checked first.
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
      "Which convolution: activations [batchSize, groups * channels, field...], weights [groups, "
      "outputChannelsPerConvGroup, inputChannelsPerConvGroup, kernel...], transforms around it.");

  using In = ConvParams::InputTransform;
  withEquality(py::class_<In>(params, "InputTransform",
                              "Truncation, dilation, padding and flip, in this order."))
      .def(py::init<std::size_t>(), py::arg("size"))
      .def(py::init<Unsigneds, Unsigneds, Unsigneds, Unsigneds, Unsigneds, std::vector<bool>>(),
           py::arg("truncationLower"), py::arg("truncationUpper"), py::arg("dilation"),
           py::arg("paddingLower"), py::arg("paddingUpper"), py::arg("flip"))
      .def_readwrite("truncationLower", &In::truncationLower,
                     "By dimension, elements cut off at the lower end.")
      .def_readwrite("truncationUpper", &In::truncationUpper,
                     "By dimension, elements cut off at the upper end.")
      .def_readwrite("dilation", &In::dilation,
                     "By dimension, the distance of neighbours after zeros are put between them.")
      .def_readwrite("paddingLower", &In::paddingLower,
                     "By dimension, zeros added at the lower end.")
      .def_readwrite("paddingUpper", &In::paddingUpper,
                     "By dimension, zeros added at the upper end.")
      .def_readwrite("flip", &In::flip, "By dimension, whether the order is reversed.")
      .def(pickled(&In::truncationLower, &In::truncationUpper, &In::dilation, &In::paddingLower,
                   &In::paddingUpper, &In::flip));

  using Out = ConvParams::OutputTransform;
  withEquality(
      py::class_<Out>(params, "OutputTransform", "Truncation, stride and padding, in this order."))
      .def(py::init<std::size_t>(), py::arg("size"))
      .def(py::init<Unsigneds, Unsigneds, Unsigneds, Unsigneds, Unsigneds>(),
           py::arg("truncationLower"), py::arg("truncationUpper"), py::arg("stride"),
           py::arg("paddingLower"), py::arg("paddingUpper"))
      .def_readwrite("truncationLower", &Out::truncationLower,
                     "By dimension, elements cut off at the lower end.")
      .def_readwrite("truncationUpper", &Out::truncationUpper,
                     "By dimension, elements cut off at the upper end.")
      .def_readwrite("stride", &Out::stride,
                     "By dimension, the distance of the elements that are kept.")
      .def_readwrite("paddingLower", &Out::paddingLower,
                     "By dimension, zeros added at the lower end.")
      .def_readwrite("paddingUpper", &Out::paddingUpper,
                     "By dimension, zeros added at the upper end.")
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
      .def_readwrite("inputType", &ConvParams::inputType, "The type of activations and weights.")
      .def_readwrite("outputType", &ConvParams::outputType, "The type of the result's elements.")
      .def_readwrite("batchSize", &ConvParams::batchSize, "The number of samples in a batch.")
      .def_readwrite("inputFieldShape", &ConvParams::inputFieldShape,
                     "The size of the input by field dimension.")
      .def_readwrite("kernelShape", &ConvParams::kernelShape,
                     "The size of the kernel by field dimension.")
      .def_readwrite("inputChannelsPerConvGroup", &ConvParams::inputChannelsPerConvGroup,
                     "The number of input channels of each group.")
      .def_readwrite("outputChannelsPerConvGroup", &ConvParams::outputChannelsPerConvGroup,
                     "The number of output channels of each group.")
      .def_readwrite("numConvGroups", &ConvParams::numConvGroups,
                     "The number of groups, which share no channels.")
      .def_readwrite("inputTransform", &ConvParams::inputTransform,
                     "What is done to the input before.")
      .def_readwrite("kernelTransform", &ConvParams::kernelTransform,
                     "What is done to the kernel before.")
      .def_readwrite("outputTransform", &ConvParams::outputTransform,
                     "What is done to the result after.")
      .def(pickled(&ConvParams::inputType, &ConvParams::outputType, &ConvParams::batchSize,
                   &ConvParams::inputFieldShape, &ConvParams::kernelShape,
                   &ConvParams::inputChannelsPerConvGroup, &ConvParams::outputChannelsPerConvGroup,
                   &ConvParams::numConvGroups, &ConvParams::inputTransform,
                   &ConvParams::kernelTransform, &ConvParams::outputTransform))
      .def("getOutputFieldShape", ofValid(std::mem_fn(&ConvParams::getOutputFieldShape)),
           "The size of the result by field dimension.")
      .def("getOutputSize", ofDimension(&ConvParams::getOutputSize), py::arg("dim"),
           "The size of one dimension of the result.")
      .def("getUntransformedOutputSize", ofDimension(&ConvParams::getUntransformedOutputSize),
           py::arg("dim"), "The size of one dimension of the result before the output transform.")
      .def("getTransformedInputSize", ofDimension(&ConvParams::getTransformedInputSize),
           py::arg("dim"), "The size of one dimension of the input after the input transform.")
      .def("getTransformedKernelSize", ofDimension(&ConvParams::getTransformedKernelSize),
           py::arg("dim"), "The size of one dimension of the kernel after the kernel transform.")
      .def("getNumInputChans", &ConvParams::getNumInputChans,
           "The number of input channels of all groups.")
      .def("getNumOutputChans", &ConvParams::getNumOutputChans,
           "The number of output channels of all groups.")
      .def("getNumFieldDims", &ConvParams::getNumFieldDims, "The number of field dimensions.")
      .def("validate", &ConvParams::validate,
           "Raises poplibs_exception if the parameters contradict one another.")
      .def("canonicalize", &ConvParams::canonicalize,
           "The same convolution with padding and truncation cancelled where they undo each "
           "other, so that equal convolutions compare equal more often.")
      .def("__hash__", [](const ConvParams& p) { return hash_value(p); })
      .def("__repr__", [](const ConvParams& p) {
        std::ostringstream os;
        os << p;
        return os.str();
      });

  m.def("getGradientParams", &getGradientParams, py::arg("params"),
        "The convolution from gradients of the output to gradients of the input, for weights "
        "transposed and flipped.");
  m.def("getFwdFlops", ofValid(&getFwdFlops), py::arg("params"),
        "Floating-point operations of the forward pass, without those with zeros of "
        "padding or dilation.");
  m.def("getBwdFlops", ofValid(&getBwdFlops), py::arg("params"),
        "The same of the gradient of the input.");
  m.def("getWuFlops", ofValid(&getWuFlops), py::arg("params"),
        "The same of the gradient of the weights.");
}

void bindConvolution(py::module_& m) {
  const auto create = [&](const char* name, auto function, const char* doc) {
    m.def(name, function, POPIR_GRAPH, py::arg("params"), POPIR_TAIL, doc);
  };
  create("createInput", &createInput, "A new variable [batch, input channels, field...].");
  create("createWeights", &createWeights,
         "A new variable [groups, output channels, input channels, field...].");
  create("createConvOutput", &createConvOutput,
         "A new variable [batch, output channels, field...].");
  m.def("createBiases", &createBiases, POPIR_GRAPH, py::arg("activations"),
        py::arg_v("debugContext", DebugContext("biases"), "'biases'"),
        "A new variable [channels].");
  m.def("convolution", &convolution, POPIR_GRAPH, py::arg("in_"), py::arg("weights"),
        py::arg("params"), py::arg("transposeAndFlipWeights"), py::arg("prog"), POPIR_TAIL,
        "The convolution of in_ with weights, in a new variable.");
  m.def("convolutionWithOutput", &convolutionWithOutput, POPIR_GRAPH, py::arg("in_"),
        py::arg("weights"), py::arg("out"), py::arg("params"), py::arg("transposeAndFlipWeights"),
        py::arg("prog"), POPIR_TAIL, "The convolution of in_ with weights, into out.");
  m.def("calculateWeightDeltas", &calculateWeightDeltas, POPIR_GRAPH, py::arg("zDeltas"),
        py::arg("activations"), py::arg("params"), py::arg("prog"), POPIR_TAIL,
        "The gradient of the weights, in a new variable.");
  m.def("addBias", &addBias, POPIR_GRAPH, py::arg("activations"), py::arg("biases"),
        py::arg("prog"), debugContext(), py::arg("options") = OptionFlags(),
        "activations[n, c, ...] += biases[c].");
  m.def("convolutionWeightUpdate", &convolutionWeightUpdate, POPIR_GRAPH, py::arg("zDeltas"),
        py::arg("weights"), py::arg("activations"), py::arg("params"), py::arg("scale"),
        py::arg("prog"), POPIR_TAIL, "weights += scale times their gradient.");
  m.def("weightsTransposeChansFlipXY", &weightsTransposeChansFlipXY, POPIR_GRAPH,
        py::arg("weightsIn"), py::arg("weightsOut"), py::arg("prog"), debugContext(),
        "Copies weights with channels exchanged and fields reversed.");
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
         "A new variable for the left operand [M, K].");
  createOneType("createMatMulInputLHS", static_cast<OneType>(&createMatMulInputLHS),
                "A new variable for the left operand [M, K].");
  create("createMatMulInputRHS", static_cast<TwoTypes>(&createMatMulInputRHS),
         "A new variable for the right operand [K, N].");
  createOneType("createMatMulInputRHS", static_cast<OneType>(&createMatMulInputRHS),
                "A new variable for the right operand [K, N].");
  create("createMatMulOutput", &createMatMulOutput, "A new variable for the result [M, N].");
  create("createMatMulGroupedInputLHS", &createMatMulGroupedInputLHS,
         "A new variable for the left operand [G, M, K].");
  create("createMatMulGroupedInputRHS", &createMatMulGroupedInputRHS,
         "A new variable for the right operand [G, K, N].");
  create("createMatMulGroupedOutput", &createMatMulGroupedOutput,
         "A new variable for the result [G, M, N].");

  using Typed = Tensor (*)(Graph&, const Tensor&, const Tensor&, Sequence&, const Type&,
                           const DebugContext&, const OptionFlags&, PlanningCache*);
  using Untyped = Tensor (*)(Graph&, const Tensor&, const Tensor&, Sequence&, const DebugContext&,
                             const OptionFlags&, PlanningCache*);
  m.def("matMul", static_cast<Typed>(&matMul), POPIR_GRAPH, py::arg("A"), py::arg("B"),
        py::arg("prog"), py::arg("outputType"), POPIR_TAIL, "A [M, K] times B [K, N].");
  m.def("matMul", static_cast<Untyped>(&matMul), POPIR_GRAPH, py::arg("A"), py::arg("B"),
        py::arg("prog"), POPIR_TAIL, "A [M, K] times B [K, N], of the type of A.");
  m.def("matMulGrouped", &matMulGrouped, POPIR_GRAPH, py::arg("A"), py::arg("B"), py::arg("prog"),
        py::arg("outputType"), POPIR_TAIL, "A [G, M, K] times B [G, K, N].");
  m.def("matMulWithOutput", &matMulWithOutput, POPIR_GRAPH, py::arg("A"), py::arg("B"),
        py::arg("out"), py::arg("prog"), POPIR_TAIL, "A [M, K] times B [K, N], into out.");
  m.def("matMulGroupedWithOutput", &matMulGroupedWithOutput, POPIR_GRAPH, py::arg("A"),
        py::arg("B"), py::arg("out"), py::arg("prog"), POPIR_TAIL,
        "A [G, M, K] times B [G, K, N], into out.");
  using Scaled = void (*)(Graph&, const Tensor&, float, const Tensor&, const Tensor&, Sequence&,
                          const DebugContext&, const OptionFlags&, PlanningCache*);
  m.def("matMulAcc", static_cast<Scaled>(&matMulAcc), POPIR_GRAPH, py::arg("C"), py::arg("k"),
        py::arg("A"), py::arg("B"), py::arg("prog"), POPIR_TAIL, "C += k A B.");
  m.def("matMulGroupedAcc", static_cast<Scaled>(&matMulGroupedAcc), POPIR_GRAPH, py::arg("C"),
        py::arg("k"), py::arg("A"), py::arg("B"), py::arg("prog"), POPIR_TAIL,
        "C += k A B, group by group.");
  using ScaledByTensor =
      void (*)(Graph&, const Tensor&, const Tensor&, const Tensor&, const Tensor&, Sequence&,
               const DebugContext&, const OptionFlags&, PlanningCache*);
  m.def("matMulAcc", static_cast<ScaledByTensor>(&matMulAcc), POPIR_GRAPH, py::arg("C"),
        py::arg("k"), py::arg("A"), py::arg("B"), py::arg("prog"), POPIR_TAIL,
        "C += k A B, for a tensor k of one element.");
  m.def("matMulGroupedAcc", static_cast<ScaledByTensor>(&matMulGroupedAcc), POPIR_GRAPH,
        py::arg("C"), py::arg("k"), py::arg("A"), py::arg("B"), py::arg("prog"), POPIR_TAIL,
        "C += k A B, group by group, for a tensor k of one element.");
  m.def("preArrangeMatMulInputRHS", &preArrangeMatMulInputRHS, POPIR_GRAPH, py::arg("aShape"),
        py::arg("B"), py::arg("prog"), POPIR_TAIL,
        "B in the arrangement that a product wants. Any arrangement serves here: a view "
        "of B itself.");
  m.def("transposeGroupedMatrix", &transposeGroupedMatrix, py::arg("A"),
        "A view with the last two dimensions exchanged.");
  m.def("matmulValidateOptions", &matmulValidateOptions, py::arg("options"),
        "Raises poplibs_exception for an option that matrix products do not have.");
}

}  // namespace

void bindPoplin(py::module_& m) {
  m.doc() = "Matrix products and convolutions (PopLibs: poplin).";
  py::class_<PlanningCache>(m, "PlanningCache", "Keeps what was planned for one contraction.")
      .def(py::init<>())
      .def("size", &PlanningCache::size, "The number of plans that the cache holds.");
  m.def("addCodelets", &addCodelets, POPIR_GRAPH, "Adds nothing: kernels are built in.");
  bindParams(m);
  bindConvolution(m);
  bindMatMul(m);
  auto contraction = m.def_submodule("contraction");
  bindContraction(contraction);
}

}  // namespace popir
