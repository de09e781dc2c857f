// Gated recurrent units. After popnn/Gru.hpp of PopLibs 3.
//
// A step of the cell, for the input x and the output h of the step before:
//   r, u = sigmoid(x W + h U + b) each;  c = tanh(x W + (r h) U + b);  h = u h + (1 - u) c
// With `resetAfter` there are two biases, and c = tanh(x W + b0 + r (h U + b1)). With attention
// scores a (auGru...), u is (1 - a) times that. `recurrentActivation` may take the place of sigmoid,
// and `activation` that of tanh.
//
// With steps that vary (`realTimeSteps`, or those of the parameters), a sample that has ended keeps
// its state, its outputs are 0, and what follows its end has no gradient.
//
// `popir options` lists `options` under popnn.recurrent. `planningCache` may be null.
// \throws poputil::poplibs_error if sizes and tensors do not fit the parameters
// \throws poplar::invalid_option for any other option or value
#ifndef popnn_Gru_hpp
#define popnn_Gru_hpp

#include <poplar/Tensor.hpp>
#include <poplin/MatMul.hpp>
#include <popnn/GruDef.hpp>
#include <popnn/NonLinearityDef.hpp>
#include <popnn/Rnn.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace popnn {
namespace gru {

/// Reset gate, update gate, candidate.
const std::vector<BasicGruCellUnit> getDefaultBasicGruCellOrder();

/// The parameters of a GRU layer.
struct GruParams {
  rnn::RnnParams rnn;

  // Older names of what `rnn` holds, which nothing reads.
  poplar::Type dataType;
  std::size_t batchSize;
  std::size_t timeSteps;
  std::vector<std::size_t> layerSizes;

  /// Whether all steps' outputs are returned, and not the last one's alone.
  bool outputFullSequence = true;
  /// False: gradients of the inputs are not needed.
  bool calcInputGradients = true;
  /// The order of the units in weights and biases.
  std::vector<BasicGruCellUnit> cellOrder = getDefaultBasicGruCellOrder();
  /// Whether the reset gate applies to the candidate's product, and not to what goes into it.
  bool resetAfter = false;
  NonLinearityType activation = NonLinearityType::TANH;
  NonLinearityType recurrentActivation = NonLinearityType::SIGMOID;

