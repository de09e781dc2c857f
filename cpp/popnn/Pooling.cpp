#include "kernels/pooling/pool.hpp"

#include <popir/Pooling.hpp>
#include <popnn/Pooling.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <limits>
#include <ostream>
#include <sstream>

#include "kernels/contraction/meetings.hpp"
#include "kernels/pooling/max_index.hpp"
#include "poplar/bulk_vertex.hpp"
#include "poplar/library_options.hpp"
#include "poplar/planned_layout.hpp"
#include "poplar/view.hpp"

namespace popir {
namespace {

using namespace poplar;
using popnn::PoolingType;
using popnn::pooling::PoolParams;
using Sizes = std::vector<std::size_t>;

[[noreturn]] void refuse(const std::string& why) {
  throw poputil::poplibs_error("pooling: " + why);
}

std::string text(const Sizes& shape) {
  std::string s = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) s += (i ? "," : "") + std::to_string(shape[i]);
  return s + "]";
}

unsigned dilationOf(const PoolOptions& options, std::size_t d) {
  return options.dilation.empty() ? 1 : options.dilation[d];
}

/// \throws poputil::poplibs_error for inconsistent parameters
void check(const PoolParams& p, const PoolOptions& options) {
  const std::size_t n = p.inputFieldShape.size();
  if (n == 0) refuse("no spatial dimension; give an input of rank 3 or more");
  const auto sized = [&](const char* what, std::size_t size, bool mayBeEmpty = false) {
    if (size != n && !(mayBeEmpty && size == 0))
      refuse(std::string(what) + " has " + std::to_string(size) + " entries for " +
             std::to_string(n) + " spatial dimensions");
  };
  sized("kernelShape", p.kernelShape.size());
  sized("stride", p.stride.size());
  sized("inputTruncationOrPaddingLower", p.inputTruncationOrPaddingLower.size());
  sized("inputTruncationOrPaddingUpper", p.inputTruncationOrPaddingUpper.size());
  sized("dilation", options.dilation.size(), true);
  sized("uncountedPaddingUpper", options.uncountedPaddingUpper.size(), true);
  for (std::size_t d = 0; d < n; ++d)
    if (p.kernelShape[d] == 0 || p.stride[d] == 0 || dilationOf(options, d) == 0)
      refuse("kernel, stride and dilation of spatial dimension " + std::to_string(d) + " are " +
             std::to_string(p.kernelShape[d]) + ", " + std::to_string(p.stride[d]) + ", " +
             std::to_string(dilationOf(options, d)) + "; all must be at least 1");
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  for (std::size_t d = 0; d < n; ++d)
    if (p.inputFieldShape[d] > most || p.kernelShape[d] > most / dilationOf(options, d))
      refuse("spatial dimension " + std::to_string(d) + " has " +
             std::to_string(p.inputFieldShape[d]) + " elements and a kernel of " +
             std::to_string(p.kernelShape[d]) + " with dilation " +
             std::to_string(dilationOf(options, d)) + "; either is " + std::to_string(most) +
             " elements at most");
}

std::vector<PoolAxis> axesOf(const PoolParams& p, const PoolOptions& options) {
  const Sizes out = poolOutputFieldShape(p, options);
  std::vector<PoolAxis> axes;
  for (std::size_t d = 0; d < out.size(); ++d) {
    PoolAxis a;
    a.in = static_cast<std::int64_t>(p.inputFieldShape[d]);
    a.out = static_cast<std::int64_t>(out[d]);
    a.kernel = static_cast<std::int64_t>(p.kernelShape[d]);
    a.stride = p.stride[d];
    a.dilation = dilationOf(options, d);
    a.pad = p.inputTruncationOrPaddingLower[d];
    // The region that counts in an average: the input, or the padded input.
    const bool padded = options.countIncludePad && p.poolingType == PoolingType::AVG;
    std::int64_t first = 0, last = a.in;
    if (padded) {
      const std::int64_t uncounted =
          options.uncountedPaddingUpper.empty() ? 0 : options.uncountedPaddingUpper[d];
      first = std::min<std::int64_t>(-a.pad, 0);
      last = std::max(a.in, a.in + p.inputTruncationOrPaddingUpper[d] - uncounted);
    }
    // The number of elements of window `o` before position `end`.
    const auto before = [&](std::int64_t o, std::int64_t end) {
      const std::int64_t free = end - a.at(o, 0);
      return std::clamp<std::int64_t>((free + a.dilation - 1) / a.dilation, 0, a.kernel);
    };
    for (std::int64_t o = 0; o < a.out; ++o) a.counts.push_back(before(o, last) - before(o, first));
    axes.push_back(std::move(a));
  }
  return axes;
}

Sizes shapeOf(const PoolParams& p, const Sizes& field) {
  Sizes shape{p.batchSize, p.numChannels};
  shape.insert(shape.end(), field.begin(), field.end());
  return shape;
}

void checkTensor(const char* what, const Tensor& t, const Type& type, const Sizes& shape) {
  if (t.shape() != shape || t.elementType() != type)
    refuse(std::string(what) + " is " + t.elementType().toString() + " " + t.shapeToString() +
           ", where the parameters make it " + type.toString() + " " + text(shape));
}

/// Adds a pooling, or the gradient of one, by operands that are read. \returns its result, which
/// lies as the machine's plan makes it.
Tensor addPooling(Graph& graph, std::shared_ptr<const PoolKernel> kernel, const PoolParams& p,
                  const Sizes& field, std::vector<BulkOperand> operands, program::Sequence& prog,
                  const DebugContext& context) {
  const Tensor out = graph.addVariable(p.dType, shapeOf(p, field), context);
  operands.push_back({out, Access::Write});
  std::vector<Layout> layouts;
  for (const auto& o : operands)
    layouts.push_back(Layout::rowMajor(o.tensor.elementType(), o.tensor.view().shape()));
  mapByPlan(graph, out, kernel->work(layouts));
  addBulkVertex(graph, prog, std::move(kernel), std::move(operands), context);
  return out;
}

void checkType(PoolKind kind, const PoolParams& p) {
  if (!PoolKernel::supports(kind, p.dType))
    refuse(p.dType.toString() +
           " elements cannot be pooled so; FLOAT, HALF, BFLOAT16 and DOUBLE can, and " +
           "integers forwards by MAX");
}

/// The gradient of the input. `in` is null unless the kind of pooling needs it.
Tensor gradient(Graph& graph, PoolKind kind, const PoolParams& p, const PoolOptions& options,
                const Tensor* in, const Tensor& pooledGradient, program::Sequence& prog,
                const DebugContext& debugContext) {
  check(p, options);
  checkType(kind, p);
  const Sizes inShape = shapeOf(p, p.inputFieldShape);
  if (in) checkTensor("the input", *in, p.dType, inShape);
  checkTensor("the gradient", pooledGradient, p.dType,
              shapeOf(p, poolOutputFieldShape(p, options)));
  std::size_t plane = 1;
  for (const std::size_t d : p.inputFieldShape) plane *= d;
  if (plane > std::numeric_limits<std::int32_t>::max() / 64)
    refuse("a channel of shape " + text(p.inputFieldShape) +
           " is too large; 2^25 elements are "
           "the most");
  std::vector<BulkOperand> operands;
  if (in) operands.push_back({*in, Access::Read});
  operands.push_back({pooledGradient, Access::Read});
  return addPooling(graph, std::make_shared<PoolKernel>(kind, axesOf(p, options)), p,
                    p.inputFieldShape, std::move(operands), prog, {debugContext, "PoolGradient"});
}

PoolKind gradientKind(const PoolParams& p) {
  if (p.poolingType == PoolingType::MAX)
    refuse(
        "the gradient of MAX pooling needs the input of the pooling: use the form that takes "
        "it");
  return p.poolingType == PoolingType::AVG ? PoolKind::AverageGrad : PoolKind::SumGrad;
}

}  // namespace

