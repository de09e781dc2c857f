#include <popnn/Lstm.hpp>
#include <popnn/NonLinearity.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Zero.hpp>
#include <poputil/TileMapping.hpp>

#include "popnn/cells.hpp"

namespace popnn {
namespace lstm {
namespace {

using popir::RecurrentOptions;
using poplar::DebugContext;
using poplar::DebugNameAndId;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::program::Copy;
using poplar::program::Sequence;
using poplin::PlanningCache;
using Tensors = std::vector<Tensor>;
namespace pe = popops::expr;

constexpr std::size_t kUnits = BASIC_LSTM_CELL_NUM_UNITS;
/// What the forward pass keeps of a step: the units in their order, then these.
enum Kept : std::size_t { kActivatedCell = kUnits, kCellBefore, kOutput, kMostKept };

/// The layer's sizes, options and places of units, checked.
struct Layer {
  const LstmParams& params;
  const char* who;
  RecurrentOptions options;
  std::vector<std::size_t> at;
  std::size_t batch, steps, in, out;

  Layer(const LstmParams& given, const char* name, const OptionFlags& flags)
      : params(given), who(name), options(popir::recurrentOptions(name, given.rnn, flags)) {
    popir::checkRecurrent(name, given.rnn);
    popir::checkOrder(name, given.cellOrder, kUnits);
    at = popir::places(given.cellOrder);
    batch = given.rnn.batchSize, steps = given.rnn.maxTimeSteps;
    in = given.rnn.layerSizes[0], out = given.rnn.layerSizes[1];
  }

  void check(const LstmState& state) const {
    popir::checkOperand(who, "the output's state", state.output, params.rnn, {batch, out});
    popir::checkOperand(who, "the cell's state", state.cellState, params.rnn, {batch, out});
  }
  void check(const LstmWeights& weights) const {
    popir::checkOperand(who, "inputWeights", weights.inputWeights, params.rnn, {kUnits, in, out});
    popir::checkOperand(who, "outputWeights", weights.outputWeights, params.rnn,
                        {kUnits, out, out});
    popir::checkOperand(who, "biases", weights.biases, params.rnn, {kUnits, out});
  }
  void checkInput(const Tensor& input) const {
    popir::checkOperand(who, "the input", input, params.rnn, {steps, batch, in});
  }
  void checkOutput(const char* what, const Tensor& t) const {
    if (params.outputFullSequence)
      popir::checkOperand(who, what, t, params.rnn, {steps, batch, out});
    else
      popir::checkOperand(who, what, t, params.rnn, {batch, out});
  }
  std::size_t kept() const { return params.outputFullSequence ? kOutput : kMostKept; }
  bool varies() const { return params.rnn.variableTimeSteps(); }

