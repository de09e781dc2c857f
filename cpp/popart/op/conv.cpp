// Convolutions.
#include <popart/op/conv.hpp>
#include <popart/op/convbase.hpp>
#include <popart/operators.hpp>
#include <popart/opserialiser.hpp>
#include <popart/popx/irlowering.hpp>
#include <popart/util.hpp>
#include <popart/util/float8util.hpp>
#include <poplin/ConvUtil.hpp>

#include <algorithm>
#include <cctype>
#include <utility>

#include "popart/builtins.hpp"
#include "popart/op/copy_of.hpp"

namespace popart {
namespace {

auto fields(const ConvParameters::Input& x) {
  return std::tie(x.lowerTruncation, x.upperTruncation, x.dilation, x.lowerPadding, x.upperPadding,
                  x.flip);
}
auto fields(const ConvParameters::Output& x) {
  return std::tie(x.lowerTruncation, x.upperTruncation, x.stride, x.lowerPadding, x.upperPadding);
}
auto fields(const ConvParameters& x) {
  return std::tie(x.type, x.batchSize, x.numInChannelsPerGroup, x.numOutChannelsPerGroup,
                  x.numGroups, x.inputShape, x.kernelShape, x.inputTransformation,
                  x.kernelTransformation, x.outputTransformation);
}

poplin::ConvParams::InputTransform toPopLibs(const ConvParameters::Input& x) {
  return {vector_cast<unsigned>(x.lowerTruncation), vector_cast<unsigned>(x.upperTruncation),
          vector_cast<unsigned>(x.dilation),        vector_cast<unsigned>(x.lowerPadding),
          vector_cast<unsigned>(x.upperPadding),    x.flip};
}

ConvParameters::Input fromPopLibs(const poplin::ConvParams::InputTransform& x) {
  return {vector_cast<int64_t>(x.truncationLower), vector_cast<int64_t>(x.truncationUpper),
          vector_cast<int64_t>(x.dilation),        vector_cast<int64_t>(x.paddingLower),
          vector_cast<int64_t>(x.paddingUpper),    x.flip};
}

/// The convolution that computes the gradient of the data.
ConvParameters gradientOf(const ConvParameters& p) {
  const auto type = popx::popType(p.type);
  const auto& out = p.outputTransformation;
  const auto made = poplin::getGradientParams(poplin::ConvParams(
      type, type, static_cast<std::size_t>(p.batchSize), vector_cast<std::size_t>(p.inputShape),
      vector_cast<std::size_t>(p.kernelShape), static_cast<std::size_t>(p.numInChannelsPerGroup),
      static_cast<std::size_t>(p.numOutChannelsPerGroup), static_cast<std::size_t>(p.numGroups),
      toPopLibs(p.inputTransformation), toPopLibs(p.kernelTransformation),
      {vector_cast<unsigned>(out.lowerTruncation), vector_cast<unsigned>(out.upperTruncation),
       vector_cast<unsigned>(out.stride), vector_cast<unsigned>(out.lowerPadding),
       vector_cast<unsigned>(out.upperPadding)}));
  const auto& after = made.outputTransform;
  return {p.type,
          static_cast<int64_t>(made.batchSize),
          static_cast<int64_t>(made.inputChannelsPerConvGroup),
          static_cast<int64_t>(made.outputChannelsPerConvGroup),
          static_cast<int64_t>(made.numConvGroups),
          vector_cast<int64_t>(made.inputFieldShape),
          vector_cast<int64_t>(made.kernelShape),
          fromPopLibs(made.inputTransform),
          fromPopLibs(made.kernelTransform),
          {vector_cast<int64_t>(after.truncationLower), vector_cast<int64_t>(after.truncationUpper),
           vector_cast<int64_t>(after.stride), vector_cast<int64_t>(after.paddingLower),
           vector_cast<int64_t>(after.paddingUpper)}};
}

const ConvParameters& parametersAt(const std::vector<ConvParameters>& all, int convIndex,
                                   const Op& op) {
  if (convIndex < 0 || static_cast<std::size_t>(convIndex) >= all.size())
    throw error("{} has {} convolutions, and none with index {}", op.debugName(), all.size(),
                convIndex);
  return all[static_cast<std::size_t>(convIndex)];
}

void extend(std::vector<int64_t>& list, const std::vector<int64_t>& more) {
  list.insert(list.end(), more.begin(), more.end());
}

}  // namespace

bool operator==(const ConvParameters::Input& a, const ConvParameters::Input& b) {
  return fields(a) == fields(b);
}
bool operator==(const ConvParameters::Output& a, const ConvParameters::Output& b) {
  return fields(a) == fields(b);
}
bool operator==(const ConvParameters& a, const ConvParameters& b) { return fields(a) == fields(b); }

std::ostream& operator<<(std::ostream& os, const ConvParameters::Input& x) {
  return os << "[truncation " << x.lowerTruncation << " " << x.upperTruncation << ", dilation "
            << x.dilation << ", padding " << x.lowerPadding << " " << x.upperPadding << ", flip "
            << std::vector<int>(x.flip.begin(), x.flip.end()) << "]";
}
std::ostream& operator<<(std::ostream& os, const ConvParameters::Output& x) {
  return os << "[truncation " << x.lowerTruncation << " " << x.upperTruncation << ", stride "
            << x.stride << ", padding " << x.lowerPadding << " " << x.upperPadding << "]";
}
std::ostream& operator<<(std::ostream& os, const ConvParameters& x) {
  return os << "[" << x.type << ", batch " << x.batchSize << ", groups " << x.numGroups
            << ", channels of a group " << x.numInChannelsPerGroup << " to "
            << x.numOutChannelsPerGroup << ", input " << x.inputShape << ", kernel "
            << x.kernelShape << ", of the input " << x.inputTransformation << ", of the kernel "
            << x.kernelTransformation << ", of the output " << x.outputTransformation << "]";
}

// ---- Options ----

MultiConvOptions::MultiConvOptions(const std::map<std::string, std::string> sessionConvOptions,
                                   const Attributes& attributes)
    : global_(sessionConvOptions) {
  attributes.setIfPresent(availableMemoryProportions, sAvailMemAttribute);
  attributes.setIfPresent(partialsTypes, sPartialsTypeAttribute);
  attributes.setIfPresent(enableConvDithering, "__enable_conv_dithering");
  const auto scalar = [&](auto& value, const char* name, auto zero) {
    if (attributes.hasAttribute(name)) value = attributes.getAttribute<decltype(zero)>(name);
  };
  scalar(planType, "__planType", Attributes::String());
  scalar(perConvReservedTiles, "__perConvReservedTiles", Attributes::Int());
  scalar(cycleBackOff, "__cycleBackOff", Attributes::Float());
}

std::map<std::string, std::string> MultiConvOptions::getConvOptions(int convIndex) const {
  const auto i = static_cast<std::size_t>(convIndex);
  auto options = global_;
  const auto set = [&](const char* name, const auto& list, const auto& text) {
    if (i < list.size()) options[name] = text(list[i]);
  };
  set("availableMemoryProportion", availableMemoryProportions,
      [](float x) { return std::to_string(x); });
  set("partialsType", partialsTypes, [](std::string x) {
    std::transform(x.begin(), x.end(), x.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return x;
  });
  set("enableConvDithering", enableConvDithering,
      [](int64_t x) { return std::string(x != 0 ? "true" : "false"); });
  return options;
}

// ---- The base ----

MultiConvBaseOp::MultiConvBaseOp(const OperatorIdentifier& opid, const Op::Settings& settings,
                                 std::vector<int64_t> flatStrides, std::vector<int64_t> flatPads,
                                 std::vector<int64_t> flatDilations, const AutoPad& padType,
                                 const MultiConvOptions& options)
    : Op(opid, settings),
      strides_(std::move(flatStrides)),
      pads_(std::move(flatPads)),
      dilations_(std::move(flatDilations)),
      options_(options),
      padType_(padType) {}

MultiConvBaseOp::~MultiConvBaseOp() = default;
std::unique_ptr<Op> MultiConvBaseOp::clone() const { return copyOf(*this); }

Shape MultiConvBaseOp::getSpatialD(int convIndex) const {
  const Shape& in = inShape(getDataInIndex(convIndex));
  return {in.begin() + 2, in.end()};
}
Shape MultiConvBaseOp::getSpatialK(int convIndex) const {
  const Shape& in = inShape(getWeightsInIndex(convIndex));
  return {in.begin() + 2, in.end()};
}
int64_t MultiConvBaseOp::getGroups(int convIndex) const {
  return getNInChans(convIndex) / inShape(getWeightsInIndex(convIndex))[1];
}

int64_t MultiConvBaseOp::getCumulativeSpatialDims(int64_t convIndex) const {
  int64_t dims = 0;
  for (int i = 0; i < convIndex; ++i) dims += getNSpatialDims(i);
  return dims;
}

std::vector<int64_t> MultiConvBaseOp::part(const std::vector<int64_t>& flat, int64_t convIndex,
                                           int64_t each, int64_t missing) const {
  const int64_t n = each * getNSpatialDims(static_cast<int>(convIndex));
  if (flat.empty()) return std::vector<int64_t>(static_cast<std::size_t>(n), missing);
  const int64_t begin = each * getCumulativeSpatialDims(convIndex);
  if (begin + n > static_cast<int64_t>(flat.size()))
    throw error("{}: convolution {} has {} numbers from {} on, and {} has {}", debugName(),
                convIndex, n, begin, flat, flat.size());
  return {flat.begin() + begin, flat.begin() + begin + n};
}

Shape MultiConvBaseOp::half(const std::vector<int64_t>& flat, int64_t convIndex, bool upper) const {
  const auto both = part(flat, convIndex, 2, 0);
  const auto middle = both.begin() + static_cast<std::ptrdiff_t>(both.size() / 2);
  return upper ? Shape(middle, both.end()) : Shape(both.begin(), middle);
}

ConvStrides MultiConvBaseOp::getStrides(int64_t i) const { return part(strides_, i, 1, 1); }
ConvDilations MultiConvBaseOp::getDilations(int64_t i) const { return part(dilations_, i, 1, 1); }
ConvDilations MultiConvBaseOp::getInDilations(int64_t i) const {
  return part(inDilations_, i, 1, 1);
}
ConvPads MultiConvBaseOp::getOutPads(int64_t i) const { return part(outPads_, i, 2, 0); }
Shape MultiConvBaseOp::lowerKernTruncs(int64_t i) const { return half(kernTruncs_, i, false); }
Shape MultiConvBaseOp::upperKernTruncs(int64_t i) const { return half(kernTruncs_, i, true); }
Shape MultiConvBaseOp::lowerInTruncs(int64_t i) const { return half(inTruncs_, i, false); }
Shape MultiConvBaseOp::upperInTruncs(int64_t i) const { return half(inTruncs_, i, true); }
Shape MultiConvBaseOp::lowerOutTruncs(int64_t i) const { return half(outTruncs_, i, false); }
Shape MultiConvBaseOp::upperOutTruncs(int64_t i) const { return half(outTruncs_, i, true); }
Shape MultiConvBaseOp::lowerOutPads(int i) const { return half(outPads_, i, false); }
Shape MultiConvBaseOp::upperOutPads(int i) const { return half(outPads_, i, true); }

ConvPads MultiConvBaseOp::getPads(int64_t convIndex) const {
  ConvPads pads = part(pads_, convIndex, 2, 0);
  if (padType_ != AutoPad::SAME_UPPER && padType_ != AutoPad::SAME_LOWER) return pads;
  const int i = static_cast<int>(convIndex);
  const Shape out = getOutShape(i, pads);
  Shape window = getSpatialK(i);
  const auto dilations = getDilations(convIndex);
  for (std::size_t d = 0; d < window.size(); ++d) window[d] = dilations[d] * (window[d] - 1) + 1;
  HasReceptiveFieldOp::alterPads(pads, {out.begin() + 2, out.end()}, getSpatialD(i), window,
                                 getStrides(convIndex));
  return pads;
}

Shape MultiConvBaseOp::lowerPads(int i) const {
  return HasReceptiveFieldOp::lowerPads(getPads(i), static_cast<int>(getNSpatialDims(i)), padType_);
}
Shape MultiConvBaseOp::upperPads(int i) const {
  return HasReceptiveFieldOp::upperPads(getPads(i), static_cast<int>(getNSpatialDims(i)), padType_);
}

Shape MultiConvBaseOp::getOutShape(int i, const ConvPads& pads) const {
  const auto cut = [](Shape shape, const Shape& lower, const Shape& upper) {
    for (std::size_t d = 0; d < shape.size(); ++d) shape[d] -= lower[d] + upper[d];
    return shape;
  };
  const Shape spatial =
      cut(HasReceptiveFieldOp::getSpatialOutShape(
              cut(getSpatialD(i), lowerInTruncs(i), upperInTruncs(i)),
              cut(getSpatialK(i), lowerKernTruncs(i), upperKernTruncs(i)), pads, getOutPads(i),
              getStrides(i), getDilations(i), getInDilations(i), padType_),
          lowerOutTruncs(i), upperOutTruncs(i));
  Shape out = {inShape(getDataInIndex(i))[0], getNOutChans(i)};
  extend(out, spatial);
  return out;
}

void MultiConvBaseOp::setup() {
  for (int i = 0; i < numConvs(); ++i) {
    TensorInfo& out = outInfo(getOutIndex(i));
    const DataType type = out.isSet() ? out.dataType() : inInfo(getDataInIndex(i)).dataType();
    out = TensorInfo(type, getOutShape(i, getPads(i)));
  }
}

ConvParameters MultiConvBaseOp::getParameters(int i) const {
  const auto n = static_cast<std::size_t>(getNSpatialDims(i));
  const std::vector<int64_t> zeros(n, 0);
  const std::vector<bool> forwards(n, false);
  const int64_t groups = getGroups(i);
  return {
      inInfo(getDataInIndex(i)).dataType(),
      inShape(getDataInIndex(i))[0],
      getNInChans(i) / groups,
      getNOutChans(i) / groups,
      groups,
      getSpatialD(i),
      getSpatialK(i),
      {lowerInTruncs(i), upperInTruncs(i), getInDilations(i), lowerPads(i), upperPads(i), forwards},
      {lowerKernTruncs(i), upperKernTruncs(i), getDilations(i), zeros, zeros, forwards},
      {lowerOutTruncs(i), upperOutTruncs(i), getStrides(i), lowerOutPads(i), upperOutPads(i)}};
}

void MultiConvBaseOp::restoreAttributesFromParams(const std::vector<ConvParameters>& parameters) {
  for (auto* list : {&strides_, &pads_, &outPads_, &dilations_, &inDilations_, &kernTruncs_,
                     &inTruncs_, &outTruncs_})
    list->clear();
  for (const ConvParameters& p : parameters) {
    const auto& in = p.inputTransformation;
    const auto& kernel = p.kernelTransformation;
    const auto& out = p.outputTransformation;
    const auto flips = std::count(in.flip.begin(), in.flip.end(), true) +
                       std::count(kernel.flip.begin(), kernel.flip.end(), true);
    const auto isZero = [](int64_t x) { return x == 0; };
    if (flips != 0 ||
        !std::all_of(kernel.lowerPadding.begin(), kernel.lowerPadding.end(), isZero) ||
        !std::all_of(kernel.upperPadding.begin(), kernel.upperPadding.end(), isZero))
      throw error("{}: a convolution that flips an operand, or pads its kernel: {}", debugName(),
                  p);
    extend(pads_, in.lowerPadding);
    extend(pads_, in.upperPadding);
    extend(inDilations_, in.dilation);
    extend(inTruncs_, in.lowerTruncation);
    extend(inTruncs_, in.upperTruncation);
    extend(kernTruncs_, kernel.lowerTruncation);
    extend(kernTruncs_, kernel.upperTruncation);
    extend(dilations_, kernel.dilation);
    extend(strides_, out.stride);
    extend(outPads_, out.lowerPadding);
    extend(outPads_, out.upperPadding);
    extend(outTruncs_, out.lowerTruncation);
    extend(outTruncs_, out.upperTruncation);
  }
  padType_ = AutoPad::NOTSET;
}

Attributes MultiConvBaseOp::nodeAttributes() const {
  const auto are = [](const std::vector<int64_t>& list, int64_t value) {
    return std::count(list.begin(), list.end(), value) == static_cast<int64_t>(list.size());
  };
  if (!are(inDilations_, 1) || !are(outPads_, 0) || !are(kernTruncs_, 0) || !are(inTruncs_, 0) ||
      !are(outTruncs_, 0))
    throw error(
        "{}: dilations of the input {}, truncations of input {}, kernel {} and output {}, and "
        "paddings of the output {}; the compiler's convolutions are ONNX's, which have none",
        debugName(), inDilations_, inTruncs_, kernTruncs_, outTruncs_, outPads_);
  Attributes a;
  if (!strides_.empty()) a.setAttribute("strides", strides_);
  if (!dilations_.empty()) a.setAttribute("dilations", dilations_);
  if (padType_ == AutoPad::NOTSET && !pads_.empty()) a.setAttribute("pads", pads_);
  a.setAttribute("auto_pad", HasReceptiveFieldOp::autoPadText(padType_));
  return a;
}

void MultiConvBaseOp::setParamsFromDataGradOp(const Op* dataGradOp) {
  const auto* gradient = dynamic_cast<const MultiConvDataGradBaseOp*>(dataGradOp);
  if (gradient == nullptr)
    throw error("{}: parameters are taken of the gradient of a convolution's data, and {} is none",
                debugName(), dataGradOp->debugName());
  std::vector<ConvParameters> parameters;
  for (int i = 0; i < gradient->numConvs(); ++i) parameters.push_back(gradient->getParameters(i));
  restoreAttributesFromParams(parameters);
}

void MultiConvBaseOp::appendConvParameterAttributes(const ConvParameters& parameters,
                                                    const std::string& suffix,
                                                    OpSerialiserBase& os) {
  os.appendAttribute("parameters" + suffix, logging::format("{}", parameters));
}

void MultiConvBaseOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  for (int i = 0; i < numConvs(); ++i) {
    const std::string suffix = "[" + std::to_string(i) + "]";
    appendConvParameterAttributes(getParameters(i), suffix, os);
    for (const auto& option : options_.getConvOptions(i))
      os.appendAttribute(option.first + suffix, option.second);
  }
}

// ---- Gradients ----

MultiConvWeightsGradBaseOp::MultiConvWeightsGradBaseOp(const MultiConvBaseOp& op,
                                                       const OperatorIdentifier& opid)
    : Op(opid, op.getSettings()), options_(op.getConvOptions()) {
  for (int i = 0; i < op.numConvs(); ++i) {
    inputs_.push_back(
        {getGradConvolvedInIndex(i), MultiConvBaseOp::getOutIndex(i), GradOpInType::GradOut});
    inputs_.push_back(
        {getPreConvolvedInIndex(i), MultiConvBaseOp::getDataInIndex(i), GradOpInType::In});
    outputs_[getOutIndex(i)] = MultiConvBaseOp::getWeightsInIndex(i);
    infos_.push_back(op.inInfo(MultiConvBaseOp::getWeightsInIndex(i)));
    parameters_.push_back(op.getParameters(i));
  }
}

MultiConvWeightsGradBaseOp::~MultiConvWeightsGradBaseOp() = default;
std::unique_ptr<Op> MultiConvWeightsGradBaseOp::clone() const { return copyOf(*this); }

void MultiConvWeightsGradBaseOp::setup() {
  for (std::size_t i = 0; i < infos_.size(); ++i) outInfo(static_cast<int>(i)) = infos_[i];
}

const ConvParameters& MultiConvWeightsGradBaseOp::getParameters(int convIndex) const {
  return parametersAt(parameters_, convIndex, *this);
}

void MultiConvWeightsGradBaseOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    MultiConvBaseOp::appendConvParameterAttributes(parameters_[i], "[" + std::to_string(i) + "]",
                                                   os);
}

