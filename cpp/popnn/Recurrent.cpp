#include <popnn/Recurrent.hpp>
#include <popnn/Rnn.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <popops/Zero.hpp>
#include <poputil/exceptions.hpp>

#include "popnn/cells.hpp"

namespace popnn {
namespace rnn {
namespace {

using poplar::DebugContext;
using poplar::DebugNameAndId;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::Type;
using poplar::program::Sequence;
using poplin::PlanningCache;
using Tensors = std::vector<Tensor>;

OptionFlags products(const Type& partialsType) {
  return {{"partialsType", partialsType.toString()}};
}

/// The parameters of rnn::Rnn() for a sequence [steps, batch, in].
RnnParams paramsOf(const char* who, const Tensor& sequence, const Tensor& feedbackWeights) {
  if (sequence.rank() != 3 || feedbackWeights.rank() != 2)
    throw poputil::poplibs_error(std::string("popnn::rnn::") + who + ": a sequence of " +
                                 sequence.shapeToString() + " and feedback weights of " +
                                 feedbackWeights.shapeToString() +
                                 "; give [steps, batch, size] and [size, size]");
  return {sequence.elementType(),
          sequence.dim(1),
          sequence.dim(0),
          {sequence.dim(2), feedbackWeights.dim(1)}};
}

/// f(feedFwd + state Wfb + b).
Tensor step(Graph& graph, const Tensor& feedFwd, const Tensor& state, const Tensor& weights,
            const Tensor& biases, NonLinearityType function, const Type& partialsType,
            Sequence& prog, const DebugContext& context, PlanningCache* cache) {
  const auto sum =
      poplin::matMul(graph, state, weights, prog, context, products(partialsType), cache);
  popops::addInPlace(graph, sum, feedFwd, prog, context);
  popops::addInPlace(graph, sum, biases.expand({0}), prog, context);
  nonLinearityInPlace(graph, function, sum, prog, context);
  return sum;
}

Tensor stateGradient(Graph& graph, const Tensor& nextLayerGrad, const Tensor& bwdState,
                     const Tensor& actOut, const Tensor& weightsFeedback, NonLinearityType function,
                     const Type& partialsType, Sequence& prog, const DebugContext& context,
                     PlanningCache* cache) {
  const auto grad = poplin::matMul(graph, bwdState, weightsFeedback.transpose(), prog, context,
                                   products(partialsType), cache);
  popops::addInPlace(graph, grad, nextLayerGrad, prog, context);
  return nonLinearityInputGradient(graph, function, actOut, grad, prog, context);
}

}  // namespace

std::vector<std::pair<poplin::MatMulParams, OptionFlags>> getMatMulPrePlanParameters(
    std::size_t numSteps, std::size_t batchSize, std::size_t inputSize, std::size_t outputSize,
    const Type& dType, const Type& partialsType, bool inferenceOnly, bool hasFeedforwardWeights) {
  std::vector<popir::PlannedProduct> made;
  const auto add = [&](const char* pass, std::size_t rows, std::size_t inner, std::size_t columns) {
    made.push_back(
        popir::plannedProduct(dType, products(partialsType), pass, rows, inner, columns));
  };
  const auto layer = [&](std::size_t rows, std::size_t inner) {
    add(inferenceOnly ? "INFERENCE_FWD" : "TRAINING_FWD", rows, inner, outputSize);
    if (inferenceOnly) return;
    add("TRAINING_BWD", batchSize, outputSize, inner);
    add("TRAINING_WU", inner, batchSize, outputSize);
  };
  if (hasFeedforwardWeights) layer(numSteps * batchSize, inputSize);
  layer(batchSize, outputSize);
  return made;
}

// A product [m, k] x [k, n] has m k n multiplications and m (k - 1) n additions; forward, the bias
// and the two products are added, and a gradient of weights is added to what it updates.
std::uint64_t getFwdFlops(unsigned sequenceSize, unsigned batchSize, unsigned inputSize,
                          unsigned outputSize, bool weightInput) {
  const std::uint64_t rows = std::uint64_t{sequenceSize} * batchSize, out = outputSize;
  return rows * out * (2 * out - 1) + 2 * std::uint64_t{sequenceSize} * out +
         (weightInput ? rows * out * (2 * std::uint64_t{inputSize} - 1) : 0);
}
std::uint64_t getBwdFlops(unsigned sequenceSize, unsigned batchSize, unsigned inputSize,
                          unsigned outputSize, bool calcInputGrad) {
  const std::uint64_t rows = std::uint64_t{sequenceSize} * batchSize, out = outputSize;
  return rows * out * (2 * out - 1) +
         (calcInputGrad ? rows * out * (2 * std::uint64_t{inputSize} - 1) : 0);
}
std::uint64_t getWuFlops(unsigned sequenceSize, unsigned batchSize, unsigned inputSize,
                         unsigned outputSize) {
  const std::uint64_t rows = std::uint64_t{sequenceSize} * batchSize, out = outputSize;
  const std::uint64_t weights = out * inputSize + out * out;
  return weights * (2 * rows - 1) + (rows - 1) * out + weights + out;
}

Tensor createInput(Graph& graph, unsigned numSteps, unsigned batchSize, unsigned inputSize,
                   unsigned outputSize, const Type& dType, const Type&, bool,
                   const DebugContext& debugContext, PlanningCache*) {
  return createInputTensor(graph, {dType, batchSize, numSteps, {inputSize, outputSize}}, 1,
                           debugContext);
}
Tensor createFwdState(Graph& graph, const Type& dType, unsigned batchSize, unsigned outputSize,
                      Sequence& prog, bool initState, bool, const DebugContext& debugContext,
                      PlanningCache* planningCache) {
  const DebugContext context(debugContext, "state");
  const auto made = poplin::createMatMulInputLHS(
      graph, dType, {batchSize, outputSize}, {outputSize, outputSize}, context, {}, planningCache);
  if (initState) popops::zero(graph, made, prog, context);
  return made;
}
Tensor getOutputFromFwdState(const Tensor& fwdState) { return fwdState; }
Tensor createBwdState(Graph& graph, const Type& dType, unsigned batchSize, unsigned outputSize,
                      Sequence& prog, const DebugContext& debugContext,
                      PlanningCache* planningCache) {
  return createFwdState(graph, dType, batchSize, outputSize, prog, true, false, debugContext,
                        planningCache);
}

Tensor createWeightsInput(Graph& graph, unsigned sequenceSize, unsigned batchSize,
                          unsigned inputSize, unsigned outputSize, const Type& dType,
                          const Type& partialsType, bool, const DebugContext& debugContext,
                          PlanningCache* planningCache) {
  return poplin::createMatMulInputRHS(
      graph, dType, {std::size_t{sequenceSize} * batchSize, inputSize}, {inputSize, outputSize},
      {debugContext, "weightsInput"}, products(partialsType), planningCache);
}
Tensor createWeightsFeedback(Graph& graph, unsigned batchSize, unsigned outputSize,
                             const Type& dType, const Type& partialsType, bool,
                             const DebugContext& debugContext, PlanningCache* planningCache) {
  return poplin::createMatMulInputRHS(graph, dType, {batchSize, outputSize},
                                      {outputSize, outputSize}, {debugContext, "weightsFeedback"},
                                      products(partialsType), planningCache);
}

Tensor forwardWeightInput(Graph& graph, const Tensor& actIn, const Tensor& weights, Sequence& prog,
                          const Type& partialsType, bool, const DebugContext& debugContext,
                          PlanningCache* planningCache) {
  const auto rows = actIn.reshapePartial(0, 2, {actIn.dim(0) * actIn.dim(1)});
  return poplin::matMul(graph, rows, weights, prog, {debugContext, "feedForward"},
                        products(partialsType), planningCache)
      .reshape({actIn.dim(0), actIn.dim(1), weights.dim(1)});
}

Tensor forwardIterate(Graph& graph, const Tensor& feedFwdIn, const Tensor& initState,
                      const Tensor& feedbackWeights, const Tensor& biases, Sequence& prog,
                      NonLinearityType nonLinearityType, const Type& partialsType, bool,
                      const DebugContext& debugContext, PlanningCache* planningCache) {
  const DebugContext context(debugContext, "feedback");
  Tensors outputs;
  auto state = initState;
  for (std::size_t s = 0; s < feedFwdIn.dim(0); ++s) {
    state = step(graph, feedFwdIn[s], state, feedbackWeights, biases, nonLinearityType,
                 partialsType, prog, {context, std::to_string(s)}, planningCache);
    outputs.push_back(state.expand({0}));
  }
  return poplar::concat(outputs);
}

std::pair<Tensor, Tensor> backwardGradientStep(
    Graph& graph, const Tensor& nextLayerGrad, const Tensor& bwdState, const Tensor& actOut,
    const Tensor& weightsInput, const Tensor& weightsFeedback, Sequence& prog,
    NonLinearityType nonLinearityType, const Type& partialsType, const DebugContext& debugContext,
    PlanningCache* planningCache) {
  const auto state =
      backwardGradientStep(graph, nextLayerGrad, bwdState, actOut, weightsFeedback, prog,
                           nonLinearityType, partialsType, debugContext, planningCache);
  const auto input =
      poplin::matMul(graph, state, weightsInput.transpose(), prog, {debugContext, "inputGrad"},
                     products(partialsType), planningCache);
  return {input, state};
}
Tensor backwardGradientStep(Graph& graph, const Tensor& nextLayerGrad, const Tensor& bwdState,
                            const Tensor& actOut, const Tensor& weightsFeedback, Sequence& prog,
                            NonLinearityType nonLinearityType, const Type& partialsType,
                            const DebugContext& debugContext, PlanningCache* planningCache) {
  return stateGradient(graph, nextLayerGrad, bwdState, actOut, weightsFeedback, nonLinearityType,
                       partialsType, prog, {debugContext, "backward"}, planningCache);
}

void paramDeltaUpdate(Graph& graph, const Tensor& bwdState, const Tensor& actIn,
                      const Tensor& prevOut, Tensor& weightsInputDeltasAcc,
                      Tensor& weightsFeedbackDeltasAcc, Tensor& biasDeltasAcc, Sequence& prog,
                      const Type& partialsType, const DebugContext& debugContext,
                      PlanningCache* planningCache) {
  const DebugContext context(debugContext, "deltas");
  const auto options = products(partialsType);
  poplin::matMulAcc(graph, weightsInputDeltasAcc, 1.0f, actIn.transpose(), bwdState, prog, context,
                    options, planningCache);
  poplin::matMulAcc(graph, weightsFeedbackDeltasAcc, 1.0f, prevOut.transpose(), bwdState, prog,
                    context, options, planningCache);
  popops::addInPlace(graph, biasDeltasAcc,
                     popops::reduce(graph, bwdState, {0}, popops::Operation::ADD, prog, context),
                     prog, context);
}

Tensor rnnFwdSequence(Graph& graph, Sequence& prog, const Tensor& fwdStateInit,
                      const Tensor* weightedIn, const Tensor& biases, const Tensor& feedFwdWeights,
                      const Tensor& feedbackWeights, const Tensor& prevLayerActs,
                      const NonLinearityType& nonLinearityType, const Type& partialsType,
                      bool inferenceOnly, const DebugContext& debugContext,
                      PlanningCache* planningCache) {
  const auto& sequence = weightedIn != nullptr ? *weightedIn : prevLayerActs;
  const auto params = paramsOf("rnnFwdSequence", sequence, feedbackWeights);
  const auto outputs = createOutputTensor(graph, params, 1, {debugContext, "output"});
  const auto cell = [&](Graph&, const TimeStepState&, const RnnBatchwiseFlags&, Tensors& state,
                        const RnnSlice& slice, Tensors&, Sequence*, const DebugNameAndId& name) {
    Sequence once(name);
    auto input = slice.inputs[0];
    if (weightedIn == nullptr)
      input = forwardWeightInput(graph, input.expand({0}), feedFwdWeights, once, partialsType,
                                 inferenceOnly, name, planningCache)[0];
    const auto next = step(graph, input, state[0], feedbackWeights, biases, nonLinearityType,
                           partialsType, once, name, planningCache);
    once.add(poplar::program::Copy(next, state[0], false, name));
    return once;
  };
  OptionFlags none;
  Rnn(graph, params, false, {fwdStateInit}, {outputs, 0}, {sequence}, nullptr, nullptr, {}, {},
      prog, cell, 1, none, debugContext);
  return outputs;
}

std::tuple<Tensor, Tensor, Tensor, Tensor> rnnBwdSequence(
    Graph& graph, bool doWU, bool ignoreInputGradientCalc, Sequence& prog,
    const Tensor& fwdStateInit, const Tensor& fwdState, const Tensor& biases,
    const Tensor& feedFwdWeights, const Tensor& feedbackWeights, const Tensor& outGradient,
    const Tensor& actIn, const NonLinearityType& nonLinearityType, const Type& partialsType,
    const DebugContext& debugContext, PlanningCache* planningCache) {
  const auto params = paramsOf("rnnBwdSequence", actIn, feedbackWeights);
  const auto states = createOutputTensor(graph, params, 1, {debugContext, "states"});
  const auto first = createBwdState(graph, params.dataType, static_cast<unsigned>(params.batchSize),
                                    static_cast<unsigned>(params.layerSizes[1]), prog, debugContext,
                                    planningCache);
  const auto cell = [&](Graph&, const TimeStepState&, const RnnBatchwiseFlags&, Tensors& state,
                        const RnnSlice& slice, Tensors&, Sequence*, const DebugNameAndId& name) {
    Sequence once(name);
    const auto next =
        stateGradient(graph, slice.inputs[0], state[0], slice.inputs[1], feedbackWeights,
                      nonLinearityType, partialsType, once, name, planningCache);
    once.add(poplar::program::Copy(next, state[0], false, name));
    return once;
  };
  OptionFlags none;
  Rnn(graph, params, true, {first}, {states, 0}, {outGradient.dimShuffle({1, 0, 2}), fwdState},
      nullptr, nullptr, {}, {}, prog, cell, 1, none, debugContext);

  const std::size_t samples = params.maxTimeSteps * params.batchSize;
  const auto rows = [&](const Tensor& t) { return t.reshape({samples, t.dim(2)}); };
  const auto product = [&](const Tensor& a, const Tensor& b) {
    return poplin::matMul(graph, a, b, prog, debugContext, products(partialsType), planningCache);
  };
  Tensor input, feedForward, feedback, bias;
  if (!ignoreInputGradientCalc)
    input = product(rows(states), feedFwdWeights.transpose()).reshape(actIn.shape());
  if (doWU) {
    feedForward = product(rows(actIn).transpose(), rows(states));
    feedback = product(rows(popir::statesBefore(fwdStateInit, fwdState)).transpose(), rows(states));
    bias = popops::reduce(graph, rows(states), {0}, popops::Operation::ADD, prog, debugContext)
               .reshape(biases.shape());
  }
  return {input, feedForward, feedback, bias};
}

}  // namespace rnn
}  // namespace popnn