  /// The units of a tensor [units, batch, size].
  Tensor unit(const Tensor& units, BasicLstmCellUnit which) const { return units[at[which]]; }
};

struct Cell {
  Tensor units, activated, state, output;
};

/// A step: `input` is [batch, in], or the weighted input of the units, [units, batch, out].
Cell forward(Graph& graph, const Layer& layer, const Tensor& input, const LstmState& before,
             const LstmWeights& weights, const rnn::RnnBatchwiseFlags& flags, Sequence& prog,
             const DebugContext& context, PlanningCache* cache) {
  const auto& options = layer.options.products;
  Cell made;
  if (!input.valid() || input.rank() == 3) {
    made.units =
        popir::unitsOf(poplin::matMul(graph, before.output, popir::flatUnits(weights.outputWeights),
                                      prog, context, options, cache),
                       kUnits);
    if (input.valid()) popops::addInPlace(graph, made.units, input, prog, context);
  } else {
    const auto both = poplar::concat(weights.inputWeights, weights.outputWeights, 1);
    made.units =
        popir::unitsOf(poplin::matMul(graph, poplar::concat(input, before.output, 1),
                                      popir::flatUnits(both), prog, context, options, cache),
                       kUnits);
  }
  popops::addInPlace(graph, made.units, popir::ofEachSample(weights.biases, layer.batch), prog,
                     context);
  const auto part = [&](BasicLstmCellUnit which) { return layer.unit(made.units, which); };
  const auto forget = part(BASIC_LSTM_CELL_FORGET_GATE), in = part(BASIC_LSTM_CELL_INPUT_GATE);
  const auto candidate = part(BASIC_LSTM_CELL_CANDIDATE), out = part(BASIC_LSTM_CELL_OUTPUT_GATE);
  for (const auto& gate : {forget, in, out})
    nonLinearityInPlace(graph, layer.params.recurrentActivation, gate, prog, context);
  nonLinearityInPlace(graph, layer.params.activation, candidate, prog, context);
  popir::silence(graph, flags, made.units, prog, context);
  made.state = popops::map(graph, pe::_1 * pe::_2 + pe::_3 * pe::_4,
                           {forget, before.cellState, in, candidate}, prog, context);
  made.activated = nonLinearity(graph, layer.params.activation, made.state, prog, context);
  made.output = popops::mul(graph, out, made.activated, prog, context);
  return made;
}

/// The gradients at the units' sums [units, batch, out], and of the state before.
std::pair<Tensor, LstmState> backward(Graph& graph, const Layer& layer, const Tensor& kept,
                                      const Tensor& outputGrad, const Tensor& stateGrad,
                                      const LstmWeights& weights, Sequence& prog,
                                      const DebugContext& context, PlanningCache* cache) {
  const auto& params = layer.params;
  const auto units = kept.slice(0, kUnits);
  const auto part = [&](BasicLstmCellUnit which) { return layer.unit(units, which); };
  const auto forget = part(BASIC_LSTM_CELL_FORGET_GATE), in = part(BASIC_LSTM_CELL_INPUT_GATE);
  const auto candidate = part(BASIC_LSTM_CELL_CANDIDATE), out = part(BASIC_LSTM_CELL_OUTPUT_GATE);
  const auto activated = kept[kActivatedCell], before = kept[kCellBefore];
  const auto gradient = [&](NonLinearityType type, const Tensor& act, const Tensor& grad) {
    return nonLinearityInputGradient(graph, type, act, grad, prog, context);
  };
  const auto product = [&](const Tensor& a, const Tensor& b) {
    return popops::mul(graph, a, b, prog, context);
  };
  const auto cell = gradient(params.activation, activated, product(outputGrad, out));
  popops::addInPlace(graph, cell, stateGrad, prog, context);
  Tensors sums(kUnits);
  sums[layer.at[BASIC_LSTM_CELL_FORGET_GATE]] =
      gradient(params.recurrentActivation, forget, product(cell, before));
  sums[layer.at[BASIC_LSTM_CELL_INPUT_GATE]] =
      gradient(params.recurrentActivation, in, product(cell, candidate));
  sums[layer.at[BASIC_LSTM_CELL_CANDIDATE]] =
      gradient(params.activation, candidate, product(cell, in));
  sums[layer.at[BASIC_LSTM_CELL_OUTPUT_GATE]] =
      gradient(params.recurrentActivation, out, product(outputGrad, activated));
  for (auto& sum : sums) sum = sum.expand({0});
  const auto all = poplar::concat(sums);
  LstmState state;
  state.cellState = product(cell, forget);
  state.output = poplin::matMul(graph, popir::flatUnits(all),
                                popir::flatUnits(weights.outputWeights).transpose(), prog, context,
                                layer.options.products, cache);
  return {all, state};
}

LstmState runBackward(Graph& graph, const Layer& layer, Sequence& prog,
                      const Tensor& fwdIntermediates, const LstmWeights& weights,
                      const Tensor& outputGrad, const LstmState& lastGrad, Tensor* inputGrad,
                      Tensor* bwdIntermediates, const DebugContext& context, PlanningCache* cache) {
  const auto& params = layer.params;
  layer.check(weights);
  layer.checkOutput("the gradient of the output", outputGrad);
  popir::checkOperand(layer.who, "what the forward pass kept", fwdIntermediates, params.rnn,
                      {layer.steps, layer.kept(), layer.batch, layer.out});
  LstmState state{graph.addVariable(params.rnn.dataType, {layer.batch, layer.out}, context),
                  graph.addVariable(params.rnn.dataType, {layer.batch, layer.out}, context)};
  const auto set = [&](const Tensor& to, const Tensor& from) {
    poputil::mapTensorLinearly(graph, to);
    if (from.valid() && !layer.varies())
      prog.add(Copy(from, to, false, context));
    else
      popops::zero(graph, to, prog, context);
  };
  set(state.output, lastGrad.output);
  set(state.cellState, lastGrad.cellState);
  const bool full = params.outputFullSequence;
  if (!full) popops::addInPlace(graph, state.output, outputGrad, prog, context);

  auto sums = rnn::createOutputTensor(graph, params.rnn, kUnits, 1, {context, "units"})
                  .reshapePartial(0, 1, {layer.steps, kUnits});
  if (layer.varies()) popops::zero(graph, sums, prog, context);
  const auto cell = [&](Graph&, const rnn::TimeStepState&, const rnn::RnnBatchwiseFlags& flags,
                        Tensors& carried, const rnn::RnnSlice& slice, Tensors&, Sequence*,
                        const DebugNameAndId& name) {
    Sequence once(name);
    auto grad = carried[0];
    if (full) grad = popops::add(graph, grad, slice.inputs[0], once, name);
    const auto made =
        backward(graph, layer, slice.interimIn, grad, carried[1], weights, once, name, cache);
    popir::silence(graph, flags, made.first, once, name);
    once.add(Copy(made.first, slice.interimOut, false, name));
    popir::advance(graph, flags, carried[0], made.second.output, once, name);
    popir::advance(graph, flags, carried[1], made.second.cellState, once, name);
    return once;
  };
  OptionFlags none;
  const auto first = rnn::Rnn(graph, params.rnn, true, {state.output, state.cellState}, {},
                              {full ? outputGrad : Tensor()}, &fwdIntermediates, &sums, {}, {},
                              prog, cell, 1, none, context);
  if (inputGrad != nullptr) {
    const auto rows =
        sums.dimShuffle({0, 2, 1, 3}).reshape({layer.steps * layer.batch, kUnits * layer.out});
    *inputGrad = poplin::matMul(graph, rows, popir::flatUnits(weights.inputWeights).transpose(),
                                prog, context, layer.options.products, cache)
                     .reshape({layer.steps, layer.batch, layer.in});
  }
  if (bwdIntermediates != nullptr) *bwdIntermediates = sums;
  return {first[0], first[1]};
}

LstmWeights weightGradients(Graph& graph, const Layer& layer, Sequence& prog,
                            const LstmState& fwdStateInit, const Tensor& fwdIntermediates,
                            const Tensor& bwdIntermediates, const Tensor& input,
                            const Tensor& output, const DebugContext& context,
                            PlanningCache* cache) {
  layer.checkInput(input);
  popir::checkOperand(layer.who, "what the backward pass kept", bwdIntermediates, layer.params.rnn,
                      {layer.steps, kUnits, layer.batch, layer.out});
  const auto outputs =
      layer.params.outputFullSequence ? output : fwdIntermediates.dimRoll(1)[kOutput];
  const auto before = popir::statesBefore(fwdStateInit.output, outputs);
  return {
      popir::weightGradient(graph, input, bwdIntermediates, layer.options, prog, context, cache),
      popir::weightGradient(graph, before, bwdIntermediates, layer.options, prog, context, cache),
      popir::biasGradient(graph, bwdIntermediates, layer.options, prog, context)};
}

LstmState cellOnly(const Tensor* lastCellStateGrad) {
  return {Tensor(), lastCellStateGrad != nullptr ? *lastCellStateGrad : Tensor()};
}

std::uint64_t all(const LstmParams& params) {
  return std::uint64_t{params.rnn.maxTimeSteps} * params.rnn.batchSize * params.rnn.layerSizes[1];
}

}  // namespace

const std::vector<BasicLstmCellUnit> getDefaultBasicLstmCellOrder() {
  return {BASIC_LSTM_CELL_FORGET_GATE, BASIC_LSTM_CELL_INPUT_GATE, BASIC_LSTM_CELL_CANDIDATE,
          BASIC_LSTM_CELL_OUTPUT_GATE};
}

LstmParams::LstmParams(poplar::Type type, std::size_t batch, std::size_t steps,
                       std::vector<std::size_t> sizes, NonLinearityType function,
                       NonLinearityType recurrentFunction)
    : LstmParams(type, batch, steps, Tensor(), std::move(sizes), function, recurrentFunction) {}
LstmParams::LstmParams(poplar::Type type, std::size_t batch, std::size_t maxTimeSteps,
                       const Tensor& steps, std::vector<std::size_t> sizes,
                       NonLinearityType function, NonLinearityType recurrentFunction)
    : rnn(type, batch, maxTimeSteps, steps, sizes),
      dataType(type),
      batchSize(batch),
      timeSteps(maxTimeSteps),
      layerSizes(std::move(sizes)),
      activation(function),
      recurrentActivation(recurrentFunction) {}

Tensor LstmState::getAsTensor() const {
  return poplar::concat(output.expand({0}), cellState.expand({0}));
}

std::vector<std::pair<poplin::MatMulParams, OptionFlags>> getMatMulPrePlanParameters(
    LstmParams params, OptionFlags opts) {
  const Layer layer(params, "lstm::getMatMulPrePlanParameters", opts);
  bool inference = false;
  for (const auto& [name, value] : opts) inference |= name == "inferenceOnly" && value == "true";
  const auto plan = [&](const char* pass, std::size_t rows, std::size_t inner,
                        std::size_t columns) {
    return popir::plannedProduct(params.rnn.dataType, layer.options.products, pass, rows, inner,
                                 columns);
  };
  const std::size_t units = kUnits * layer.out, samples = layer.steps * layer.batch;
  const char* pass = inference ? "INFERENCE_FWD" : "TRAINING_FWD";
  std::vector<popir::PlannedProduct> made;
  if (layer.options.inputsFirst && params.doInputWeightCalc)
    made.push_back(plan(pass, samples, layer.in, units));
  const bool separate = layer.options.inputsFirst || !params.doInputWeightCalc;
  made.push_back(plan(pass, layer.batch, separate ? layer.out : layer.in + layer.out, units));
  if (inference) return made;
  made.push_back(plan("TRAINING_BWD", layer.batch, units, layer.out));
  if (params.calcInputGradients) made.push_back(plan("TRAINING_BWD", samples, units, layer.in));
  made.push_back(plan("TRAINING_WU", layer.in, samples, units));
  made.push_back(plan("TRAINING_WU", layer.out, samples, units));
  return made;
}

// An operation is a multiplication or an addition; a cell has three products of vectors and a sum.
std::uint64_t getBasicLstmCellFwdFlops(const LstmParams& params) {
  const std::uint64_t in = params.doInputWeightCalc ? params.rnn.layerSizes[0] : 0;
  return all(params) * (2 * kUnits * (in + params.rnn.layerSizes[1]) + 4);
}
std::uint64_t getBasicLstmCellBwdFlops(const LstmParams& params) {
  const std::uint64_t in = params.calcInputGradients ? params.rnn.layerSizes[0] : 0;
  return all(params) * (2 * kUnits * (in + params.rnn.layerSizes[1]) + 6);
}
std::uint64_t getBasicLstmCellWuFlops(const LstmParams& params) {
  return all(params) * 2 * kUnits * (params.rnn.layerSizes[0] + params.rnn.layerSizes[1] + 1);
}

Tensor createInput(Graph& graph, const LstmParams& params, const DebugContext& debugContext,
                   const OptionFlags& options, PlanningCache*) {
  const Layer layer(params, "lstm::createInput", options);
  return rnn::createInputTensor(graph, params.rnn, 1, debugContext);
}
Tensor createInitialOutput(Graph& graph, const LstmParams& params, const DebugContext& debugContext,
                           const OptionFlags& options, PlanningCache*) {
  const Layer layer(params, "lstm::createInitialOutput", options);
  return rnn::createInitialState(graph, params.rnn, true, 1, 1, {debugContext, "output"})[0];
}
Tensor createInitialCellState(Graph& graph, const LstmParams& params,
                              const DebugContext& debugContext, const OptionFlags& options,
                              PlanningCache*) {
  const Layer layer(params, "lstm::createInitialCellState", options);
  return rnn::createInitialState(graph, params.rnn, true, 1, 1, {debugContext, "cellState"})[0];
}
LstmState createInitialState(Graph& graph, const LstmParams& params,
                             const DebugContext& debugContext, const OptionFlags& options,
                             PlanningCache* planningCache) {
  return {createInitialOutput(graph, params, debugContext, options, planningCache),
          createInitialCellState(graph, params, debugContext, options, planningCache)};
}

void zeroInitialState(Graph& graph, const LstmState& initialState, Sequence& prog,
                      const DebugContext& debugContext) {
  popops::zero(graph, initialState.getAsTensor(), prog, debugContext);
}

std::pair<Tensor, Tensor> createWeightsKernel(Graph& graph, const LstmParams& params,
                                              const DebugContext& debugContext,
                                              const OptionFlags& options,
                                              PlanningCache* planningCache) {
  const Layer layer(params, "lstm::createWeightsKernel", options);
  if (layer.options.inputsFirst)
    return {popir::createUnits(graph, params.rnn, kUnits, layer.in, {debugContext, "inputWeights"},
                               layer.options, planningCache),
            popir::createUnits(graph, params.rnn, kUnits, layer.out,
                               {debugContext, "outputWeights"}, layer.options, planningCache)};
  const auto both = popir::createUnits(graph, params.rnn, kUnits, layer.in + layer.out,
                                       {debugContext, "weights"}, layer.options, planningCache);
  return {both.slice(0, layer.in, 1), both.slice(layer.in, layer.in + layer.out, 1)};
}
Tensor createWeightsBiases(Graph& graph, const LstmParams& params, const DebugContext& debugContext,
                           const OptionFlags& options, PlanningCache*) {
  const Layer layer(params, "lstm::createWeightsBiases", options);
  const auto biases =
      graph.addVariable(params.rnn.dataType, {kUnits, layer.out}, {debugContext, "biases"});
  poputil::mapTensorLinearly(graph, biases);
  return biases;
}
LstmWeights createWeights(Graph& graph, const LstmParams& params, const DebugContext& debugContext,
                          const OptionFlags& options, PlanningCache* planningCache) {
  const auto kernel = createWeightsKernel(graph, params, debugContext, options, planningCache);
  return {kernel.first, kernel.second,
          createWeightsBiases(graph, params, debugContext, options, planningCache)};
}

std::pair<Tensor, Tensor> lstmFwd(Graph& graph, const LstmParams& params,
                                  const LstmState& stateInit, const Tensor& in,
                                  const LstmWeights& weights, Tensor* intermediates,
                                  Sequence& fwdProg, const DebugContext& debugContext,
                                  const OptionFlags& options, PlanningCache* planningCache) {
  const Layer layer(params, "lstm::lstmFwd", options);
  layer.check(stateInit);
  layer.check(weights);
  layer.checkInput(in);
  const DebugContext context(debugContext, "lstmFwd");
  const bool full = params.outputFullSequence;
  Tensor input = params.doInputWeightCalc ? in : Tensor();
  if (input.valid() && layer.options.inputsFirst)
    input = poplin::matMul(graph, in.reshape({layer.steps * layer.batch, layer.in}),
                           popir::flatUnits(weights.inputWeights), fwdProg, context,
                           layer.options.products, planningCache)
                .reshape({layer.steps, layer.batch, kUnits, layer.out})
                .dimShuffle({0, 2, 1, 3});
  Tensor outputs;
  if (full) {
    outputs = rnn::createOutputTensor(graph, params.rnn, 1, {context, "output"});
    if (layer.varies()) popops::zero(graph, outputs, fwdProg, context);
  }
  if (intermediates != nullptr) {
    *intermediates = rnn::createOutputTensor(graph, params.rnn, static_cast<unsigned>(layer.kept()),
                                             1, {context, "intermediates"})
                         .reshapePartial(0, 1, {layer.steps, layer.kept()});
    if (layer.varies()) popops::zero(graph, *intermediates, fwdProg, context);
  }
  const auto cell = [&](Graph&, const rnn::TimeStepState&, const rnn::RnnBatchwiseFlags& flags,
                        Tensors& state, const rnn::RnnSlice& slice, Tensors& created, Sequence*,
                        const DebugNameAndId& name) {
    Sequence once(name);
    const auto made = forward(graph, layer, slice.inputs[0], {state[0], state[1]}, weights, flags,
                              once, name, planningCache);
    if (intermediates != nullptr) {
      Tensors kept = {made.units, made.activated.expand({0}), state[1].expand({0})};
      if (!full) kept.push_back(made.output.expand({0}));
      once.add(Copy(poplar::concat(kept), slice.interimOut, false, name));
    }
    if (full) created[0] = made.output;
    popir::advance(graph, flags, state[0], made.output, once, name);
    popir::advance(graph, flags, state[1], made.state, once, name);
    return once;
  };
  OptionFlags none;
  const auto last = rnn::Rnn(graph, params.rnn, false, {stateInit.output, stateInit.cellState}, {},
                             {input}, nullptr, intermediates, {},
                             full ? Tensors{outputs} : Tensors{}, fwdProg, cell, 1, none, context);
  return {full ? outputs : last[0], last[1]};
}

LstmState lstmBwd(Graph& graph, const LstmParams& params, Sequence& prog, const LstmState&,
                  const Tensor& fwdIntermediates, const LstmWeights& weights, const Tensor&,
                  const Tensor&, const Tensor& outputGrad, const LstmState* lastStepStateGrad,
                  Tensor* inputGrad, Tensor* bwdIntermediates, const DebugContext& debugContext,
                  const OptionFlags& options, PlanningCache* planningCache) {
  const Layer layer(params, "lstm::lstmBwd", options);
  return runBackward(graph, layer, prog, fwdIntermediates, weights, outputGrad,
                     lastStepStateGrad != nullptr ? *lastStepStateGrad : LstmState{}, inputGrad,
                     bwdIntermediates, {debugContext, "lstmBwd"}, planningCache);
}
LstmState lstmBwd(Graph& graph, const LstmParams& params, Sequence& prog,
                  const LstmState& fwdStateInit, const Tensor& fwdIntermediates,
                  const LstmWeights& weights, const Tensor& input, const Tensor& output,
                  const Tensor& outputGrad, const Tensor* lastCellStateGrad, Tensor* inputGrad,
                  Tensor* bwdIntermediates, const DebugContext& debugContext,
                  const OptionFlags& options, PlanningCache* planningCache) {
  const LstmState last = cellOnly(lastCellStateGrad);
  return lstmBwd(graph, params, prog, fwdStateInit, fwdIntermediates, weights, input, output,
                 outputGrad, &last, inputGrad, bwdIntermediates, debugContext, options,
                 planningCache);
}

LstmWeights lstmWU(Graph& graph, const LstmParams& params, Sequence& prog,
                   const LstmState& fwdStateInit, const Tensor& fwdIntermediates,
                   const Tensor& bwdIntermediates, const LstmWeights& weights, const Tensor& input,
                   const Tensor& output, const DebugContext& debugContext,
                   const OptionFlags& options, PlanningCache* planningCache) {
  const Layer layer(params, "lstm::lstmWU", options);
  layer.check(weights);
  return weightGradients(graph, layer, prog, fwdStateInit, fwdIntermediates, bwdIntermediates,
                         input, output, {debugContext, "lstmWU"}, planningCache);
}

LstmState lstmBwdWithWU(Graph& graph, const LstmParams& params, Sequence& prog,
                        const LstmState& fwdStateInit, const Tensor& fwdIntermediates,
                        const LstmWeights& weights, const Tensor& input, const Tensor& output,
                        const Tensor& outputGrad, const LstmState* lastStepStateGrad,
                        Tensor* inputGrad, LstmWeights& weightsGrad,
                        const DebugContext& debugContext, const OptionFlags& options,
                        PlanningCache* planningCache) {
  Tensor kept;
  const auto state = lstmBwd(graph, params, prog, fwdStateInit, fwdIntermediates, weights, input,
                             output, outputGrad, lastStepStateGrad, inputGrad, &kept, debugContext,
                             options, planningCache);
  weightsGrad = lstmWU(graph, params, prog, fwdStateInit, fwdIntermediates, kept, weights, input,
                       output, debugContext, options, planningCache);
  return state;
}
LstmState lstmBwdWithWU(Graph& graph, const LstmParams& params, Sequence& prog,
                        const LstmState& fwdStateInit, const Tensor& fwdIntermediates,
                        const LstmWeights& weights, const Tensor& input, const Tensor& output,
                        const Tensor& outputGrad, const Tensor* lastCellStateGrad,
                        Tensor* inputGrad, LstmWeights& weightsGrad,
                        const DebugContext& debugContext, const OptionFlags& options,
                        PlanningCache* planningCache) {
  const LstmState last = cellOnly(lastCellStateGrad);
  return lstmBwdWithWU(graph, params, prog, fwdStateInit, fwdIntermediates, weights, input, output,
                       outputGrad, &last, inputGrad, weightsGrad, debugContext, options,
                       planningCache);
}

}  // namespace lstm
}  // namespace popnn
