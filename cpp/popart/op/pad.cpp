// Pads.
#include <popart/op/pad.hpp>
#include <popart/operators.hpp>
#include <popart/opserialiser.hpp>
#include <popart/region.hpp>
#include <popart/tensor.hpp>
#include <popart/tensordata.hpp>

#include <algorithm>
#include <cstring>

#include "popart/builtins.hpp"
#include "popart/op/copy_of.hpp"

namespace popart {
namespace {

constexpr InIndex kPads = 1;

view::Region moved(const view::Region& region, const std::vector<int64_t>& by, int64_t sign) {
  auto lower = region.getLower(), upper = region.getUpper();
  for (std::size_t d = 0; d < lower.size(); ++d) {
    lower[d] += sign * by[d];
    upper[d] += sign * by[d];
  }
  return {lower, upper};
}

}  // namespace

BasePadOp::~BasePadOp() = default;
BasePadOutplaceOp::~BasePadOutplaceOp() = default;
PadOp::~PadOp() = default;
PadInplaceOp::~PadInplaceOp() = default;
std::unique_ptr<Op> BasePadOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> BasePadOutplaceOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> PadOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> PadInplaceOp::clone() const { return copyOf(*this); }

BasePadOp::BasePadOp(const OperatorIdentifier& opid, const std::vector<int64_t>& pads,
                     const std::vector<unsigned>& flips, float value, const std::string& mode,
                     const Op::Settings& settings)
    : Op(opid, settings), pads_(pads), flips_(flips), value_(value), mode_(mode) {}

PadInplaceOp::PadInplaceOp(const BasePadOutplaceOp& op)
    : BasePadOp(Onnx::CustomOperators::PadInplace, op.getPads(), op.getFlips(), op.getPadValue(),
                op.getMode(), op.getSettings()) {}

const std::vector<int64_t>& BasePadOp::getPads() const {
  if (pads_.empty() && hasInput(kPads) && inTensor(kPads)->hasTensorData()) {
    pads_.resize(static_cast<std::size_t>(inInfo(kPads).nelms()));
    std::memcpy(pads_.data(), inTensor(kPads)->tensorData()->data(),
                pads_.size() * sizeof(int64_t));
  }
  return pads_;
}

void BasePadOp::setup() {
  if (link() != nullptr && popir::builtinClass(*this) != nullptr) return builtin::setup(*this);
  const TensorInfo& in = inInfo(getInIndex());
  Shape shape = in.shape();
  if (getPads().size() != 2 * shape.size())
    throw error("{}: the pads are {}, and the input is {}; expected are two for each dimension",
                debugName(), getPads(), shape);
  for (std::size_t d = 0; d < shape.size(); ++d) {
    shape[d] += getLowerPadding(d) + getUpperPadding(d);
    if (shape[d] < 0)
      throw error("{}: the pads {} cut off more than the input {} has", debugName(), getPads(),
                  in.shape());
  }
  outInfo(getOutIndex()) = TensorInfo(in.dataType(), shape);
}

bool BasePadOp::padSizeZero() const {
  return std::all_of(getPads().begin(), getPads().end(), [](int64_t n) { return n == 0; });
}

view::Region BasePadOp::valueRegion() const {
  Shape lower, upper = outShape(getOutIndex());
  for (std::size_t d = 0; d < upper.size(); ++d) {
    lower.push_back(std::max<int64_t>(getLowerPadding(d), 0));
    upper[d] -= std::max<int64_t>(getUpperPadding(d), 0);
  }
  return {lower, upper};
}

std::vector<int64_t> BasePadOp::padDimensions() const {
  std::vector<int64_t> dimensions;
  for (std::size_t d = 0; d < getPads().size() / 2; ++d)
    if (getLowerPadding(d) != 0 || getUpperPadding(d) != 0)
      dimensions.push_back(static_cast<int64_t>(d));
  return dimensions;
}

std::vector<std::ptrdiff_t> BasePadOp::getLowerPadding() const {
  return {getPads().begin(), getPads().begin() + getRank()};
}
std::vector<std::ptrdiff_t> BasePadOp::getUpperPadding() const {
  return {getPads().begin() + getRank(), getPads().end()};
}

std::vector<Slice> BasePadOp::getSlices() const {
  std::vector<Slice> slices;
  for (std::size_t d = 0; d < getPads().size() / 2; ++d)
    slices.emplace_back(getLowerPadding(d), getUpperPadding(d), static_cast<int64_t>(d));
  return slices;
}

// Where elements of the input lie in the output. Reversed dimensions are not followed: all of them
// may be concerned.
view::RegMap BasePadOp::fwdRegMap(InIndex, OutIndex) const {
  const std::vector<int64_t> front(getPads().begin(), getPads().begin() + getRank());
  const view::Region value = valueRegion();
  const bool flips = !flips_.empty();
  return [=](const view::Region& r) {
    return view::Regions(1, flips ? value : moved(r, front, 1).intersect(value));
  };
}

view::RegMap BasePadOp::bwdRegMap(InIndex, OutIndex) const {
  const std::vector<int64_t> front(getPads().begin(), getPads().begin() + getRank());
  const view::Region value = valueRegion();
  const view::Region whole = view::Region::getFull(inShape(getInIndex()));
  const bool flips = !flips_.empty();
  return [=](const view::Region& r) {
    return view::Regions(1, flips ? whole : moved(r.intersect(value), front, -1));
  };
}

void BasePadOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("pads", getPads());
  os.appendAttribute("flips", std::vector<int64_t>(flips_.begin(), flips_.end()));
  os.appendAttribute("value", value_);
  os.appendAttribute("mode", mode_);
}

view::Regions PadInplaceOp::uses(InIndex index) const {
  return bwdRegMap(index, getOutIndex())(valueRegion());
}
view::Regions PadInplaceOp::aliases(InIndex in, OutIndex) const { return uses(in); }

}  // namespace popart
