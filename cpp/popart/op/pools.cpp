// Pools, and regions of interest.
#include <popart/op/averagepool.hpp>
#include <popart/op/globalaveragepool.hpp>
#include <popart/op/globalmaxpool.hpp>
#include <popart/op/maxpool.hpp>
#include <popart/op/roialign.hpp>
#include <popart/opserialiser.hpp>

#include "popart/builtins.hpp"
#include "popart/op/copy_of.hpp"

namespace popart {
namespace {

/// Of a window, with the names of a node.
Attributes windowAttributes(const HasReceptiveFieldOp& op) {
  Attributes a;
  a.setAttribute("kernel_shape", op.getSpatialK());
  if (!op.baseStrides.empty()) a.setAttribute("strides", op.baseStrides);
  if (!op.basePads.empty() && op.padType == AutoPad::NOTSET) a.setAttribute("pads", op.basePads);
  if (!op.baseDilations.empty() && op.opid.version >= 10)
    a.setAttribute("dilations", op.baseDilations);
  if (op.padType != AutoPad::NOTSET)
    a.setAttribute("auto_pad", HasReceptiveFieldOp::autoPadText(op.padType));
  if (op.ceilMode) a.setAttribute("ceil_mode", Attributes::Int(1));
  return a;
}

template <class OP>
bool isIdentity(const OP& op) {
  const auto all = [](const Shape& list, int64_t value) {
    return list == Shape(list.size(), value);
  };
  return all(op.getSpatialK(), 1) && all(op.getStrides(), 1) && all(op.getPads(), 0);
}

/// The compiler's rule where it has the operator.
template <class OP>
void setUpPool(OP& op) {
  if (op.link() != nullptr && popir::builtinClass(op) != nullptr) return builtin::setup(op);
  op.HasReceptiveFieldOp::setup();
}

}  // namespace

AveragePoolOp::~AveragePoolOp() = default;
std::unique_ptr<Op> AveragePoolOp::clone() const { return copyOf(*this); }
void AveragePoolOp::setup() { setUpPool(*this); }
bool AveragePoolOp::canBeReplacedByIdentity() const { return isIdentity(*this); }
void AveragePoolOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  HasReceptiveFieldOp::appendOutlineAttributes(os);
  os.appendAttribute("kernel_shape", kernelShape_);
  os.appendAttribute("count_include_pad", countIncludePad_);
}
Attributes AveragePoolOp::nodeAttributes() const {
  Attributes a = windowAttributes(*this);
  if (countIncludePad_ != 0) a.setAttribute("count_include_pad", Attributes::Int(countIncludePad_));
  return a;
}

MaxPoolOp::~MaxPoolOp() = default;
std::unique_ptr<Op> MaxPoolOp::clone() const { return copyOf(*this); }
void MaxPoolOp::setup() { setUpPool(*this); }
bool MaxPoolOp::canBeReplacedByIdentity() const { return isIdentity(*this); }
void MaxPoolOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  HasReceptiveFieldOp::appendOutlineAttributes(os);
  os.appendAttribute("kernel_shape", kernelShape_);
  os.appendAttribute("storage_order", storageOrder_);
}
Attributes MaxPoolOp::nodeAttributes() const {
  Attributes a = windowAttributes(*this);
  if (storageOrder_ != 0) a.setAttribute("storage_order", Attributes::Int(storageOrder_));
  return a;
}

GlobalAveragePoolOp::~GlobalAveragePoolOp() = default;
std::unique_ptr<Op> GlobalAveragePoolOp::clone() const { return copyOf(*this); }
Shape GlobalAveragePoolOp::getSpatialK() const {
  const Shape& in = inShape(getInIndex());
  return in.size() < 2 ? Shape() : Shape(in.begin() + 2, in.end());
}

GlobalMaxPoolOp::~GlobalMaxPoolOp() = default;
std::unique_ptr<Op> GlobalMaxPoolOp::clone() const { return copyOf(*this); }
Shape GlobalMaxPoolOp::getSpatialK() const {
  const Shape& in = inShape(getInIndex());
  return in.size() < 2 ? Shape() : Shape(in.begin() + 2, in.end());
}

RoiAlignOp::~RoiAlignOp() = default;
std::unique_ptr<Op> RoiAlignOp::clone() const { return copyOf(*this); }
void RoiAlignOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("spatial_scale", spatialScale_);
  os.appendAttribute("sampling_ratio", samplingRatio_);
  os.appendAttribute("output_height", alignedHeight_);
  os.appendAttribute("output_width", alignedWidth_);
}

}  // namespace popart
