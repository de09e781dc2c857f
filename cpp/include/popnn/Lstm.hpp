// Long short-term memory. After popnn/Lstm.hpp of PopLibs 3.
//
// A step of the cell, for the input x, the output h and the cell state c of the step before:
//   i, f, o = sigmoid(x W + h U + b) each;  g = tanh(x W + h U + b);  c = f c + i g;  h = o tanh(c)
// where `recurrentActivation` may take the place of sigmoid, and `activation` that of tanh.
//
// With steps that vary, a sample that has ended keeps its state, its outputs are 0, and what
// follows its end has no gradient.
//
// `popir options` lists `options` under popnn.recurrent; those of the forward and the backward pass
// may differ. `planningCache` may be null.
// \throws poputil::poplibs_error if sizes and tensors do not fit the parameters
// \throws poplar::invalid_option for any other option or value
#ifndef popnn_Lstm_hpp
#define popnn_Lstm_hpp

#include <poplar/Tensor.hpp>
#include <poplin/MatMul.hpp>
#include <popnn/LstmDef.hpp>
#include <popnn/NonLinearityDef.hpp>
#include <popnn/Rnn.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace popnn {
namespace lstm {

/// Forget gate, input gate, candidate, output gate.
const std::vector<BasicLstmCellUnit> getDefaultBasicLstmCellOrder();

/// The parameters of an LSTM layer.
struct LstmParams {
  rnn::RnnParams rnn;

  // Older names of what `rnn` holds, which nothing reads.
  poplar::Type dataType;
  std::size_t batchSize;
  std::size_t timeSteps;
  std::vector<std::size_t> layerSizes;

  /// Whether all steps' outputs are returned, and not the last one's alone.
  bool outputFullSequence = true;
  /// False: inputs count as 0, to time the rest.
  bool doInputWeightCalc = true;
  /// False: gradients of the inputs are not needed.
  bool calcInputGradients = true;
  /// Final states are always those of each sample's last step.
  bool preserveFinalState = false;
  /// The order of the units in weights and biases.
  std::vector<BasicLstmCellUnit> cellOrder = getDefaultBasicLstmCellOrder();
  NonLinearityType activation = NonLinearityType::TANH;
  NonLinearityType recurrentActivation = NonLinearityType::SIGMOID;

  LstmParams(poplar::Type dataType, std::size_t batchSize, std::size_t timeSteps,
             std::vector<std::size_t> layerSizes,
             NonLinearityType activation = NonLinearityType::TANH,
             NonLinearityType recurrentActivation = NonLinearityType::SIGMOID);
  LstmParams(poplar::Type dataType, std::size_t batchSize, std::size_t maxTimeSteps,
             const poplar::Tensor& timeSteps, std::vector<std::size_t> layerSizes,
             NonLinearityType activation = NonLinearityType::TANH,
             NonLinearityType recurrentActivation = NonLinearityType::SIGMOID);
};

/// The state of a layer, or its gradient: [batch, output size] each.
struct LstmState {
  poplar::Tensor output;
  poplar::Tensor cellState;

