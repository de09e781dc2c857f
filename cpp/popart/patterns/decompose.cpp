// Steps of optimizers, taken apart.
#include <popart/adam.hpp>
#include <popart/half.hpp>
#include <popart/ir.hpp>
#include <popart/op/accumulatorzero.hpp>
#include <popart/op/adamcombo.hpp>
#include <popart/op/adamupdater.hpp>
#include <popart/op/adamvarupdate.hpp>
#include <popart/op/cast.hpp>
#include <popart/op/collectives/replicatedallreduce.hpp>
#include <popart/op/copyvarupdate.hpp>
#include <popart/op/div.hpp>
#include <popart/op/lamb.hpp>
#include <popart/op/mul.hpp>
#include <popart/op/scale.hpp>
#include <popart/op/scaledadd.hpp>
#include <popart/op/sgd0combo.hpp>
#include <popart/op/sgd0varupdate.hpp>
#include <popart/op/sgd1acclupdate.hpp>
#include <popart/op/sgd1combo.hpp>
#include <popart/op/sgd1nesterov.hpp>
#include <popart/op/sgd1varupdate.hpp>
#include <popart/op/sgd2acclupdate.hpp>
#include <popart/op/sgd2combo.hpp>
#include <popart/op/sgd2varupdate.hpp>
#include <popart/patterns/adamdecompose.hpp>
#include <popart/patterns/patterns.hpp>
#include <popart/patterns/sgd0decompose.hpp>
#include <popart/patterns/sgd1decompose.hpp>
#include <popart/patterns/sgd2decompose.hpp>
#include <popart/tensornames.hpp>
#include <popart/topocons.hpp>

#include <cstring>
#include <limits>
#include <tuple>

#include "popart/patterns/parts.hpp"