Sizes poolOutputFieldShape(const PoolParams& p, const PoolOptions& options) {
  check(p, options);
  Sizes shape;
  for (std::size_t d = 0; d < p.inputFieldShape.size(); ++d) {
    const std::int64_t padded = static_cast<std::int64_t>(p.inputFieldShape[d]) +
                                p.inputTruncationOrPaddingLower[d] +
                                p.inputTruncationOrPaddingUpper[d];
    const std::int64_t extent =
        static_cast<std::int64_t>(p.kernelShape[d] - 1) * dilationOf(options, d) + 1;
    shape.push_back(padded < extent ? 0 : (padded - extent) / p.stride[d] + 1);
  }
  return shape;
}

Tensor pool(Graph& graph, const PoolParams& p, const PoolOptions& options, const Tensor& in,
            program::Sequence& prog, const DebugContext& debugContext) {
  check(p, options);
  const PoolKind kind = p.poolingType == PoolingType::MAX   ? PoolKind::Max
                        : p.poolingType == PoolingType::AVG ? PoolKind::Average
                                                            : PoolKind::Sum;
  checkType(kind, p);
  checkTensor("the input", in, p.dType, shapeOf(p, p.inputFieldShape));
  return addPooling(graph, std::make_shared<PoolKernel>(kind, axesOf(p, options)), p,
                    poolOutputFieldShape(p, options), {{in, Access::Read}}, prog,
                    {debugContext, "Pool"});
}

