// The steps of optimizers that PopART takes apart, and their parts for momentum.
#include <popart/op/adamcombo.hpp>
#include <popart/op/autolossscaleproxy.hpp>
#include <popart/op/sgd0combo.hpp>
#include <popart/op/sgd1acclupdate.hpp>
#include <popart/op/sgd1combo.hpp>
#include <popart/op/sgd2acclupdate.hpp>
#include <popart/op/sgd2combo.hpp>
#include <popart/op/sgd2varupdate.hpp>
#include <popart/operators.hpp>
#include <popart/opserialiser.hpp>

#include "popart/op/copy_of.hpp"
#include "popart/op/optimizer_values.hpp"

namespace popart {

SGD0ComboOp::~SGD0ComboOp() = default;
SGDMComboBaseOp::~SGDMComboBaseOp() = default;
SGD1ComboOp::~SGD1ComboOp() = default;
SGD2ComboOp::~SGD2ComboOp() = default;
SGD1AcclUpdateOp::~SGD1AcclUpdateOp() = default;
SGD2PartialAcclUpdateOp::~SGD2PartialAcclUpdateOp() = default;
SGD2VarUpdateOp::~SGD2VarUpdateOp() = default;
AdamComboOp::~AdamComboOp() = default;

std::unique_ptr<Op> SGD0ComboOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> SGD1ComboOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> SGD2ComboOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> SGD1AcclUpdateOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> SGD2PartialAcclUpdateOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> SGD2VarUpdateOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> AdamComboOp::clone() const { return copyOf(*this); }

namespace {

using Values = std::vector<OptimizerValueInput>;

Values valuesOf(const SGD0ComboOp& op) {
  return {{"scaled learning rate", op.initSlr0, SGD0ComboOp::getSlr0InIndex()},
          {"weight decay scale factor", op.initWdsf0, SGD0ComboOp::getWdsf0InIndex()}};
}

Values valuesOf(const SGDMComboBaseOp& op) {
  using Base = SGDMComboBaseOp;
  Values values = {{"scaled momentum", op.initSmm1, Base::getSmm1InIndex()},
                   {"dampening scale factor", op.initDpsf1, Base::getDpsf1InIndex()},
                   {"scaled weight decay", op.initSwd1, Base::getSwd1InIndex()},
                   {"scaled learning rate", op.initSlr1, Base::getSlr1InIndex()}};
  if (!op.nesterov) return values;
  values.push_back({"momentum", op.initMm, Base::getMmInIndex()});
  values.push_back({"weight decay", op.initWd, Base::getWdInIndex()});
  values.push_back({"Nesterov gradient scale factor", op.initNgsf, Base::getNgsfInIndex()});
  values.push_back({"Nesterov dampening scale factor", op.initNdsf, Base::getNdsfInIndex()});
  return values;
}

Values valuesOf(const SGD1AcclUpdateOp& op) {
  return {{"scaled momentum", op.initSmm1, SGD1AcclUpdateOp::getSmm1InIndex()},
          {"scaled weight decay", op.initSwd1, SGD1AcclUpdateOp::getSwd1InIndex()}};
}

Values valuesOf(const AdamComboOp& op) {
  return {{"learning rate", op.initLr, AdamComboOp::getLrInIndex()},
          {"weight decay", op.initWd, AdamComboOp::getWdInIndex()},
          {"beta1", op.initB1, AdamComboOp::getBeta1InIndex()},
          {"beta2", op.initB2, AdamComboOp::getBeta2InIndex()},
          {"eps", op.initEps, AdamComboOp::getEpsInIndex()},
          {"loss scaling", op.initLs, AdamComboOp::getLsInIndex()},
          {"max weight norm", op.initMwn, AdamComboOp::getMwnInIndex()},
          {"gradient scaling", op.initGs, AdamComboOp::getGsInIndex()}};
}

std::set<InIndex> indicesOf(const Values& values) {
  std::set<InIndex> indices;
  for (const auto& value : values) indices.insert(value.index);
  return indices;
}

/// \throws error for sums of accumulated gradients where none are accumulated
template <class OP>
void checkAccumReduce(const OP& op) {
  if (op.reductionType == OptimizerReductionType::AccumReduce && !op.withGradAccum)
    throw error(
        "{}: AccumReduce sums over replicas what micro-batches have given, and gradients "
        "are not accumulated",
        op.debugName());
}

void checkStep(const SGD2ComboOp& op) {
  if (op.reductionType == OptimizerReductionType::AcclReduce)
    throw error(
        "{}: SGD with two states sums gradients over replicas, or their sums over "
        "micro-batches, and not its momentum (AcclReduce)",
        op.debugName());
  for (const DataType type : {op.accumType, op.accl1Type})
    if (type != DataType::FLOAT && type != DataType::FLOAT16)
      throw error(
          "{}: its sums and its momentum have type {} and {}; expected are FLOAT and FLOAT16",
          op.debugName(), op.accumType, op.accl1Type);
  checkAccumReduce(op);
}

}  // namespace

// ---- SGD without momentum ----

SGD0ComboOp::SGD0ComboOp(OptimizerValue initialSlr, OptimizerValue initialWdsf, bool withGradAccum,
                         OptimizerReductionType reductionType, DataType accumType,
                         const Op::Settings& settings)
    : VarUpdateWithUpdaterOp(Onnx::CustomOperators::SGD0Combo, settings),
      initSlr0(initialSlr),
      initWdsf0(initialWdsf),
      withGradAccum(withGradAccum),
      reductionType(reductionType),
      accumType(accumType) {
  checkAccumReduce(*this);
}

std::map<InIndex, TensorId> SGD0ComboOp::optimizerInputs() const {
  return connected(*this, valuesOf(*this));
}
std::set<InIndex> SGD0ComboOp::optionalInputs() const { return indicesOf(valuesOf(*this)); }

void SGD0ComboOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  appendConstants(os, valuesOf(*this));
  os.appendAttribute("reduction type", static_cast<int>(reductionType));
}

