#include <popart/op/convtranspose.hpp>
#include <popart/tensor.hpp>
#include <popart/util/float8util.hpp>

#include <algorithm>
#include <utility>

#include "popart/builtins.hpp"
#include "popart/op/copy_of.hpp"

namespace popart {

ConvTransposeOp::ConvTransposeOp(const OperatorIdentifier& opid, const Settings& settings,
                                 std::vector<int64_t> strides_, std::vector<int64_t> pads,
                                 std::vector<int64_t> dilations_, int64_t group_,
                                 const AutoPad& padType_, std::vector<int64_t> outputPadding,
                                 Shape outputShape, const MultiConvOptions& options)
    : Op(opid, settings),
      strides(std::move(strides_)),
      dilations(std::move(dilations_)),
      group(group_),
      padType(padType_),
      convOpts(options),
      pads_(std::move(pads)),
      outputPadding_(std::move(outputPadding)),
      outputShape_(std::move(outputShape)) {}

ConvTransposeOp::~ConvTransposeOp() = default;
std::unique_ptr<Op> ConvTransposeOp::clone() const { return copyOf(*this); }

bool ConvTransposeOp::isPow2ScaledConvTranspose() const {
  return opInputsAreValidPow2ScaledInputs(input.get(), getLog2ScaleInIndex());
}

Attributes ConvTransposeOp::nodeAttributes() const {
  static const char* const modes[] = {"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"};
  Attributes a;
  const auto list = [&](const char* name, const std::vector<int64_t>& values) {
    if (!values.empty()) a.setAttribute(name, values);
  };
  list("strides", strides);
  list("dilations", dilations);
  list("output_padding", outputPadding_);
  list("output_shape", outputShape_);
  if (padType == AutoPad::NOTSET)
    list("pads", pads_);
  else
    a.setAttribute("auto_pad", std::string(modes[static_cast<int>(padType)]));
  a.setAttribute("group", Attributes::Int(group));
  return a;
}

void ConvTransposeOp::setup() {
  const bool isCompilers = link() != nullptr && popir::builtinClass(*this) != nullptr;
  if (!isCompilers) validateOpFloat8Inputs(input.get(), getLog2ScaleInIndex(), debugName());
  const bool is8 = isPow2ScaledConvTranspose();
  const Shape data = inShape(getInIndex()), weights = inShape(getWeightsInIndex());
  if (data.size() < 3 || weights.size() != data.size() || group < 1 || weights[0] != data[1] ||
      data[1] % group != 0)
    throw error(
        "{}: data {} and weights {} do not go together in {} groups: the weights have {} channels "
        "in, a multiple of the groups, as the data have",
        debugName(), data, weights, group, data.size() > 1 ? data[1] : 0);
  const std::size_t n = data.size() - 2;
  const auto each = [&](const std::vector<int64_t>& given, const char* what, int64_t missing) {
    if (given.empty()) return std::vector<int64_t>(n, missing);
    if (given.size() != n)
      throw error("{}: {} {} for {} spatial dimensions", debugName(), given.size(), what, n);
    return given;
  };
  strides = each(strides, "strides", 1);
  dilations = each(dilations, "dilations", 1);
  outputPadding_ = each(outputPadding_, "output paddings", 0);
  if (!pads_.empty() && pads_.size() != 2 * n)
    throw error("{}: {} pads for {} spatial dimensions", debugName(), pads_.size(), n);
  // Of output_shape the last numbers count.
  Shape wanted = outputShape_;
  if (wanted.size() == n + 2) wanted.erase(wanted.begin(), wanted.begin() + 2);
  if (!wanted.empty()) wanted = each(wanted, "sizes of the output", 0);

  const bool isSame = padType == AutoPad::SAME_UPPER || padType == AutoPad::SAME_LOWER;
  Shape out{data[0], weights[1] * group};
  params = ConvParameters{};
  params.type = inInfo(getInIndex()).dataType();
  params.batchSize = data[0];
  params.numInChannelsPerGroup = data[1] / group;
  params.numOutChannelsPerGroup = weights[1];
  params.numGroups = group;
  for (std::size_t d = 0; d < n; ++d) {
    const int64_t size = data[2 + d], window = weights[2 + d];
    const int64_t extent = dilations[d] * (window - 1) + 1;
    const int64_t whole = strides[d] * (size - 1) + extent + outputPadding_[d];
    int64_t before = 0, after = 0, more = 0;
    if (isSame || !wanted.empty()) {
      const int64_t goal = wanted.empty() ? size * strides[d] : wanted[d];
      const int64_t total = std::max<int64_t>(whole - goal, 0);
      before = padType == AutoPad::SAME_UPPER ? total / 2 : total - total / 2;
      after = total - before;
      more = std::max<int64_t>(goal - whole, 0);
    } else if (padType == AutoPad::NOTSET && !pads_.empty()) {
      before = pads_[d];
      after = pads_[n + d];
    }
    out.push_back(whole - before - after + more);
    params.inputShape.push_back(size);
    params.kernelShape.push_back(window);
    auto &in = params.inputTransformation, &kernel = params.kernelTransformation;
    // What is cut off of the output need not be padded in the first place.
    const auto pad = [](int64_t width, std::vector<int64_t>& padding) {
      padding.push_back(std::max<int64_t>(width, 0));
    };
    pad(extent - 1 - before, in.lowerPadding);
    pad(extent - 1 - after + outputPadding_[d] + more, in.upperPadding);
    auto& result = params.outputTransformation;
    result.lowerTruncation.push_back(std::max<int64_t>(before - extent + 1, 0));
    result.upperTruncation.push_back(
        std::max<int64_t>(after - outputPadding_[d] - more - extent + 1, 0));
    in.dilation.push_back(strides[d]);
    in.flip.push_back(false);
    kernel.dilation.push_back(dilations[d]);
    kernel.flip.push_back(true);
    result.stride.push_back(1);
    for (auto* zeros : {&in.lowerTruncation, &in.upperTruncation, &kernel.lowerTruncation,
                        &kernel.upperTruncation, &kernel.lowerPadding, &kernel.upperPadding,
                        &result.lowerPadding, &result.upperPadding})
      zeros->push_back(0);
  }
  if (isCompilers) return builtin::setup(*this);
  outInfo(getOutIndex()) = TensorInfo(is8 ? DataType::FLOAT16 : params.type, out);
}

}  // namespace popart
