// Convolutions and their gradients. After poplin/Convolution.hpp of PopLibs 3.
//
// Activations are [batch, channels, field...]. Weights are [groups, output channels per group,
// input channels per group, field...]. There are one to three field dimensions.
//
// `popir options` lists the supported `options` under poplin.convolution. They affect the machine
// model only, not results. `cache` may be null; it changes no result. Operands of QUARTER are as in
// poplin/MatMul.hpp; there are no gradients of weights of this type.
// \throws poplar::invalid_option for any other option or value
#ifndef poplin_Convolution_hpp
#define poplin_Convolution_hpp

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplin/ConvParams.hpp>
#include <set>
#include <tuple>
#include <vector>

#pragma GCC visibility push(default)
namespace poplin {

class PlanningCacheImpl;

/// Accepted by convolutions and matrix products. Caches the plan of each distinct contraction.
class PlanningCache {
 public:
  PlanningCache();
  ~PlanningCache();
  PlanningCache(const PlanningCache&) = delete;
  PlanningCache& operator=(const PlanningCache&) = delete;
  /// Number of distinct contractions.
  std::size_t size() const;

  std::unique_ptr<PlanningCacheImpl> impl;
};

/// Floating-point operations of the forward pass, the gradient of the input (Bwd) and the gradient
/// of the weights (Wu). Products with zeros of padding and dilation are not counted.
std::uint64_t getFwdFlops(const ConvParams& params);
std::uint64_t getBwdFlops(const ConvParams& params);
std::uint64_t getWuFlops(const ConvParams& params);

/// The cycles of these operations if each tile did as many at once as it can.
double getFwdPerfectCycleCount(const poplar::Graph& graph, const ConvParams& params);
double getBwdPerfectCycleCount(const poplar::Graph& graph, const ConvParams& params);
double getWuPerfectCycleCount(const poplar::Graph& graph, const ConvParams& params);

/// Create variables with the shape, type and tile mapping that convolution() prefers: the input,
/// the weights and the result.
poplar::Tensor createInput(poplar::Graph& graph, const ConvParams& params,
                           const poplar::DebugContext& debugContext = {},
                           const poplar::OptionFlags& options = {}, PlanningCache* cache = nullptr);
poplar::Tensor createWeights(poplar::Graph& graph, const ConvParams& params,
                             const poplar::DebugContext& debugContext = {},
                             const poplar::OptionFlags& options = {},
                             PlanningCache* cache = nullptr);
poplar::Tensor createConvOutput(poplar::Graph& graph, const ConvParams& params,
                                const poplar::DebugContext& debugContext = {},
                                const poplar::OptionFlags& options = {},
                                PlanningCache* cache = nullptr);
/// Creates a variable [channels] for activations [batch, channels, field...]: each element is on a
/// tile that has activations of its channel.
poplar::Tensor createBiases(poplar::Graph& graph, const poplar::Tensor& activations,
                            const poplar::DebugContext& debugContext = "biases");

/// The same for a convolution of `params`. Options and `cache` are for planning, which biases have
/// not.
poplar::Tensor createBiases(poplar::Graph& graph, const poplar::Tensor& activations,
                            const ConvParams& params,
                            const poplar::DebugContext& debugContext = "biases",
                            const poplar::OptionFlags& options = {},
                            PlanningCache* cache = nullptr);

/// Returns the convolution of `in` with `weights`, as a new tensor.
///
/// With `transposeAndFlipWeights`, `weights` are those of the forward pass, [groups,
/// params.inputChannelsPerConvGroup, params.outputChannelsPerConvGroup, field...]. Their channels
/// are exchanged and their fields reversed before use. With the parameters from getGradientParams()
/// the result is the gradient of the forward pass's input.
/// \throws poputil::poplibs_error if a shape or type does not match `params`
poplar::Tensor convolution(poplar::Graph& graph, const poplar::Tensor& in,
                           const poplar::Tensor& weights, const ConvParams& params,
                           bool transposeAndFlipWeights, poplar::program::Sequence& prog,
                           const poplar::DebugContext& debugContext = {},
                           const poplar::OptionFlags& options = {}, PlanningCache* cache = nullptr);
/// The same with the result in `out`. The output transform must have no padding.
void convolutionWithOutput(poplar::Graph& graph, const poplar::Tensor& in,
                           const poplar::Tensor& weights, const poplar::Tensor& out,
                           const ConvParams& params, bool transposeAndFlipWeights,
                           poplar::program::Sequence& prog,
                           const poplar::DebugContext& debugContext = {},
                           const poplar::OptionFlags& options = {}, PlanningCache* cache = nullptr);

/// Returns the gradient of the weights, [groups, output channels, input channels, field...].
/// `zDeltas` is the gradient of the output, and `activations` the input, of the convolution
/// `params`.
poplar::Tensor calculateWeightDeltas(poplar::Graph& graph, const poplar::Tensor& zDeltas,
                                     const poplar::Tensor& activations, const ConvParams& params,
                                     poplar::program::Sequence& prog,
                                     const poplar::DebugContext& debugContext = {},
                                     const poplar::OptionFlags& options = {},
                                     PlanningCache* cache = nullptr);

/// weights += scale * calculateWeightDeltas(...).
void convolutionWeightUpdate(poplar::Graph& graph, const poplar::Tensor& zDeltas,
                             const poplar::Tensor& weights, const poplar::Tensor& activations,
                             const ConvParams& params, float scale, poplar::program::Sequence& prog,
                             const poplar::DebugContext& debugContext = {},
                             const poplar::OptionFlags& options = {},
                             PlanningCache* cache = nullptr);
void convolutionWeightUpdate(poplar::Graph& graph, const poplar::Tensor& zDeltas,
                             const poplar::Tensor& weights, const poplar::Tensor& activations,
                             ConvParams params, const poplar::Tensor& scale,
                             poplar::program::Sequence& prog,
                             const poplar::DebugContext& debugContext = {},
                             const poplar::OptionFlags& options = {},
                             PlanningCache* cache = nullptr);

/// Copies `weightsIn` [groups, O, I, field...] to `weightsOut` [groups, I, O, field...] with
/// reversed fields.
void weightsTransposeChansFlipXY(poplar::Graph& graph, const poplar::Tensor& weightsIn,
                                 const poplar::Tensor& weightsOut, poplar::program::Sequence& prog,
                                 const poplar::DebugContext& debugContext = {});

/// activations[n, c, ...] += biases[c].
void addBias(poplar::Graph& graph, const poplar::Tensor& activations, const poplar::Tensor& biases,
             poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
             const poplar::OptionFlags& options = {});

// What is planned for a convolution, in words: there is one plan, so sizes and multiplications.

void reportPlanInfo(std::ostream& out, const poplar::Graph& graph, const ConvParams& params,
                    const poplar::OptionFlags& options = {}, PlanningCache* cache = nullptr);
void reportWeightUpdatePlanInfo(std::ostream& out, const poplar::Graph& graph,
                                const ConvParams& fwdParams,
                                const poplar::OptionFlags& fwdOptions = {},
                                PlanningCache* cache = nullptr);

using ConvPlanParams =
    std::tuple<const poplar::Target*, const ConvParams, const poplar::OptionFlags*>;
/// preplan() of convolutions alone, by its older name.
void preplanConvolutions(const std::set<ConvPlanParams>& convs, PlanningCache& cache);
/// The same; each convolution names its target, and that of the graph is not asked.
void preplanConvolutions(poplar::Graph& graph, const std::set<ConvPlanParams>& convs,
                         PlanningCache& cache);
/// \throws poplar::invalid_option for unknown options
void convolutionValidateOptions(const poplar::OptionFlags& options);

/// biases += scale * the sum of zDeltas, [batch, channels, field...], over all but the channels.
/// \throws poputil::poplibs_error for less than two dimensions
void convolutionBiasUpdate(poplar::Graph& graph, const poplar::Tensor& zDeltas,
                           const poplar::Tensor& biases, const poplar::Tensor& scale,
                           const poplar::OptionFlags& options, poplar::program::Sequence& prog,
                           const poplar::DebugContext& debugContext = {});
void convolutionBiasUpdate(poplar::Graph& graph, const poplar::Tensor& zDeltas,
                           const poplar::Tensor& biases, float scale,
                           const poplar::OptionFlags& options, poplar::program::Sequence& prog,
                           const poplar::DebugContext& debugContext = {});

/// The weights of a fully connected layer, a convolution of one field dimension, for the gradient
/// of its input: [groups, out, in, 1] of the forward pass with channels exchanged. `params` are those
/// of the gradient. A view.
/// \throws poputil::poplibs_error for another number of field dimensions
poplar::Tensor fullyConnectedWeightTranspose(poplar::Graph& graph, poplar::Tensor weights,
                                             const ConvParams& params,
                                             poplar::program::Sequence& prog,
                                             const poplar::DebugContext& debugContext = {},
                                             const poplar::OptionFlags& options = {},
                                             PlanningCache* cache = nullptr);

}  // namespace poplin
#pragma GCC visibility pop

#endif
