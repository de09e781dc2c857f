// The steps of optimizers, in graphs that a program makes.
#include <popart/adam.hpp>
#include <popart/adaptive.hpp>
#include <popart/compoundscalarhelper.hpp>
#include <popart/ir.hpp>
#include <popart/op/adamcombo.hpp>
#include <popart/op/adaptivecombo.hpp>
#include <popart/op/sgd0combo.hpp>
#include <popart/op/sgd1combo.hpp>
#include <popart/op/sgd2combo.hpp>
#include <popart/sgd.hpp>
#include <popart/tensornames.hpp>

#include "popart/host/python.hpp"

namespace popart {

namespace python = popir::python;

namespace {

/// A number of a step: the id of its tensor, "" for a constant, and its value.
struct Number {
  TensorId id;
  OptimizerValue value;
};

template <class T>
Number numberOf(const CompoundScalarHelper<T>& helper, const T& optimizer, const Tensor& weight) {
  return {helper.getScalarIdIfNonConst(weight, optimizer),
          helper.getFromWeightId(weight.id, optimizer)};
}

template <class Helper, class T>
Number number(const T& optimizer, const Tensor& weight) {
  return numberOf<T>(Helper(), optimizer, weight);
}

bool isUsed(const OptimizerValue& value) { return !value.isConst() || value.val() != 0.0f; }

/// Which step a weight has.
enum class Form { Plain, Combined, Separate };

Form formOf(const SGD& sgd, const Tensor& weight) {
  if (!isUsed(sgd.value("momentum", weight.id))) return Form::Plain;
  return sgd.getSGDAccumulatorAndMomentum() == SGDAccumulatorAndMomentum::Combined ? Form::Combined
                                                                                   : Form::Separate;
}

bool isNesterov(const SGD& sgd, const Tensor& weight) {
  return isUsed(sgd.value("nesterov", weight.id));
}

/// In the order of the step's inputs.
std::vector<Number> numbersOf(const SGD& o, const Tensor& w) {
  const Form form = formOf(o, w);
  if (form == Form::Plain)
    return {number<ScaledLearningRate0Helper>(o, w), number<WeightDecayScaleFactor0Helper>(o, w)};
  const bool isCombined = form == Form::Combined;
  std::vector<Number> all = {
      isCombined ? number<ScaledMomentum1Helper>(o, w) : number<ScaledMomentum2Helper>(o, w),
      isCombined ? number<DampeningScaleFactor1Helper>(o, w)
                 : number<DampeningScaleFactor2Helper>(o, w),
      number<ScaledWeightDecay1Helper>(o, w),
      isCombined ? number<ScaledLearningRate1Helper>(o, w)
                 : number<ScaledLearningRate2Helper>(o, w)};
  if (!isNesterov(o, w)) return all;
  all.push_back(number<SGDMomentumHelper>(o, w));
  all.push_back(number<SGDWeightDecayHelper>(o, w));
  all.push_back(isCombined ? number<NesterovGradScaleFactor1Helper>(o, w)
                           : number<NesterovGradScaleFactor2Helper>(o, w));
  all.push_back(isCombined ? number<NesterovDampeningScaleFactor1Helper>(o, w)
                           : number<NesterovDampeningScaleFactor2Helper>(o, w));
  return all;
}

std::vector<Number> numbersOf(const Adam& o, const Tensor& w) {
  return {number<AdamLearningRateHelper>(o, w),  number<AdamWeightDecayHelper>(o, w),
          number<AdamBeta1Helper>(o, w),         number<AdamBeta2Helper>(o, w),
          number<AdamEpsHelper>(o, w),           number<AdamLossScalingHelper>(o, w),
          number<AdamMaxWeightNormHelper>(o, w), number<AdamGradientScalingHelper>(o, w)};
}

std::vector<Number> numbersOf(const Adaptive& o, const Tensor& w) {
  return {number<AdaptiveLearningRateHelper>(o, w),
          number<AdaptiveWeightDecayHelper>(o, w),
          number<AdaptiveAlphaHelper>(o, w),
          number<AdaptiveMomentumHelper>(o, w),
          number<AdaptiveEpsHelper>(o, w),
          number<AdaptiveLossScalingHelper>(o, w),
          number<AdaptiveGradientScalingHelper>(o, w)};
}

std::vector<TensorId> inputsOf(const Tensor& weight, const std::vector<Number>& numbers) {
  std::vector<TensorId> ids = {weight.id, getGradId(weight.id)};
  for (const Number& each : numbers) ids.push_back(each.id);
  return ids;
}

std::map<TensorId, float> valuesOf(const std::vector<Number>& numbers) {
  std::map<TensorId, float> values;
  for (const Number& each : numbers)
    if (!each.id.empty()) values[each.id] = each.value.val();
  return values;
}

OptimizerReductionType reductionOf(const Optimizer& optimizer, bool isCombined) {
  if (optimizer.getReplicatedGraphCount() == 1) return OptimizerReductionType::None;
  if (!optimizer.gradientAccumulationEnabled()) return OptimizerReductionType::GradReduce;
  return isCombined ? OptimizerReductionType::AcclReduce : OptimizerReductionType::AccumReduce;
}

DataType typeOr(DataType given, const Tensor& weight) {
  return given == DataType::UNDEFINED ? weight.info.dataType() : given;
}

}  // namespace

std::unique_ptr<Op> Optimizer::createOp(const Tensor& weight, Graph&) const {
  throw error("{}: there is no operator of its step, as for '{}'", type_s(), weight.id);
}
std::vector<TensorId> Optimizer::getInputIds(const Tensor& weight) const {
  throw error("{}: there is no operator of its step, as for '{}'", type_s(), weight.id);
}
std::map<TensorId, float> Optimizer::getOptimizerInputs(const Tensor& weight) const {
  throw error("{}: there is no operator of its step, as for '{}'", type_s(), weight.id);
}

std::vector<TensorId> SGD::getInputIds(const Tensor& weight) const {
  return inputsOf(weight, numbersOf(*this, weight));
}
std::map<TensorId, float> SGD::getOptimizerInputs(const Tensor& weight) const {
  return valuesOf(numbersOf(*this, weight));
}

std::unique_ptr<Op> SGD::createOp(const Tensor& weight, Graph& graph) const {
  const std::vector<Number> all = numbersOf(*this, weight);
  const auto n = [&](std::size_t i) { return all.at(i).value; };
  const Op::Settings settings(graph, "");
  const Form form = formOf(*this, weight);
  const OptimizerReductionType reduction = reductionOf(*this, form == Form::Combined);
  const bool accumulates = gradientAccumulationEnabled();
  const DataType accum = typeOr(accumType_, weight), accl1 = typeOr(accl1Type_, weight);
  if (form == Form::Plain)
    return std::make_unique<SGD0ComboOp>(n(0), n(1), accumulates, reduction, accum, settings);
  const bool nesterov = isNesterov(*this, weight);
  if (form == Form::Combined && nesterov)
    return std::make_unique<SGD1ComboOp>(n(0), n(1), n(2), n(3), n(4), n(5), n(6), n(7), reduction,
                                         settings);
  if (form == Form::Combined)
    return std::make_unique<SGD1ComboOp>(n(0), n(1), n(2), n(3), reduction, settings);
  if (nesterov)
    return std::make_unique<SGD2ComboOp>(n(0), n(1), n(2), n(3), n(4), n(5), n(6), n(7),
                                         accumulates, reduction, accum, accl1, settings);
  return std::make_unique<SGD2ComboOp>(n(0), n(1), n(2), n(3), accumulates, reduction, accum, accl1,
                                       settings);
}

std::vector<TensorId> Adam::getInputIds(const Tensor& weight) const {
  return inputsOf(weight, numbersOf(*this, weight));
}
std::map<TensorId, float> Adam::getOptimizerInputs(const Tensor& weight) const {
  return valuesOf(numbersOf(*this, weight));
}

std::unique_ptr<Op> Adam::createOp(const Tensor& weight, Graph& graph) const {
  const std::vector<Number> all = numbersOf(*this, weight);
  const auto n = [&](std::size_t i) { return all.at(i).value; };
  return std::make_unique<AdamComboOp>(
      n(0), n(1), n(2), n(3), n(4), n(5), n(6), n(7), mode_, decay_, gradientAccumulationEnabled(),
      reductionOf(*this, false), typeOr(accumType_, weight), typeOr(accl1Type_, weight),
      typeOr(accl2Type_, weight), isScaled_, Op::Settings(graph, ""));
}

std::vector<TensorId> Adaptive::getInputIds(const Tensor& weight) const {
  return inputsOf(weight, numbersOf(*this, weight));
}
std::map<TensorId, float> Adaptive::getOptimizerInputs(const Tensor& weight) const {
  return valuesOf(numbersOf(*this, weight));
}

std::unique_ptr<Op> Adaptive::createOp(const Tensor& weight, Graph& graph) const {
  const std::vector<Number> all = numbersOf(*this, weight);
  const auto n = [&](std::size_t i) { return all.at(i).value; };
  return std::make_unique<AdaptiveComboOp>(n(0), n(1), n(2), n(3), n(4), n(5), n(6), mode_, decay_,
                                           gradientAccumulationEnabled(), reductionOf(*this, false),
                                           typeOr(accumType_, weight), typeOr(accl1Type_, weight),
                                           typeOr(accl2Type_, weight), typeOr(accl3Type_, weight),
                                           isTensorFlows_, Op::Settings(graph, ""));
}

// ---- In an Ir ----

void Ir::setOptimizer(const Optimizer& optimizer) {
  std::shared_ptr<Optimizer> copy = optimizer.clone();
  copy->setFactorsFromOptions(getSessionOptions());
  optimizer_ = copy;
}

const Optimizer& Ir::getOptimizer() const {
  if (optimizer_ == nullptr) throw error("This Ir has no optimizer: setOptimizer() was not called");
  return *optimizer_;
}

BwdGraphInfo Ir::differentiateGraph(const Graph& graph,
                                    const nonstd::optional<std::vector<int64_t>>& given,
                                    const nonstd::optional<std::vector<int64_t>>& wanted,
                                    bool ofPart) {
  const GraphId id = createUniqueSubgraphId(GraphId("bwd_" + graph.id.str()));
  const python::Value made = python::call(nullptr, "transforms.backward_graphs.backward_graph",
                                          {held_, graph.id.str(), id.str(), given, wanted, ofPart});
  BwdGraphInfo info{id, {}, {}};
  const auto fill = [](const python::Value& from, ExpectedConnections& to) {
    for (const python::Value& each : from.list()) {
      const python::List& pair = each.list();
      to.push_back({pair[0].text(), pair[1].integer() != 0 ? ExpectedConnectionType::FwdGrad
                                                           : ExpectedConnectionType::Fwd});
    }
  };
  fill(made.list()[0], info.expectedInputs);
  fill(made.list()[1], info.expectedOutputs);
  return info;
}

void Ir::constructBackwards() {
  if (loss_.empty())
    throw error("Ir::constructBackwards: there is no loss; setFinalLoss() says which tensor it is");
  Graph& graph = main();
  python::List weights;
  for (const Tensor* tensor : graph.getTensors().getOfType(TensorType::Variable))
    if (tensor->isWeightTensor() && (tensor->info.dataType() == DataType::FLOAT ||
                                     tensor->info.dataType() == DataType::FLOAT16))
      weights.push_back(tensor->id);
  setExecutionMode(ExecutionMode::Training);
  const double scaling = optimizer_ == nullptr ? 1.0 : optimizer_->getLossScalingVal();
  python::call(nullptr, "autodiff.differentiate", {held_, loss_, weights, scaling});
  if (optimizer_ == nullptr) return;
  for (const python::Value& each : weights) {
    const Tensor& weight = *graph.getTensor(each.text());
    if (!graph.getTensors().contains(getGradId(weight.id))) continue;
    for (const auto& [id, value] : optimizer_->getOptimizerInputs(weight))
      if (!graph.getTensors().contains(id))
        graph.addVarInit(id, TensorInfo(DataType::FLOAT, {}), &value);
    Op* step = graph.getOp(graph.moveIntoGraph(optimizer_->createOp(weight, graph)));
    const std::vector<TensorId> ids = optimizer_->getInputIds(weight);
    for (std::size_t i = 0; i < ids.size(); ++i)
      if (!ids[i].empty()) step->connectInTensor(static_cast<InIndex>(i), ids[i]);
    step->createAndConnectOutTensor(0, getUpdatedVarId(weight.id));
    step->setup();
    const Op* gradient = graph.getTensor(getGradId(weight.id))->getProducer();
    step->setVirtualGraphId(gradient->settings.vgraphId);
    step->setPipelineStage(gradient->settings.pipelineStage);
  }
}

}  // namespace popart
