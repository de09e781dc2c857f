// Other sizes of a tensor.
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

std::vector<std::unique_ptr<Op>> ResizeOp::getGradOps() {
  throw error(
      "{}: a ResizeOp that a program makes has no gradient; that of a model consists of operators "
      "that have",
      debugName());
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

void ResizeOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  // All digits: scales decide which elements are taken.
  std::ostringstream scales;
  scales.precision(9);
  for (const float scale : scales_) scales << scale << ' ';
  os.appendAttribute("mode", toString(mode_));
  os.appendAttribute("scales", scales.str());
  os.appendAttribute("nearest_mode", isFirst_ ? "" : toString(nearest_));
  os.appendAttribute("coordinate_transformation_mode", isFirst_ ? "" : toString(transformation_));
}

}  // namespace popart
