// Recurrent networks of the simplest cell. After popnn/Recurrent.hpp of PopLibs 3.
//
// A step, for the input x and the output h of the step before: h = f(x Wff + h Wfb + b), with any
// non-linearity f. Sequences are [steps, batch, size]; the input weights Wff [input size, output
// size], the feedback weights Wfb [output size, output size]. What the inputs contribute can be
// computed for all steps at once: forwardWeightInput(), then forwardIterate().
//
// `inferenceOnly` and `planningCache`, which may be null, change no result.
// \throws poputil::poplibs_error if shapes do not match
#ifndef popnn_Recurrent_hpp
#define popnn_Recurrent_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplin/MatMul.hpp>
#include <popnn/NonLinearity.hpp>

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace popnn {
namespace rnn {

/// The products that a layer makes in all its passes.
std::vector<std::pair<poplin::MatMulParams, poplar::OptionFlags>> getMatMulPrePlanParameters(
    std::size_t numSteps, std::size_t batchSize, std::size_t inputSize, std::size_t outputSize,
    const poplar::Type& dType, const poplar::Type& partialsType = poplar::FLOAT,
    bool inferenceOnly = false, bool hasFeedforwardWeights = true);

/// How many operations of floats a pass has, without the activations' own.
std::uint64_t getFwdFlops(unsigned sequenceSize, unsigned batchSize, unsigned inputSize,
                          unsigned outputSize, bool weightInput = true);
std::uint64_t getBwdFlops(unsigned sequenceSize, unsigned batchSize, unsigned inputSize,
                          unsigned outputSize, bool calcInputGrad = true);
std::uint64_t getWuFlops(unsigned sequenceSize, unsigned batchSize, unsigned inputSize,
                         unsigned outputSize);

/// Creates the input: [numSteps, batchSize, inputSize].
poplar::Tensor createInput(poplar::Graph& graph, unsigned numSteps, unsigned batchSize,
                           unsigned inputSize, unsigned outputSize, const poplar::Type& dType,
                           const poplar::Type& partialsType = poplar::FLOAT,
                           bool inferenceOnly = false,
                           const poplar::DebugContext& debugContext = {},
                           poplin::PlanningCache* planningCache = nullptr);

/// Creates the state before the first step, the output [batchSize, outputSize]; with `initState`
/// the program sets it to zeros.
poplar::Tensor createFwdState(poplar::Graph& graph, const poplar::Type& dType, unsigned batchSize,
                              unsigned outputSize, poplar::program::Sequence& prog, bool initState,
                              bool inferenceOnly, const poplar::DebugContext& debugContext = {},
                              poplin::PlanningCache* planningCache = nullptr);
/// The output that a state holds: the state itself.
poplar::Tensor getOutputFromFwdState(const poplar::Tensor& fwdState);

/// Create weights.
poplar::Tensor createWeightsInput(poplar::Graph& graph, unsigned sequenceSize, unsigned batchSize,
                                  unsigned inputSize, unsigned outputSize,
                                  const poplar::Type& dType,
                                  const poplar::Type& partialsType = poplar::FLOAT,
                                  bool inferenceOnly = false,
                                  const poplar::DebugContext& debugContext = {},
                                  poplin::PlanningCache* planningCache = nullptr);
poplar::Tensor createWeightsFeedback(poplar::Graph& graph, unsigned batchSize, unsigned outputSize,
                                     const poplar::Type& dType,
                                     const poplar::Type& partialsType = poplar::FLOAT,
                                     bool inferenceOnly = false,
                                     const poplar::DebugContext& debugContext = {},
                                     poplin::PlanningCache* planningCache = nullptr);

/// Returns x Wff of all steps: [numSteps, batchSize, outputSize].
poplar::Tensor forwardWeightInput(poplar::Graph& graph, const poplar::Tensor& actIn,
                                  const poplar::Tensor& weights, poplar::program::Sequence& prog,
                                  const poplar::Type& partialsType = poplar::FLOAT,
                                  bool inferenceOnly = false,
                                  const poplar::DebugContext& debugContext = {},
                                  poplin::PlanningCache* planningCache = nullptr);
/// Returns the outputs of all steps, one step after another without a loop.
/// \param feedFwdIn what forwardWeightInput() returned
poplar::Tensor forwardIterate(
    poplar::Graph& graph, const poplar::Tensor& feedFwdIn, const poplar::Tensor& initState,
    const poplar::Tensor& feedbackWeights, const poplar::Tensor& biases,
    poplar::program::Sequence& prog, popnn::NonLinearityType nonLinearityType,
    const poplar::Type& partialsType = poplar::FLOAT, bool inferenceOnly = false,
    const poplar::DebugContext& debugContext = {}, poplin::PlanningCache* planningCache = nullptr);

/// Creates the state before the first step of the backward pass, [batchSize, outputSize]: zeros.
poplar::Tensor createBwdState(poplar::Graph& graph, const poplar::Type& dType, unsigned batchSize,
                              unsigned outputSize, poplar::program::Sequence& prog,
                              const poplar::DebugContext& debugContext = {},
                              poplin::PlanningCache* planningCache = nullptr);

/// A step backward.
/// \param nextLayerGrad the gradient of the step's output
/// \param bwdState what the step after this one returned, or createBwdState()
/// \param actOut the step's output
/// \returns the gradient of the step's input, and the state for the step before: the gradient at
/// the sum. Without `weightsInput`, the state alone.
std::pair<poplar::Tensor, poplar::Tensor> backwardGradientStep(
    poplar::Graph& graph, const poplar::Tensor& nextLayerGrad, const poplar::Tensor& bwdState,
    const poplar::Tensor& actOut, const poplar::Tensor& weightsInput,
    const poplar::Tensor& weightsFeedback, poplar::program::Sequence& prog,
    popnn::NonLinearityType nonLinearityType, const poplar::Type& partialsType = poplar::FLOAT,
    const poplar::DebugContext& debugContext = {}, poplin::PlanningCache* planningCache = nullptr);
poplar::Tensor backwardGradientStep(poplar::Graph& graph, const poplar::Tensor& nextLayerGrad,
                                    const poplar::Tensor& bwdState, const poplar::Tensor& actOut,
                                    const poplar::Tensor& weightsFeedback,
                                    poplar::program::Sequence& prog,
                                    popnn::NonLinearityType nonLinearityType,
                                    const poplar::Type& partialsType = poplar::FLOAT,
                                    const poplar::DebugContext& debugContext = {},
                                    poplin::PlanningCache* planningCache = nullptr);

/// Adds what a step contributes to the gradients of weights and biases.
/// \param bwdState the state that backwardGradientStep() returned for the step
/// \param prevOut the output of the step before
void paramDeltaUpdate(poplar::Graph& graph, const poplar::Tensor& bwdState,
                      const poplar::Tensor& actIn, const poplar::Tensor& prevOut,
                      poplar::Tensor& weightsInputDeltasAcc,
                      poplar::Tensor& weightsFeedbackDeltasAcc, poplar::Tensor& biasDeltasAcc,
                      poplar::program::Sequence& prog,
                      const poplar::Type& partialsType = poplar::FLOAT,
                      const poplar::DebugContext& debugContext = {},
                      poplin::PlanningCache* planningCache = nullptr);

/// Returns the outputs of all steps, by a loop.
/// \param weightedIn what forwardWeightInput() returned; null to multiply `prevLayerActs`, the
/// input, by `feedFwdWeights` step by step
poplar::Tensor rnnFwdSequence(poplar::Graph& graph, poplar::program::Sequence& prog,
                              const poplar::Tensor& fwdStateInit, const poplar::Tensor* weightedIn,
                              const poplar::Tensor& biases, const poplar::Tensor& feedFwdWeights,
                              const poplar::Tensor& feedbackWeights,
                              const poplar::Tensor& prevLayerActs,
                              const popnn::NonLinearityType& nonLinearityType,
                              const poplar::Type& partialsType, bool inferenceOnly,
                              const poplar::DebugContext& debugContext = {},
                              poplin::PlanningCache* planningCache = nullptr);

/// The backward pass of rnnFwdSequence(), by a loop.
/// \param fwdState what rnnFwdSequence() returned
/// \param outGradient the gradient of it, as [batch, steps, output size]
/// \returns the gradients of input, Wff, Wfb and biases. With `ignoreInputGradientCalc` the first
/// is invalid; without `doWU` the others are.
std::tuple<poplar::Tensor, poplar::Tensor, poplar::Tensor, poplar::Tensor> rnnBwdSequence(
    poplar::Graph& graph, bool doWU, bool ignoreInputGradientCalc, poplar::program::Sequence& prog,
    const poplar::Tensor& fwdStateInit, const poplar::Tensor& fwdState,
    const poplar::Tensor& biases, const poplar::Tensor& feedFwdWeights,
    const poplar::Tensor& feedbackWeights, const poplar::Tensor& outGradient,
    const poplar::Tensor& actIn, const popnn::NonLinearityType& nonLinearityType,
    const poplar::Type& partialsType, const poplar::DebugContext& debugContext = {},
    poplin::PlanningCache* planningCache = nullptr);

}  // namespace rnn
}  // namespace popnn

#pragma GCC visibility pop

#endif
