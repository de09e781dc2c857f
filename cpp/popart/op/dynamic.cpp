// Slices at offsets that are known at run time.
#include <popart/alias/aliasmodel.hpp>
#include <popart/op/dynamic/dynamicadd.hpp>
#include <popart/op/dynamic/dynamicslice.hpp>
#include <popart/op/dynamic/dynamicupdate.hpp>
#include <popart/op/dynamic/dynamiczero.hpp>
#include <popart/operators.hpp>
#include <popart/opserialiser.hpp>
#include <popart/tensor.hpp>

#include <utility>

#include "popart/builtins.hpp"
#include "popart/op/copy_of.hpp"

namespace popart {

DynamicBaseOp::DynamicBaseOp(const OperatorIdentifier& opid, std::vector<int64_t> axes_,
                             std::vector<int64_t> sizes_, bool noOverlap_,
                             const Op::Settings& settings)
    : Op(opid, settings), axes(std::move(axes_)), sizes(std::move(sizes_)), noOverlap(noOverlap_) {}

DynamicBinaryBaseOp::DynamicBinaryBaseOp(const OperatorIdentifier& opid, std::vector<int64_t> axes_,
                                         std::vector<int64_t> sizes_, bool noOverlap_,
                                         const Op::Settings& settings, TensorInfo updateInInfo_)
    : DynamicBaseOp(opid, std::move(axes_), std::move(sizes_), noOverlap_, settings),
      updateInInfo(std::move(updateInInfo_)) {}

DynamicSliceInplaceOp::DynamicSliceInplaceOp(const DynamicSliceOp& op)
    : DynamicSliceInplaceOp(Onnx::CustomOperators::DynamicSliceInplace_1, op.getAxes(),
                            op.getSizes(), op.isNotOverlapping(), op.settings) {}
DynamicUpdateInplaceOp::DynamicUpdateInplaceOp(const DynamicUpdateOp& op)
    : DynamicUpdateInplaceOp(Onnx::CustomOperators::DynamicUpdateInplace, op.getAxes(),
                             op.getSizes(), op.isNotOverlapping(), op.settings,
                             op.getUpdateTensorInfo()) {}
DynamicAddInplaceOp::DynamicAddInplaceOp(const DynamicAddOp& op)
    : DynamicAddInplaceOp(Onnx::CustomOperators::DynamicAddInplace, op.getAxes(), op.getSizes(),
                          op.isNotOverlapping(), op.settings, op.getUpdateTensorInfo()) {}
DynamicZeroInplaceOp::DynamicZeroInplaceOp(const DynamicZeroOp& op)
    : DynamicZeroInplaceOp(Onnx::CustomOperators::DynamicZeroInplace, op.getAxes(), op.getSizes(),
                           op.isNotOverlapping(), op.settings, op.getUpdateTensorInfo()) {}

#define POPIR_DYNAMIC(OP) \
  OP::~OP() = default;    \
  std::unique_ptr<Op> OP::clone() const { return copyOf(*this); }
POPIR_DYNAMIC(DynamicBaseOp)
POPIR_DYNAMIC(DynamicSliceBaseOp)
POPIR_DYNAMIC(DynamicBinaryBaseOp)
POPIR_DYNAMIC(DynamicBinaryBaseInplaceOp)
POPIR_DYNAMIC(DynamicTernaryBaseOp)
POPIR_DYNAMIC(DynamicTernaryBaseInplaceOp)
POPIR_DYNAMIC(DynamicSliceOp)
POPIR_DYNAMIC(DynamicSliceInplaceOp)
POPIR_DYNAMIC(DynamicUpdateOp)
POPIR_DYNAMIC(DynamicUpdateInplaceOp)
POPIR_DYNAMIC(DynamicAddOp)
POPIR_DYNAMIC(DynamicAddInplaceOp)
POPIR_DYNAMIC(DynamicZeroOp)
POPIR_DYNAMIC(DynamicZeroInplaceOp)
#undef POPIR_DYNAMIC

void DynamicBaseOp::setAxes(const std::vector<int64_t>& given) {
  axes = given;
  builtin::changed(*this);
}

void DynamicBaseOp::setSizes(const std::vector<int64_t>& given) {
  sizes = given;
  builtin::changed(*this);
}

TensorInfo DynamicBaseOp::createOutInfo() const {
  const TensorInfo& data = inInfo(0);
  Shape shape = data.shape();
  if (axes.size() != sizes.size())
    throw error("{}: {} axes and {} sizes; expected is a size for each axis", debugName(),
                axes.size(), sizes.size());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto rank = static_cast<int64_t>(shape.size());
    const auto at = static_cast<std::size_t>(axes[i] < 0 ? axes[i] + rank : axes[i]);
    if (at >= shape.size() || sizes[i] < 0 || sizes[i] > shape[at])
      throw error("{}: a slice of size {} of axis {} does not fit {}", debugName(), sizes[i],
                  axes[i], data.shape());
    shape[at] = sizes[i];
  }
  return TensorInfo(data.dataType(), shape);
}

void DynamicBaseOp::setup() {
  if (link() != nullptr && popir::builtinClass(*this) != nullptr) return builtin::setup(*this);
  outInfo(getOutIndex()) = createOutInfo();
}

void DynamicSliceBaseOp::setup() {
  if (link() != nullptr && popir::builtinClass(*this) != nullptr) return builtin::setup(*this);
  const InIndex memory = DynamicSliceOp::getSliceInIndex();
  outInfo(getOutIndex()) = hasInput(memory) ? inInfo(memory) : createOutInfo();
}

void DynamicBinaryBaseOp::setup() {
  if (link() != nullptr && popir::builtinClass(*this) != nullptr) return builtin::setup(*this);
  createOutInfo();
  outInfo(getOutIndex()) =
      updateInInfo.dataType() == DataType::UNDEFINED ? inInfo(getUpdateInIndex()) : updateInInfo;
}

void DynamicBaseOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("axes", axes);
  os.appendAttribute("sizes", sizes);
  os.appendAttribute("noOverlap", noOverlap);
}

void DynamicBinaryBaseOp::growAliasModel(AliasModel& model) const {
  model.insertUnaryModifier(*this, getUpdateInIndex());
}

poprithms::memory::inplace::Proposal DynamicBinaryBaseOp::mapInplaceProposal(
    const AliasModel& model, OperatorIdentifier variant) const {
  return mapInplaceProposalGate0(model, variant);
}

view::Regions DynamicBinaryBaseInplaceOp::aliases(InIndex in, OutIndex) const {
  if (in != getUpdateInIndex()) return {view::Region::getEmpty(inRank(in))};
  return {view::Region::getFull(inShape(in))};
}

view::Regions DynamicTernaryBaseInplaceOp::aliases(InIndex in, OutIndex) const {
  if (in != getUpdateInIndex()) return {view::Region::getEmpty(inRank(in))};
  return {view::Region::getFull(inShape(in))};
}

view::Regions DynamicSliceInplaceOp::aliases(InIndex in, OutIndex) const {
  if (in != getSliceInIndex()) return {view::Region::getEmpty(inRank(in))};
  return {view::Region::getFull(inShape(in), view::AccessType::Write)};
}

}  // namespace popart
