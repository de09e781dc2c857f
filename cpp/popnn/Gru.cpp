#include <popnn/Gru.hpp>
#include <popnn/NonLinearity.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <popops/Zero.hpp>
#include <poputil/TileMapping.hpp>

#include "popnn/cells.hpp"

namespace popnn {
namespace gru {
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

constexpr std::size_t kUnits = BASIC_GRU_CELL_NUM_UNITS;
/// What the forward pass keeps of a step: the units in their order, then these. The last one is the
/// candidate's product with its bias, where the reset gate comes after it.
enum Kept : std::size_t { kBefore = kUnits, kRecurrent, kMostKept };

/// The layer's sizes, options and places of units, checked.
struct Layer {
  const GruParams& params;
  const char* who;
  RecurrentOptions options;
  std::vector<std::size_t> at;
  std::size_t batch, steps, in, out;

  Layer(const GruParams& given, const char* name, const OptionFlags& flags)
      : params(given), who(name), options(popir::recurrentOptions(name, given.rnn, flags)) {
    popir::checkRecurrent(name, given.rnn);
    popir::checkOrder(name, given.cellOrder, kUnits);
    at = popir::places(given.cellOrder);
    batch = given.rnn.batchSize, steps = given.rnn.maxTimeSteps;
    in = given.rnn.layerSizes[0], out = given.rnn.layerSizes[1];
  }