namespace popart {
namespace {

const AddPatternName<SGD0Decompose> sgd0Name("SGD0Decompose");
const AddPatternName<SGD1Decompose> sgd1Name("SGD1Decompose");
const AddPatternName<SGD2Decompose> sgd2Name("SGD2Decompose");
const AddPatternName<AdamDecompose> adamName("AdamDecompose");

}  // namespace

OptimizerDecompose::~OptimizerDecompose() = default;
SGD0Decompose::~SGD0Decompose() = default;
SGD1Decompose::~SGD1Decompose() = default;
SGD2Decompose::~SGD2Decompose() = default;
AdamDecompose::~AdamDecompose() = default;

bool SGD0Decompose::matches(Op* op) const { return op->isConvertibleTo<SGD0ComboOp>(); }
bool SGD1Decompose::matches(Op* op) const { return op->isConvertibleTo<SGD1ComboOp>(); }
bool SGD2Decompose::matches(Op* op) const { return op->isConvertibleTo<SGD2ComboOp>(); }
bool AdamDecompose::matches(Op* op) const { return op->isConvertibleTo<AdamComboOp>(); }

namespace {

/// The groups of replicas that have a value of the weight each.
ReplicaGrouping groupingOf(const Graph& graph) {
  const auto replicas = graph.getIr().getSessionOptions().getGlobalReplicationFactor();
  return ReplicaGrouping(static_cast<unsigned>(replicas));
}

CollectiveOperator reductionOf(bool isMean) {
  return isMean ? CollectiveOperator::Mean : CollectiveOperator::Add;
}

/// The counter of the micro-batches of a running mean: one for each IPU and pipeline stage. Adds it
/// and what counts, if they are not there. Returns its id and the operator that counts.
std::pair<TensorId, Op*> counter(Graph& graph, Op& combo, const Parts& parts) {
  TensorId id = reservedCounterPrefix();
  if (combo.hasVirtualGraphId()) id += "_VGraph" + std::to_string(combo.getVirtualGraphId());
  if (combo.hasPipelineStage()) id += "_PStage" + std::to_string(combo.getPipelineStage());
  if (graph.getTensors().contains(id)) {
    for (Op* op : graph.getTensor(id)->consumers.getOps())
      if (op->isConvertibleTo<AccumulateOp>() &&
          op->inId(VarUpdateOp::getVarToUpdateInIndex()) == id)
        return {id, op};
    throw error("{}: '{}' is there, and nothing counts in it", combo.debugName(), id);
  }
  const TensorInfo scalar(DataType::FLOAT, {});
  const float zero = 0.0f, one = 1.0f;
  graph.addVarInit(id, scalar, &zero);
  const TensorId step = parts.next("one");
  graph.addConstInit(step, scalar, &one);
  Op* counts =
      parts.make<AccumulateOp>(false, {{0, id}, {1, step}}, parts.next(id), "_counterIncrement",
                               AccumulationType::Add, OptimizerValue(1.0f));
  Op* clears =
      parts.make<AccumulatorZeroOp>(true, {{0, counts->outId(0)}}, parts.next(id), "_counterReset");
  runOnce(*clears);
  return {id, counts};
}

}  // namespace

// ---- What the steps have in common ----

bool OptimizerDecompose::runningMeanReduction(Graph& graph) const { return isMean(graph); }

TensorInfo OptimizerDecompose::addStateTensor(Graph& graph, const TensorId& tensorId,
                                              const Shape& shape, const DataType& type,
                                              const VariableSettings& settings,
                                              float initValue) const {
  const auto replicas = graph.getIr().getSessionOptions().replicatedGraphCount;
  if (settings.getGroupCount(static_cast<unsigned>(replicas)) > 1)
    throw error("The state '{}' would have values of its own on groups of replicas: {}", tensorId,
                settings);
  const TensorInfo info(type, shape);
  const std::vector<float> values(static_cast<std::size_t>(info.nelms()), initValue);
  if (type == DataType::FLOAT) {
    graph.addVarInit(tensorId, info, values.data());
  } else if (type == DataType::FLOAT16) {
    const std::vector<float16_t> halves(values.begin(), values.end());
    graph.addVarInit(tensorId, info, halves.data());
  } else {
    throw error("The state '{}' has type {}; expected is FLOAT or FLOAT16", tensorId, type);
  }
  return info;
}

std::pair<Op*, TensorId> OptimizerDecompose::accl(Graph& graph, Op* combo, TensorId acclId,
                                                  TensorId gradIntoAcclId, AccumulationType type,
                                                  OptimizerValue value, TensorId valueTensorId,
                                                  std::string acclName, bool gradAccum) const {
  const Parts parts(graph, *combo, gradAccum);
  Op* op = parts.make<AccumulateOp>(
      true, {{0, acclId}, {1, gradIntoAcclId}, {AccumulateOp::getFactorInIndex(), valueTensorId}},
      parts.next(acclId), acclName, type, value);
  graph.getIr().addAdditionalModelProtoTensor(acclId);
  return {op, op->outId(0)};
}

TensorId OptimizerDecompose::gradAccum(Graph& graph, Op* combo, TensorId, TensorId accumId,
                                       TensorId gradIntoAccumId, bool accumReduce,
                                       TensorId outputId) const {
  const Parts parts(graph, *combo, true);
  const bool running = isMean(graph);
  Inputs inputs = {{0, accumId}, {1, gradIntoAccumId}};
  Op* counts = nullptr;
  if (running)
    std::tie(inputs[AccumulateOp::getFactorInIndex()], counts) = counter(graph, *combo, parts);
  Op* sum = parts.make<AccumulateOp>(
      false, inputs, accumReduce || outputId.empty() ? parts.next(accumId) : outputId,
      "_accumulate", running ? AccumulationType::Mean : AccumulationType::Add,
      OptimizerValue(1.0f, !running));
  if (counts != nullptr) graph.topoCons->insert(sum, counts);
  // With the loops of a step as operators the order is the program's.
  const SessionOptions& options = graph.getIr().getSessionOptions();
  if (options.scheduleNonWeightUpdateGradientConsumersEarly && !options.enableExplicitMainLoops)
    sum->settings.schedulePriority = std::numeric_limits<double>::max();
  graph.topoCons->transfer(combo, sum);
  if (!accumReduce) return sum->outId(0);
  Op* reduced = parts.make<ReplicatedAllReduceInplaceOp>(
      true, {{0, sum->outId(0)}}, outputId.empty() ? parts.next(accumId) : outputId, "_reduce",
      Onnx::CustomOperators::ReplicatedAllReduceInplace, reductionOf(running), groupingOf(graph));
  return reduced->outId(0);
}

Op* OptimizerDecompose::zeroAccumulator(Graph& graph, Op* combo, std::vector<Op*> beforeOps,
                                        TensorId accumId) const {
  const Parts parts(graph, *combo, true);
  Op* clears =
      parts.make<AccumulatorZeroOp>(true, {{0, accumId}}, parts.next(accumId), "_accumupdate");
  for (Op* before : beforeOps) graph.topoCons->insert(before, clears);
  return clears;
}

TensorId OptimizerDecompose::gradReduce(Graph& graph, Op* combo, TensorId, TensorId weightGradId,
                                        TensorId outputId) const {
  const Parts parts(graph, *combo, false);
  Op* reduced = parts.make<ReplicatedAllReduceOp>(
      false, {{0, weightGradId}}, outputId.empty() ? parts.next(weightGradId) : outputId, "_reduce",
      Onnx::CustomOperators::ReplicatedAllReduce, reductionOf(isMean(graph)), groupingOf(graph));
  graph.topoCons->transfer(combo, reduced, false);
  return reduced->outId(0);
}

TensorId OptimizerDecompose::gradCast(Graph& graph, Op* combo, TensorId gradIntoAcclId,
                                      bool gradAccum) const {
  const Parts parts(graph, *combo, gradAccum);
  return parts
      .make<CastOp>(true, {{0, gradIntoAcclId}}, parts.next(gradIntoAcclId), "_gradCast",
                    Onnx::Operators::Cast_9, DataType::FLOAT)
      ->outId(0);
}

TensorId OptimizerDecompose::gradUnscale(Graph& graph, Op* combo, const OptimizerValue& gs,
                                         TensorId gsId, TensorId gradIntoAcclId,
                                         bool gradAccum) const {
  if (gs.isConst() && gs.val() == 1.0f) return gradIntoAcclId;
  const Parts parts(graph, *combo, gradAccum);
  const TensorId out = parts.next(gradIntoAcclId);
  if (gs.isConst())
    parts.make<ScaleOp>(true, {{0, gradIntoAcclId}}, out, "_gradUnscale",
                        Onnx::AiGraphcore::OpSet1::Scale, gs.val());
  else
    parts.make<MulOp>(true, {{0, gradIntoAcclId}, {1, parts.as(gradIntoAcclId, gsId)}}, out,
                      "_gradUnscale", Onnx::Operators::Mul_7);
  return out;
}

TensorId OptimizerDecompose::regularizeL2(Graph& graph, Op* combo, const OptimizerValue& wd,
                                          TensorId wdId, TensorId weightId, TensorId gradIntoAcclId,
                                          bool gradAccum) const {
  if (wd.isConst() && wd.val() == 0.0f) return gradIntoAcclId;
  const Parts parts(graph, *combo, gradAccum);
  return parts
      .make<ScaledAddOp>(
          true, {{0, gradIntoAcclId}, {1, weightId}, {ScaledAddOp::getScale1InIndex(), wdId}},
          parts.next(gradIntoAcclId), "_weightDecay", Onnx::AiGraphcore::OpSet1::ScaledAdd, 1.0f,
          wd.isConst() ? wd.val() : 1.0f)
      ->outId(0);
}

// ---- SGD ----

bool SGD0Decompose::apply(Op* op) const {
  Graph& graph = op->getGraph();
  auto* combo = static_cast<SGD0ComboOp*>(op);
  const Parts parts(graph, *combo, combo->withGradAccum);
  const TensorId weight = combo->inId(VarUpdateOp::getVarToUpdateInIndex());
  TensorId gradient = combo->inId(VarUpdateWithUpdaterOp::getUpdaterInIndex());
  const TensorId accum = reservedAccumPrefix() + weight;
  typeOf(*combo);

  if (combo->withGradAccum)
    addStateTensor(graph, accum, combo->inShape(0), combo->accumType, VariableSettings());
  if (combo->reductionType == OptimizerReductionType::GradReduce)
    gradient = gradReduce(graph, combo, weight, gradient);
  if (combo->withGradAccum)
    gradient = gradAccum(graph, combo, weight, accum, gradient,
                         combo->reductionType == OptimizerReductionType::AccumReduce);
  const Inputs inputs = {{0, weight},
                         {1, gradient},
                         {SGD0VarUpdateOp::getSlr0InIndex(),
                          parts.number(combo->initSlr0, SGD0ComboOp::getSlr0InIndex())},
                         {SGD0VarUpdateOp::getWdsf0InIndex(),
                          parts.number(combo->initWdsf0, SGD0ComboOp::getWdsf0InIndex())}};
  const TensorId updated = combo->outId(0);
  combo->disconnectAllOutputs();
  Op* update = parts.make<SGD0VarUpdateOp>(true, inputs, updated, "_var_update", combo->initSlr0,
                                           combo->initWdsf0);
  if (combo->withGradAccum) {
    if (!isMean(graph)) zeroAccumulator(graph, combo, {update}, accum);
  } else {
    graph.topoCons->transfer(combo, update);
  }
  combo->disconnectAllInputs();
  graph.eraseOp(combo->id);
  return true;
}

namespace {

/// Nesterov's gradient, of a gradient (or its sum) and the new momentum.
TensorId nesterovGradient(Graph& graph, const SGDMComboBaseOp& combo, const Parts& parts,
                          const TensorId& gradient, const TensorId& weight,
                          const TensorId& momentum) {
  using Combo = SGDMComboBaseOp;
  // dpsf * ndsf is the inverse of the loss scaling.
  TensorId inverse;
  if (!combo.initDpsf1.isConst() || !combo.initNdsf.isConst()) {
    const auto tensorOf = [&](const OptimizerValue& value, InIndex index) {
      if (!value.isConst()) return combo.inId(index);
      const TensorId id = parts.next("nesterovFactor");
      const float number = value.val();
      graph.addConstInit(id, TensorInfo(DataType::FLOAT, {}), &number);
      return id;
    };
    inverse = weight + "_sgdInverseLossScale";
    parts.make<MulOp>(true,
                      {{0, tensorOf(combo.initDpsf1, Combo::getDpsf1InIndex())},
                       {1, tensorOf(combo.initNdsf, Combo::getNdsfInIndex())}},
                      inverse, "_nesterov_0", Onnx::Operators::Mul_7);
  }
  const TensorId made = weight + "_nesterovGrad";
  parts.make<SGD1NesterovOp>(
      true,
      {{SGD1NesterovOp::getGradInIndex(), gradient},
       {SGD1NesterovOp::getWeightInIndex(), weight},
       {SGD1NesterovOp::getVelocityInIndex(), momentum},
       {SGD1NesterovOp::getInverseLossScaleInIndex(), inverse},
       {SGD1NesterovOp::getWdInIndex(), parts.number(combo.initWd, Combo::getWdInIndex())},
       {SGD1NesterovOp::getNgsfInIndex(), parts.number(combo.initNgsf, Combo::getNgsfInIndex())},
       {SGD1NesterovOp::getMmInIndex(), parts.number(combo.initMm, Combo::getMmInIndex())}},
      made, "_nesterov_1", Onnx::CustomOperators::SGD1Nesterov,
      combo.initNdsf.val() * combo.initDpsf1.val(), combo.initWd.val(), combo.initNgsf.val(),
      combo.initMm.val());
  return made;
}

/// The state of SGD1 at first: the weight decay of the first step, which later ones find in it.
void addFirstMomentum(Graph& graph, const TensorId& id, const Tensor& weight, float decay) {
  const TensorInfo& info = weight.info;
  const auto add = [&](auto zero) {
    std::vector<decltype(zero)> values(static_cast<std::size_t>(info.nelms()), zero);
    if (weight.hasTensorData()) {
      std::memcpy(values.data(), weight.tensorData()->data(), values.size() * sizeof(zero));
      for (auto& each : values) each = decay * static_cast<float>(each);
    }
    graph.addVarInit(id, info, values.data());
  };
  if (info.dataType() == DataType::FLOAT)
    add(0.0f);
  else if (info.dataType() == DataType::FLOAT16)
    add(float16_t(0.0f));
  else
    throw error("The state '{}' has type {}; expected is FLOAT or FLOAT16", id, info.dataType());
}

}  // namespace

bool SGD1Decompose::apply(Op* op) const {
  Graph& graph = op->getGraph();
  auto* combo = static_cast<SGD1ComboOp*>(op);
  const bool accumulates = graph.getIr().getSessionOptions().enableGradientAccumulation;
  const Parts parts(graph, *combo, accumulates);
  const bool reducesState = combo->reductionType == OptimizerReductionType::AcclReduce;
  const bool running = isMean(graph);
  const TensorId weight = combo->inId(VarUpdateOp::getVarToUpdateInIndex());
  TensorId gradient = combo->inId(VarUpdateWithUpdaterOp::getUpdaterInIndex());
  const TensorId state = reservedAcclPrefix() + weight;
  typeOf(*combo);
  addFirstMomentum(graph, state, *combo->inTensor(0), combo->initSwd1.val());
  graph.getIr().addAdditionalModelProtoTensor(state);
  if (combo->reductionType == OptimizerReductionType::GradReduce)
    gradient = gradReduce(graph, combo, weight, gradient);

  // The state plus the gradient, in each micro-batch.
  Op* sum = parts.make<AccumulateOp>(
      false,
      {{0, state},
       {1, gradient},
       {AccumulateOp::getFactorInIndex(),
        parts.number(combo->initDpsf1, SGD1ComboOp::getDpsf1InIndex())}},
      (reducesState ? reservedAcclToReducePrefix() : reservedAcclToUpdatePrefix()) + weight,
      "_dampenedadd", AccumulationType::DampenedAdd, combo->initDpsf1);
  graph.topoCons->transfer(combo, sum);
  // With Nesterov's momentum the gradient itself is needed after the last micro-batch.
  TensorId summed = gradient;
  const TensorId accum = reservedAccumPrefix() + weight;
  if (combo->nesterov && accumulates) {
    addStateTensor(graph, accum, combo->inShape(0), combo->inInfo(0).dataType(),
                   VariableSettings());
    summed = parts
                 .make<AccumulateOp>(false, {{0, accum}, {1, gradient}}, parts.next(accum),
                                     "_accumulate", AccumulationType::Add, OptimizerValue(1.0f))
                 ->outId(0);
  }
  const auto reduced = [&](const TensorId& id, const TensorId& out) {
    parts.make<ReplicatedAllReduceInplaceOp>(true, {{0, id}}, out, "_reduce",
                                             Onnx::CustomOperators::ReplicatedAllReduceInplace,
                                             reductionOf(running), groupingOf(graph));
    return out;
  };
  TensorId momentum = sum->outId(0);
  if (reducesState) {
    momentum = reduced(momentum, reservedAcclToUpdatePrefix() + weight);
    if (combo->nesterov) summed = reduced(summed, parts.next(accum));
  }
  TensorId along = momentum;
  if (combo->nesterov) along = nesterovGradient(graph, *combo, parts, summed, weight, momentum);

  const Inputs numbers = {{SGD1VarUpdateOp::getSlr1InIndex(),
                           parts.number(combo->initSlr1, SGD1ComboOp::getSlr1InIndex())}};
  Op* next = parts.make<SGD1AcclUpdateOp>(
      true,
      {{0, momentum},
       {1, weight},
       {SGD1AcclUpdateOp::getSmm1InIndex(),
        parts.number(combo->initSmm1, SGD1ComboOp::getSmm1InIndex())},
       {SGD1AcclUpdateOp::getSwd1InIndex(),
        parts.number(combo->initSwd1, SGD1ComboOp::getSwd1InIndex())}},
      reservedAcclFinalOutPrefix() + weight, "_accl_update", combo->initSmm1, combo->initSwd1);
  Inputs inputs = numbers;
  inputs[0] = weight;
  inputs[1] = along;
  const OptimizerValue rate = combo->initSlr1;
  combo->disconnectAllInputs();
  const TensorId updated = combo->outId(0);
  combo->disconnectAllOutputs();
  Op* update = parts.make<SGD1VarUpdateOp>(true, inputs, updated, "_var_update", rate);
  graph.topoCons->insert(update, next);
  if (along != momentum) graph.topoCons->insert(graph.getTensor(along)->getProducer(), next);
  if (combo->nesterov && accumulates) zeroAccumulator(graph, combo, {update}, accum);
  graph.eraseOp(combo->id);
  return true;
}

bool SGD2Decompose::apply(Op* op) const {
  Graph& graph = op->getGraph();
  auto* combo = static_cast<SGD2ComboOp*>(op);
  const Parts parts(graph, *combo, combo->withGradAccum);
  const TensorId weight = combo->inId(VarUpdateOp::getVarToUpdateInIndex());
  TensorId gradient = combo->inId(VarUpdateWithUpdaterOp::getUpdaterInIndex());
  const TensorId accum = reservedAccumPrefix() + weight;
  const TensorId state = reservedAccl1Prefix() + weight;
  typeOf(*combo);
  if (combo->withGradAccum)
    addStateTensor(graph, accum, combo->inShape(0), combo->accumType, VariableSettings());
  addStateTensor(graph, state, combo->inShape(0), combo->accl1Type, VariableSettings());
  if (combo->reductionType == OptimizerReductionType::GradReduce)
    gradient = gradReduce(graph, combo, weight, gradient);
  if (combo->withGradAccum)
    gradient = gradAccum(graph, combo, weight, accum, gradient,
                         combo->reductionType == OptimizerReductionType::AccumReduce);

  graph.getIr().addAdditionalModelProtoTensor(state);
  Op* decayed = parts.make<SGD2PartialAcclUpdateOp>(
      true,
      {{0, state},
       {1, weight},
       {SGD2PartialAcclUpdateOp::getSmm1InIndex(),
        parts.number(combo->initSmm1, SGD2ComboOp::getSmm1InIndex())},
       {SGD2PartialAcclUpdateOp::getSwd1InIndex(),
        parts.number(combo->initSwd1, SGD2ComboOp::getSwd1InIndex())}},
      parts.next(state), "_accl_update_0_prev_v_w", combo->initSmm1, combo->initSwd1);
  Op* momentum =
      parts.make<AccumulateOp>(true,
                               {{0, decayed->outId(0)},
                                {1, gradient},
                                {AccumulateOp::getFactorInIndex(),
                                 parts.number(combo->initDpsf1, SGD2ComboOp::getDpsf1InIndex())}},
                               parts.next(decayed->outId(0)), "_accl_update_1_grads",
                               AccumulationType::DampenedAdd, combo->initDpsf1);
  TensorId along = momentum->outId(0);
  std::vector<Op*> readers = {momentum};
  if (combo->nesterov) {
    along = nesterovGradient(graph, *combo, parts, gradient, weight, along);
    readers.push_back(graph.getTensor(along)->getProducer());
  }
  if (combo->withGradAccum && !isMean(graph)) zeroAccumulator(graph, combo, readers, accum);

  const Inputs inputs = {{0, weight},
                         {1, along},
                         {SGD2VarUpdateOp::getSlr1InIndex(),
                          parts.number(combo->initSlr1, SGD2ComboOp::getSlr1InIndex())}};
  const TensorId updated = combo->outId(0);
  combo->disconnectAllOutputs();
  Op* update = parts.make<SGD2VarUpdateOp>(true, inputs, updated, "_var_update", combo->initSlr1);
  if (!combo->withGradAccum) graph.topoCons->transfer(combo, update);
  combo->disconnectAllInputs();
  graph.eraseOp(combo->id);
  return true;
}

// ---- Adam ----

namespace {

/// The ratio of the loss scaling to that of the step before, which scaled states are multiplied by.
/// Adds it if it is not there: one for each IPU and each tensor of a loss scaling.
TensorId lossScalingRatio(Graph& graph, const AdamComboOp& combo, const Parts& parts) {
  const TensorId scaling = combo.inId(AdamComboOp::getLsInIndex());
  const auto derived = [&](const std::string& prefix) {
    const std::string own = reservedLossScalingPrefix();
    TensorId id = prefix;
    if (scaling.compare(0, own.size(), own) == 0) id += scaling.substr(own.size());
    if (combo.hasVirtualGraphId()) id += "_vgid" + std::to_string(combo.getVirtualGraphId());
    return id;
  };
  const TensorId before = derived(reservedPreviousLossScalingPrefix());
  if (!graph.getTensors().contains(before)) {
    const float value = combo.initLs.val();
    graph.addVarInit(before, TensorInfo(DataType::FLOAT, {}), &value);
    graph.getIr().addAdditionalModelProtoTensor(before);
  }
  const TensorId ratio = derived(reservedLossScalingRatioPrefix());
  if (graph.getTensors().contains(ratio)) return ratio;
  Op* divides = parts.make<DivOp>(true, {{0, scaling}, {1, before}}, ratio, "_lsRatio",
                                  Onnx::Operators::Div_7);
  Op* keeps = parts.make<CopyVarUpdateOp>(true, {{0, before}, {1, scaling}}, parts.next(before),
                                          "_updatePrevLossScaling");
  graph.topoCons->insert(divides, keeps);
  return ratio;
}

}  // namespace

bool AdamDecompose::apply(Op* op) const {
  Graph& graph = op->getGraph();
  auto* combo = static_cast<AdamComboOp*>(op);
  const bool accumulates = combo->withGradAccum;
  const Parts parts(graph, *combo, accumulates);
  const Shape shape = combo->inShape(0);
  const TensorId weight = combo->inId(VarUpdateOp::getVarToUpdateInIndex());
  TensorId gradient = combo->inId(VarUpdateWithUpdaterOp::getUpdaterInIndex());
  const TensorId step = reservedStepPrefix() + weight, accum = reservedAccumPrefix() + weight;
  const TensorId first = reservedAccl1Prefix() + weight, second = reservedAccl2Prefix() + weight;
  typeOf(*combo);

  const bool isCorrected = combo->mode == AdamMode::Adam || combo->mode == AdamMode::Lamb ||
                           combo->mode == AdamMode::AdaMax;
  if (isCorrected) {
    addStateTensor(graph, step, {}, DataType::FLOAT, VariableSettings());
    graph.getIr().addAdditionalModelProtoTensor(step);
  }
  if (accumulates) addStateTensor(graph, accum, shape, combo->accumType, VariableSettings());
  addStateTensor(graph, first, shape, combo->accl1Type, VariableSettings());
  addStateTensor(graph, second, shape, combo->accl2Type, VariableSettings());

  if (combo->reductionType == OptimizerReductionType::GradReduce)
    gradient = gradReduce(graph, combo, weight, gradient);
  if (accumulates)
    gradient = gradAccum(graph, combo, weight, accum, gradient,
                         combo->reductionType == OptimizerReductionType::AccumReduce);
  if (!combo->scaledOptimizerState && combo->accumType == DataType::FLOAT16 &&
      combo->accl1Type == DataType::FLOAT && combo->accl2Type == DataType::FLOAT)
    gradient = gradCast(graph, combo, gradient, accumulates);
  gradient =
      gradUnscale(graph, combo, combo->initGs,
                  parts.number(combo->initGs, AdamComboOp::getGsInIndex()), gradient, accumulates);
  const TensorId decay = parts.number(combo->initWd, AdamComboOp::getWdInIndex());
  if (combo->decayMode == WeightDecayMode::L2Regularization)
    gradient = regularizeL2(graph, combo, combo->initWd, decay, weight, gradient, accumulates);

  // The moments.
  const TensorId beta1 = parts.number(combo->initB1, AdamComboOp::getBeta1InIndex());
  const TensorId beta2 = parts.number(combo->initB2, AdamComboOp::getBeta2InIndex());
  const AccumulationType secondType = combo->mode == AdamMode::AdaMax
                                          ? AccumulationType::Infinity
                                          : AccumulationType::MovingAverageSquare;
  std::vector<Op*> moments;
  if (combo->scaledOptimizerState && !combo->initLs.isConst()) {
    const TensorId ratio = lossScalingRatio(graph, *combo, parts);
    const auto rescaled = [&](const TensorId& state, AccumulationType type,
                              const OptimizerValue& value, const TensorId& beta,
                              const char* suffix) {
      moments.push_back(
          parts.make<RescaleAccumulateOp>(true,
                                          {{0, state},
                                           {1, gradient},
                                           {RescaleAccumulateOp::getFactorInIndex(), beta},
                                           {RescaleAccumulateOp::getRescaleRatioInIndex(), ratio}},
                                          parts.next(state), suffix, type, value));
      graph.getIr().addAdditionalModelProtoTensor(state);
    };
    rescaled(first, AccumulationType::MovingAverage, combo->initB1, beta1, "_accl1");
    rescaled(second, secondType, combo->initB2, beta2, "_accl2");
  } else {
    moments.push_back(accl(graph, combo, first, gradient, AccumulationType::MovingAverage,
                           combo->initB1, beta1, "_accl1", accumulates)
                          .first);
    moments.push_back(accl(graph, combo, second, gradient, secondType, combo->initB2, beta2,
                           "_accl2", accumulates)
                          .first);
  }
  if (accumulates && !isMean(graph)) zeroAccumulator(graph, combo, moments, accum);

  // The direction.
  const bool decays = combo->decayMode == WeightDecayMode::Decay &&
                      (!combo->initWd.isConst() || combo->initWd.val() > 0.0f);
  const TensorId direction = reservedAdamUpdaterPrefix() + weight;
  parts.make<AdamUpdaterOp>(true,
                            {{AdamUpdaterOp::getVarInIndex(), decays ? weight : ""},
                             {AdamUpdaterOp::getAccl1InIndex(), moments[0]->outId(0)},
                             {AdamUpdaterOp::getAccl2InIndex(), moments[1]->outId(0)},
                             {AdamUpdaterOp::getStepInIndex(), isCorrected ? step : ""},
                             {AdamUpdaterOp::getWdInIndex(), decays ? decay : ""},
                             {AdamUpdaterOp::getBeta1InIndex(), beta1},
                             {AdamUpdaterOp::getBeta2InIndex(), beta2},
                             {AdamUpdaterOp::getEpsInIndex(),
                              parts.number(combo->initEps, AdamComboOp::getEpsInIndex())}},
                            direction, "_adamupdater", combo->mode,
                            decays ? combo->initWd : OptimizerValue(0.0f, true), combo->initB1,
                            combo->initB2, combo->initEps);

  // Lamb's norms, unless their quotient has no effect.
  TensorId weightNorm, directionNorm;
  const bool isLamb = combo->mode == AdamMode::Lamb || combo->mode == AdamMode::LambNoBias;
  if (isLamb && !(combo->initMwn.isConst() && combo->initMwn.val() == 0.0f)) {
    weightNorm = reservedLambR1SqPrefix() + weight;
    directionNorm = reservedLambR2SqPrefix() + weight;
    parts.make<LambSquareOp>(true, {{0, weight}}, weightNorm, "_lamb1");
    parts.make<LambSquareOp>(true, {{0, direction}}, directionNorm, "_lamb2");
  }

  const Inputs inputs = {
      {0, weight},
      {1, direction},
      {AdamVarUpdateOp::getLambR1SqInIndex(), weightNorm},
      {AdamVarUpdateOp::getLambR2SqInIndex(), directionNorm},
      {AdamVarUpdateOp::getLrInIndex(), parts.number(combo->initLr, AdamComboOp::getLrInIndex())},
      {AdamVarUpdateOp::getMwnInIndex(),
       parts.number(combo->initMwn, AdamComboOp::getMwnInIndex())}};
  const TensorId updated = combo->outId(0);
  combo->disconnectAllOutputs();
  Op* update = parts.make<AdamVarUpdateOp>(true, inputs, updated, "_var_update", combo->initLr,
                                           combo->initMwn);
  if (!accumulates) graph.topoCons->transfer(combo, update);
  combo->disconnectAllInputs();
  graph.eraseOp(combo->id);
  return true;
}

}  // namespace popart