  /// Both in one: [2, batch, output size].
  poplar::Tensor getAsTensor() const;
};

/// The weights of a layer, or their gradients: [4, input size, output size],
/// [4, output size, output size] and [4, output size].
struct LstmWeights {
  poplar::Tensor inputWeights;
  poplar::Tensor outputWeights;
  poplar::Tensor biases;
};

/// The products that a layer makes in all its passes.
std::vector<std::pair<poplin::MatMulParams, poplar::OptionFlags>> getMatMulPrePlanParameters(
    LstmParams params, poplar::OptionFlags opts);

/// How many operations of floats a pass has, without the activations' own.
std::uint64_t getBasicLstmCellFwdFlops(const LstmParams& params);
std::uint64_t getBasicLstmCellBwdFlops(const LstmParams& params);
std::uint64_t getBasicLstmCellWuFlops(const LstmParams& params);

/// Create what the passes take: the input [steps, batch, input size], the state before the first
/// step, weights.
poplar::Tensor createInput(poplar::Graph& graph, const LstmParams& params,
                           const poplar::DebugContext& debugContext,
                           const poplar::OptionFlags& options = {},
                           poplin::PlanningCache* planningCache = nullptr);
poplar::Tensor createInitialOutput(poplar::Graph& graph, const LstmParams& params,
                                   const poplar::DebugContext& debugContext,
                                   const poplar::OptionFlags& options = {},
                                   poplin::PlanningCache* planningCache = nullptr);
poplar::Tensor createInitialCellState(poplar::Graph& graph, const LstmParams& params,
                                      const poplar::DebugContext& debugContext,
                                      const poplar::OptionFlags& options = {},
                                      poplin::PlanningCache* planningCache = nullptr);
LstmState createInitialState(poplar::Graph& graph, const LstmParams& params,
                             const poplar::DebugContext& debugContext,
                             const poplar::OptionFlags& options = {},
                             poplin::PlanningCache* planningCache = nullptr);
std::pair<poplar::Tensor, poplar::Tensor> createWeightsKernel(
    poplar::Graph& graph, const LstmParams& params, const poplar::DebugContext& debugContext,
    const poplar::OptionFlags& options = {}, poplin::PlanningCache* planningCache = nullptr);
poplar::Tensor createWeightsBiases(poplar::Graph& graph, const LstmParams& params,
                                   const poplar::DebugContext& debugContext,
                                   const poplar::OptionFlags& options = {},
                                   poplin::PlanningCache* planningCache = nullptr);
LstmWeights createWeights(poplar::Graph& graph, const LstmParams& params,
                          const poplar::DebugContext& debugContext,
                          const poplar::OptionFlags& options = {},
                          poplin::PlanningCache* planningCache = nullptr);

/// Sets a state to zeros.
void zeroInitialState(poplar::Graph& graph, const LstmState& initialState,
                      poplar::program::Sequence& prog,
                      const poplar::DebugContext& debugContext = {});

/// Runs the layer.
/// \param in [steps, batch, input size]
/// \param intermediates receives what the backward pass needs; null for inference
/// \returns the outputs, [steps, batch, output size] or those of the last step,
/// [batch, output size], and the last cell state
std::pair<poplar::Tensor, poplar::Tensor> lstmFwd(
    poplar::Graph& graph, const LstmParams& params, const LstmState& stateInit,
    const poplar::Tensor& in, const LstmWeights& weights, poplar::Tensor* intermediates,
    poplar::program::Sequence& fwdProg, const poplar::DebugContext& debugContext = {},
    const poplar::OptionFlags& options = {}, poplin::PlanningCache* planningCache = nullptr);

/// Returns the gradient of the state before the first step.
/// \param outputGrad the gradient of what lstmFwd() returned first
/// \param lastStepStateGrad gradients of the last step's state, added to `outputGrad`; null is
/// zeros. With steps that vary it is not read.
/// \param inputGrad receives the gradient of the input; may be null
/// \param bwdIntermediates receives what lstmWU() needs; may be null
LstmState lstmBwd(poplar::Graph& graph, const LstmParams& params, poplar::program::Sequence& prog,
                  const LstmState& fwdStateInit, const poplar::Tensor& fwdIntermediates,
                  const LstmWeights& weights, const poplar::Tensor& input,
                  const poplar::Tensor& output, const poplar::Tensor& outputGrad,
                  const LstmState* lastStepStateGrad, poplar::Tensor* inputGrad,
                  poplar::Tensor* bwdIntermediates, const poplar::DebugContext& debugContext = {},
                  const poplar::OptionFlags& options = {},
                  poplin::PlanningCache* planningCache = nullptr);
/// The same, with the gradient of the last cell state alone.
LstmState lstmBwd(poplar::Graph& graph, const LstmParams& params, poplar::program::Sequence& prog,
                  const LstmState& fwdStateInit, const poplar::Tensor& fwdIntermediates,
                  const LstmWeights& weights, const poplar::Tensor& input,
                  const poplar::Tensor& output, const poplar::Tensor& outputGrad,
                  const poplar::Tensor* lastCellStateGrad, poplar::Tensor* inputGrad,
                  poplar::Tensor* bwdIntermediates, const poplar::DebugContext& debugContext = {},
                  const poplar::OptionFlags& options = {},
                  poplin::PlanningCache* planningCache = nullptr);

/// Returns the gradients of the weights.
LstmWeights lstmWU(poplar::Graph& graph, const LstmParams& params, poplar::program::Sequence& prog,
                   const LstmState& fwdStateInit, const poplar::Tensor& fwdIntermediates,
                   const poplar::Tensor& bwdIntermediates, const LstmWeights& weights,
                   const poplar::Tensor& input, const poplar::Tensor& output,
                   const poplar::DebugContext& debugContext = {},
                   const poplar::OptionFlags& options = {},
                   poplin::PlanningCache* planningCache = nullptr);

/// lstmBwd() and lstmWU() in one.
LstmState lstmBwdWithWU(poplar::Graph& graph, const LstmParams& params,
                        poplar::program::Sequence& prog, const LstmState& fwdStateInit,
                        const poplar::Tensor& fwdIntermediates, const LstmWeights& weights,
                        const poplar::Tensor& input, const poplar::Tensor& output,
                        const poplar::Tensor& outputGrad, const LstmState* lastStepStateGrad,
                        poplar::Tensor* inputGrad, LstmWeights& weightsGrad,
                        const poplar::DebugContext& debugContext = {},
                        const poplar::OptionFlags& options = {},
                        poplin::PlanningCache* planningCache = nullptr);
LstmState lstmBwdWithWU(poplar::Graph& graph, const LstmParams& params,
                        poplar::program::Sequence& prog, const LstmState& fwdStateInit,
                        const poplar::Tensor& fwdIntermediates, const LstmWeights& weights,
                        const poplar::Tensor& input, const poplar::Tensor& output,
                        const poplar::Tensor& outputGrad, const poplar::Tensor* lastCellStateGrad,
                        poplar::Tensor* inputGrad, LstmWeights& weightsGrad,
                        const poplar::DebugContext& debugContext = {},
                        const poplar::OptionFlags& options = {},
                        poplin::PlanningCache* planningCache = nullptr);

}  // namespace lstm
}  // namespace popnn

#pragma GCC visibility pop

#endif