  void checkState(const Tensor& state) const {
    popir::checkOperand(who, "the output before the first step", state, params.rnn, {batch, out});
  }
  std::vector<std::size_t> biasShape() const {
    return params.resetAfter ? std::vector<std::size_t>{kUnits, 2, out}
                             : std::vector<std::size_t>{kUnits, out};
  }
  void check(const GruWeights& weights) const {
    popir::checkOperand(who, "inputWeights", weights.inputWeights, params.rnn, {kUnits, in, out});
    popir::checkOperand(who, "outputWeights", weights.outputWeights, params.rnn,
                        {kUnits, out, out});
    popir::checkOperand(who, "biases", weights.biases, params.rnn, biasShape());
  }
  void checkInput(const Tensor& input) const {
    popir::checkOperand(who, "the input", input, params.rnn, {steps, batch, in});
  }
  void checkScores(const Tensor& scores) const {
    popir::checkOperand(who, "the attention scores", scores, params.rnn, {batch, steps});
  }
  std::size_t kept() const { return params.resetAfter ? kMostKept : kRecurrent; }
  /// The gradients at the units' sums, and that of the product that the reset gate comes after.
  std::size_t gradients() const { return params.resetAfter ? kUnits + 1 : kUnits; }
  bool varies() const { return params.rnn.variableTimeSteps(); }
  /// The units of a tensor [units, ...].
  Tensor unit(const Tensor& units, BasicGruCellUnit which) const { return units[at[which]]; }
};

/// Attention scores [batch, steps], and by steps: [steps, batch, 1].
Tensor scoresBySteps(const Tensor& scores) {
  return scores.valid() ? scores.transpose().expand({2}) : scores;
}

/// The gates alone: [2, ...], reset and update.
Tensor gatesOf(const Layer& layer, const Tensor& units) {
  return poplar::concat(layer.unit(units, BASIC_GRU_CELL_RESET_GATE).expand({0}),
                        layer.unit(units, BASIC_GRU_CELL_UPDATE_GATE).expand({0}));
}
Tensor candidateOf(const Layer& layer, const Tensor& units) {
  return layer.unit(units, BASIC_GRU_CELL_CANDIDATE);
}

struct Cell {
  Tensor units, recurrent, output;
};

Cell forward(Graph& graph, const Layer& layer, const Tensor& input, const Tensor& before,
             const Tensor& scores, const GruWeights& weights, const rnn::RnnBatchwiseFlags& flags,
             Sequence& prog, const DebugContext& context, PlanningCache* cache) {
  const auto& params = layer.params;
  const auto product = [&](const Tensor& a, const Tensor& b) {
    return poplin::matMul(graph, a, b, prog, context, layer.options.products, cache);
  };
  const auto biased = [&](const Tensor& t, const Tensor& biases) {
    popops::addInPlace(graph, t, popir::ofEachSample(biases, layer.batch), prog, context);
  };
  Cell made;
  made.units = popir::unitsOf(product(input, popir::flatUnits(weights.inputWeights)), kUnits);
  const auto gates = gatesOf(layer, made.units), candidate = candidateOf(layer, made.units);
  const auto reset = gates[0], update = gates[1];
  const auto own = params.resetAfter ? weights.biases.dimShuffle({1, 0, 2})[0] : weights.biases;
  biased(made.units, own);
  if (params.resetAfter) {
    const auto all =
        popir::unitsOf(product(before, popir::flatUnits(weights.outputWeights)), kUnits);
    biased(all, weights.biases.dimShuffle({1, 0, 2})[1]);
    popops::addInPlace(graph, gates, gatesOf(layer, all), prog, context);
    made.recurrent = candidateOf(layer, all);
    nonLinearityInPlace(graph, params.recurrentActivation, gates, prog, context);
    popops::mapInPlace(graph, pe::_1 + pe::_2 * pe::_3, {candidate, reset, made.recurrent}, prog,
                       context);
  } else {
    const auto both = gatesOf(layer, weights.outputWeights);
    popops::addInPlace(graph, gates, popir::unitsOf(product(before, popir::flatUnits(both)), 2),
                       prog, context);
    nonLinearityInPlace(graph, params.recurrentActivation, gates, prog, context);
    const auto left = popops::mul(graph, reset, before, prog, context);
    popops::addInPlace(graph, candidate, product(left, candidateOf(layer, weights.outputWeights)),
                       prog, context);
  }
  nonLinearityInPlace(graph, params.activation, candidate, prog, context);
  popir::silence(graph, flags, made.units, prog, context);
  Tensor share = update;
  if (scores.valid())
    share = popops::map(graph, pe::_1 - pe::_1 * pe::_2, {update, scores}, prog, context);
  made.output = popops::map(graph, pe::_3 + pe::_1 * (pe::_2 - pe::_3), {share, before, candidate},
                            prog, context);
  popir::silence(graph, flags, made.output, prog, context);
  return made;
}

struct Gradients {
  Tensor sums, before, scores;
};

Gradients backward(Graph& graph, const Layer& layer, const Tensor& kept, const Tensor& scores,
                   const Tensor& outputGrad, const GruWeights& weights,
                   const rnn::RnnBatchwiseFlags& flags, Sequence& prog, const DebugContext& context,
                   PlanningCache* cache) {
  const auto& params = layer.params;
  const auto map = [&](const pe::Expr& expression, const Tensors& ts) {
    return popops::map(graph, expression, ts, prog, context);
  };
  const auto gradient = [&](NonLinearityType type, const Tensor& act, const Tensor& grad) {
    return nonLinearityInputGradient(graph, type, act, grad, prog, context);
  };
  const auto product = [&](const Tensor& a, const Tensor& w) {
    return poplin::matMul(graph, a, w.transpose(), prog, context, layer.options.products, cache);
  };
  const auto units = kept.slice(0, kUnits), before = kept[kBefore];
  const auto reset = layer.unit(units, BASIC_GRU_CELL_RESET_GATE);
  const auto update = layer.unit(units, BASIC_GRU_CELL_UPDATE_GATE);
  const auto candidate = candidateOf(layer, units);

  Gradients made;
  auto share = update;
  auto updateGrad = map(pe::_1 * (pe::_2 - pe::_3), {outputGrad, before, candidate});
  if (scores.valid()) {
    share = map(pe::_1 - pe::_1 * pe::_2, {update, scores});
    const auto lost = map(-(pe::_1 * pe::_2), {updateGrad, update});
    made.scores =
        popops::reduce(graph, lost, {1}, popops::Operation::ADD, prog, context).expand({1});
    updateGrad = map(pe::_1 - pe::_1 * pe::_2, {updateGrad, scores});
  }
  const auto candidateSum =
      gradient(params.activation, candidate, map(pe::_1 - pe::_1 * pe::_2, {outputGrad, share}));
  made.before = map(pe::_1 * pe::_2, {outputGrad, share});
  Tensor resetGrad, recurrent;
  const auto weight = candidateOf(layer, weights.outputWeights);
  if (params.resetAfter) {
    recurrent = map(pe::_1 * pe::_2, {candidateSum, reset});
    resetGrad = map(pe::_1 * pe::_2, {candidateSum, kept[kRecurrent]});
    popops::addInPlace(graph, made.before, product(recurrent, weight), prog, context);
  } else {
    const auto into = product(candidateSum, weight);
    resetGrad = map(pe::_1 * pe::_2, {into, before});
    popops::mapInPlace(graph, pe::_1 + pe::_2 * pe::_3, {made.before, into, reset}, prog, context);
  }
  Tensors sums(kUnits);
  sums[layer.at[BASIC_GRU_CELL_RESET_GATE]] =
      gradient(params.recurrentActivation, reset, resetGrad);
  sums[layer.at[BASIC_GRU_CELL_UPDATE_GATE]] =
      gradient(params.recurrentActivation, update, updateGrad);
  sums[layer.at[BASIC_GRU_CELL_CANDIDATE]] = candidateSum;
  if (recurrent.valid()) sums.push_back(recurrent);
  for (auto& sum : sums) sum = sum.expand({0});
  made.sums = poplar::concat(sums);
  const auto gates = gatesOf(layer, made.sums);
  popops::addInPlace(
      graph, made.before,
      product(popir::flatUnits(gates), popir::flatUnits(gatesOf(layer, weights.outputWeights))),
      prog, context);
  popir::silence(graph, flags, made.sums, prog, context);
  if (made.scores.valid()) popir::silence(graph, flags, made.scores, prog, context);
  return made;
}

Tensor runForward(Graph& graph, const Layer& layer, const Tensor& stateInit, const Tensor& in,
                  const GruWeights& weights, Tensor* intermediates, const Tensor& scores,
                  Sequence& prog, const DebugContext& context, PlanningCache* cache) {
  const auto& params = layer.params;
  layer.checkState(stateInit);
  layer.checkInput(in);
  layer.check(weights);
  const bool full = params.outputFullSequence;
  Tensor outputs;
  if (full) {
    outputs = rnn::createOutputTensor(graph, params.rnn, 1, {context, "output"});
    if (layer.varies()) popops::zero(graph, outputs, prog, context);
  }
  if (intermediates != nullptr) {
    *intermediates = rnn::createOutputTensor(graph, params.rnn, static_cast<unsigned>(layer.kept()),
                                             1, {context, "intermediates"})
                         .reshapePartial(0, 1, {layer.steps, layer.kept()});
    if (layer.varies()) popops::zero(graph, *intermediates, prog, context);
  }
  const auto cell = [&](Graph&, const rnn::TimeStepState&, const rnn::RnnBatchwiseFlags& flags,
                        Tensors& state, const rnn::RnnSlice& slice, Tensors& created, Sequence*,
                        const DebugNameAndId& name) {
    Sequence once(name);
    const auto made = forward(graph, layer, slice.inputs[0], state[0], slice.inputs[1], weights,
                              flags, once, name, cache);
    if (intermediates != nullptr) {
      Tensors kept = {made.units, state[0].expand({0})};
      if (made.recurrent.valid()) kept.push_back(made.recurrent.expand({0}));
      once.add(Copy(poplar::concat(kept), slice.interimOut, false, name));
    }
    if (full) created[0] = made.output;
    popir::advance(graph, flags, state[0], made.output, once, name);
    return once;
  };
  OptionFlags none;
  const auto last = rnn::Rnn(graph, params.rnn, false, {stateInit}, {}, {in, scoresBySteps(scores)},
                             nullptr, intermediates, {}, full ? Tensors{outputs} : Tensors{}, prog,
                             cell, 1, none, context);
  return full ? outputs : last[0];
}

Tensor runBackward(Graph& graph, const Layer& layer, Sequence& prog, const Tensor& fwdIntermediates,
                   const GruWeights& weights, const Tensor& outputGrad, Tensor* inputGrad,
                   Tensor* bwdIntermediates, const Tensor& scores, Tensor* scoresGrad,
                   const DebugContext& context, PlanningCache* cache) {
  const auto& params = layer.params;
  layer.check(weights);
  const bool full = params.outputFullSequence;
  popir::checkOperand(layer.who, "the gradient of the output", outputGrad, params.rnn,
                      full ? std::vector<std::size_t>{layer.steps, layer.batch, layer.out}
                           : std::vector<std::size_t>{layer.batch, layer.out});
  popir::checkOperand(layer.who, "what the forward pass kept", fwdIntermediates, params.rnn,
                      {layer.steps, layer.kept(), layer.batch, layer.out});
  auto state = outputGrad;
  if (full) {
    state = graph.addVariable(params.rnn.dataType, {layer.batch, layer.out}, context);
    poputil::mapTensorLinearly(graph, state);
    popops::zero(graph, state, prog, context);
  }
  auto sums = rnn::createOutputTensor(graph, params.rnn, static_cast<unsigned>(layer.gradients()),
                                      1, {context, "units"})
                  .reshapePartial(0, 1, {layer.steps, layer.gradients()});
  if (layer.varies()) popops::zero(graph, sums, prog, context);
  Tensors created;
  if (scores.valid() && scoresGrad != nullptr) {
    created = {rnn::createRecurrentTensor(graph, params.rnn, 1, 1, {context, "attentionGrad"})};
    if (layer.varies()) popops::zero(graph, created[0], prog, context);
  }
  const auto cell = [&](Graph&, const rnn::TimeStepState&, const rnn::RnnBatchwiseFlags& flags,
                        Tensors& carried, const rnn::RnnSlice& slice, Tensors& per, Sequence*,
                        const DebugNameAndId& name) {
    Sequence once(name);
    auto grad = carried[0];
    if (full) grad = popops::add(graph, grad, slice.inputs[0], once, name);
    const auto made = backward(graph, layer, slice.interimIn, slice.inputs[1], grad, weights, flags,
                               once, name, cache);
    once.add(Copy(made.sums, slice.interimOut, false, name));
    if (!per.empty()) per[0] = made.scores;
    popir::advance(graph, flags, carried[0], made.before, once, name);
    return once;
  };
  OptionFlags none;
  const auto first = rnn::Rnn(graph, params.rnn, true, {state}, {},
                              {full ? outputGrad : Tensor(), scoresBySteps(scores)},
                              &fwdIntermediates, &sums, {}, created, prog, cell, 1, none, context);
  if (!created.empty()) *scoresGrad = created[0].squeeze({2}).transpose();
  if (inputGrad != nullptr) {
    const auto rows = sums.slice(0, kUnits, 1)
                          .dimShuffle({0, 2, 1, 3})
                          .reshape({layer.steps * layer.batch, kUnits * layer.out});
    *inputGrad = poplin::matMul(graph, rows, popir::flatUnits(weights.inputWeights).transpose(),
                                prog, context, layer.options.products, cache)
                     .reshape({layer.steps, layer.batch, layer.in});
  }
  if (bwdIntermediates != nullptr) *bwdIntermediates = sums;
  return first[0];
}

GruWeights weightGradients(Graph& graph, const Layer& layer, Sequence& prog,
                           const Tensor& fwdIntermediates, const Tensor& bwdIntermediates,
                           const Tensor& input, const DebugContext& context, PlanningCache* cache) {
  const auto& params = layer.params;
  layer.checkInput(input);
  popir::checkOperand(layer.who, "what the backward pass kept", bwdIntermediates, params.rnn,
                      {layer.steps, layer.gradients(), layer.batch, layer.out});
  const auto kept = fwdIntermediates.dimRoll(1);
  const auto before = kept[kBefore];
  const auto sums = bwdIntermediates.slice(0, kUnits, 1);
  const auto of = [&](const Tensor& from, const Tensor& grads) {
    return popir::weightGradient(graph, from, grads, layer.options, prog, context, cache);
  };
  GruWeights made;
  made.inputWeights = of(input, sums);
  const auto byUnits = sums.dimRoll(1);
  const auto gates = of(before, gatesOf(layer, byUnits).dimShuffle({1, 0, 2, 3}));
  const auto candidateSums = candidateOf(layer, byUnits).expand({1});
  Tensors recurrent(kUnits), biases(kUnits);
  recurrent[layer.at[BASIC_GRU_CELL_RESET_GATE]] = gates.slice(0, 1);
  recurrent[layer.at[BASIC_GRU_CELL_UPDATE_GATE]] = gates.slice(1, 2);
  auto& candidate = recurrent[layer.at[BASIC_GRU_CELL_CANDIDATE]];
  if (params.resetAfter) {
    candidate = of(before, bwdIntermediates.slice(kUnits, kUnits + 1, 1));
  } else {
    const auto reset = layer.unit(kept, BASIC_GRU_CELL_RESET_GATE);
    candidate = of(popops::mul(graph, reset, before, prog, context), candidateSums);
  }
  made.outputWeights = poplar::concat(recurrent);
  const auto all = popir::biasGradient(graph, bwdIntermediates, layer.options, prog, context);
  made.biases = all.slice(0, kUnits);
  if (params.resetAfter) {
    // The second bias of the gates has the gradient of their first.
    auto second = Tensors(kUnits);
    for (std::size_t i = 0; i < kUnits; ++i)
      second[i] = i == layer.at[BASIC_GRU_CELL_CANDIDATE] ? all.slice(kUnits, kUnits + 1)
                                                          : all.slice(i, i + 1);
    made.biases = poplar::concat(made.biases.expand({1}), poplar::concat(second).expand({1}), 1);
  }
  return made;
}

GruParams withSteps(const GruParams& params, const Tensor& steps) {
  auto made = params;
  made.rnn.varTimeSteps = steps;
  return made;
}

std::uint64_t all(const GruParams& params) {
  return std::uint64_t{params.rnn.maxTimeSteps} * params.rnn.batchSize * params.rnn.layerSizes[1];
}

}  // namespace

const std::vector<BasicGruCellUnit> getDefaultBasicGruCellOrder() {
  return {BASIC_GRU_CELL_RESET_GATE, BASIC_GRU_CELL_UPDATE_GATE, BASIC_GRU_CELL_CANDIDATE};
}

GruParams::GruParams(poplar::Type type, std::size_t batch, std::size_t steps,
                     std::vector<std::size_t> sizes, NonLinearityType function,
                     NonLinearityType recurrentFunction)
    : GruParams(type, batch, steps, Tensor(), std::move(sizes), function, recurrentFunction) {}
GruParams::GruParams(poplar::Type type, std::size_t batch, std::size_t maxTimeSteps,
                     const Tensor& steps, std::vector<std::size_t> sizes, NonLinearityType function,
                     NonLinearityType recurrentFunction)
    : rnn(type, batch, maxTimeSteps, steps, sizes),
      dataType(type),
      batchSize(batch),
      timeSteps(maxTimeSteps),
      layerSizes(std::move(sizes)),
      activation(function),
      recurrentActivation(recurrentFunction) {}

// An operation is a multiplication or an addition. A step has three products of vectors and two
// sums forward, and three and five backward, where the gates' and the candidate's gradients go
// through weights of their own.
std::uint64_t getBasicGruCellFwdFlops(const GruParams& params) {
  return all(params) * (2 * kUnits * (params.rnn.layerSizes[0] + params.rnn.layerSizes[1]) + 5);
}
std::uint64_t getBasicGruCellBwdFlops(const GruParams& params) {
  const std::uint64_t in = params.calcInputGradients ? params.rnn.layerSizes[0] : 0;
  return all(params) * (2 * kUnits * (in + 2 * params.rnn.layerSizes[1]) + 8);
}
std::uint64_t getBasicGruCellWuFlops(const GruParams& params) {
  return all(params) * 2 * kUnits * (params.rnn.layerSizes[0] + params.rnn.layerSizes[1] + 1);
}

Tensor createInput(Graph& graph, const GruParams& params, const DebugContext& debugContext,
                   const OptionFlags& options, PlanningCache*) {
  const Layer layer(params, "gru::createInput", options);
  return rnn::createInputTensor(graph, params.rnn, 1, debugContext);
}
Tensor createInitialState(Graph& graph, const GruParams& params, const DebugContext& debugContext,
                          const OptionFlags& options, PlanningCache*) {
  const Layer layer(params, "gru::createInitialState", options);
  return rnn::createInitialState(graph, params.rnn, true, 1, 1, debugContext)[0];
}
std::pair<Tensor, Tensor> createWeightsKernel(Graph& graph, const GruParams& params,
                                              const DebugContext& debugContext,
                                              const OptionFlags& options,
                                              PlanningCache* planningCache) {
  const Layer layer(params, "gru::createWeightsKernel", options);
  return {popir::createUnits(graph, params.rnn, kUnits, layer.in, {debugContext, "inputWeights"},
                             layer.options, planningCache),
          popir::createUnits(graph, params.rnn, kUnits, layer.out, {debugContext, "outputWeights"},
                             layer.options, planningCache)};
}
Tensor createWeightsBiases(Graph& graph, const GruParams& params, const DebugContext& debugContext,
                           const OptionFlags& options, PlanningCache*) {
  const Layer layer(params, "gru::createWeightsBiases", options);
  const auto biases =
      graph.addVariable(params.rnn.dataType, layer.biasShape(), {debugContext, "biases"});
  poputil::mapTensorLinearly(graph, biases);
  return biases;
}
GruWeights createWeights(Graph& graph, const GruParams& params, const DebugContext& debugContext,
                         const OptionFlags& options, PlanningCache* planningCache) {
  const auto kernel = createWeightsKernel(graph, params, debugContext, options, planningCache);
  return {kernel.first, kernel.second,
          createWeightsBiases(graph, params, debugContext, options, planningCache)};
}
Tensor createAttention(Graph& graph, const GruParams& params, const DebugContext& debugContext,
                       const OptionFlags& options) {
  const Layer layer(params, "gru::createAttention", options);
  return rnn::createRecurrentTensor(graph, params.rnn, 1, 1, debugContext).squeeze({2}).transpose();
}

Tensor gruFwd(Graph& graph, const GruParams& params, const Tensor& stateInit, const Tensor& in,
              const GruWeights& weights, Tensor* intermediates, Sequence& fwdProg,
              const DebugContext& debugContext, const OptionFlags& options,
              PlanningCache* planningCache) {
  const Layer layer(params, "gru::gruFwd", options);
  return runForward(graph, layer, stateInit, in, weights, intermediates, Tensor(), fwdProg,
                    {debugContext, "gruFwd"}, planningCache);
}
Tensor gruFwd(Graph& graph, const GruParams& params, const Tensor& stateInit, const Tensor& in,
              const Tensor& realTimeSteps, const GruWeights& weights, Tensor* intermediates,
              Sequence& fwdProg, const DebugContext& debugContext, const OptionFlags& options,
              PlanningCache* planningCache) {
  return gruFwd(graph, withSteps(params, realTimeSteps), stateInit, in, weights, intermediates,
                fwdProg, debugContext, options, planningCache);
}
Tensor auGruFwd(Graph& graph, const GruParams& params, const Tensor& stateInit, const Tensor& in,
                const GruWeights& weights, Tensor* intermediates, const Tensor& attScores,
                Sequence& fwdProg, const DebugContext& debugContext, const OptionFlags& options,
                PlanningCache* planningCache) {
  const Layer layer(params, "gru::auGruFwd", options);
  layer.checkScores(attScores);
  return runForward(graph, layer, stateInit, in, weights, intermediates, attScores, fwdProg,
                    {debugContext, "auGruFwd"}, planningCache);
}
Tensor auGruFwd(Graph& graph, const GruParams& params, const Tensor& stateInit, const Tensor& in,
                const Tensor& realTimeSteps, const GruWeights& weights, Tensor* intermediates,
                const Tensor& attScores, Sequence& fwdProg, const DebugContext& debugContext,
                const OptionFlags& options, PlanningCache* planningCache) {
  return auGruFwd(graph, withSteps(params, realTimeSteps), stateInit, in, weights, intermediates,
                  attScores, fwdProg, debugContext, options, planningCache);
}

Tensor gruBwd(Graph& graph, const GruParams& params, Sequence& prog, const Tensor&,
              const Tensor& fwdIntermediates, const GruWeights& weights, const Tensor&,
              const Tensor&, const Tensor& gradLayerNext, Tensor* inputGrad,
              Tensor* bwdIntermediates, const DebugContext& debugContext,
              const OptionFlags& options, PlanningCache* planningCache) {
  const Layer layer(params, "gru::gruBwd", options);
  return runBackward(graph, layer, prog, fwdIntermediates, weights, gradLayerNext, inputGrad,
                     bwdIntermediates, Tensor(), nullptr, {debugContext, "gruBwd"}, planningCache);
}
Tensor gruBwd(Graph& graph, const GruParams& params, Sequence& prog, const Tensor& fwdOutputInit,
              const Tensor& fwdIntermediates, const GruWeights& weights, const Tensor& fwdInputSeq,
              const Tensor& realTimeSteps, const Tensor& fwdOutput, const Tensor& gradLayerNext,
              Tensor* inputGrad, Tensor* bwdIntermediates, const DebugContext& debugContext,
              const OptionFlags& options, PlanningCache* planningCache) {
  return gruBwd(graph, withSteps(params, realTimeSteps), prog, fwdOutputInit, fwdIntermediates,
                weights, fwdInputSeq, fwdOutput, gradLayerNext, inputGrad, bwdIntermediates,
                debugContext, options, planningCache);
}
Tensor auGruBwd(Graph& graph, const GruParams& params, Sequence& prog, const Tensor&,
                const Tensor& fwdIntermediates, const GruWeights& weights, const Tensor&,
                const Tensor&, const Tensor& gradLayerNext, Tensor* inputGrad,
                Tensor* bwdIntermediates, const Tensor& attentions, Tensor* attentionsGrad,
                const DebugContext& debugContext, const OptionFlags& options,
                PlanningCache* planningCache) {
  const Layer layer(params, "gru::auGruBwd", options);
  layer.checkScores(attentions);
  return runBackward(graph, layer, prog, fwdIntermediates, weights, gradLayerNext, inputGrad,
                     bwdIntermediates, attentions, attentionsGrad, {debugContext, "auGruBwd"},
                     planningCache);
}
Tensor auGruBwd(Graph& graph, const GruParams& params, Sequence& prog, const Tensor& fwdOutputInit,
                const Tensor& fwdIntermediates, const GruWeights& weights,
                const Tensor& fwdInputSeq, const Tensor& realTimeSteps, const Tensor& fwdOutput,
                const Tensor& gradLayerNext, Tensor* inputGrad, Tensor* bwdIntermediates,
                const Tensor& attentions, Tensor* attentionsGrad, const DebugContext& debugContext,
                const OptionFlags& options, PlanningCache* planningCache) {
  return auGruBwd(graph, withSteps(params, realTimeSteps), prog, fwdOutputInit, fwdIntermediates,
                  weights, fwdInputSeq, fwdOutput, gradLayerNext, inputGrad, bwdIntermediates,
                  attentions, attentionsGrad, debugContext, options, planningCache);
}

GruWeights gruWU(Graph& graph, const GruParams& params, Sequence& prog, const Tensor&,
                 const Tensor& fwdIntermediates, const Tensor& bwdIntermediates,
                 const GruWeights& weights, const Tensor& input, const Tensor&,
                 const DebugContext& debugContext, const OptionFlags& options,
                 PlanningCache* planningCache) {
  const Layer layer(params, "gru::gruWU", options);
  layer.check(weights);
  return weightGradients(graph, layer, prog, fwdIntermediates, bwdIntermediates, input,
                         {debugContext, "gruWU"}, planningCache);
}
GruWeights auGruWU(Graph& graph, const GruParams& params, Sequence& prog,
                   const Tensor& fwdOutputInit, const Tensor& fwdIntermediates,
                   const Tensor& bwdIntermediates, const GruWeights& weights, const Tensor& input,
                   const Tensor& output, const DebugContext& debugContext,
                   const OptionFlags& options, PlanningCache* planningCache) {
  return gruWU(graph, params, prog, fwdOutputInit, fwdIntermediates, bwdIntermediates, weights,
               input, output, debugContext, options, planningCache);
}

Tensor gruBwdWithWU(Graph& graph, const GruParams& params, Sequence& prog,
                    const Tensor& fwdOutputInit, const Tensor& fwdIntermediates,
                    const GruWeights& weights, const Tensor& input, const Tensor& output,
                    const Tensor& outputGrad, Tensor* inputGrad, GruWeights& weightsGrad,
                    const DebugContext& debugContext, const OptionFlags& options,
                    PlanningCache* planningCache) {
  Tensor kept;
  const auto state =
      gruBwd(graph, params, prog, fwdOutputInit, fwdIntermediates, weights, input, output,
             outputGrad, inputGrad, &kept, debugContext, options, planningCache);
  weightsGrad = gruWU(graph, params, prog, fwdOutputInit, fwdIntermediates, kept, weights, input,
                      output, debugContext, options, planningCache);
  return state;
}
Tensor gruBwdWithWU(Graph& graph, const GruParams& params, Sequence& prog,
                    const Tensor& fwdOutputInit, const Tensor& fwdIntermediates,
                    const GruWeights& weights, const Tensor& input, const Tensor& realTimeSteps,
                    const Tensor& output, const Tensor& outputGrad, Tensor* inputGrad,
                    GruWeights& weightsGrad, const DebugContext& debugContext,
                    const OptionFlags& options, PlanningCache* planningCache) {
  return gruBwdWithWU(graph, withSteps(params, realTimeSteps), prog, fwdOutputInit,
                      fwdIntermediates, weights, input, output, outputGrad, inputGrad, weightsGrad,
                      debugContext, options, planningCache);
}
Tensor auGruBwdWithWU(Graph& graph, const GruParams& params, Sequence& prog,
                      const Tensor& fwdOutputInit, const Tensor& fwdIntermediates,
                      const GruWeights& weights, const Tensor& input, const Tensor& output,
                      const Tensor& outputGrad, Tensor* inputGrad, GruWeights& weightsGrad,
                      const Tensor& attentions, Tensor* attentionsGrad,
                      const DebugContext& debugContext, const OptionFlags& options,
                      PlanningCache* planningCache) {
  Tensor kept;
  const auto state = auGruBwd(graph, params, prog, fwdOutputInit, fwdIntermediates, weights, input,
                              output, outputGrad, inputGrad, &kept, attentions, attentionsGrad,
                              debugContext, options, planningCache);
  weightsGrad = gruWU(graph, params, prog, fwdOutputInit, fwdIntermediates, kept, weights, input,
                      output, debugContext, options, planningCache);
  return state;
}
Tensor auGruBwdWithWU(Graph& graph, const GruParams& params, Sequence& prog,
                      const Tensor& fwdOutputInit, const Tensor& fwdIntermediates,
                      const GruWeights& weights, const Tensor& input, const Tensor& realTimeSteps,
                      const Tensor& output, const Tensor& outputGrad, Tensor* inputGrad,
                      GruWeights& weightsGrad, const Tensor& attentions, Tensor* attentionsGrad,
                      const DebugContext& debugContext, const OptionFlags& options,
                      PlanningCache* planningCache) {
  return auGruBwdWithWU(graph, withSteps(params, realTimeSteps), prog, fwdOutputInit,
                        fwdIntermediates, weights, input, output, outputGrad, inputGrad,
                        weightsGrad, attentions, attentionsGrad, debugContext, options,
                        planningCache);
}

}  // namespace gru
}  // namespace popnn
