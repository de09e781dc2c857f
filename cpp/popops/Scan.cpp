#include "kernels/reduction/scan.hpp"

#include <popir/Scan.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

#include "poplar/bulk_vertex.hpp"

namespace popir {
namespace {

using poplar::DebugContext;
using poplar::Graph;
using poplar::Tensor;
using poplar::program::Sequence;

Tensor scanned(const char* who, ScanKind kind, Graph& graph, const std::vector<Tensor>& inputs,
               unsigned dimension, const ScanOptions& options, Sequence& prog,
               const DebugContext& debugContext) {
  const Tensor& x = inputs[0];
  const auto described = [](const Tensor& t) {
    return t.elementType().toString() + " " + t.shapeToString();
  };
  const auto refuse = [&](const std::string& why) {
    throw poputil::poplibs_error("popir::" + std::string(who) + ": x is " + described(x) + why);
  };
  if (!ScanKernel::supports(kind, x.elementType()))
    refuse(kind == ScanKind::ProductGradient
               ? "; give FLOAT, HALF, BFLOAT16 or DOUBLE"
               : "; give FLOAT, HALF, BFLOAT16, DOUBLE or a 32- or 64-bit integer type");
  if (dimension >= x.rank()) refuse(", which has no dimension " + std::to_string(dimension));
  for (const Tensor& t : inputs)
    if (t.shape() != x.shape() || t.elementType() != x.elementType())
      refuse(", its gradient " + described(t) + "; give one shape and type");
  std::vector<std::size_t> lines = {1, x.dim(dimension), 1};
  for (unsigned d = 0; d < x.rank(); ++d)
    if (d != dimension) lines[d < dimension ? 0 : 2] *= x.dim(d);
  const Tensor out = graph.addVariable(x.elementType(), x.shape(), {debugContext, who});
  poputil::mapTensorLinearly(graph, out);
  std::vector<BulkOperand> operands;
  for (const Tensor& t : inputs) operands.push_back({t.reshape(lines), Access::Read});
  operands.push_back({out.reshape(lines), Access::Write});
  addBulkVertex(graph, prog, std::make_shared<ScanKernel>(kind, options.exclusive, options.reverse),
                std::move(operands), {debugContext, who});
  return out;
}

}  // namespace

Tensor runningSum(Graph& graph, const Tensor& x, unsigned dimension, const ScanOptions& options,
                  Sequence& prog, const DebugContext& debugContext) {
  return scanned("runningSum", ScanKind::Sum, graph, {x}, dimension, options, prog, debugContext);
}

Tensor runningProduct(Graph& graph, const Tensor& x, unsigned dimension, const ScanOptions& options,
                      Sequence& prog, const DebugContext& debugContext) {
  return scanned("runningProduct", ScanKind::Product, graph, {x}, dimension, options, prog,
                 debugContext);
}

Tensor runningProductGradient(Graph& graph, const Tensor& x, const Tensor& g, unsigned dimension,
                              const ScanOptions& options, Sequence& prog,
                              const DebugContext& debugContext) {
  return scanned("runningProductGradient", ScanKind::ProductGradient, graph, {x, g}, dimension,
                 options, prog, debugContext);
}

}  // namespace popir
