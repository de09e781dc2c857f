// Operators of a step that only C++ code creates: seeds, automatic loss scaling, synchronization.
#include <popart/alias/aliasmodel.hpp>
#include <popart/graphcoreoperators.hpp>
#include <popart/op/getrandomseed.hpp>
#include <popart/op/lossscaleupdate.hpp>
#include <popart/op/modifyrandomseed.hpp>
#include <popart/op/sync.hpp>
#include <popart/operators.hpp>

#include "popart/op/copy_of.hpp"

namespace popart {
namespace {

void requireSeed(const Op& op) {
  const TensorInfo& seed = op.inInfo(op.getSeedInIndex());
  if (seed.dataType() != DataType::UINT32 || seed.shape() != Shape{2})
    throw error("{}: the seed is two numbers of UINT32, not {} {}", op.str(), seed.data_type(),
                seed.shape());
}

view::Regions fullOrEmpty(bool is, const Op& op, InIndex in) {
  return {is ? view::Region::getFull(op.inShape(in)) : view::Region::getEmpty(op.inRank(in))};
}

}  // namespace

GetRandomSeedOp::~GetRandomSeedOp() = default;
std::unique_ptr<Op> GetRandomSeedOp::clone() const { return copyOf(*this); }
void GetRandomSeedOp::setup() {
  requireSeed(*this);
  outInfo(getUpdatedSeedOutIndex()) = inInfo(getSeedInIndex());
}
view::Regions GetRandomSeedOp::aliases(InIndex in, OutIndex) const {
  return fullOrEmpty(in == getSeedInIndex(), *this, in);
}
view::Regions GetRandomSeedOp::modifies(InIndex in) const { return aliases(in, 0); }
void GetRandomSeedOp::growAliasModel(AliasModel& model) const {
  model.insertUnaryModifier(*this, getSeedInIndex());
}

ModifyRandomSeedOp::~ModifyRandomSeedOp() = default;
std::unique_ptr<Op> ModifyRandomSeedOp::clone() const { return copyOf(*this); }
void ModifyRandomSeedOp::setup() {
  requireSeed(*this);
  const TensorInfo& modifier = inInfo(getSeedModifierInIndex());
  if (modifier.dataType() != DataType::UINT32 || modifier.nelms() != 1)
    throw error("{}: what modifies the seed is one number of UINT32, not {} {}", str(),
                modifier.data_type(), modifier.shape());
  outInfo(getModifiedSeedOutIndex()) = inInfo(getSeedInIndex());
}

LossScaleUpdateOp::~LossScaleUpdateOp() = default;
std::unique_ptr<Op> LossScaleUpdateOp::clone() const { return copyOf(*this); }
void LossScaleUpdateOp::setup() {
  const TensorInfo& statistics = inInfo(getStatisticsTensorInIndex());
  if (statistics.dataType() != DataType::UINT32 || statistics.shape() != Shape{2})
    throw error("{}: the statistics are two counts of UINT32, not {} {}", str(),
                statistics.data_type(), statistics.shape());
  outInfo(getUpdatedLossScaleUpdateFactorOutIndex()) = TensorInfo(type_, {});
}
view::Regions LossScaleUpdateOp::aliases(InIndex in, OutIndex) const {
  return fullOrEmpty(in == getLossScaleUpdateFactorInIndex(), *this, in);
}
view::Regions LossScaleUpdateOp::modifies(InIndex in) const { return aliases(in, 0); }
void LossScaleUpdateOp::growAliasModel(AliasModel& model) const {
  model.insertUnaryModifier(*this, getLossScaleUpdateFactorInIndex());
}

SyncOp::SyncOp(const Op::Settings& settings, poplar::SyncType syncType)
    : Op(Onnx::CustomOperators::Sync, settings), type_(syncType) {}
SyncOp::~SyncOp() = default;
std::unique_ptr<Op> SyncOp::clone() const { return copyOf(*this); }

}  // namespace popart
