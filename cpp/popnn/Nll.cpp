#include "kernels/nll.hpp"

#include <popir/Nll.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

#include "kernels/labels.hpp"
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

/// Throws where p and labels do not fit each other.
void check(const char* who, const Tensor& p, const Tensor& labels) {
  const auto type = p.elementType();
  if (p.rank() == 0 || (type != poplar::FLOAT && type != poplar::HALF && type != poplar::DOUBLE))
    refuse(who, "the probabilities are " + described(p) +
                    "; give FLOAT, HALF or DOUBLE [samples..., classes]");
  auto samples = p.shape();
  samples.pop_back();
  if (labels.shape() != samples || !Labels::supports(labels.elementType()))
    refuse(who, "the probabilities are " + described(p) + ", the labels " + described(labels) +
                    "; give labels of a 32- or 64-bit integer type, of the shape of the "
                    "probabilities without its last dimension");
}

Tensor asRows(const Tensor& p) {
  return p.rank() == 1 ? p.expand({0}) : p.flatten(0, p.rank() - 1);
}

Tensor gradient(const char* who, NllKind kind, Graph& graph, const Tensor& g, const Tensor& p,
                const Tensor& labels, const NllParams& params, Sequence& prog,
                const DebugContext& debugContext) {
  check(who, p, labels);
  const bool each = params.reduction == LossReduction::None;
  const bool fits = each ? g.shape() == labels.shape() : g.numElements() == 1;
  if (!fits || (g.elementType() != poplar::FLOAT && g.elementType() != p.elementType()))
    refuse(who, "the gradient of the loss is " + described(g) + " where the labels are " +
                    described(labels) + "; give " +
                    (each ? "one element for each sample" : "one element") +
                    ", FLOAT or of the type of the probabilities");
  const Tensor dx = graph.clone(p, {debugContext, who});
  addBulkVertex(graph, prog, std::make_shared<NllKernel>(kind, params),
                {{g.flatten(), Access::Read},
                 {asRows(p), Access::Read},
                 {labels.flatten(), Access::Read},
                 {asRows(dx), Access::Write}},
                {debugContext, who});
  return dx;
}

}  // namespace

Tensor nllLoss(Graph& graph, const Tensor& p, const Tensor& labels, const NllParams& params,
               Sequence& prog, const DebugContext& debugContext) {
  check("nllLoss", p, labels);
  std::vector<std::size_t> shape;
  if (params.reduction == LossReduction::None) shape = labels.shape();
  const Tensor loss = graph.addVariable(p.elementType(), shape, {debugContext, "nllLoss"});
  poputil::mapTensorLinearly(graph, loss);
  addBulkVertex(graph, prog, std::make_shared<NllKernel>(NllKind::Loss, params),
                {{asRows(p), Access::Read},
                 {labels.flatten(), Access::Read},
                 {loss.flatten(), Access::Write}},
                {debugContext, "nllLoss"});
  return loss;
}

Tensor nllLossGrad(Graph& graph, const Tensor& g, const Tensor& p, const Tensor& labels,
                   const NllParams& params, Sequence& prog, const DebugContext& debugContext) {
  return gradient("nllLossGrad", NllKind::Grad, graph, g, p, labels, params, prog, debugContext);
}

Tensor nllSoftmaxGrad(Graph& graph, const Tensor& g, const Tensor& p, const Tensor& labels,
                      const NllParams& params, Sequence& prog, const DebugContext& debugContext) {
  return gradient("nllSoftmaxGrad", NllKind::SoftmaxGrad, graph, g, p, labels, params, prog,
                  debugContext);
}

}  // namespace popir
