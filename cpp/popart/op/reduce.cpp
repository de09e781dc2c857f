// Reductions.
#include <popart/op/reduce.hpp>
#include <popart/op/reducel1.hpp>
#include <popart/op/reducel2.hpp>
#include <popart/op/reducelogsum.hpp>
#include <popart/op/reducelogsumexp.hpp>
#include <popart/op/reducemax.hpp>
#include <popart/op/reducemean.hpp>
#include <popart/op/reducemin.hpp>
#include <popart/op/reduceprod.hpp>
#include <popart/op/reducesum.hpp>
#include <popart/op/reducesumsquare.hpp>
#include <popart/opserialiser.hpp>
#include <popart/tensor.hpp>
#include <popart/tensordata.hpp>

#include <algorithm>
#include <cstring>

#include "popart/builtins.hpp"
#include "popart/op/copy_of.hpp"

namespace popart {
namespace {

constexpr InIndex kAxes = 1;

}  // namespace

ReduceOp::~ReduceOp() = default;
ReduceGradOp::~ReduceGradOp() = default;
std::unique_ptr<Op> ReduceOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> ReduceGradOp::clone() const { return copyOf(*this); }
ReduceSumOp::~ReduceSumOp() = default;
ReduceMeanOp::~ReduceMeanOp() = default;
ReduceMaxOp::~ReduceMaxOp() = default;
ReduceMinOp::~ReduceMinOp() = default;
ReduceProdOp::~ReduceProdOp() = default;
ReduceSumSquareOp::~ReduceSumSquareOp() = default;
ReduceL1Op::~ReduceL1Op() = default;
ReduceL2Op::~ReduceL2Op() = default;
ReduceLogSumOp::~ReduceLogSumOp() = default;
ReduceLogSumExpOp::~ReduceLogSumExpOp() = default;

std::unique_ptr<Op> ReduceSumOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> ReduceMeanOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> ReduceMaxOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> ReduceMinOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> ReduceProdOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> ReduceSumSquareOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> ReduceL1Op::clone() const { return copyOf(*this); }
std::unique_ptr<Op> ReduceL2Op::clone() const { return copyOf(*this); }
std::unique_ptr<Op> ReduceLogSumOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> ReduceLogSumExpOp::clone() const { return copyOf(*this); }

ReduceOp::ReduceOp(const OperatorIdentifier& opid,
                   const nonstd::optional<std::vector<int64_t>>& given, int64_t keep,
                   const Op::Settings& settings)
    : Op(opid, settings), keepdims(keep), hasDefaultAxes_(!given) {
  if (given) axes = *given;
}

const std::vector<int64_t>& ReduceOp::getAxes() const {
  if (!hasInput(getInIndex())) return axes;
  const auto rank = static_cast<int64_t>(inShape(getInIndex()).size());
  if (hasDefaultAxes_) {
    axes.clear();
    if (hasInput(kAxes) && inTensor(kAxes)->hasTensorData()) {
      axes.resize(static_cast<std::size_t>(inInfo(kAxes).nelms()));
      std::memcpy(axes.data(), inTensor(kAxes)->tensorData()->data(),
                  axes.size() * sizeof(int64_t));
    }
    if (axes.empty() && !keepsAll_) {
      for (int64_t axis = 0; axis < rank; ++axis) axes.push_back(axis);
    }
  }
  for (int64_t& axis : axes) {
    if (axis < -rank || axis >= rank)
      throw error("{}: axis {} given, and the input is {}", debugName(), axis,
                  inShape(getInIndex()));
    if (axis < 0) axis += rank;
  }
  std::sort(axes.begin(), axes.end());
  return axes;
}

void ReduceOp::setAxes(std::vector<int64_t> value) {
  const bool isAttribute = !hasInput(kAxes);
  if (isAttribute) {
    axes = std::move(value);
    hasDefaultAxes_ = false;
  }
  builtin::changed(*this, isAttribute);
}

void ReduceOp::setKeepDims(int64_t value) {
  keepdims = value;
  builtin::changed(*this);
}

const Shape& ReduceOp::backwardShape() const {
  backward_shape = inShape(getInIndex());
  for (const int64_t axis : getAxes()) backward_shape[static_cast<std::size_t>(axis)] = 1;
  return backward_shape;
}

void ReduceOp::setup() {
  if (link() != nullptr && popir::builtinClass(*this) != nullptr) return builtin::setup(*this);
  Shape out;
  const Shape& kept = backwardShape();
  for (std::size_t d = 0; d < kept.size(); ++d)
    if (keepdims != 0 || !std::binary_search(axes.begin(), axes.end(), static_cast<int64_t>(d)))
      out.push_back(kept[d]);
  outInfo(getOutIndex()) = {inInfo(getInIndex()).dataType(), out};
}

bool ReduceOp::canBeReplacedByIdentity() const {
  const Shape& in = inShape(getInIndex());
  return backwardShape() == in && (keepdims != 0 || axes.empty());
}

int ReduceOp::getOutBatchAxis(OutIndex) const {
  const std::vector<int64_t>& reduced = getAxes();
  return std::find(reduced.begin(), reduced.end(), 0) == reduced.end() ? 0 : -1;
}

void ReduceOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("keepdims", keepdims);
  os.appendAttribute("axes", getAxes());
}

ReduceGradOp::ReduceGradOp(const OperatorIdentifier& opid, const ReduceOp& forward,
                           const Shape& backwardShape)
    : Op(opid, forward.settings),
      outputTensorShape(forward.inShape(ReduceOp::getInIndex())),
      backward_shape(backwardShape),
      axes(forward.getAxes()) {}

void ReduceGradOp::setup() {
  outInfo(getOutIndex()) = {inInfo(getInIndex()).dataType(), outputTensorShape};
}

const std::vector<GradInOutMapper>& ReduceGradOp::gradInputInfo() const {
  static const std::vector<GradInOutMapper> inputs = {
      {getInIndex(), ReduceOp::getOutIndex(), GradOpInType::GradOut}};
  return inputs;
}

const std::map<int, int>& ReduceGradOp::gradOutToNonGradIn() const {
  static const std::map<int, int> outputs = {{getOutIndex(), ReduceOp::getInIndex()}};
  return outputs;
}

void ReduceGradOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("axes", axes);
}

}  // namespace popart
