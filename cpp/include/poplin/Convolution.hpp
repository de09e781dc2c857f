// poplin/Convolution.hpp: convolutions and their gradients.
//
// Activations are [batch, channels, field...], weights [groups, output channels per group, input
// channels per group, field...], with one to three field dimensions.
//
// Every function that has `options` takes those that `popir options` lists as poplin.convolution;
// what acts reaches the machine reading alone. Any other option, or value, is a
// poplar::invalid_option.
#ifndef poplin_Convolution_hpp
#define poplin_Convolution_hpp

#include <cstdint>
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

/// Keeps what was planned for one contraction for the next one of the same parameters.
class PlanningCache {
 public:
  PlanningCache();
  ~PlanningCache();
  PlanningCache(const PlanningCache&) = delete;
  PlanningCache& operator=(const PlanningCache&) = delete;
  /// Number of different contractions seen.
  std::size_t size() const;

  std::unique_ptr<PlanningCacheImpl> impl;
};

/// Floating-point operations of the three passes, elements that are zero by padding or dilation
/// left out.
std::uint64_t getFwdFlops(const ConvParams& params);
std::uint64_t getBwdFlops(const ConvParams& params);
std::uint64_t getWuFlops(const ConvParams& params);

/// New variables with the shapes, types and a tile mapping that convolution() wants.
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
/// [channels] for activations [batch, channels, field...].
poplar::Tensor createBiases(poplar::Graph& graph, const poplar::Tensor& activations,
                            const poplar::DebugContext& debugContext = "biases");

/// The convolution of `in` with `weights`.
///
/// With `transposeAndFlipWeights` the weights are those of the forward pass,
/// [groups, params.inputChannelsPerConvGroup, params.outputChannelsPerConvGroup, field...], and are
/// used with channels exchanged and fields reversed: with getGradientParams() of the forward pass
/// this is the gradient of its input.
/// \throws poputil::poplibs_error if a shape or type is not what `params` say.
poplar::Tensor convolution(poplar::Graph& graph, const poplar::Tensor& in,
                           const poplar::Tensor& weights, const ConvParams& params,
                           bool transposeAndFlipWeights, poplar::program::Sequence& prog,
                           const poplar::DebugContext& debugContext = {},
                           const poplar::OptionFlags& options = {}, PlanningCache* cache = nullptr);
/// The same into `out`, which has no output padding.
void convolutionWithOutput(poplar::Graph& graph, const poplar::Tensor& in,
                           const poplar::Tensor& weights, const poplar::Tensor& out,
                           const ConvParams& params, bool transposeAndFlipWeights,
                           poplar::program::Sequence& prog,
                           const poplar::DebugContext& debugContext = {},
                           const poplar::OptionFlags& options = {}, PlanningCache* cache = nullptr);

/// The gradient of the weights, [groups, output channels, input channels, field...], from the
/// gradient `zDeltas` of the output and the input of the convolution `params`.
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

/// Copies `weightsIn` [groups, O, I, field...] to `weightsOut` [groups, I, O, field...], fields
/// reversed.
void weightsTransposeChansFlipXY(poplar::Graph& graph, const poplar::Tensor& weightsIn,
                                 const poplar::Tensor& weightsOut, poplar::program::Sequence& prog,
                                 const poplar::DebugContext& debugContext = {});

/// activations[n, c, ...] += biases[c].
void addBias(poplar::Graph& graph, const poplar::Tensor& activations, const poplar::Tensor& biases,
             poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
             const poplar::OptionFlags& options = {});

using ConvPlanParams =
    std::tuple<const poplar::Target*, const ConvParams, const poplar::OptionFlags*>;

}  // namespace poplin
#pragma GCC visibility pop

#endif
