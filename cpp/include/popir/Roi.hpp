// Poolings over regions of interest: ONNX's RoiAlign and MaxRoiPool. popir's own.
#ifndef popir_Roi_hpp
#define popir_Roi_hpp

#include <cstddef>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#pragma GCC visibility push(default)
namespace popir {

/// What becomes of a bin, an equal part of a region.
enum class RoiPooling {
  AlignAverage,  ///< the mean of samples that are interpolated between four pixels
  AlignMax,      ///< of all samples the largest pixel times its weight, as onnxruntime has it
  Max,           ///< the largest pixel, where the region's corners are rounded to pixels
};

/// A pooling over regions.
struct RoiParams {
  RoiPooling pooling = RoiPooling::AlignAverage;
  std::size_t height = 1, width = 1;  ///< bins of a region
  float scale = 1;                    ///< pixels for a step of the regions' coordinates
  /// Align*: samples of a bin in each direction; 0: as many as it has pixels, rounded up.
  unsigned samplingRatio = 0;
  /// Align*: whether pixel i reaches from i to i + 1. Otherwise its centre is at i, and a region has
  /// at least one pixel.
  bool halfPixel = false;
};

/// Returns [regions, channels, height, width] of the type of `in`.
///
/// \param regions [regions, 4] of that type: x and y of the first corner, then of the other
/// \param images INT [regions]: in which image each is; of an index out of range the result is 0
/// \param in [images, channels, height, width] of FLOAT, HALF, BFLOAT16 or DOUBLE
/// \throws poputil::poplibs_error for other shapes and types, and for a region without bins
poplar::Tensor roiPool(poplar::Graph& graph, const RoiParams& params, const poplar::Tensor& regions,
                       const poplar::Tensor& images, const poplar::Tensor& in,
                       poplar::program::Sequence& prog,
                       const poplar::DebugContext& debugContext = {});

/// The gradient of `in`, where `gradient` is that of the result. A maximum's goes to the first one.
poplar::Tensor roiPoolInputGradient(poplar::Graph& graph, const RoiParams& params,
                                    const poplar::Tensor& regions, const poplar::Tensor& images,
                                    const poplar::Tensor& in, const poplar::Tensor& gradient,
                                    poplar::program::Sequence& prog,
                                    const poplar::DebugContext& debugContext = {});

/// The derivative of the result in the direction `tangent` of the images: what `in` changes by to
/// what the result changes by. That of a maximum is the first one's.
poplar::Tensor roiPoolTangent(poplar::Graph& graph, const RoiParams& params,
                              const poplar::Tensor& regions, const poplar::Tensor& images,
                              const poplar::Tensor& in, const poplar::Tensor& tangent,
                              poplar::program::Sequence& prog,
                              const poplar::DebugContext& debugContext = {});

}  // namespace popir
#pragma GCC visibility pop

#endif
