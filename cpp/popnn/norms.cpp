#include <popnn/BatchNorm.hpp>
#include <popnn/GroupNorm.hpp>
#include <popops/ScaledAdd.hpp>
#include <poputil/exceptions.hpp>

#include <string>

namespace popnn {
namespace {

using poplar::DebugContext;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::Type;
using poplar::program::Sequence;

/// Options of normalisations. \returns whether groups take channels that lie numGroups apart.
bool checkOptions(const char* who, const OptionFlags& options) {
  bool strided = true;
  for (const auto& [name, value] : options) {
    if (name != "groupNormStridedChannelGrouping" || (value != "true" && value != "false"))
      throw poputil::poplibs_error(std::string("popnn::") + who + ": option '" + name + "' = '" +
                                   value +
                                   "'; there is groupNormStridedChannelGrouping, true or "
                                   "false");
    strided = value == "true";
  }
  return strided;
}

// Activations [N, C, F...] as [C / G * F, N * G]: each column is a group of a sample.
Tensor columns(const char* who, const Tensor& acts, std::size_t groups, bool strided) {
  if (acts.rank() < 2 || groups == 0 || acts.dim(1) % groups != 0)
    throw poputil::poplibs_error(std::string("popnn::") + who + ": " + std::to_string(groups) +
                                 " groups for activations " + acts.shapeToString() +
                                 "; give [batch, channels, ...] and a divisor of the channels");
  const std::size_t batch = acts.dim(0), channels = acts.dim(1), each = channels / groups;
  const std::size_t field = batch * channels == 0 ? 0 : acts.numElements() / (batch * channels);
  const auto split = strided ? acts.reshape({batch, each, groups, field}).dimShuffle({1, 3, 0, 2})
                             : acts.reshape({batch, groups, each, field}).dimShuffle({2, 3, 0, 1});
  return split.reshape({each * field, batch * groups});
}
Tensor fromColumns(const Tensor& t, const Tensor& acts, std::size_t groups, bool strided) {
  const std::size_t batch = acts.dim(0), each = acts.dim(1) / groups;
  const std::size_t field = t.dim(0) / (each == 0 ? 1 : each);
  const auto split = t.reshape({each, field, batch, groups});
  return (strided ? split.dimShuffle({2, 0, 3, 1}) : split.dimShuffle({2, 3, 0, 1}))
      .reshape(acts.shape());
}
std::size_t groupsOf(const char* who, const Tensor& mean, const Tensor& acts) {
  if (acts.rank() < 2 || acts.dim(0) == 0 || mean.numElements() % acts.dim(0) != 0)
    throw poputil::poplibs_error(std::string("popnn::") + who + ": statistics " +
                                 mean.shapeToString() + " for activations " + acts.shapeToString() +
                                 "; give one for each group of each sample");
  return mean.numElements() / acts.dim(0);
}

}  // namespace

namespace bn {

std::pair<Tensor, Tensor> batchNormStatistics(Graph& graph, const Tensor acts, float eps,
                                              Sequence& prog, bool unbiasedVarEstimate,
                                              bool stableAlgo, const Type& partialsType,
                                              const DebugContext& debugContext,
                                              const OptionFlags& options) {
  checkOptions("bn", options);
  return poplin::normStatistics(graph, acts, eps, prog, unbiasedVarEstimate, stableAlgo,
                                partialsType, debugContext);
}

Tensor batchNormWhiten(Graph& graph, const Tensor& acts, const Tensor& mean,
                       const Tensor& invStdDev, Sequence& prog, const DebugContext& debugContext,
                       const OptionFlags& options) {
  checkOptions("bn", options);
  return poplin::normWhiten(graph, acts, mean, invStdDev, prog, debugContext);
}

std::pair<Tensor, Tensor> batchNormalise(Graph& graph, const Tensor& acts, const Tensor& gamma,
                                         const Tensor& beta, const Tensor& mean,
                                         const Tensor& invStdDev, Sequence& prog,
                                         const DebugContext& debugContext,
                                         const OptionFlags& options) {
  const auto whitened = batchNormWhiten(graph, acts, mean, invStdDev, prog, debugContext, options);
  return {poplin::normalise(graph, whitened, gamma, beta, prog, debugContext), whitened};
}

std::pair<Tensor, Tensor> batchNormParamGradients(Graph& graph, const Tensor& actsWhitened,
                                                  const Tensor& gradsIn, Sequence& prog,
                                                  const Type& partialsType,
                                                  const DebugContext& debugContext,
                                                  const OptionFlags& options) {
  checkOptions("bn", options);
  return poplin::normParamGradients(graph, actsWhitened, gradsIn, prog, partialsType, debugContext);
}
std::pair<Tensor, Tensor> batchNormParamGradients(Graph& graph, const Tensor& acts,
                                                  const Tensor& gradsIn, const Tensor& mean,
                                                  const Tensor& iStdDev, Sequence& prog,
                                                  const Type& partialsType,
                                                  const DebugContext& debugContext,
                                                  const OptionFlags& options) {
  return batchNormParamGradients(
      graph, batchNormWhiten(graph, acts, mean, iStdDev, prog, debugContext, options), gradsIn,
      prog, partialsType, debugContext, options);
}

Tensor batchNormGradients(Graph& graph, const Tensor& acts, const Tensor& gradsIn,
                          const Tensor& mean, const Tensor& invStdDev, const Tensor& gamma,
                          Sequence& prog, const Type& partialsType,
                          const DebugContext& debugContext, const OptionFlags& options) {
  return batchNormGradients(
      graph, batchNormWhiten(graph, acts, mean, invStdDev, prog, debugContext, options), gradsIn,
      invStdDev, gamma, prog, partialsType, debugContext, options);
}

void batchNormParamUpdate(Graph& graph, const Tensor& gammaDelta, const Tensor& betaDelta,
                          float scale, Tensor& gamma, Tensor& beta, Sequence& prog,
                          const DebugContext& debugContext, const OptionFlags& options) {
  checkOptions("bn", options);
  popops::scaledAddTo(graph, gamma, gammaDelta, scale, prog, debugContext);
  popops::scaledAddTo(graph, beta, betaDelta, scale, prog, debugContext);
}
void batchNormParamUpdate(Graph& graph, const Tensor& gammaDelta, const Tensor& betaDelta,
                          const Tensor& scale, Tensor& gamma, Tensor& beta, Sequence& prog,
                          const DebugContext& debugContext, const OptionFlags& options) {
  checkOptions("bn", options);
  popops::scaledAddTo(graph, gamma, gammaDelta, scale, prog, debugContext);
  popops::scaledAddTo(graph, beta, betaDelta, scale, prog, debugContext);
}

Tensor batchNormalise(Graph& graph, const Tensor& acts, const Tensor& combinedMultiplicand,
                      const Tensor& addend, Sequence& prog, const DebugContext& debugContext,
                      const OptionFlags& options) {
  checkOptions("bn", options);
  return poplin::normalise(graph, acts, combinedMultiplicand, addend, prog, debugContext);
}

Tensor batchNormGradients(Graph& graph, const Tensor& actsWhitened, const Tensor& gradsIn,
                          const Tensor& invStdDev, const Tensor& gamma, Sequence& prog,
                          const Type& partialsType, const DebugContext& debugContext,
                          const OptionFlags& options) {
  checkOptions("bn", options);
  const auto grads = poplin::normGradients(graph, gradsIn, gamma, prog, debugContext);
  return poplin::normStatisticsGradients(graph, actsWhitened, grads, invStdDev, prog, partialsType,
                                         debugContext);
}

std::pair<Tensor, Tensor> distributedBatchNormStatistics(
    Graph& graph, const Tensor acts, float eps, Sequence& prog, bool unbiasedVarEstimate,
    poplin::DistributedNormReduceCallback reduceCallback, unsigned normBatchSize, bool stableAlgo,
    const Type& partialsType, const DebugContext& debugContext, const OptionFlags& options) {
  checkOptions("bn", options);
  return poplin::distributedNormStatistics(graph, acts, eps, prog, unbiasedVarEstimate,
                                           reduceCallback, normBatchSize, stableAlgo, partialsType,
                                           debugContext);
}
Tensor distributedBatchNormGradients(Graph& graph, const Tensor& actsWhitened,
                                     const Tensor& gradsIn, const Tensor& invStdDev,
                                     const Tensor& gamma, Sequence& prog,
                                     poplin::DistributedNormReduceCallback reduceCallback,
                                     unsigned normBatchSize, const Type& partialsType,
                                     const DebugContext& debugContext, const OptionFlags& options) {
  checkOptions("bn", options);
  const auto grads = poplin::normGradients(graph, gradsIn, gamma, prog, debugContext);
  return poplin::distributedNormStatisticsGradients(graph, actsWhitened, grads, invStdDev, prog,
                                                    reduceCallback, normBatchSize, partialsType,
                                                    debugContext);
}
Tensor distributedBatchNormGradients(Graph& graph, const Tensor& acts, const Tensor& gradsIn,
                                     const Tensor& mean, const Tensor& invStdDev,
                                     const Tensor& gamma, Sequence& prog,
                                     poplin::DistributedNormReduceCallback reduceCallback,
                                     unsigned normBatchSize, const Type& partialsType,
                                     const DebugContext& debugContext, const OptionFlags& options) {
  return distributedBatchNormGradients(
      graph, batchNormWhiten(graph, acts, mean, invStdDev, prog, debugContext, options), gradsIn,
      invStdDev, gamma, prog, reduceCallback, normBatchSize, partialsType, debugContext, options);
}

}  // namespace bn

namespace gn {

std::pair<Tensor, Tensor> groupNormStatistics(Graph& graph, const Tensor acts, float eps,
                                              Sequence& prog, unsigned numGroups,
                                              bool unbiasedVarEstimate, bool stableAlgo,
                                              const Type& partialsType,
                                              const DebugContext& debugContext,
                                              const OptionFlags& options) {
  const bool strided = checkOptions("gn", options);
  return poplin::normStatistics(graph, columns("gn", acts, numGroups, strided), eps, prog,
                                unbiasedVarEstimate, stableAlgo, partialsType, debugContext);
}

Tensor groupNormWhiten(Graph& graph, const Tensor& acts, const Tensor& mean,
                       const Tensor& invStdDev, Sequence& prog, const DebugContext& debugContext,
                       const OptionFlags& options) {
  const bool strided = checkOptions("gn", options);
  const auto groups = groupsOf("gn", mean, acts);
  const auto white = poplin::normWhiten(graph, columns("gn", acts, groups, strided), mean,
                                        invStdDev, prog, debugContext);
  return fromColumns(white, acts, groups, strided);
}

std::pair<Tensor, Tensor> groupNormalise(Graph& graph, const Tensor& acts, const Tensor& gamma,
                                         const Tensor& beta, const Tensor& mean,
                                         const Tensor& invStdDev, Sequence& prog,
                                         const DebugContext& debugContext,
                                         const OptionFlags& options) {
  const auto whitened = groupNormWhiten(graph, acts, mean, invStdDev, prog, debugContext, options);
  return {poplin::normalise(graph, whitened, gamma, beta, prog, debugContext), whitened};
}

std::pair<Tensor, Tensor> groupNormParamGradients(Graph& graph, const Tensor& actsWhitened,
                                                  const Tensor& gradsIn, Sequence& prog,
                                                  const Type& partialsType,
                                                  const DebugContext& debugContext,
                                                  const OptionFlags& options) {
  checkOptions("gn", options);
  return poplin::normParamGradients(graph, actsWhitened, gradsIn, prog, partialsType, debugContext);
}
std::pair<Tensor, Tensor> groupNormParamGradients(Graph& graph, const Tensor& acts,
                                                  const Tensor& gradsIn, const Tensor& mean,
                                                  const Tensor& iStdDev, Sequence& prog,
                                                  const Type& partialsType,
                                                  const DebugContext& debugContext,
                                                  const OptionFlags& options) {
  return groupNormParamGradients(
      graph, groupNormWhiten(graph, acts, mean, iStdDev, prog, debugContext, options), gradsIn,
      prog, partialsType, debugContext, options);
}

Tensor groupNormGradients(Graph& graph, const Tensor& acts, const Tensor& gradsIn,
                          const Tensor& mean, const Tensor& invStdDev, const Tensor& gamma,
                          Sequence& prog, const Type& partialsType,
                          const DebugContext& debugContext, const OptionFlags& options) {
  return groupNormGradients(
      graph, groupNormWhiten(graph, acts, mean, invStdDev, prog, debugContext, options), gradsIn,
      invStdDev, gamma, prog, partialsType, debugContext, options);
}

void groupNormParamUpdate(Graph& graph, const Tensor& gammaDelta, const Tensor& betaDelta,
                          float scale, Tensor& gamma, Tensor& beta, Sequence& prog,
                          const DebugContext& debugContext, const OptionFlags& options) {
  checkOptions("gn", options);
  popops::scaledAddTo(graph, gamma, gammaDelta, scale, prog, debugContext);
  popops::scaledAddTo(graph, beta, betaDelta, scale, prog, debugContext);
}
void groupNormParamUpdate(Graph& graph, const Tensor& gammaDelta, const Tensor& betaDelta,
                          const Tensor& scale, Tensor& gamma, Tensor& beta, Sequence& prog,
                          const DebugContext& debugContext, const OptionFlags& options) {
  checkOptions("gn", options);
  popops::scaledAddTo(graph, gamma, gammaDelta, scale, prog, debugContext);
  popops::scaledAddTo(graph, beta, betaDelta, scale, prog, debugContext);
}

Tensor groupNormGradients(Graph& graph, const Tensor& actsWhitened, const Tensor& gradsIn,
                          const Tensor& invStdDev, const Tensor& gamma, Sequence& prog,
                          const Type& partialsType, const DebugContext& debugContext,
                          const OptionFlags& options) {
  const bool strided = checkOptions("gn", options);
  const auto groups = groupsOf("gn", invStdDev, actsWhitened);
  const auto grads = poplin::normGradients(graph, gradsIn, gamma, prog, debugContext);
  const auto out = poplin::normStatisticsGradients(
      graph, columns("gn", actsWhitened, groups, strided), columns("gn", grads, groups, strided),
      invStdDev, prog, partialsType, debugContext);
  return fromColumns(out, actsWhitened, groups, strided);
}

}  // namespace gn
}  // namespace popnn