MultiConvDataGradBaseOp::MultiConvDataGradBaseOp(const MultiConvBaseOp& op,
                                                 const OperatorIdentifier& opid)
    : Op(opid, op.getSettings()), options_(op.getConvOptions()) {
  for (int i = 0; i < op.numConvs(); ++i) {
    inputs_.push_back(
        {getWeightsInIndex(i), MultiConvBaseOp::getWeightsInIndex(i), GradOpInType::In});
    inputs_.push_back(
        {getGradConvolvedInIndex(i), MultiConvBaseOp::getOutIndex(i), GradOpInType::GradOut});
    outputs_[getOutIndex(i)] = MultiConvBaseOp::getDataInIndex(i);
    infos_.push_back(op.inInfo(MultiConvBaseOp::getDataInIndex(i)));
    parameters_.push_back(gradientOf(op.getParameters(i)));
  }
}

MultiConvDataGradBaseOp::~MultiConvDataGradBaseOp() = default;
std::unique_ptr<Op> MultiConvDataGradBaseOp::clone() const { return copyOf(*this); }

void MultiConvDataGradBaseOp::setup() {
  for (std::size_t i = 0; i < infos_.size(); ++i) outInfo(static_cast<int>(i)) = infos_[i];
}

const ConvParameters& MultiConvDataGradBaseOp::getParameters(int convIndex) const {
  return parametersAt(parameters_, convIndex, *this);
}

