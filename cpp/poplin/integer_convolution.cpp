#include <popir/IntegerProduct.hpp>
#include <poputil/exceptions.hpp>
#include <sstream>

#include "kernels/contraction/integer_conv_kernel.hpp"
#include "poplar/bulk_vertex.hpp"
#include "poplar/planned_layout.hpp"
#include "poplin/contraction_options.hpp"

namespace popir {
namespace {

using poplar::Tensor;
using Shape = std::vector<std::size_t>;

constexpr std::size_t kOutput = 2;  // operand number of the kernel

[[noreturn]] void refuseConvolution(const std::string& why) {
  throw poputil::poplibs_error("popir::integerConvolution: " + why);
}

std::string described(const Tensor& t) {
  return t.elementType().toString() + " " + shapeText(t.shape());
}

void requireBytes(const char* what, const Tensor& t, const Shape& shape) {
  if ((t.elementType() != poplar::SIGNED_CHAR && t.elementType() != poplar::UNSIGNED_CHAR) ||
      t.shape() != shape)
    refuseConvolution(std::string(what) + ": given is " + described(t) +
                      "; expected signed char or unsigned char " + shapeText(shape));
}

void requireZero(const char* what, const std::optional<Tensor>& zero, const Tensor& of,
                 std::size_t each) {
  if (zero && (zero->elementType() != of.elementType() ||
               (zero->shape() != Shape{1} && zero->shape() != Shape{each})))
    refuseConvolution("the zero point of " + std::string(what) + ": given is " + described(*zero) +
                      "; expected " + of.elementType().toString() + " " + shapeText({1}) +
                      (each == 1 ? "" : " or " + shapeText({each})));
}

ZeroPoints zeroKind(const std::optional<Tensor>& zeros) {
  if (!zeros) return ZeroPoints::None;
  return zeros->numElements() == 1 ? ZeroPoints::One : ZeroPoints::Each;
}

/// Whether a convolution has no transforms but truncation and padding of the input,
/// dilation of the kernel, and strides.
bool isPlain(const poplin::ConvParams& p) {
  const Shape::size_type fields = p.getNumFieldDims();
  const std::vector<unsigned> none(fields, 0), one(fields, 1);
  const std::vector<bool> forwards(fields, false);
  const auto &in = p.inputTransform, &kernel = p.kernelTransform;
  const auto& out = p.outputTransform;
  return in.dilation == one && in.flip == forwards && kernel.truncationLower == none &&
         kernel.truncationUpper == none && kernel.paddingLower == none &&
         kernel.paddingUpper == none && kernel.flip == forwards && out.truncationLower == none &&
         out.truncationUpper == none && out.paddingLower == none && out.paddingUpper == none;
}

ConvKernel::Problem shapeOf(const poplin::ConvParams& p) {
  const auto size = [](std::size_t n) { return static_cast<std::int64_t>(n); };
  ConvKernel::Problem shape;
  shape.pass = contraction::Pass::Forward;
  shape.inType = poplar::SHORT;
  shape.outType = poplar::INT;
  shape.batch = size(p.batchSize);
  shape.groups = size(p.numConvGroups);
  shape.inChannels = size(p.inputChannelsPerConvGroup);
  shape.outChannels = size(p.outputChannelsPerConvGroup);
  for (unsigned d = 0; d < p.getNumFieldDims(); ++d) {
    const auto& in = p.inputTransform;
    shape.inField.push_back(size(p.inputFieldShape[d]));
    shape.kernel.push_back(size(p.kernelShape[d]));
    shape.outField.push_back(size(p.getOutputSize(d)));
    shape.stride.push_back(p.outputTransform.stride[d]);
    shape.dilation.push_back(p.kernelTransform.dilation[d]);
    shape.inDilation.push_back(1);
    // What is cut off is padding less than none.
    shape.padLower.push_back(size(in.paddingLower[d]) - size(in.truncationLower[d]));
  }
  return shape;
}

template <class T>
Shape joined(Shape first, const std::vector<T>& field) {
  first.insert(first.end(), field.begin(), field.end());
  return first;
}

}  // namespace

bool isCompact(const poplin::ConvParams& params) {
  const auto s = shapeOf(params);
  return contraction::isCompact(s.inField, s.kernel, s.outField, s.stride, s.dilation);
}

Tensor integerConvolution(poplar::Graph& graph, const Tensor& in, const Tensor& weights,
                          const poplin::ConvParams& params, const std::optional<Tensor>& inZero,
                          const std::optional<Tensor>& weightZeros, poplar::program::Sequence& prog,
                          const poplar::DebugContext& debugContext) {
  params.validate();
  const auto& p = params;
  if (!isPlain(p)) {
    std::ostringstream given;
    given << p;
    refuseConvolution(
        "the parameters have other transforms than truncation and padding of the input, dilation "
        "of the kernel, and strides; given are " +
        given.str());
  }
  requireBytes(
      "the input", in,
      joined({p.batchSize, p.numConvGroups * p.inputChannelsPerConvGroup}, p.inputFieldShape));
  requireBytes("the weights", weights,
               joined({p.numConvGroups, p.outputChannelsPerConvGroup, p.inputChannelsPerConvGroup},
                      p.kernelShape));
  const std::size_t channels = p.numConvGroups * p.outputChannelsPerConvGroup;
  requireZero("the input", inZero, in, 1);
  requireZero("the weights", weightZeros, weights, channels);

  const auto shape = shapeOf(p);
  if (!isCompact(p))
    refuseConvolution("the windows reach too far beyond the input " + shapeText(in.shape()));
  const auto out = graph.addVariable(
      poplar::INT, joined(Shape{p.batchSize, channels}, shape.outField), debugContext);
  const auto kernel = std::make_shared<IntegerConvKernel>(
      shape, in.elementType(), weights.elementType(), zeroKind(inZero), zeroKind(weightZeros));
  mapByPlan(graph, out, kernel->work({}), kOutput);
  std::vector<BulkOperand> operands = {
      {in, Access::Read}, {weights, Access::Read}, {out, Access::Write}};
  for (const auto& zeros : {inZero, weightZeros})
    if (zeros) operands.push_back({zeros->reshape({zeros->numElements()}), Access::Read});
  addBulkVertex(graph, prog, kernel, std::move(operands), debugContext);
  return out;
}

}  // namespace popir