Tensor maxPoolIndices(Graph& graph, const PoolParams& p, const PoolOptions& options,
                      const Tensor& in, bool columnMajor, program::Sequence& prog,
                      const DebugContext& debugContext) {
  check(p, options);
  if (p.poolingType != PoolingType::MAX)
    refuse("maxPoolIndices of a pooling by " +
           std::string(popnn::pooling::asString(p.poolingType)) + ", which has no maxima");
  checkType(PoolKind::Max, p);
  checkTensor("the input", in, p.dType, shapeOf(p, p.inputFieldShape));
  const Tensor out = graph.addVariable(LONGLONG, shapeOf(p, poolOutputFieldShape(p, options)),
                                       {debugContext, "PoolIndices"});
  poputil::mapTensorLinearly(graph, out);
  addBulkVertex(graph, prog, std::make_shared<MaxIndexKernel>(axesOf(p, options), columnMajor),
                {{in, Access::Read}, {out, Access::Write}}, {debugContext, "PoolIndices"});
  return out;
}

Tensor poolInputGradient(Graph& graph, const PoolParams& p, const PoolOptions& options,
                         const Tensor& pooledGradient, program::Sequence& prog,
                         const DebugContext& debugContext) {
  return gradient(graph, gradientKind(p), p, options, nullptr, pooledGradient, prog, debugContext);
}

Tensor maxPoolInputGradient(Graph& graph, const PoolParams& p, const PoolOptions& options,
                            const Tensor& in, const Tensor& pooledGradient, program::Sequence& prog,
                            const DebugContext& debugContext) {
  if (p.poolingType != PoolingType::MAX)
    refuse("maxPoolInputGradient of a pooling by " +
           std::string(popnn::pooling::asString(p.poolingType)) + "; use poolInputGradient");
  return gradient(graph, PoolKind::MaxGradFirst, p, options, &in, pooledGradient, prog,
                  debugContext);
}

namespace {

Tensor maxGradientOfTies(Graph& graph, const PoolParams& p, const Tensor& in, const Tensor& pooled,
                         const Tensor& pooledGradient, bool shared, program::Sequence& prog,
                         const DebugContext& debugContext) {
  checkTensor("the output", pooled, p.dType, shapeOf(p, poolOutputFieldShape(p, {})));
  return gradient(graph, shared ? PoolKind::MaxGradShared : PoolKind::MaxGradAll, p, {}, &in,
                  pooledGradient, prog, debugContext);
}

}  // namespace
}  // namespace popir