TensorInfo MultiConvDataGradBaseOp::getDataInfo(int convIndex) const {
  parametersAt(parameters_, convIndex, *this);
  return infos_[static_cast<std::size_t>(convIndex)];
}

void MultiConvDataGradBaseOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    MultiConvBaseOp::appendConvParameterAttributes(parameters_[i], "[" + std::to_string(i) + "]",
                                                   os);
}

// ---- One convolution ----

ConvOp::ConvOp(const OperatorIdentifier& opid, const Settings& settings,
               std::vector<int64_t> strides, std::vector<int64_t> pads,
               std::vector<int64_t> dilations, int64_t group, const AutoPad& padType,
               const MultiConvOptions& options)
    : MultiConvBaseOp(opid, settings, std::move(strides), std::move(pads), std::move(dilations),
                      padType, options),
      group_(group) {}

ConvOp::~ConvOp() = default;
ConvWeightsGradOp::~ConvWeightsGradOp() = default;
ConvDataGradOp::~ConvDataGradOp() = default;
std::unique_ptr<Op> ConvOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> ConvWeightsGradOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> ConvDataGradOp::clone() const { return copyOf(*this); }

ConvWeightsGradOp::ConvWeightsGradOp(const ConvOp& op)
    : MultiConvWeightsGradBaseOp(op, Onnx::GradOperators::ConvWeightsGrad) {}
