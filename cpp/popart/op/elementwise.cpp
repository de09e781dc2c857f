#include <popart/op/elementwise.hpp>

#include <popart/alias/aliasmodel.hpp>

#include <algorithm>

#include "popart/op/copy_of.hpp"

namespace popart {

ElementWiseUnaryOp::~ElementWiseUnaryOp() = default;
ElementWiseUnaryBooleanOp::~ElementWiseUnaryBooleanOp() = default;
ElementWiseInplaceUnaryOp::~ElementWiseInplaceUnaryOp() = default;
ElementWiseNonLinearUnaryGradOp::~ElementWiseNonLinearUnaryGradOp() = default;
ElementWiseBinaryBaseOp::~ElementWiseBinaryBaseOp() = default;
ElementWiseBinaryOp::~ElementWiseBinaryOp() = default;
ElementWiseBinaryInplaceLhsOp::~ElementWiseBinaryInplaceLhsOp() = default;
ElementWiseBinaryInplaceRhsOp::~ElementWiseBinaryInplaceRhsOp() = default;
ElementWiseBinaryGradOp::~ElementWiseBinaryGradOp() = default;
ElementWiseBinaryArg0GradOp::~ElementWiseBinaryArg0GradOp() = default;
ElementWiseBinaryArg1GradOp::~ElementWiseBinaryArg1GradOp() = default;
BinaryComparisonOp::~BinaryComparisonOp() = default;

// ---- Unary ----

std::unique_ptr<Op> ElementWiseUnaryOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> ElementWiseUnaryBooleanOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> ElementWiseInplaceUnaryOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> ElementWiseNonLinearUnaryGradOp::clone() const { return copyOf(*this); }

void ElementWiseUnaryOp::setup() { outInfo(getOutIndex()) = inInfo(getInIndex()); }

ReplicatedTensorShardingIndices ElementWiseUnaryOp::getReplicatedTensorShardingIndices() const {
  return {{{getInIndex()}, {getOutIndex()}}};
}

void ElementWiseUnaryOp::growAliasModel(AliasModel& model) const {
  model.insertUnaryModifier0(*this);
}

poprithms::memory::inplace::Proposal ElementWiseUnaryOp::mapInplaceProposal(
    const AliasModel& model, OperatorIdentifier variant) const {
  return mapInplaceProposalGate0(model, variant);
}

void ElementWiseUnaryBooleanOp::setup() {
  outInfo(getOutIndex()) = TensorInfo(DataType::BOOL, inShape(getInIndex()));
}

ElementWiseNonLinearUnaryGradOp::ElementWiseNonLinearUnaryGradOp(const OperatorIdentifier& opid,
                                                                 const ElementWiseUnaryOp& fwdOp)
    : ElementWiseNonLinearUnaryGradOp(opid, fwdOp, fwdOp.opid) {}
ElementWiseNonLinearUnaryGradOp::ElementWiseNonLinearUnaryGradOp(const OperatorIdentifier& opid,
                                                                 const ElementWiseUnaryOp& fwdOp,
                                                                 const OperatorIdentifier& known)
    : Op(opid, fwdOp.getSettings()), Origin(fwdOp, known) {}
void ElementWiseNonLinearUnaryGradOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  appendForward(os);
}

void ElementWiseNonLinearUnaryGradOp::setup() {
  outInfo(getOutIndex()) = inInfo(getFwdArgInIndex());
}

const std::vector<GradInOutMapper>& ElementWiseNonLinearUnaryGradOp::gradInputInfo() const {
  static const std::vector<GradInOutMapper> inputs = {
      {getGradInIndex(), ElementWiseUnaryOp::getOutIndex(), GradOpInType::GradOut},
      {getFwdArgInIndex(), ElementWiseUnaryOp::getInIndex(), GradOpInType::In}};
  return inputs;
}

const std::map<int, int>& ElementWiseNonLinearUnaryGradOp::gradOutToNonGradIn() const {
  static const std::map<int, int> outputs = {{getOutIndex(), ElementWiseUnaryOp::getInIndex()}};
  return outputs;
}

// ---- Binary ----

std::unique_ptr<Op> ElementWiseBinaryBaseOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> ElementWiseBinaryOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> ElementWiseBinaryInplaceLhsOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> ElementWiseBinaryInplaceRhsOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> ElementWiseBinaryArg0GradOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> ElementWiseBinaryArg1GradOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> BinaryComparisonOp::clone() const { return copyOf(*this); }

void ElementWiseBinaryBaseOp::setup() {
  outInfo(getOutIndex()) =
      npOut(inInfo(getArg0InIndex()), inInfo(getArg1InIndex()), true, debugName());
}

void BinaryComparisonOp::setup() {
  outInfo(getOutIndex()) = TensorInfo(
      DataType::BOOL, npOut(inShape(getArg0InIndex()), inShape(getArg1InIndex()), debugName()));
}

ReplicatedTensorShardingIndices ElementWiseBinaryBaseOp::getReplicatedTensorShardingIndices()
    const {
  return {{{getArg0InIndex(), getArg1InIndex()}, {getOutIndex()}}};
}

void ElementWiseBinaryBaseOp::growAliasModel(AliasModel& model) const {
  model.insertBinaryModifier(*this);
}

namespace {

/// Maps a region of shape `from` to shape `to`, where one is broadcast to the other. In dimensions
/// where exactly one of them has size 1, the result covers the whole dimension of `to`.
view::Region broadcastRegion(const view::Region& region, const Shape& from, const Shape& to) {
  std::vector<int64_t> lower(to.size(), 0), upper = to;
  for (std::size_t d = 1; d <= std::min(from.size(), to.size()); ++d) {
    const std::size_t f = from.size() - d, t = to.size() - d;
    if (from[f] != to[t]) continue;
    lower[t] = region.getLower()[f];
    upper[t] = region.getUpper()[f];
  }
  return view::Region(lower, upper, region.getAccessType());
}

view::RegMap between(const Shape& from, const Shape& to) {
  return [from, to](const view::Region& region) {
    return region.isEmpty() ? view::Regions{} : view::Regions{broadcastRegion(region, from, to)};
  };
}

}  // namespace

