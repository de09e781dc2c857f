#include "kernels/reduction/softmax.hpp"

#include <popir/Softmax.hpp>
#include <popnn/LogSoftmax.hpp>
#include <poputil/exceptions.hpp>

#include "kernels/half.hpp"
#include "poplar/bulk_vertex.hpp"

namespace popir {
namespace {

using poplar::DebugContext;
using poplar::Graph;
using poplar::Tensor;
using poplar::program::Sequence;

void check(const char* who, const Tensor& t) {
  const auto type = t.elementType();
  if (t.rank() == 0 || (!isFloatOrHalf(type) && type != poplar::DOUBLE))
    throw poputil::poplibs_error(
        std::string(who) + " of " + type.toString() + " " + t.shapeToString() +
        "; give FLOAT, HALF, BFLOAT16 or DOUBLE elements of rank 1 or more");
}

void forward(const char* who, SoftmaxKind kind, float scale, Graph& graph, const Tensor& x,
             const Tensor& y, Sequence& prog, const DebugContext& debugContext) {
  addBulkVertex(graph, prog, std::make_shared<SoftmaxKernel>(kind, scale),
                {{x, Access::Read}, {y, Access::Write}}, {debugContext, who});
}

Tensor toNew(const char* who, SoftmaxKind kind, float scale, Graph& graph, const Tensor& x,
             Sequence& prog, const DebugContext& debugContext) {
  check(who, x);
  const Tensor y = graph.clone(x, {debugContext, who}, poplar::TensorCloneMethod::CREATE_NEW_ORDER);
  forward(who, kind, scale, graph, x, y, prog, debugContext);
  return y;
}

void inPlace(const char* who, SoftmaxKind kind, float scale, Graph& graph, const Tensor& x,
             Sequence& prog, const DebugContext& debugContext) {
  check(who, x);
  forward(who, kind, scale, graph, x, x, prog, debugContext);
}

Tensor gradient(const char* who, SoftmaxKind kind, Graph& graph, const Tensor& y, const Tensor& g,
                Sequence& prog, const DebugContext& debugContext) {
  check(who, y);
  if (y.shape() != g.shape() || y.elementType() != g.elementType())
    throw poputil::poplibs_error(std::string(who) + ": the output is " +
                                 y.elementType().toString() + " " + y.shapeToString() +
                                 ", its gradient " + g.elementType().toString() + " " +
                                 g.shapeToString() + "; give one shape and type");
  const Tensor dx =
      graph.clone(y, {debugContext, who}, poplar::TensorCloneMethod::CREATE_NEW_ORDER);
  addBulkVertex(graph, prog, std::make_shared<SoftmaxKernel>(kind),
                {{y, Access::Read}, {g, Access::Read}, {dx, Access::Write}}, {debugContext, who});
  return dx;
}

}  // namespace

Tensor softmax(Graph& graph, const Tensor& x, Sequence& prog, const DebugContext& debugContext,
               float scale) {
  return toNew("softmax", SoftmaxKind::Softmax, scale, graph, x, prog, debugContext);
}

void softmaxInPlace(Graph& graph, const Tensor& x, Sequence& prog, const DebugContext& debugContext,
                    float scale) {
  inPlace("softmax", SoftmaxKind::Softmax, scale, graph, x, prog, debugContext);
}

Tensor softmaxGrad(Graph& graph, const Tensor& y, const Tensor& g, Sequence& prog,
                   const DebugContext& debugContext) {
  return gradient("softmaxGrad", SoftmaxKind::SoftmaxGrad, graph, y, g, prog, debugContext);
}

Tensor logSoftmax(Graph& graph, const Tensor& x, Sequence& prog, const DebugContext& debugContext) {
  return toNew("logSoftmax", SoftmaxKind::LogSoftmax, 1, graph, x, prog, debugContext);
}

void logSoftmaxInPlace(Graph& graph, const Tensor& x, Sequence& prog,
                       const DebugContext& debugContext) {
  inPlace("logSoftmax", SoftmaxKind::LogSoftmax, 1, graph, x, prog, debugContext);
}

Tensor logSoftmaxGrad(Graph& graph, const Tensor& y, const Tensor& g, Sequence& prog,
                      const DebugContext& debugContext) {
  return gradient("logSoftmaxGrad", SoftmaxKind::LogSoftmaxGrad, graph, y, g, prog, debugContext);
}

}  // namespace popir

namespace popnn {

void logSoftmaxInPlace(poplar::Graph& graph, poplar::Tensor t, poplar::program::Sequence& prog,
                       const poplar::DebugContext& debugContext) {
  popir::logSoftmaxInPlace(graph, t, prog, debugContext);
}

poplar::Tensor logSoftmax(poplar::Graph& graph, poplar::Tensor t, poplar::program::Sequence& prog,
                          const poplar::DebugContext& debugContext) {
  return popir::logSoftmax(graph, t, prog, debugContext);
}

}  // namespace popnn
