// Normalisation over all dimensions but the second, the channels. After poplin/Norms.hpp of PopLibs 3.
#ifndef poplin_Norms_hpp
#define poplin_Norms_hpp

#include <functional>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <tuple>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace poplin {

/// A tensor with one element for each channel of `acts`, [N, C, ...].
/// \throws poputil::poplibs_error for `acts` of fewer than two dimensions
poplar::Tensor createNormGamma(poplar::Graph& graph, const poplar::Tensor& acts,
                               const poplar::Type& type,
                               const poplar::DebugContext& debugContext = {});
poplar::Tensor createNormGamma(poplar::Graph& graph, const poplar::Tensor& acts,
                               const poplar::DebugContext& debugContext = {});
poplar::Tensor createNormBeta(poplar::Graph& graph, const poplar::Tensor& acts,
                              const poplar::Type& type,
                              const poplar::DebugContext& debugContext = {});
poplar::Tensor createNormBeta(poplar::Graph& graph, const poplar::Tensor& acts,
                              const poplar::DebugContext& debugContext = {});
/// Both.
std::pair<poplar::Tensor, poplar::Tensor> createNormParams(
    poplar::Graph& graph, const poplar::Tensor& acts,
    const poplar::DebugContext& debugContext = {});

/// The mean of each channel, and 1 / sqrt(variance + eps), in the type of `acts`, computed in
/// `partialsType`. `stableAlgo` is always as if set: the variance is that of what differs from the
/// mean.
std::pair<poplar::Tensor, poplar::Tensor> normStatistics(
    poplar::Graph& graph, const poplar::Tensor& acts, float eps, poplar::program::Sequence& prog,
    bool unbiasedVarEstimate, bool stableAlgo = false,
    const poplar::Type& partialsType = poplar::FLOAT,
    const poplar::DebugContext& debugContext = {});

/// Sums tensors over replicas.
using DistributedNormReduceCallback = std::function<std::vector<poplar::Tensor>(
    poplar::Graph& replicatedGraph, const std::vector<poplar::Tensor>& inputsToReduce,
    poplar::program::Sequence& prog, unsigned groupSize, const poplar::DebugContext& debugContext,
    const poplar::OptionFlags& options)>;

/// The statistics of `normBatchSize` samples, of which each replica of a group has as many as `acts`;
/// the callback, which is not called for a group of one, sums over the group.
/// \throws poputil::poplibs_error if `normBatchSize` is no multiple of the batch of `acts`
std::pair<poplar::Tensor, poplar::Tensor> distributedNormStatistics(
    poplar::Graph& replicatedGraph, const poplar::Tensor& acts, float eps,
    poplar::program::Sequence& prog, bool unbiasedVarEstimate,
    DistributedNormReduceCallback reduceCallback, unsigned normBatchSize, bool stableAlgo = false,
    const poplar::Type& partialsType = poplar::FLOAT,
    const poplar::DebugContext& debugContext = {});
/// normStatisticsGradients() of them.
poplar::Tensor distributedNormStatisticsGradients(
    poplar::Graph& replicatedGraph, const poplar::Tensor& actsWhitened,
    const poplar::Tensor& gradsIn, const poplar::Tensor& invStdDev, poplar::program::Sequence& prog,
    DistributedNormReduceCallback reduceCallback, unsigned normBatchSize,
    const poplar::Type& partialsType = poplar::FLOAT,
    const poplar::DebugContext& debugContext = {});

/// (acts - mean) * iStdDev
poplar::Tensor normWhiten(poplar::Graph& graph, const poplar::Tensor& acts,
                          const poplar::Tensor& mean, const poplar::Tensor& iStdDev,
                          poplar::program::Sequence& prog,
                          const poplar::DebugContext& debugContext = {});
/// actsWhitened * gamma + beta
poplar::Tensor normalise(poplar::Graph& graph, const poplar::Tensor& actsWhitened,
                         const poplar::Tensor& gamma, const poplar::Tensor& beta,
                         poplar::program::Sequence& prog,
                         const poplar::DebugContext& debugContext = {});
/// The gradients of gamma and of beta.
std::pair<poplar::Tensor, poplar::Tensor> normParamGradients(
    poplar::Graph& graph, const poplar::Tensor& actsWhitened, const poplar::Tensor& gradsIn,
    poplar::program::Sequence& prog, const poplar::Type& partialsType = poplar::FLOAT,
    const poplar::DebugContext& debugContext = {});
/// The gradient of actsWhitened: gradsIn * gamma
poplar::Tensor normGradients(poplar::Graph& graph, const poplar::Tensor& gradsIn,
                             const poplar::Tensor& gamma, poplar::program::Sequence& prog,
                             const poplar::DebugContext& debugContext = {});
/// The gradient of acts, by way of their statistics too, from that of actsWhitened.
poplar::Tensor normStatisticsGradients(poplar::Graph& graph, const poplar::Tensor& actsWhitened,
                                       const poplar::Tensor& gradsIn,
                                       const poplar::Tensor& invStdDev,
                                       poplar::program::Sequence& prog,
                                       const poplar::Type& partialsType = poplar::FLOAT,
                                       const poplar::DebugContext& debugContext = {});

}  // namespace poplin
#pragma GCC visibility pop

#endif