view::RegMap ElementWiseBinaryBaseOp::fwdRegMap(InIndex in, OutIndex out) const {
  return between(inShape(in), outShape(out));
}

view::RegMap ElementWiseBinaryBaseOp::bwdRegMap(InIndex in, OutIndex out) const {
  return between(outShape(out), inShape(in));
}

std::vector<std::tuple<OperatorIdentifier, float>> ElementWiseBinaryOp::inplacePriorityDefault()
    const {
  std::vector<std::tuple<OperatorIdentifier, float>> variants;
  const Shape& out = outShape(getOutIndex());
  const auto add = [&](bool there, InIndex in,
                       OperatorIdentifier (ElementWiseBinaryOp::*id)() const) {
    if (!there || inShape(in) != out) return;
    const OperatorIdentifier variant = (this->*id)();
    variants.emplace_back(variant, getInplacePriority(variant));
  };
  add(hasLhsInplaceVariant(), getArg0InIndex(), &ElementWiseBinaryOp::getLhsOperatorIdentifier);
  add(hasRhsInplaceVariant(), getArg1InIndex(), &ElementWiseBinaryOp::getRhsOperatorIdentifier);
  return variants;
}

std::unique_ptr<Op> ElementWiseBinaryOp::getInplaceVariant(const OperatorIdentifier& id) const {
  if (hasLhsInplaceVariant() && id == getLhsOperatorIdentifier()) return getLhsInplaceVariant();
  if (hasRhsInplaceVariant() && id == getRhsOperatorIdentifier()) return getRhsInplaceVariant();
  return Op::getInplaceVariant(id);
}

void ElementWiseBinaryOp::setInplacePriority(const OperatorIdentifier& id, float priority) {
  priorities_[id] = priority;
}

float ElementWiseBinaryOp::getInplacePriority(const OperatorIdentifier& id) const {
  const auto found = priorities_.find(id);
  return found == priorities_.end() ? 10.0f : found->second;
}

poprithms::memory::inplace::Proposal ElementWiseBinaryOp::mapInplaceProposal(
    const AliasModel& model, OperatorIdentifier variant) const {
  return {model.getGate(id), hasRhsInplaceVariant() && variant == getRhsOperatorIdentifier()
                                 ? getArg1InIndex()
                                 : getArg0InIndex()};
}

std::unique_ptr<Op> ElementWiseBinaryOp::getLhsInplaceVariant() const {
  throw error("{} has no variant that writes its left input", debugName());
}
std::unique_ptr<Op> ElementWiseBinaryOp::getRhsInplaceVariant() const {
  throw error("{} has no variant that writes its right input", debugName());
}
OperatorIdentifier ElementWiseBinaryOp::getLhsOperatorIdentifier() const {
  throw error("{} has no variant that writes its left input", debugName());
}
OperatorIdentifier ElementWiseBinaryOp::getRhsOperatorIdentifier() const {
  throw error("{} has no variant that writes its right input", debugName());
}

namespace {

view::Regions fullIf(bool is, const Op& op, InIndex index) {
  return is ? view::Regions{view::Region::getFull(op.inShape(index))} : view::Regions{};
}

}  // namespace

view::Regions ElementWiseBinaryInplaceLhsOp::modifies(InIndex index) const {
  return fullIf(index == getArg0InIndex(), *this, index);
}
view::Regions ElementWiseBinaryInplaceLhsOp::aliases(InIndex in, OutIndex) const {
  return fullIf(in == getArg0InIndex(), *this, in);
}
view::Regions ElementWiseBinaryInplaceRhsOp::modifies(InIndex index) const {
  return fullIf(index == getArg1InIndex(), *this, index);
}
view::Regions ElementWiseBinaryInplaceRhsOp::aliases(InIndex in, OutIndex) const {
  return fullIf(in == getArg1InIndex(), *this, in);
}

ElementWiseBinaryGradOp::ElementWiseBinaryGradOp(const OperatorIdentifier& opid,
                                                 const std::vector<int64_t>& reductionAxes,
                                                 const TensorInfo& forwardArgInfo,
                                                 const Op::Settings& settings)
    : Op(opid, settings), argInfo_(forwardArgInfo), axes_(reductionAxes) {}

void ElementWiseBinaryGradOp::setup() { outInfo(getOutIndex()) = argInfo_; }

const std::vector<GradInOutMapper>& ElementWiseBinaryGradOp::gradInputInfo() const {
  using Forward = ElementWiseBinaryBaseOp;
  static const std::vector<GradInOutMapper> inputs = {
      {getGradInIndex(), Forward::getOutIndex(), GradOpInType::GradOut},
      {getFwdArg0InIndex(), Forward::getArg0InIndex(), GradOpInType::In},
      {getFwdArg1InIndex(), Forward::getArg1InIndex(), GradOpInType::In},
      {getFwdOutIndex(), Forward::getOutIndex(), GradOpInType::Out}};
  return inputs;
}

const std::map<int, int>& ElementWiseBinaryGradOp::gradOutToNonGradIn() const {
  static const std::map<int, int> left = {
      {getOutIndex(), ElementWiseBinaryBaseOp::getArg0InIndex()}};
  static const std::map<int, int> right = {
      {getOutIndex(), ElementWiseBinaryBaseOp::getArg1InIndex()}};
  return isArg1Grad() ? right : left;
}

}  // namespace popart