namespace popnn {
namespace pooling {

using poplar::Graph;
using poplar::Tensor;
using poplar::program::Sequence;

std::vector<std::size_t> PoolParams::getOutputFieldShape() const {
  return popir::poolOutputFieldShape(*this, {});
}

std::vector<std::size_t> getOutputFieldShape(const PoolParams& params) {
  return params.getOutputFieldShape();
}

const char* asString(const PoolingType& method) {
  switch (method) {
    case PoolingType::MAX: return "max";
    case PoolingType::AVG: return "avg";
    case PoolingType::SUM: return "sum";
  }
  return "?";
}

std::ostream& operator<<(std::ostream& o, const PoolParams& p) {
  const auto list = [&](const char* name, const auto& values) {
    o << ", " << name << " {";
    for (std::size_t i = 0; i < values.size(); ++i) o << (i ? "," : "") << values[i];
    o << "}";
  };
  o << asString(p.poolingType) << " pooling of " << p.batchSize << " x " << p.numChannels << " "
    << p.dType;
  list("field", p.inputFieldShape);
  list("kernel", p.kernelShape);
  list("stride", p.stride);
  list("padding below", p.inputTruncationOrPaddingLower);
  list("padding above", p.inputTruncationOrPaddingUpper);
  return o;
}

std::uint64_t getFwdFlops(const PoolParams& p) {
  const std::vector<std::size_t> out = popir::poolOutputFieldShape(p, {});
  std::uint64_t windows = popir::saturatingProduct(p.batchSize, p.numChannels);
  std::uint64_t operations = windows;
  for (std::size_t d = 0; d < out.size(); ++d) {
    const auto in = static_cast<std::int64_t>(p.inputFieldShape[d]);
    const auto size = static_cast<std::int64_t>(out[d]);
    const auto kernel = static_cast<std::int64_t>(p.kernelShape[d]);
    operations = popir::saturatingProduct(
        operations,
        popir::meetings({in, size, kernel, p.stride[d], 1, 1, p.inputTruncationOrPaddingLower[d]}));
    windows = popir::saturatingProduct(windows, out[d]);
  }
  if (p.poolingType != PoolingType::AVG) return operations;
  const std::uint64_t all = operations + windows;
  return all < windows ? std::numeric_limits<std::uint64_t>::max() : all;
}

std::uint64_t getBwdFlops(const PoolParams& p) { return getFwdFlops(p); }

double getFwdPerfectCycleCount(const Graph& graph, const PoolParams& params) {
  const auto& target = graph.getTarget();
  const std::size_t bits = 8 * target.getTypeSize(params.dType);
  const double perCycle =
      static_cast<double>(target.getDataPathWidth()) / static_cast<double>(bits);
  return static_cast<double>(getFwdFlops(params)) / perCycle / target.getNumTiles();
}
double getBwdPerfectCycleCount(const Graph& graph, const PoolParams& params) {
  return 2 * getFwdPerfectCycleCount(graph, params);
}

Tensor pool(Graph& graph, const PoolParams& params, const Tensor& in, Sequence& prog,
            const poplar::DebugContext& debugContext, const poplar::OptionFlags& options) {
  popir::checkLibraryOptions("popnn::pooling::pool", popir::Library::Pooling, options);
  return popir::pool(graph, params, {}, in, prog, debugContext);
}

Tensor poolInputGradient(Graph& graph, const PoolParams& params, const Tensor& in,
                         const Tensor& pooled, const Tensor& pooledGradient, bool useScaledGradient,
                         Sequence& prog, const poplar::DebugContext& debugContext,
                         const poplar::OptionFlags& options) {
  popir::checkLibraryOptions("popnn::pooling::poolInputGradient", popir::Library::Pooling, options);
  if (params.poolingType != PoolingType::MAX)
    return popir::poolInputGradient(graph, params, {}, pooledGradient, prog, debugContext);
  return popir::maxGradientOfTies(graph, params, in, pooled, pooledGradient, useScaledGradient,
                                  prog, debugContext);
}

Tensor poolInputGradient(Graph& graph, const PoolParams& params, const unsigned,
                         const Tensor& pooledGradient, Sequence& prog,
                         const poplar::DebugContext& debugContext,
                         const poplar::OptionFlags& options) {
  popir::checkLibraryOptions("popnn::pooling::poolInputGradient", popir::Library::Pooling, options);
  return popir::poolInputGradient(graph, params, {}, pooledGradient, prog, debugContext);
}

}  // namespace pooling
}  // namespace popnn