ConvDataGradOp::ConvDataGradOp(const ConvOp& op)
    : MultiConvDataGradBaseOp(op, Onnx::GradOperators::ConvDataGrad) {}

bool ConvOp::isPow2ScaledConv() const {
  return opInputsAreValidPow2ScaledInputs(input.get(), getLog2ScaleInIndex());
}

void ConvOp::setup() {
  // The compiler's own operator takes what restoreAttributesFromParams() has set.
  if (link() != nullptr && popir::builtinClass(*this) != nullptr) {
    builtin::changed(*this);
    return builtin::setup(*this);
  }
  validateOpFloat8Inputs(input.get(), getLog2ScaleInIndex(), debugName());
  const bool is8 = isPow2ScaledConv();
  const int64_t in = getNInChans(), each = inShape(getWeightsInIndex())[1];
  if (each <= 0 || in % each != 0 || (group_ > 0 && in != each * group_) ||
      getNOutChans() % (in / each) != 0)
    throw error("{}: {} channels in and weights {} do not go together in {} groups", debugName(),
                in, inShape(getWeightsInIndex()), group_);
  MultiConvBaseOp::setup();
  if (is8) outInfo(getOutIndex()) = TensorInfo(DataType::FLOAT16, outShape(getOutIndex()));
}

void ConvOp::restoreAttributesFromParams(const std::vector<ConvParameters>& parameters) {
  MultiConvBaseOp::restoreAttributesFromParams(parameters);
  if (parameters.size() != 1)
    throw error("{} is one convolution, and gets the parameters of {}", debugName(),
                parameters.size());
  group_ = parameters[0].numGroups;
}

}  // namespace popart