// ---- SGD with momentum ----

SGDMComboBaseOp::SGDMComboBaseOp(const OperatorIdentifier& opid, OptimizerValue initialSmm1,
                                 OptimizerValue initialDpsf1, OptimizerValue initialSwd1,
                                 OptimizerValue initialSlr1, OptimizerReductionType reductionType,
                                 const Op::Settings& settings)
    : SGDMComboBaseOp(opid, initialSmm1, initialDpsf1, initialSwd1, initialSlr1, {}, {}, {}, {},
                      reductionType, settings) {
  nesterov = false;
}

SGDMComboBaseOp::SGDMComboBaseOp(const OperatorIdentifier& opid, OptimizerValue initialSmm1,
                                 OptimizerValue initialDpsf1, OptimizerValue initialSwd1,
                                 OptimizerValue initialSlr1, OptimizerValue initialMm,
                                 OptimizerValue initialWd, OptimizerValue initialNgsf,
                                 OptimizerValue initialNdsf, OptimizerReductionType reductionType,
                                 const Op::Settings& settings)
    : VarUpdateWithUpdaterOp(opid, settings),
      initSmm1(initialSmm1),
      initDpsf1(initialDpsf1),
      initSwd1(initialSwd1),
      initSlr1(initialSlr1),
      initMm(initialMm),
      initWd(initialWd),
      initNgsf(initialNgsf),
      initNdsf(initialNdsf),
      reductionType(reductionType),
      nesterov(true) {}

std::map<InIndex, TensorId> SGDMComboBaseOp::optimizerInputs() const {
  return connected(*this, valuesOf(*this));
}
std::set<InIndex> SGDMComboBaseOp::optionalInputs() const { return indicesOf(valuesOf(*this)); }

void SGDMComboBaseOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  appendConstants(os, valuesOf(*this));
  os.appendAttribute("reduction type", static_cast<int>(reductionType));
}

SGD1ComboOp::SGD1ComboOp(OptimizerValue initialSmm1, OptimizerValue initialDpsf1,
                         OptimizerValue initialSwd1, OptimizerValue initialSlr1,
                         OptimizerReductionType reductionType, const Op::Settings& settings)
    : SGDMComboBaseOp(Onnx::CustomOperators::SGD1Combo, initialSmm1, initialDpsf1, initialSwd1,
                      initialSlr1, reductionType, settings) {}

SGD1ComboOp::SGD1ComboOp(OptimizerValue initialSmm1, OptimizerValue initialDpsf1,
                         OptimizerValue initialSwd1, OptimizerValue initialSlr1,
                         OptimizerValue initialMm, OptimizerValue initialWd,
                         OptimizerValue initialNgsf1, OptimizerValue initialNdsf1,
                         OptimizerReductionType reductionType, const Op::Settings& settings)
    : SGDMComboBaseOp(Onnx::CustomOperators::SGD1Combo, initialSmm1, initialDpsf1, initialSwd1,
                      initialSlr1, initialMm, initialWd, initialNgsf1, initialNdsf1, reductionType,
                      settings) {}

SGD2ComboOp::SGD2ComboOp(OptimizerValue initialSmm1, OptimizerValue initialDpsf1,
                         OptimizerValue initialSwd1, OptimizerValue initialSlr1, bool withGradAccum,
                         OptimizerReductionType reductionType, DataType accumType,
                         DataType accl1Type, const Op::Settings& settings)
    : SGDMComboBaseOp(Onnx::CustomOperators::SGD2Combo, initialSmm1, initialDpsf1, initialSwd1,
                      initialSlr1, reductionType, settings),
      withGradAccum(withGradAccum),
      accumType(accumType),
      accl1Type(accl1Type) {
  checkStep(*this);
}

