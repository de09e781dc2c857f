#include "kernels/loss/nll.hpp"

#include <algorithm>
#include <popir/Nll.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

#include "kernels/half.hpp"
#include "kernels/loss/labels.hpp"
#include "poplar/bulk_vertex.hpp"

namespace popir {
namespace {

using poplar::DebugContext;
using poplar::Graph;
using poplar::Tensor;
using poplar::program::Sequence;

std::string described(const Tensor& t) {
  return t.elementType().toString() + " " + t.shapeToString();
}

[[noreturn]] void refuse(const char* who, const std::string& why) {
  throw poputil::poplibs_error(std::string(who) + ": " + why);
}

/// \throws poputil::poplibs_error if p, labels and weights do not match
void check(const char* who, const Tensor& p, const Tensor& labels, const Tensor* weights) {
  const auto type = p.elementType();
  if (p.rank() == 0 || (!isFloatOrHalf(type) && type != poplar::DOUBLE))
    refuse(who, "the probabilities are " + described(p) +
                    "; give FLOAT, HALF, BFLOAT16 or DOUBLE [samples..., classes]");
  auto samples = p.shape();
  samples.pop_back();
  if (labels.shape() != samples || !Labels::supports(labels.elementType()))
    refuse(who, "the probabilities are " + described(p) + ", the labels " + described(labels) +
                    "; give labels of a 32- or 64-bit integer type, of the shape of the "
                    "probabilities without its last dimension");
  if (weights && (weights->elementType() != type || weights->rank() != 1 ||
                  weights->numElements() != p.dim(p.rank() - 1)))
    refuse(who, "the probabilities are " + described(p) + ", the weights of the classes " +
                    described(*weights) + "; give one for each class, of the same type");
}

/// The operands of a kernel: those read, the weights if any, then the result.
std::vector<BulkOperand> operands(std::vector<BulkOperand> read, const Tensor* weights,
                                  const Tensor& out) {
  if (weights) read.push_back({*weights, Access::Read});
  read.push_back({out, Access::Write});
  return read;
}

// The constants that PopART's lowerings of a loss of classes and of its gradients add, as nllx.cpp
// and softmaxx.cpp of graphcore/popart have them.
std::vector<Tensor> constantsOf(Graph& graph, NllKind kind, const Tensor& p, const Tensor& labels,
                                const NllParams& params, const DebugContext& debugContext) {
  std::vector<Tensor> all;
  const auto add = [&](const poplar::Type& type, auto value, const char* name) {
    all.push_back(graph.addConstant(type, {}, value, {debugContext, name}));
    graph.setTileMapping(all.back(), 0);
  };
  const bool isHalf = p.elementType().sizeInBytes() == 2, isLoss = kind == NllKind::Loss;
  const bool isMean = params.reduction == LossReduction::Mean;
  if (!params.inputIsLogProbability && kind != NllKind::SoftmaxGrad)
    add(p.elementType(), isHalf ? 6.104e-5 : isLoss ? 1e-7 : 1e-10, "epsilon");
  if (params.hasIgnoreIndex) {
    const auto ignored = static_cast<long long>(params.ignoreIndex);
    add(labels.elementType(), ignored, "ignoreIndex");
    // The loss has its mask twice: for its rows, and to count them.
    if (isLoss && isMean) add(labels.elementType(), ignored, "ignoreIndex");
    if (isLoss && isMean) add(p.elementType(), 1.0, "one");
    if (isMean) add(p.elementType(), 1.0, "leastCount");
  } else if (!isLoss && isMean) {
    add(p.elementType(), static_cast<double>(labels.numElements()), "count");
  }
  if (isLoss && params.reduction != LossReduction::None) {
    const auto rows = static_cast<double>(std::max<std::size_t>(labels.numElements(), 1));
    add(poplar::FLOAT, isMean && !params.hasIgnoreIndex ? -1 / rows : -1.0, "scale");
  }
  return all;
}

Tensor asRows(const Tensor& p) {
  return p.rank() == 1 ? p.expand({0}) : p.flatten(0, p.rank() - 1);
}

Tensor gradient(const char* who, NllKind kind, Graph& graph, const Tensor& g, const Tensor& p,
                const Tensor& labels, const NllParams& params, Sequence& prog,
                const DebugContext& debugContext, const Tensor* weights) {
  check(who, p, labels, weights);
  const bool each = params.reduction == LossReduction::None;
  const bool fits = each ? g.shape() == labels.shape() : g.numElements() == 1;
  if (!fits || (g.elementType() != poplar::FLOAT && g.elementType() != p.elementType()))
    refuse(who, "the gradient of the loss is " + described(g) + " where the labels are " +
                    described(labels) + "; give " +
                    (each ? "one element for each sample" : "one element") +
                    ", FLOAT or of the type of the probabilities");
  const Tensor dx = graph.clone(p, {debugContext, who});
  addBulkVertex(graph, prog, std::make_shared<NllKernel>(kind, params),
                operands({{g.flatten(), Access::Read},
                          {asRows(p), Access::Read},
                          {labels.flatten(), Access::Read}},
                         weights, asRows(dx)),
                {debugContext, who},
                constantsOf(graph, kind, p, labels, params, {debugContext, who}));
  return dx;
}

}  // namespace

Tensor nllLoss(Graph& graph, const Tensor& p, const Tensor& labels, const NllParams& params,
               Sequence& prog, const DebugContext& debugContext, const Tensor* weights) {
  check("nllLoss", p, labels, weights);
  std::vector<std::size_t> shape;
  if (params.reduction == LossReduction::None) shape = labels.shape();
  const Tensor loss = graph.addVariable(p.elementType(), shape, {debugContext, "nllLoss"});
  poputil::mapTensorLinearly(graph, loss);
  addBulkVertex(graph, prog, std::make_shared<NllKernel>(NllKind::Loss, params),
                operands({{asRows(p), Access::Read}, {labels.flatten(), Access::Read}}, weights,
                         loss.flatten()),
                {debugContext, "nllLoss"},
                constantsOf(graph, NllKind::Loss, p, labels, params, {debugContext, "nllLoss"}));
  return loss;
}

Tensor nllLossGrad(Graph& graph, const Tensor& g, const Tensor& p, const Tensor& labels,
                   const NllParams& params, Sequence& prog, const DebugContext& debugContext,
                   const Tensor* weights) {
  return gradient("nllLossGrad", NllKind::Grad, graph, g, p, labels, params, prog, debugContext,
                  weights);
}

Tensor nllSoftmaxGrad(Graph& graph, const Tensor& g, const Tensor& p, const Tensor& labels,
                      const NllParams& params, Sequence& prog, const DebugContext& debugContext,
                      const Tensor* weights) {
  return gradient("nllSoftmaxGrad", NllKind::SoftmaxGrad, graph, g, p, labels, params, prog,
                  debugContext, weights);
}

}  // namespace popir
