// Other sizes of a tensor.
#include <popart/graphcoreoperators.hpp>
#include <popart/op/resize.hpp>
#include <popart/opserialiser.hpp>
#include <popart/tensor.hpp>

#include <cmath>
#include <sstream>

#include "popart/op/copy_of.hpp"

namespace popart {
namespace {

template <class Mode, std::size_t N>
const char* nameOf(Mode mode, const char* const (&names)[N]) {
  const auto number = static_cast<std::size_t>(mode);
  if (number >= N) throw error("There is no such mode of a ResizeOp: {}", number);
  return names[number];
}

const char* const modes[] = {"nearest", "linear", "cubic"};
const char* const nearestModes[] = {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil",
                                    "pytorch"};
const char* const transformations[] = {"half_pixel", "pytorch_half_pixel", "align_corners",
                                       "asymmetric", "tf_crop_and_resize"};

}  // namespace

std::string toString(const ResizeMode& mode) { return nameOf(mode, modes); }
std::string toString(const ResizeNearestMode& mode) { return nameOf(mode, nearestModes); }
std::string toString(const ResizeCoordinateTransformationMode& mode) {
  return nameOf(mode, transformations);
}
std::ostream& operator<<(std::ostream& os, const ResizeMode& mode) { return os << toString(mode); }
std::ostream& operator<<(std::ostream& os, const ResizeNearestMode& mode) {
  return os << toString(mode);
}
std::ostream& operator<<(std::ostream& os, const ResizeCoordinateTransformationMode& mode) {
  return os << toString(mode);
}

ResizeOp::ResizeOp(const OperatorIdentifier& opid, const Op::Settings& settings, ResizeMode mode,
                   const std::vector<float>& scales)
    : Op(opid, settings), mode_(mode), scales_(scales) {
  static_cast<void>(toString(mode));
}

ResizeOp::ResizeOp(const OperatorIdentifier& opid, const Op::Settings& settings, ResizeMode mode,
                   const std::vector<float>& scales, ResizeNearestMode nearestMode,
                   ResizeCoordinateTransformationMode coordinateTransformationMode)
    : Op(opid, settings),
      mode_(mode),
      scales_(scales),
      nearest_(nearestMode),
      transformation_(coordinateTransformationMode),
      isFirst_(false) {
  static_cast<void>(toString(mode) + toString(nearestMode) +
                    toString(coordinateTransformationMode));
  if (coordinateTransformationMode == ResizeCoordinateTransformationMode::TfCropAndResize)
    throw error("A ResizeOp has no region for {}; a model's Resize has", toString(transformation_));
}

ResizeOp::~ResizeOp() = default;

std::unique_ptr<Op> ResizeOp::clone() const { return copyOf(*this); }

ResizeOp::ResizeOp(const ResizeOp& forward, const OperatorIdentifier& opid,
                   const std::vector<float>& scales)
    : Op(opid, forward.settings),
      mode_(forward.mode_),
      scales_(scales),
      nearest_(forward.nearest_),
      transformation_(forward.transformation_),
      isFirst_(forward.isFirst_) {}

std::vector<std::unique_ptr<Op>> ResizeOp::getGradOps() {
  std::vector<std::unique_ptr<Op>> made;
  made.emplace_back(new ResizeGradOp(*this));
  return made;
}

void ResizeOp::setup() {
  const TensorInfo& info = inInfo(getInIndex());
  if (static_cast<std::size_t>(info.rank()) != scales_.size())
    throw error("{}: {} scales are given; the input is {}", debugName(), scales_.size(), info);
  Shape shape = info.shape();
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (!(scales_[d] > 0)) throw error("{}: scale {} is {}", debugName(), d, scales_[d]);
    shape[d] = static_cast<int64_t>(std::floor(static_cast<float>(shape[d]) * scales_[d]));
  }
  outInfo(getOutIndex()) = {info.dataType(), shape};
}

namespace {

/// With all digits: scales decide which elements are taken.
std::string textOf(const std::vector<float>& scales) {
  std::ostringstream text;
  text.precision(9);
  for (const float scale : scales) text << scale << ' ';
  return text.str();
}

}  // namespace

void ResizeOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("mode", toString(mode_));
  os.appendAttribute("scales", textOf(scales_));
  os.appendAttribute("nearest_mode", isFirst_ ? "" : toString(nearest_));
  os.appendAttribute("coordinate_transformation_mode", isFirst_ ? "" : toString(transformation_));
}

namespace {

std::vector<float> backwardScales(const Shape& from, const Shape& to) {
  std::vector<float> scales;
  for (std::size_t d = 0; d < from.size(); ++d)
    scales.push_back(static_cast<float>(to[d]) / static_cast<float>(from[d]));
  return scales;
}

}  // namespace

ResizeGradOp::ResizeGradOp(const ResizeOp& fwdOp)
    : ResizeOp(fwdOp, Onnx::GradOperators::ResizeGrad,
               backwardScales(fwdOp.outShape(getOutIndex()), fwdOp.inShape(getInIndex()))),
      fwdScales_(fwdOp.getScales()),
      shape_(fwdOp.inShape(getInIndex())) {}

ResizeGradOp::~ResizeGradOp() = default;

std::unique_ptr<Op> ResizeGradOp::clone() const { return copyOf(*this); }

std::vector<std::unique_ptr<Op>> ResizeGradOp::getGradOps() {
  throw error("{}: the gradient of a gradient of a ResizeOp is not made", debugName());
}

void ResizeGradOp::setup() { outInfo(getOutIndex()) = {inInfo(getInIndex()).dataType(), shape_}; }

const std::vector<GradInOutMapper>& ResizeGradOp::gradInputInfo() const {
  static const std::vector<GradInOutMapper> inputs = {
      {getInIndex(), ResizeOp::getOutIndex(), GradOpInType::GradOut}};
  return inputs;
}

const std::map<int, int>& ResizeGradOp::gradOutToNonGradIn() const {
  static const std::map<int, int> outputs = {{getOutIndex(), ResizeOp::getInIndex()}};
  return outputs;
}

void ResizeGradOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  ResizeOp::appendOutlineAttributes(os);
  os.appendAttribute("fwdScales", textOf(fwdScales_));
}

}  // namespace popart
