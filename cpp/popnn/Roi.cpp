#include "kernels/pooling/roi.hpp"

#include <popir/Roi.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

#include <limits>

#include "poplar/bulk_vertex.hpp"

namespace popir {
namespace {

using poplar::DebugContext;
using poplar::Graph;
using poplar::Tensor;
using poplar::program::Sequence;

RoiKind roiKindOf(RoiPooling pooling) {
  switch (pooling) {
    case RoiPooling::AlignAverage: return RoiKind::AlignAverage;
    case RoiPooling::AlignMax: return RoiKind::AlignMax;
    case RoiPooling::Max: return RoiKind::Max;
  }
  return RoiKind::Max;
}

void checkRoi(const char* who, const RoiParams& params, const Tensor& regions, const Tensor& images,
              const Tensor& in) {
  const auto expect = [&](bool fits, const char* what, const Tensor& t, const char* expected) {
    if (!fits)
      throw poputil::poplibs_error("popir::" + std::string(who) + ": " + what + " is " +
                                   t.elementType().toString() + " " + t.shapeToString() +
                                   "; give " + expected);
  };
  expect(RoiKernel::supports(in.elementType()) && in.rank() == 4, "the input", in,
         "FLOAT, HALF, BFLOAT16 or DOUBLE [images, channels, height, width]");
  expect(regions.rank() == 2 && regions.dim(1) == 4 && regions.elementType() == in.elementType(),
         "regions", regions, "[regions, 4] of the type of the input");
  expect(
      images.rank() == 1 && images.dim(0) == regions.dim(0) && images.elementType() == poplar::INT,
      "images", images, "INT [regions], the image of each region");
  constexpr auto most = std::numeric_limits<std::int32_t>::max();
  if (params.height < 1 || params.width < 1 || params.height > most || params.width > most ||
      params.samplingRatio > static_cast<unsigned>(most))
    throw poputil::poplibs_error("popir::" + std::string(who) + ": " +
                                 std::to_string(params.height) + " x " +
                                 std::to_string(params.width) + " bins with a sampling ratio of " +
                                 std::to_string(params.samplingRatio) +
                                 "; give 1 x 1 bins or more, each number less than 2^31");
}

RoiSampling samplingOf(const RoiParams& params) {
  return {params.scale, params.samplingRatio, params.halfPixel};
}

}  // namespace

Tensor roiPool(Graph& graph, const RoiParams& params, const Tensor& regions, const Tensor& images,
               const Tensor& in, Sequence& prog, const DebugContext& debugContext) {
  checkRoi("roiPool", params, regions, images, in);
  const Tensor out =
      graph.addVariable(in.elementType(), {regions.dim(0), in.dim(1), params.height, params.width},
                        {debugContext, "RoiPool"});
  poputil::mapTensorLinearly(graph, out);
  addBulkVertex(
      graph, prog,
      std::make_shared<RoiKernel>(roiKindOf(params.pooling), RoiPass::Forward, samplingOf(params)),
      {{regions, Access::Read}, {images, Access::Read}, {in, Access::Read}, {out, Access::Write}},
      {debugContext, "RoiPool"});
  return out;
}

Tensor roiPoolInputGradient(Graph& graph, const RoiParams& params, const Tensor& regions,
                            const Tensor& images, const Tensor& in, const Tensor& gradient,
                            Sequence& prog, const DebugContext& debugContext) {
  checkRoi("roiPoolInputGradient", params, regions, images, in);
  const std::vector<std::size_t> shape = {regions.dim(0), in.dim(1), params.height, params.width};
  if (gradient.shape() != shape || gradient.elementType() != in.elementType())
    throw poputil::poplibs_error(
        "popir::roiPoolInputGradient: the gradient is " + gradient.elementType().toString() + " " +
        gradient.shapeToString() + "; give it the type of the input, and the shape of the result");
  const Tensor out = graph.addVariable(in.elementType(), in.shape(), {debugContext, "RoiGradient"});
  poputil::mapTensorLinearly(graph, out);
  std::vector<BulkOperand> operands = {
      {regions, Access::Read}, {images, Access::Read}, {gradient, Access::Read}};
  if (params.pooling != RoiPooling::AlignAverage) operands.push_back({in, Access::Read});
  operands.push_back({out, Access::Write});
  addBulkVertex(
      graph, prog,
      std::make_shared<RoiKernel>(roiKindOf(params.pooling), RoiPass::Gradient, samplingOf(params)),
      std::move(operands), {debugContext, "RoiGradient"});
  return out;
}

Tensor roiPoolTangent(Graph& graph, const RoiParams& params, const Tensor& regions,
                      const Tensor& images, const Tensor& in, const Tensor& tangent, Sequence& prog,
                      const DebugContext& debugContext) {
  checkRoi("roiPoolTangent", params, regions, images, in);
  if (tangent.shape() != in.shape() || tangent.elementType() != in.elementType())
    throw poputil::poplibs_error("popir::roiPoolTangent: the tangent is " +
                                 tangent.elementType().toString() + " " + tangent.shapeToString() +
                                 "; give it the type and shape of the input");
  if (params.pooling == RoiPooling::AlignAverage)
    return roiPool(graph, params, regions, images, tangent, prog, debugContext);
  const Tensor out =
      graph.addVariable(in.elementType(), {regions.dim(0), in.dim(1), params.height, params.width},
                        {debugContext, "RoiTangent"});
  poputil::mapTensorLinearly(graph, out);
  addBulkVertex(
      graph, prog,
      std::make_shared<RoiKernel>(roiKindOf(params.pooling), RoiPass::Tangent, samplingOf(params)),
      {{regions, Access::Read},
       {images, Access::Read},
       {in, Access::Read},
       {tangent, Access::Read},
       {out, Access::Write}},
      {debugContext, "RoiTangent"});
  return out;
}

}  // namespace popir
