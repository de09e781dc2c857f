// Averages over regions of interest, with samples between pixels.
// After popnn/experimental/ROIAlign.hpp of PopLibs 3.
#ifndef popnn_ROIAlign_hpp
#define popnn_ROIAlign_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#pragma GCC visibility push(default)
namespace popnn {
namespace experimental {

struct roiAlignParams {
  /// Samples of a bin in each direction; 0: as many as it has pixels, rounded up.
  unsigned long samplingRatio_;
  unsigned long alignedHeight_, alignedWidth_;  ///< bins of a region
  bool aligned_;        ///< pixel i reaches from i to i + 1; otherwise its centre is at i
  float spatialScale_;  ///< pixels for a step of the regions' coordinates

  roiAlignParams(unsigned long samplingRatio, unsigned long poolH, unsigned long poolW,
                 bool aligned, float spatialScale)
      : samplingRatio_(samplingRatio),
        alignedHeight_(poolH),
        alignedWidth_(poolW),
        aligned_(aligned),
        spatialScale_(spatialScale) {}
};

/// Returns [regions, channels, alignedHeight, alignedWidth].
///
/// \param bottomData [images, channels, height, width]
/// \param bottomRois [regions, 4] of that type: x and y of the first corner, then of the other
/// \param bottomBatchIndex [regions] of an integer type: in which image each is
/// \throws poputil::poplibs_error for other shapes and types, and for a region without bins
poplar::Tensor roiAlignFwd(poplar::Graph& graph, poplar::program::Sequence& prog,
                           poplar::Tensor& bottomData, poplar::Tensor& bottomRois,
                           poplar::Tensor& bottomBatchIndex, const roiAlignParams& params,
                           const poplar::DebugContext& debugContext = {});

/// The gradient of `bottomData`, where `topDataGrad` is that of the result.
poplar::Tensor roiAlignInputGradient(poplar::Graph& graph, poplar::program::Sequence& prog,
                                     poplar::Tensor& bottomData, poplar::Tensor& bottomRois,
                                     poplar::Tensor& bottomBatchIndex, poplar::Tensor& topDataGrad,
                                     const roiAlignParams& params,
                                     const poplar::DebugContext& debugContext = {});

}  // namespace experimental
}  // namespace popnn
#pragma GCC visibility pop

#endif
