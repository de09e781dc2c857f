#include <poplin/Norms.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

#include <string>

namespace poplin {
namespace {

using poplar::DebugContext;
using poplar::Graph;
using poplar::Tensor;
using poplar::Type;
using poplar::program::Sequence;
namespace pe = popops::expr;

void checkActs(const char* who, const Tensor& acts) {
  if (acts.rank() < 2)
    throw poputil::poplibs_error(std::string("poplin::") + who + ": activations " +
                                 acts.shapeToString() + " given; give [batch, channels, ...]");
}

// One element for each channel, in a shape that broadcasts against acts.
Tensor perChannel(const char* who, const Tensor& t, const Tensor& acts) {
  checkActs(who, acts);
  if (t.numElements() != acts.dim(1))
    throw poputil::poplibs_error(std::string("poplin::") + who + ": " + t.shapeToString() +
                                 " given for activations " + acts.shapeToString() +
                                 "; give one element for each channel");
  std::vector<std::size_t> shape(acts.rank(), 1);
  shape[1] = acts.dim(1);
  return t.reshape(shape);
}

std::vector<std::size_t> allButChannels(const Tensor& acts) {
  std::vector<std::size_t> dims{0};
  for (std::size_t d = 2; d < acts.rank(); ++d) dims.push_back(d);
  return dims;
}

Tensor in(Graph& graph, const Tensor& t, const Type& type, Sequence& prog,
          const DebugContext& debugContext) {
  return t.elementType() == type ? t : popops::cast(graph, t, type, prog, debugContext);
}

Tensor sumOf(Graph& graph, const Tensor& t, Sequence& prog, const DebugContext& debugContext) {
  return popops::reduce(graph, t, allButChannels(t), popops::Operation::ADD, prog, debugContext);
}

float count(const Tensor& acts) {
  return static_cast<float>(acts.numElements()) / static_cast<float>(acts.dim(1));
}

Tensor made(const char* who, Graph& graph, const Tensor& acts, const Type& type,
            const DebugContext& debugContext) {
  checkActs(who, acts);
  const auto t = graph.addVariable(type, {acts.dim(1)}, debugContext);
  poputil::mapTensorLinearly(graph, t);
  return t;
}

}  // namespace

Tensor createNormGamma(Graph& graph, const Tensor& acts, const Type& type,
                       const DebugContext& debugContext) {
  return made("createNormGamma", graph, acts, type, {debugContext, "gamma"});
}
Tensor createNormGamma(Graph& graph, const Tensor& acts, const DebugContext& debugContext) {
  return createNormGamma(graph, acts, acts.elementType(), debugContext);
}
Tensor createNormBeta(Graph& graph, const Tensor& acts, const Type& type,
                      const DebugContext& debugContext) {
  return made("createNormBeta", graph, acts, type, {debugContext, "beta"});
}
Tensor createNormBeta(Graph& graph, const Tensor& acts, const DebugContext& debugContext) {
  return createNormBeta(graph, acts, acts.elementType(), debugContext);
}
std::pair<Tensor, Tensor> createNormParams(Graph& graph, const Tensor& acts,
                                           const DebugContext& debugContext) {
  return {createNormGamma(graph, acts, debugContext), createNormBeta(graph, acts, debugContext)};
}

std::pair<Tensor, Tensor> normStatistics(Graph& graph, const Tensor& acts, float eps,
                                         Sequence& prog, bool unbiasedVarEstimate, bool,
                                         const Type& partialsType,
                                         const DebugContext& debugContext) {
  checkActs("normStatistics", acts);
  const float n = count(acts);
  const float divisor = unbiasedVarEstimate && n > 1 ? n - 1 : n;
  const auto x = in(graph, acts, partialsType, prog, debugContext);
  const auto total = sumOf(graph, x, prog, {debugContext, "mean"});
  const auto mean = popops::map(graph, pe::_1 * pe::Const(1 / n), {total}, prog, debugContext);
  const auto apart = popops::map(graph, pe::Square(pe::_1 - pe::_2),
                                 {x, perChannel("normStatistics", mean, x)}, prog, debugContext);
  const auto squares = sumOf(graph, apart, prog, {debugContext, "variance"});
  const auto inverse =
      popops::map(graph, pe::Rsqrt(pe::_1 * pe::Const(1 / divisor) + pe::Const(eps)), {squares},
                  prog, debugContext);
  return {in(graph, mean, acts.elementType(), prog, debugContext),
          in(graph, inverse, acts.elementType(), prog, debugContext)};
}

Tensor normWhiten(Graph& graph, const Tensor& acts, const Tensor& mean, const Tensor& iStdDev,
                  Sequence& prog, const DebugContext& debugContext) {
  return popops::map(
      graph, (pe::_1 - pe::_2) * pe::_3,
      {acts, perChannel("normWhiten", mean, acts), perChannel("normWhiten", iStdDev, acts)}, prog,
      {debugContext, "whiten"});
}

Tensor normalise(Graph& graph, const Tensor& actsWhitened, const Tensor& gamma, const Tensor& beta,
                 Sequence& prog, const DebugContext& debugContext) {
  return popops::map(graph, pe::_1 * pe::_2 + pe::_3,
                     {actsWhitened, perChannel("normalise", gamma, actsWhitened),
                      perChannel("normalise", beta, actsWhitened)},
                     prog, {debugContext, "normalise"});
}

std::pair<Tensor, Tensor> normParamGradients(Graph& graph, const Tensor& actsWhitened,
                                             const Tensor& gradsIn, Sequence& prog,
                                             const Type& partialsType,
                                             const DebugContext& debugContext) {
  checkActs("normParamGradients", actsWhitened);
  const auto type = actsWhitened.elementType();
  const auto grads = in(graph, gradsIn, partialsType, prog, debugContext);
  const auto x = in(graph, actsWhitened, partialsType, prog, debugContext);
  const auto products = popops::mul(graph, grads, x, prog, debugContext);
  const auto gamma = sumOf(graph, products, prog, {debugContext, "gamma"});
  const auto beta = sumOf(graph, grads, prog, {debugContext, "beta"});
  return {in(graph, gamma, type, prog, debugContext), in(graph, beta, type, prog, debugContext)};
}

Tensor normGradients(Graph& graph, const Tensor& gradsIn, const Tensor& gamma, Sequence& prog,
                     const DebugContext& debugContext) {
  return popops::mul(graph, gradsIn, perChannel("normGradients", gamma, gradsIn), prog,
                     {debugContext, "gradients"});
}

Tensor normStatisticsGradients(Graph& graph, const Tensor& actsWhitened, const Tensor& gradsIn,
                               const Tensor& invStdDev, Sequence& prog, const Type& partialsType,
                               const DebugContext& debugContext) {
  constexpr const char* who = "normStatisticsGradients";
  const auto [gamma, beta] =
      normParamGradients(graph, actsWhitened, gradsIn, prog, partialsType, debugContext);
  const float share = 1 / count(actsWhitened);
  return popops::map(graph, (pe::_1 - (pe::_2 + pe::_3 * pe::_4) * pe::Const(share)) * pe::_5,
                     {gradsIn, perChannel(who, beta, gradsIn), actsWhitened,
                      perChannel(who, gamma, gradsIn), perChannel(who, invStdDev, gradsIn)},
                     prog, {debugContext, "statistics"});
}

namespace {

/// How many replicas have a part of `normBatchSize` samples.
unsigned groupOf(const char* who, const Tensor& acts, unsigned normBatchSize) {
  checkActs(who, acts);
  const auto own = static_cast<unsigned>(acts.dim(0));
  if (own == 0 || normBatchSize == 0 || normBatchSize % own != 0)
    throw poputil::poplibs_error("poplin::" + std::string(who) + ": normBatchSize is " +
                                 std::to_string(normBatchSize) +
                                 ", which is no multiple of the batch, " + std::to_string(own));
  return normBatchSize / own;
}

std::vector<Tensor> reduced(Graph& graph, const std::vector<Tensor>& own, unsigned group,
                            const DistributedNormReduceCallback& reduce, Sequence& prog,
                            const DebugContext& debugContext) {
  return group == 1 ? own : reduce(graph, own, prog, group, debugContext, {});
}

}  // namespace

std::pair<Tensor, Tensor> distributedNormStatistics(Graph& graph, const Tensor& acts, float eps,
                                                    Sequence& prog, bool unbiasedVarEstimate,
                                                    DistributedNormReduceCallback reduceCallback,
                                                    unsigned normBatchSize, bool,
                                                    const Type& partialsType,
                                                    const DebugContext& debugContext) {
  constexpr const char* who = "distributedNormStatistics";
  const unsigned group = groupOf(who, acts, normBatchSize);
  const float n = count(acts) * static_cast<float>(group);
  const float divisor = unbiasedVarEstimate && n > 1 ? n - 1 : n;
  const auto x = in(graph, acts, partialsType, prog, debugContext);
  const auto total = reduced(graph, {sumOf(graph, x, prog, {debugContext, "mean"})}, group,
                             reduceCallback, prog, {debugContext, "mean"});
  const auto mean =
      popops::map(graph, pe::_1 * pe::Const(1 / n), {total.at(0)}, prog, debugContext);
  const auto apart = popops::map(graph, pe::Square(pe::_1 - pe::_2), {x, perChannel(who, mean, x)},
                                 prog, debugContext);
  const auto squares = reduced(graph, {sumOf(graph, apart, prog, {debugContext, "variance"})},
                               group, reduceCallback, prog, {debugContext, "variance"});
  const auto inverse =
      popops::map(graph, pe::Rsqrt(pe::_1 * pe::Const(1 / divisor) + pe::Const(eps)),
                  {squares.at(0)}, prog, debugContext);
  return {in(graph, mean, acts.elementType(), prog, debugContext),
          in(graph, inverse, acts.elementType(), prog, debugContext)};
}

Tensor distributedNormStatisticsGradients(Graph& graph, const Tensor& actsWhitened,
                                          const Tensor& gradsIn, const Tensor& invStdDev,
                                          Sequence& prog,
                                          DistributedNormReduceCallback reduceCallback,
                                          unsigned normBatchSize, const Type& partialsType,
                                          const DebugContext& debugContext) {
  constexpr const char* who = "distributedNormStatisticsGradients";
  const unsigned group = groupOf(who, actsWhitened, normBatchSize);
  const auto own =
      normParamGradients(graph, actsWhitened, gradsIn, prog, partialsType, debugContext);
  const auto all = reduced(graph, {own.first, own.second}, group, reduceCallback, prog,
                           {debugContext, "gradients"});
  const float share = 1 / (count(actsWhitened) * static_cast<float>(group));
  return popops::map(graph, (pe::_1 - (pe::_2 + pe::_3 * pe::_4) * pe::Const(share)) * pe::_5,
                     {gradsIn, perChannel(who, all.at(1), gradsIn), actsWhitened,
                      perChannel(who, all.at(0), gradsIn), perChannel(who, invStdDev, gradsIn)},
                     prog, {debugContext, "statistics"});
}

}  // namespace poplin
