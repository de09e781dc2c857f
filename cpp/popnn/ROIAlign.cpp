#include <popir/Roi.hpp>
#include <popnn/experimental/ROIAlign.hpp>
#include <popops/Cast.hpp>

namespace popnn {
namespace experimental {
namespace {

popir::RoiParams asPooling(const roiAlignParams& params) {
  popir::RoiParams p;
  p.height = params.alignedHeight_;
  p.width = params.alignedWidth_;
  p.scale = params.spatialScale_;
  p.samplingRatio = static_cast<unsigned>(params.samplingRatio_);
  p.halfPixel = params.aligned_;
  return p;
}

poplar::Tensor asInts(poplar::Graph& graph, const poplar::Tensor& t,
                      poplar::program::Sequence& prog, const poplar::DebugContext& debugContext) {
  return t.elementType() == poplar::INT ? t
                                        : popops::cast(graph, t, poplar::INT, prog, debugContext);
}

}  // namespace

poplar::Tensor roiAlignFwd(poplar::Graph& graph, poplar::program::Sequence& prog,
                           poplar::Tensor& bottomData, poplar::Tensor& bottomRois,
                           poplar::Tensor& bottomBatchIndex, const roiAlignParams& params,
                           const poplar::DebugContext& debugContext) {
  return popir::roiPool(graph, asPooling(params), bottomRois,
                        asInts(graph, bottomBatchIndex, prog, debugContext), bottomData, prog,
                        debugContext);
}

poplar::Tensor roiAlignInputGradient(poplar::Graph& graph, poplar::program::Sequence& prog,
                                     poplar::Tensor& bottomData, poplar::Tensor& bottomRois,
                                     poplar::Tensor& bottomBatchIndex, poplar::Tensor& topDataGrad,
                                     const roiAlignParams& params,
                                     const poplar::DebugContext& debugContext) {
  return popir::roiPoolInputGradient(graph, asPooling(params), bottomRois,
                                     asInts(graph, bottomBatchIndex, prog, debugContext),
                                     bottomData, topDataGrad, prog, debugContext);
}

}  // namespace experimental
}  // namespace popnn