  GruParams(poplar::Type dataType, std::size_t batchSize, std::size_t timeSteps,
            std::vector<std::size_t> layerSizes,
            NonLinearityType activation = NonLinearityType::TANH,
            NonLinearityType recurrentActivation = NonLinearityType::SIGMOID);
  GruParams(poplar::Type dataType, std::size_t batchSize, std::size_t maxTimeSteps,
            const poplar::Tensor& timeSteps, std::vector<std::size_t> layerSizes,
            NonLinearityType activation = NonLinearityType::TANH,
            NonLinearityType recurrentActivation = NonLinearityType::SIGMOID);
  GruParams(const GruParams& other) = default;
};

/// The weights of a layer, or their gradients: [3, input size, output size],
/// [3, output size, output size], and [3, output size], with resetAfter [3, 2, output size].
struct GruWeights {
  poplar::Tensor inputWeights;
  poplar::Tensor outputWeights;
  poplar::Tensor biases;
};

/// How many operations of floats a pass has, without the activations' own.
std::uint64_t getBasicGruCellFwdFlops(const GruParams& params);
std::uint64_t getBasicGruCellBwdFlops(const GruParams& params);
std::uint64_t getBasicGruCellWuFlops(const GruParams& params);

/// Create what the passes take: the input [steps, batch, input size], the output before the first
/// step [batch, output size], weights, attention scores [batch, steps].
poplar::Tensor createInput(poplar::Graph& graph, const GruParams& params,
                           const poplar::DebugContext& debugContext,
                           const poplar::OptionFlags& options = {},
                           poplin::PlanningCache* planningCache = nullptr);
poplar::Tensor createInitialState(poplar::Graph& graph, const GruParams& params,
                                  const poplar::DebugContext& debugContext,
                                  const poplar::OptionFlags& options, poplin::PlanningCache* cache);
std::pair<poplar::Tensor, poplar::Tensor> createWeightsKernel(
    poplar::Graph& graph, const GruParams& params, const poplar::DebugContext& debugContext,
    const poplar::OptionFlags& options = {}, poplin::PlanningCache* planningCache = nullptr);
poplar::Tensor createWeightsBiases(poplar::Graph& graph, const GruParams& params,
                                   const poplar::DebugContext& debugContext,
                                   const poplar::OptionFlags& options = {},
                                   poplin::PlanningCache* planningCache = nullptr);
GruWeights createWeights(poplar::Graph& graph, const GruParams& params,
                         const poplar::DebugContext& debugContext,
                         const poplar::OptionFlags& options = {},
                         poplin::PlanningCache* planningCache = nullptr);
poplar::Tensor createAttention(poplar::Graph& graph, const GruParams& params,
                               const poplar::DebugContext& debugContext,
                               const poplar::OptionFlags& options = {});

/// Runs the layer.
/// \param in [steps, batch, input size]
/// \param intermediates receives what the backward pass needs; null for inference
/// \returns the outputs, [steps, batch, output size] or those of the last step,
/// [batch, output size]
poplar::Tensor gruFwd(poplar::Graph& graph, const GruParams& params,
                      const poplar::Tensor& stateInit, const poplar::Tensor& in,
                      const GruWeights& weights, poplar::Tensor* intermediates,
                      poplar::program::Sequence& fwdProg,
                      const poplar::DebugContext& debugContext = {},
                      const poplar::OptionFlags& options = {},
                      poplin::PlanningCache* planningCache = nullptr);
poplar::Tensor gruFwd(poplar::Graph& graph, const GruParams& params,
                      const poplar::Tensor& stateInit, const poplar::Tensor& in,
                      const poplar::Tensor& realTimeSteps, const GruWeights& weights,
                      poplar::Tensor* intermediates, poplar::program::Sequence& fwdProg,
                      const poplar::DebugContext& debugContext = {},
                      const poplar::OptionFlags& options = {},
                      poplin::PlanningCache* planningCache = nullptr);

/// The same with attention scores, [batch, steps].
poplar::Tensor auGruFwd(poplar::Graph& graph, const GruParams& params,
                        const poplar::Tensor& stateInit, const poplar::Tensor& in,
                        const GruWeights& weights, poplar::Tensor* intermediates,
                        const poplar::Tensor& attScores, poplar::program::Sequence& fwdProg,
                        const poplar::DebugContext& debugContext = {},
                        const poplar::OptionFlags& options = {},
                        poplin::PlanningCache* planningCache = nullptr);
poplar::Tensor auGruFwd(poplar::Graph& graph, const GruParams& params,
                        const poplar::Tensor& stateInit, const poplar::Tensor& in,
                        const poplar::Tensor& realTimeSteps, const GruWeights& weights,
                        poplar::Tensor* intermediates, const poplar::Tensor& attScores,
                        poplar::program::Sequence& fwdProg,
                        const poplar::DebugContext& debugContext = {},
                        const poplar::OptionFlags& options = {},
                        poplin::PlanningCache* planningCache = nullptr);

/// Returns the gradient of the state before the first step.
/// \param gradLayerNext the gradient of what gruFwd() returned
/// \param inputGrad receives the gradient of the input; may be null
/// \param bwdIntermediates receives what gruWU() needs; may be null
poplar::Tensor gruBwd(poplar::Graph& graph, const GruParams& params,
                      poplar::program::Sequence& prog, const poplar::Tensor& fwdOutputInit,
                      const poplar::Tensor& fwdIntermediates, const GruWeights& weights,
                      const poplar::Tensor& fwdInputSeq, const poplar::Tensor& fwdOutput,
                      const poplar::Tensor& gradLayerNext, poplar::Tensor* inputGrad,
                      poplar::Tensor* bwdIntermediates, const poplar::DebugContext& debugContext,
                      const poplar::OptionFlags& options, poplin::PlanningCache* planningCache);
poplar::Tensor gruBwd(poplar::Graph& graph, const GruParams& params,
                      poplar::program::Sequence& prog, const poplar::Tensor& fwdOutputInit,
                      const poplar::Tensor& fwdIntermediates, const GruWeights& weights,
                      const poplar::Tensor& fwdInputSeq, const poplar::Tensor& realTimeSteps,
                      const poplar::Tensor& fwdOutput, const poplar::Tensor& gradLayerNext,
                      poplar::Tensor* inputGrad, poplar::Tensor* bwdIntermediates,
                      const poplar::DebugContext& debugContext, const poplar::OptionFlags& options,
                      poplin::PlanningCache* planningCache);

/// The same with attention scores, whose gradient `attentionsGrad` receives.
poplar::Tensor auGruBwd(poplar::Graph& graph, const GruParams& params,
                        poplar::program::Sequence& prog, const poplar::Tensor& fwdOutputInit,
                        const poplar::Tensor& fwdIntermediates, const GruWeights& weights,
                        const poplar::Tensor& fwdInputSeq, const poplar::Tensor& fwdOutput,
                        const poplar::Tensor& gradLayerNext, poplar::Tensor* inputGrad,
                        poplar::Tensor* bwdIntermediates, const poplar::Tensor& attentions,
                        poplar::Tensor* attentionsGrad, const poplar::DebugContext& debugContext,
                        const poplar::OptionFlags& options, poplin::PlanningCache* planningCache);
poplar::Tensor auGruBwd(poplar::Graph& graph, const GruParams& params,
                        poplar::program::Sequence& prog, const poplar::Tensor& fwdOutputInit,
                        const poplar::Tensor& fwdIntermediates, const GruWeights& weights,
                        const poplar::Tensor& fwdInputSeq, const poplar::Tensor& realTimeSteps,
                        const poplar::Tensor& fwdOutput, const poplar::Tensor& gradLayerNext,
                        poplar::Tensor* inputGrad, poplar::Tensor* bwdIntermediates,
                        const poplar::Tensor& attentions, poplar::Tensor* attentionsGrad,
                        const poplar::DebugContext& debugContext,
                        const poplar::OptionFlags& options, poplin::PlanningCache* planningCache);

/// Returns the gradients of the weights.
GruWeights gruWU(poplar::Graph& graph, const GruParams& params, poplar::program::Sequence& prog,
                 const poplar::Tensor& fwdOutputInit, const poplar::Tensor& fwdIntermediates,
                 const poplar::Tensor& bwdIntermediates, const GruWeights& weights,
                 const poplar::Tensor& input, const poplar::Tensor& output,
                 const poplar::DebugContext& debugContext, const poplar::OptionFlags& options,
                 poplin::PlanningCache* planningCache);

GruWeights auGruWU(poplar::Graph& graph, const GruParams& params, poplar::program::Sequence& prog,
                   const poplar::Tensor& fwdOutputInit, const poplar::Tensor& fwdIntermediates,
                   const poplar::Tensor& bwdIntermediates, const GruWeights& weights,
                   const poplar::Tensor& input, const poplar::Tensor& output,
                   const poplar::DebugContext& debugContext, const poplar::OptionFlags& options,
                   poplin::PlanningCache* planningCache);

/// gruBwd() and gruWU() in one.
poplar::Tensor gruBwdWithWU(poplar::Graph& graph, const GruParams& params,
                            poplar::program::Sequence& prog, const poplar::Tensor& fwdOutputInit,
                            const poplar::Tensor& fwdIntermediates, const GruWeights& weights,
                            const poplar::Tensor& input, const poplar::Tensor& output,
                            const poplar::Tensor& outputGrad, poplar::Tensor* inputGrad,
                            GruWeights& weightsGrad, const poplar::DebugContext& debugContext,
                            const poplar::OptionFlags& options,
                            poplin::PlanningCache* planningCache);
poplar::Tensor gruBwdWithWU(poplar::Graph& graph, const GruParams& params,
                            poplar::program::Sequence& prog, const poplar::Tensor& fwdOutputInit,
                            const poplar::Tensor& fwdIntermediates, const GruWeights& weights,
                            const poplar::Tensor& input, const poplar::Tensor& realTimeSteps,
                            const poplar::Tensor& output, const poplar::Tensor& outputGrad,
                            poplar::Tensor* inputGrad, GruWeights& weightsGrad,
                            const poplar::DebugContext& debugContext,
                            const poplar::OptionFlags& options,
                            poplin::PlanningCache* planningCache);

poplar::Tensor auGruBwdWithWU(poplar::Graph& graph, const GruParams& params,
                              poplar::program::Sequence& prog, const poplar::Tensor& fwdOutputInit,
                              const poplar::Tensor& fwdIntermediates, const GruWeights& weights,
                              const poplar::Tensor& input, const poplar::Tensor& output,
                              const poplar::Tensor& outputGrad, poplar::Tensor* inputGrad,
                              GruWeights& weightsGrad, const poplar::Tensor& attentions,
                              poplar::Tensor* attentionsGrad,
                              const poplar::DebugContext& debugContext,
                              const poplar::OptionFlags& options,
                              poplin::PlanningCache* planningCache);
poplar::Tensor auGruBwdWithWU(poplar::Graph& graph, const GruParams& params,
                              poplar::program::Sequence& prog, const poplar::Tensor& fwdOutputInit,
                              const poplar::Tensor& fwdIntermediates, const GruWeights& weights,
                              const poplar::Tensor& input, const poplar::Tensor& realTimeSteps,
                              const poplar::Tensor& output, const poplar::Tensor& outputGrad,
                              poplar::Tensor* inputGrad, GruWeights& weightsGrad,
                              const poplar::Tensor& attentions, poplar::Tensor* attentionsGrad,
                              const poplar::DebugContext& debugContext,
                              const poplar::OptionFlags& options,
                              poplin::PlanningCache* planningCache);

}  // namespace gru
}  // namespace popnn

#pragma GCC visibility pop

#endif
