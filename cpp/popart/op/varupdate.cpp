#include <popart/op/varupdate.hpp>

#include <popart/alias/aliasmodel.hpp>
#include <popart/op/accumulate.hpp>
#include <popart/op/accumulatorscale.hpp>
#include <popart/op/accumulatorzero.hpp>
#include <popart/op/copyvarupdate.hpp>
#include <popart/op/sgd1accumulate.hpp>
#include <popart/operators.hpp>
#include <popart/opserialiser.hpp>
#include <popart/tensor.hpp>

namespace popart {

VarUpdateOp::~VarUpdateOp() = default;
VarUpdateWithUpdaterOp::~VarUpdateWithUpdaterOp() = default;
VarUpdateWithoutUpdaterOp::~VarUpdateWithoutUpdaterOp() = default;
AccumulateBaseOp::~AccumulateBaseOp() = default;
AccumulateOp::~AccumulateOp() = default;
SGD1AccumulateOp::~SGD1AccumulateOp() = default;
RescaleAccumulateOp::~RescaleAccumulateOp() = default;

void VarUpdateOp::setup() { outInfo(getUpdatedVarOutIndex()) = inInfo(getVarToUpdateInIndex()); }

view::Regions VarUpdateOp::aliases(InIndex in, OutIndex) const { return modifies(in); }

view::Regions VarUpdateOp::modifies(InIndex index) const {
  if (index != getVarToUpdateInIndex()) return {};
  // A copy, and a product with 0, do not read the value that they replace.
  const auto* scale = dynamic_cast<const AccumulatorScaleOp*>(this);
  const bool isZeroed =
      scale != nullptr && scale->getFactor().isConst() && scale->getFactor().val() == 0;
  const bool isRead = !isZeroed && !isConvertibleTo<CopyVarUpdateOp>();
  const auto access = isRead ? view::AccessType::ReadWrite : view::AccessType::Write;
  return {view::Region::getFull(inShape(index), access)};
}

ReplicatedTensorShardingIndices VarUpdateOp::getReplicatedTensorShardingIndices() const {
  return {{{getVarToUpdateInIndex()}, {getUpdatedVarOutIndex()}}};
}

void VarUpdateOp::growAliasModel(AliasModel& model) const { model.insertUnaryModifier0(*this); }

ReplicatedTensorShardingIndices VarUpdateWithUpdaterOp::getReplicatedTensorShardingIndices() const {
  return {{{getVarToUpdateInIndex(), getUpdaterInIndex()}, {getUpdatedVarOutIndex()}}};
}

std::ostream& operator<<(std::ostream& os, const AccumulationType& type) {
  static const char* const names[] = {
      "Add",           "DampenedAdd",         "DampenedAddSquare", "DecayAdd", "DecayAddSquare",
      "MovingAverage", "MovingAverageSquare", "Infinity",          "Mean"};
  return os << names[static_cast<int>(type)];
}

std::map<InIndex, TensorId> AccumulateBaseOp::optimizerInputs() const {
  if (factor_.isConst() || !hasInput(getFactorInIndex())) return {};
  return {{getFactorInIndex(), inId(getFactorInIndex())}};
}

void AccumulateBaseOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("type", static_cast<int>(type_));
  if (factor_.isConst()) os.appendAttribute("const factor", factor_.val());
}

float AccumulateBaseOp::getSubgraphValue() const {
  const bool average =
      type_ == AccumulationType::MovingAverage || type_ == AccumulationType::MovingAverageSquare;
  return average ? getHighSubgraphValue() : getLowSubgraphValue();
}

AccumulateOp::AccumulateOp(AccumulationType type, const OptimizerValue& factor,
                           const Op::Settings& settings)
    : AccumulateBaseOp(Onnx::CustomOperators::Accumulate, type, factor, settings) {}

AccumulateOp::AccumulateOp(AccumulationType type, const TensorId& varId,
                           const OptimizerValue& factor, const Op::Settings& settings)
    : AccumulateBaseOp(Onnx::CustomOperators::Accumulate, type, varId, factor, settings) {}

std::unique_ptr<Op> AccumulateOp::clone() const {
  return std::unique_ptr<Op>(new AccumulateOp(*this));
}

SGD1AccumulateOp::SGD1AccumulateOp(const TensorId& varToUpdate, OptimizerValue initialDpsf1,
                                   const Op::Settings& settings)
    : AccumulateOp(AccumulationType::DampenedAdd, varToUpdate, initialDpsf1, settings),
      initDpsf1(initialDpsf1) {}

std::unique_ptr<Op> SGD1AccumulateOp::clone() const {
  return std::unique_ptr<Op>(new SGD1AccumulateOp(*this));
}

std::unique_ptr<Op> SGD1AccumulateOp::cloneWithNewName(const TensorId& varToUpdate) const {
  return std::unique_ptr<Op>(new SGD1AccumulateOp(varToUpdate, initDpsf1, settings));
}

RescaleAccumulateOp::RescaleAccumulateOp(AccumulationType type, const OptimizerValue& factor,
                                         const Op::Settings& settings)
    : AccumulateBaseOp(Onnx::CustomOperators::RescaleAccumulate, type, factor, settings) {}

std::unique_ptr<Op> RescaleAccumulateOp::clone() const {
  return std::unique_ptr<Op>(new RescaleAccumulateOp(*this));
}

AccumulatorScaleOp::AccumulatorScaleOp(const OptimizerValue factor, const Op::Settings& settings)
    : VarUpdateOp(Onnx::CustomOperators::AccumulatorScale, settings), factor_(factor) {}
AccumulatorScaleOp::~AccumulatorScaleOp() = default;

AccumulatorZeroOp::AccumulatorZeroOp(const Op::Settings& settings)
    : AccumulatorScaleOp(OptimizerValue(0.0f, true), settings) {}
AccumulatorZeroOp::~AccumulatorZeroOp() = default;

std::unique_ptr<Op> AccumulatorZeroOp::clone() const {
  return std::unique_ptr<Op>(new AccumulatorZeroOp(*this));
}

std::unique_ptr<Op> AccumulatorScaleOp::clone() const {
  return std::unique_ptr<Op>(new AccumulatorScaleOp(*this));
}

std::map<InIndex, TensorId> AccumulatorScaleOp::optimizerInputs() const {
  if (factor_.isConst()) return {};
  return {{getFactorInIndex(), inId(getFactorInIndex())}};
}

void AccumulatorScaleOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  VarUpdateOp::appendOutlineAttributes(os);
  if (factor_.isConst()) os.appendAttribute("factor", factor_.val());
}

CopyVarUpdateOp::CopyVarUpdateOp(const Op::Settings& settings)
    : CopyVarUpdateOp(Onnx::CustomOperators::CopyVarUpdate, settings) {}
CopyVarUpdateOp::CopyVarUpdateOp(const OperatorIdentifier& opid, const Op::Settings& settings)
    : VarUpdateWithUpdaterOp(opid, settings) {}
CopyVarUpdateOp::~CopyVarUpdateOp() = default;

std::unique_ptr<Op> CopyVarUpdateOp::clone() const {
  return std::unique_ptr<Op>(new CopyVarUpdateOp(*this));
}

}  // namespace popart