SGD2ComboOp::SGD2ComboOp(OptimizerValue initialSmm1, OptimizerValue initialDpsf1,
                         OptimizerValue initialSwd1, OptimizerValue initialSlr1,
                         OptimizerValue initialMm, OptimizerValue initialWd,
                         OptimizerValue initialNgsf2, OptimizerValue initialNdsf2,
                         bool withGradAccum, OptimizerReductionType reductionType,
                         DataType accumType, DataType accl1Type, const Op::Settings& settings)
    : SGDMComboBaseOp(Onnx::CustomOperators::SGD2Combo, initialSmm1, initialDpsf1, initialSwd1,
                      initialSlr1, initialMm, initialWd, initialNgsf2, initialNdsf2, reductionType,
                      settings),
      withGradAccum(withGradAccum),
      accumType(accumType),
      accl1Type(accl1Type) {
  checkStep(*this);
}

SGD1AcclUpdateOp::SGD1AcclUpdateOp(OptimizerValue initialSmm1, OptimizerValue initialSwd1,
                                   const Op::Settings& settings)
    : VarUpdateWithUpdaterOp(Onnx::CustomOperators::SGD1AcclUpdate, settings),
      initSmm1(initialSmm1),
      initSwd1(initialSwd1) {}

std::map<InIndex, TensorId> SGD1AcclUpdateOp::optimizerInputs() const {
  return connected(*this, valuesOf(*this));
}

void SGD1AcclUpdateOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  appendConstants(os, valuesOf(*this));
}

// ---- Adam ----

AdamComboOp::AdamComboOp(OptimizerValue initialLr, OptimizerValue initialWd,
                         OptimizerValue initialB1, OptimizerValue initialB2,
                         OptimizerValue initialEps, OptimizerValue initialLs,
                         OptimizerValue initialMwn, OptimizerValue initialGs, AdamMode mode,
                         WeightDecayMode decayMode, bool withGradAccum,
                         OptimizerReductionType reductionType, DataType accumType,
                         DataType accl1Type, DataType accl2Type, bool scaledOptimizerState,
                         const Op::Settings& settings)
    : VarUpdateWithUpdaterOp(Onnx::CustomOperators::AdamCombo, settings),
      initLr(initialLr),
      initWd(initialWd),
      initB1(initialB1),
      initB2(initialB2),
      initEps(initialEps),
      initLs(initialLs),
      initMwn(initialMwn),
      initGs(initialGs),
      mode(mode),
      decayMode(decayMode),
      withGradAccum(withGradAccum),
      reductionType(reductionType),
      accumType(accumType),
      accl1Type(accl1Type),
      accl2Type(accl2Type),
      scaledOptimizerState(scaledOptimizerState) {}

std::map<InIndex, TensorId> AdamComboOp::optimizerInputs() const {
  return connected(*this, valuesOf(*this));
}
std::set<InIndex> AdamComboOp::optionalInputs() const { return indicesOf(valuesOf(*this)); }

void AdamComboOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  appendConstants(os, valuesOf(*this));
  os.appendAttribute("mode", static_cast<int>(mode));
  os.appendAttribute("weight decay mode", static_cast<int>(decayMode));
  os.appendAttribute("reduction type", static_cast<int>(reductionType));
}

AutoLossScaleProxyOp::~AutoLossScaleProxyOp() = default;
AutoLossScaleProxyGradOp::~AutoLossScaleProxyGradOp() = default;

std::unique_ptr<Op> AutoLossScaleProxyOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> AutoLossScaleProxyGradOp::clone() const { return copyOf(*this); }

std::vector<std::unique_ptr<Op>> AutoLossScaleProxyOp::getGradOps() {
  std::vector<std::unique_ptr<Op>> made;
  made.push_back(std::make_unique<AutoLossScaleProxyGradOp>(*this));
  return made;
}

AutoLossScaleProxyGradOp::AutoLossScaleProxyGradOp(const AutoLossScaleProxyOp& op)
    : AutoLossScaleProxyOp(Onnx::GradOperators::AutoLossScaleProxyGrad, op.settings) {}

const std::vector<GradInOutMapper>& AutoLossScaleProxyGradOp::gradInputInfo() const {
  static const std::vector<GradInOutMapper> inputs = {{0, 0, GradOpInType::GradOut}};
  return inputs;
}

const std::map<int, int>& AutoLossScaleProxyGradOp::gradOutToNonGradIn() const {
  static const std::map<int, int> outputs = {{0, 0}};
  return outputs;
}

}  // namespace popart
