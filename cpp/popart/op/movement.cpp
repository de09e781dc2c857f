// Scale, Cast, Mean and Concat; variants in place.
#include <popart/op/add.hpp>
#include <popart/op/cast.hpp>
#include <popart/op/concat.hpp>
#include <popart/op/identity.hpp>
#include <popart/op/mean.hpp>
#include <popart/op/relu.hpp>
#include <popart/op/reshape.hpp>
#include <popart/op/scale.hpp>
#include <popart/operators.hpp>
#include <popart/opserialiser.hpp>
#include <popart/tensor.hpp>

#include "popart/op/copy_of.hpp"

namespace popart {

ScaleOp::~ScaleOp() = default;

void ScaleOp::setScaleFactor(float value) {
  scale_ = value;
  builtin::changed(*this);
}

ScaleInplaceOp::~ScaleInplaceOp() = default;
ConcatOp::~ConcatOp() = default;
ConcatInplaceOp::~ConcatInplaceOp() = default;
CastOp::~CastOp() = default;
MeanOp::~MeanOp() = default;
AddLhsInplaceOp::~AddLhsInplaceOp() = default;
AddRhsInplaceOp::~AddRhsInplaceOp() = default;
ReshapeInplaceOp::~ReshapeInplaceOp() = default;
ReluInplaceOp::~ReluInplaceOp() = default;
IdentityInplaceOp::~IdentityInplaceOp() = default;

std::unique_ptr<Op> ScaleOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> ScaleInplaceOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> ConcatOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> ConcatInplaceOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> CastOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> MeanOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> AddLhsInplaceOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> AddRhsInplaceOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> ReshapeInplaceOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> ReluInplaceOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> IdentityInplaceOp::clone() const { return copyOf(*this); }

ScaleInplaceOp::ScaleInplaceOp(const ScaleOp& op)
    : ScaleInplaceOp(Onnx::CustomOperators::ScaleInplace, op.getScaleFactor(), op.settings) {}
ConcatInplaceOp::ConcatInplaceOp(int64_t axis, const Op::Settings& settings)
    : ConcatOp(Onnx::CustomOperators::ConcatInplace, axis, settings) {}
ConcatInplaceOp::ConcatInplaceOp(const ConcatOp& op, int64_t axis)
    : ConcatInplaceOp(axis, op.settings) {}
AddLhsInplaceOp::AddLhsInplaceOp(const Op::Settings& settings)
    : ElementWiseBinaryInplaceLhsOp(Onnx::CustomOperators::AddLhsInplace, settings) {}
AddRhsInplaceOp::AddRhsInplaceOp(const Op::Settings& settings)
    : ElementWiseBinaryInplaceRhsOp(Onnx::CustomOperators::AddRhsInplace, settings) {}
ReshapeInplaceOp::ReshapeInplaceOp(const ReshapeOp& op)
    : ReshapeBaseOp(Onnx::CustomOperators::ReshapeInplace, op.getOutShape(), op.settings) {}
ReluInplaceOp::ReluInplaceOp(const ReluOp& op)
    : ElementWiseInplaceUnaryOp(Onnx::CustomOperators::ReluInplace, op.settings) {}
IdentityInplaceOp::IdentityInplaceOp(const IdentityOp& op)
    : ElementWiseInplaceUnaryOp(Onnx::CustomOperators::IdentityInplace, op.settings) {}

void ScaleOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  ElementWiseUnaryOp::appendOutlineAttributes(os);
  os.appendAttribute("scale", scale_);
}

void ScaleInplaceOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  ElementWiseInplaceUnaryOp::appendOutlineAttributes(os);
  os.appendAttribute("scale", scale_);
}

// ---- ConcatOp ----

namespace {

std::size_t fromFront(int64_t axis, std::size_t rank) {
  const auto n = static_cast<int64_t>(rank);
  if (axis < -n || axis >= n) throw error("Concat: axis {} of tensors with {} dimensions", axis, n);
  return static_cast<std::size_t>(axis < 0 ? axis + n : axis);
}

/// A region moved along an axis, as far as it lies in a tensor of `shape` there.
view::Regions moved(const view::Region& region, std::size_t axis, int64_t by, const Shape& shape) {
  std::vector<int64_t> lower = region.getLower(), upper = region.getUpper();
  lower[axis] = std::max<int64_t>(lower[axis] + by, 0);
  upper[axis] = std::min(upper[axis] + by, shape[axis]);
  if (lower[axis] >= upper[axis]) return {view::Region::getEmpty(region.rank())};
  return {view::Region(lower, upper)};
}

}  // namespace

Shape ConcatOp::getOutputShape(int64_t axis, const std::vector<const Shape*> inputs) {
  if (inputs.empty()) throw error("Concat: there are no inputs");
  Shape out = *inputs.front();
  const std::size_t along = fromFront(axis, out.size());
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    Shape other = *inputs[i];
    if (other.size() != out.size())
      throw error("Concat: input {} has {} dimensions, input 0 {}", i, other.size(), out.size());
    const int64_t size = other[along];
    other[along] = out[along];
    if (other != out)
      throw error("Concat along {}: input {} has the shape {}, input 0 {}", axis, i, *inputs[i],
                  *inputs.front());
    out[along] += size;
  }
  return out;
}

void ConcatOp::setup() {
  std::vector<const Shape*> shapes;
  for (const auto& in : input->tensorMap()) shapes.push_back(&in.second->info.shape());
  outInfo(getOutIndex()) = {inInfo(0).dataType(), getOutputShape(axis_, shapes)};
}

int64_t ConcatOp::begin(InIndex in) const {
  const std::size_t along = fromFront(axis_, inShape(in).size());
  int64_t sum = 0;
  for (InIndex i = 0; i < in; ++i) sum += inShape(i)[along];
  return sum;
}

view::RegMap ConcatOp::fwdRegMap(InIndex in, OutIndex out) const {
  const std::size_t along = fromFront(axis_, inShape(in).size());
  return [along, by = begin(in), shape = outShape(out)](const view::Region& region) {
    return moved(region, along, by, shape);
  };
}

view::RegMap ConcatOp::bwdRegMap(InIndex in, OutIndex) const {
  const std::size_t along = fromFront(axis_, inShape(in).size());
  return [along, by = begin(in), shape = inShape(in)](const view::Region& region) {
    return moved(region, along, -by, shape);
  };
}

void ConcatOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("axis", axis_);
}

}  // namespace popart
