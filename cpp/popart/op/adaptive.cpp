// The step of AdaGrad, RMSProp and AdaDelta, and its directions.
#include <popart/op/adadeltaupdater.hpp>
#include <popart/op/adaptivecombo.hpp>
#include <popart/op/rmspropupdater.hpp>
#include <popart/operators.hpp>
#include <popart/opserialiser.hpp>

#include "popart/op/copy_of.hpp"
#include "popart/op/optimizer_values.hpp"

namespace popart {

AdaptiveComboOp::~AdaptiveComboOp() = default;
RMSPropUpdaterOp::~RMSPropUpdaterOp() = default;
AdaDeltaUpdaterOp::~AdaDeltaUpdaterOp() = default;

std::unique_ptr<Op> AdaptiveComboOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> RMSPropUpdaterOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> AdaDeltaUpdaterOp::clone() const { return copyOf(*this); }

namespace {

std::vector<OptimizerValueInput> valuesOf(const AdaptiveComboOp& op) {
  return {{"learning rate", op.initLr, AdaptiveComboOp::getLrInIndex()},
          {"weight decay", op.initWd, AdaptiveComboOp::getWdInIndex()},
          {"alpha", op.initA, AdaptiveComboOp::getAlphaInIndex()},
          {"momentum", op.initM, AdaptiveComboOp::getMomentumInIndex()},
          {"eps", op.initEps, AdaptiveComboOp::getEpsInIndex()},
          {"loss scaling", op.initLs, AdaptiveComboOp::getLsInIndex()},
          {"gradient scaling", op.initGs, AdaptiveComboOp::getGsInIndex()}};
}

}  // namespace

AdaptiveComboOp::AdaptiveComboOp(OptimizerValue initialLr, OptimizerValue initialWd,
                                 OptimizerValue initialA, OptimizerValue initialM,
                                 OptimizerValue initialEps, OptimizerValue initialLs,
                                 OptimizerValue initialGs, AdaptiveMode mode,
                                 WeightDecayMode decayMode, bool withGradAccum,
                                 OptimizerReductionType reductionType, DataType accumType,
                                 DataType accl1Type, DataType accl2Type, DataType accl3Type,
                                 bool rmspropTFVariant, const Op::Settings& settings)
    : VarUpdateWithUpdaterOp(Onnx::CustomOperators::AdaptiveCombo, settings),
      initLr(initialLr),
      initWd(initialWd),
      initA(initialA),
      initM(initialM),
      initEps(initialEps),
      initLs(initialLs),
      initGs(initialGs),
      mode(mode),
      decayMode(decayMode),
      withGradAccum(withGradAccum),
      reductionType(reductionType),
      accumType(accumType),
      accl1Type(accl1Type),
      accl2Type(accl2Type),
      accl3Type(accl3Type),
      rmspropTFVariant(rmspropTFVariant) {}

std::map<InIndex, TensorId> AdaptiveComboOp::optimizerInputs() const {
  return connected(*this, valuesOf(*this));
}

std::set<InIndex> AdaptiveComboOp::optionalInputs() const {
  std::set<InIndex> indices;
  for (const auto& each : valuesOf(*this)) indices.insert(each.index);
  return indices;
}

void AdaptiveComboOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  appendConstants(os, valuesOf(*this));
  os.appendAttribute("mode", static_cast<int>(mode));
  os.appendAttribute("weight decay mode", static_cast<int>(decayMode));
  os.appendAttribute("reduction type", static_cast<int>(reductionType));
  os.appendAttribute("tf variant", static_cast<int>(rmspropTFVariant));
}

RMSPropUpdaterOp::RMSPropUpdaterOp(OptimizerValue eps, bool TFVariant, const Op::Settings& settings)
    : Op(Onnx::CustomOperators::RMSPropUpdater, settings), initEps(eps), TFVariant(TFVariant) {}

void RMSPropUpdaterOp::setup() { outInfo(getUpdaterOutIndex()) = inInfo(getGradInIndex()); }

void RMSPropUpdaterOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  appendConstants(os, {{"eps", initEps, getEpsInIndex()}});
  os.appendAttribute("tf variant", static_cast<int>(TFVariant));
}

AdaDeltaUpdaterOp::AdaDeltaUpdaterOp(OptimizerValue eps, const Op::Settings& settings)
    : Op(Onnx::CustomOperators::AdaDeltaUpdater, settings), initEps(eps) {}

void AdaDeltaUpdaterOp::setup() { outInfo(getUpdaterOutIndex()) = inInfo(getGradInIndex()); }

void AdaDeltaUpdaterOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  appendConstants(os, {{"eps", initEps, getEpsInIndex()}});
}

}  // namespace popart
