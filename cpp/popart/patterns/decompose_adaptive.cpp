// Steps of AdaGrad, RMSProp and AdaDelta, taken apart.
#include <popart/op/accumulate.hpp>
#include <popart/op/adadeltaupdater.hpp>
#include <popart/op/adaptivecombo.hpp>
#include <popart/op/mul.hpp>
#include <popart/op/rmspropupdater.hpp>
#include <popart/op/scale.hpp>
#include <popart/op/scaledvarupdate.hpp>
#include <popart/patterns/adaptivedecompose.hpp>
#include <popart/patterns/patterns.hpp>
#include <popart/tensornames.hpp>
#include <popart/topocons.hpp>

#include "popart/patterns/parts.hpp"

namespace popart {
namespace {

const AddPatternName<AdaptiveDecompose> adaptiveName("AdaptiveDecompose");

bool isUsed(const OptimizerValue& value) { return !value.isConst() || value.val() > 0.0f; }

}  // namespace

AdaptiveDecompose::~AdaptiveDecompose() = default;

bool AdaptiveDecompose::matches(Op* op) const { return op->isConvertibleTo<AdaptiveComboOp>(); }

bool AdaptiveDecompose::apply(Op* op) const {
  using Combo = AdaptiveComboOp;
  Graph& graph = op->getGraph();
  auto* combo = static_cast<Combo*>(op);
  const bool accumulates = combo->withGradAccum;
  const bool isDelta = combo->mode == AdaptiveMode::AdaDelta;
  const bool isCentered = combo->mode == AdaptiveMode::CenteredRMSProp;
  const bool isSum = combo->mode == AdaptiveMode::AdaGrad;
  const bool hasMomentum = isUsed(combo->initM);
  const Parts parts(graph, *combo, accumulates);
  const Shape shape = combo->inShape(0);
  const TensorId weight = combo->inId(VarUpdateOp::getVarToUpdateInIndex());
  TensorId gradient = combo->inId(VarUpdateWithUpdaterOp::getUpdaterInIndex());
  const TensorId accum = reservedAccumPrefix() + weight;
  const TensorId first = reservedAccl1Prefix() + weight, second = reservedAccl2Prefix() + weight;
  const TensorId third = reservedAccl3Prefix() + weight;
  typeOf(*combo);

  const VariableSettings whole;
  if (accumulates) addStateTensor(graph, accum, shape, combo->accumType, whole);
  addStateTensor(graph, first, shape, combo->accl1Type, whole,
                 combo->rmspropTFVariant ? 1.0f : 0.0f);
  if (isCentered || isDelta) addStateTensor(graph, second, shape, combo->accl2Type, whole);
  if (hasMomentum) addStateTensor(graph, third, shape, combo->accl3Type, whole);

  if (combo->reductionType == OptimizerReductionType::GradReduce)
    gradient = gradReduce(graph, combo, weight, gradient);
  if (accumulates)
    gradient = gradAccum(graph, combo, weight, accum, gradient,
                         combo->reductionType == OptimizerReductionType::AccumReduce);
  if (combo->accumType == DataType::FLOAT16 && combo->accl1Type == DataType::FLOAT &&
      combo->accl2Type == DataType::FLOAT)
    gradient = gradCast(graph, combo, gradient, accumulates);
  gradient = gradUnscale(graph, combo, combo->initGs,
                         parts.number(combo->initGs, Combo::getGsInIndex()), gradient, accumulates);
  const TensorId decay = parts.number(combo->initWd, Combo::getWdInIndex());
  const bool decays = combo->decayMode == WeightDecayMode::Decay;
  if (!decays)
    gradient = regularizeL2(graph, combo, combo->initWd, decay, weight, gradient, accumulates);

  // The states of the gradient.
  const TensorId alpha = parts.number(combo->initA, Combo::getAlphaInIndex());
  std::vector<Op*> readers;
  const auto kept = [&](const TensorId& state, const TensorId& of, AccumulationType type,
                        const OptimizerValue& factor, const TensorId& factorId,
                        const char* suffix) {
    const auto made = accl(graph, combo, state, of, type, factor, factorId, suffix, accumulates);
    readers.push_back(made.first);
    return made.second;
  };
  const TensorId squares = isSum ? kept(first, gradient, AccumulationType::DampenedAddSquare,
                                        OptimizerValue(1.0f), "", "_accl1")
                                 : kept(first, gradient, AccumulationType::MovingAverageSquare,
                                        combo->initA, alpha, "_accl1");
  TensorId means;
  if (isCentered)
    means = kept(second, gradient, AccumulationType::MovingAverage, combo->initA, alpha, "_accl2");

  // The direction.
  TensorId direction = reservedAdaptiveUpdaterPrefix() + weight;
  const TensorId eps = parts.number(combo->initEps, Combo::getEpsInIndex());
  if (isDelta)
    readers.push_back(
        parts.make<AdaDeltaUpdaterOp>(true,
                                      {{AdaDeltaUpdaterOp::getGradInIndex(), gradient},
                                       {AdaDeltaUpdaterOp::getAccl1InIndex(), squares},
                                       {AdaDeltaUpdaterOp::getAccl2InIndex(), second},
                                       {AdaDeltaUpdaterOp::getEpsInIndex(), eps}},
                                      direction, "_adadeltaupdater", combo->initEps));
  else
    readers.push_back(parts.make<RMSPropUpdaterOp>(true,
                                                   {{RMSPropUpdaterOp::getGradInIndex(), gradient},
                                                    {RMSPropUpdaterOp::getAccl1InIndex(), squares},
                                                    {RMSPropUpdaterOp::getAccl2InIndex(), means},
                                                    {RMSPropUpdaterOp::getEpsInIndex(), eps}},
                                                   direction, "_rmspropupdater", combo->initEps,
                                                   combo->rmspropTFVariant));
  if (accumulates && !isMean(graph)) zeroAccumulator(graph, combo, readers, accum);
  if (isDelta)
    kept(second, direction, AccumulationType::MovingAverageSquare, combo->initA, alpha, "_accl2");

  // The momentum, which has the learning rate in TensorFlow's variant.
  const TensorId rate = parts.number(combo->initLr, Combo::getLrInIndex());
  const bool rateInMomentum = combo->rmspropTFVariant && hasMomentum;
  if (rateInMomentum) {
    const TensorId scaled = parts.next(direction);
    if (combo->initLr.isConst())
      parts.make<ScaleOp>(true, {{0, direction}}, scaled, "_tfrmspropupdatescaler",
                          Onnx::AiGraphcore::OpSet1::Scale, combo->initLr.val());
    else
      parts.make<MulOp>(true, {{0, direction}, {1, parts.as(direction, rate)}}, scaled,
                        "_tfrmspropupdatescaler", Onnx::Operators::Mul_7);
    direction = scaled;
  }
  if (hasMomentum)
    direction = kept(third, direction, AccumulationType::DecayAdd, combo->initM,
                     parts.number(combo->initM, Combo::getMomentumInIndex()), "_accl3");

  const Inputs inputs = {{0, weight},
                         {1, direction},
                         {ScaledVarUpdateOp::getLrInIndex(), rateInMomentum ? "" : rate},
                         {ScaledVarUpdateOp::getWdInIndex(), decays ? decay : ""}};
  const TensorId updated = combo->outId(0);
  combo->disconnectAllOutputs();
  Op* update =
      parts.make<ScaledVarUpdateOp>(true, inputs, updated, "_var_update", combo->initLr,
                                    decays ? combo->initWd : OptimizerValue(0.0f), rateInMomentum);
  if (!accumulates) graph.topoCons->transfer(combo, update);
  combo->disconnectAllInputs();
  graph.eraseOp(combo->id);
  return true;
}

}  // namespace popart
