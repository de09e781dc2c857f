// Pooling with ONNX's options that popnn::pooling lacks. popir's own.
#ifndef popir_Pooling_hpp
#define popir_Pooling_hpp

#include <popnn/Pooling.hpp>
#include <vector>

#pragma GCC visibility push(default)
namespace popir {

/// Options in addition to popnn::pooling::PoolParams.
struct PoolOptions {
  /// Distance between elements of a window, by field dimension; empty: 1. The size of the output is
  /// (padded input - dilation * (kernel - 1) - 1) / stride + 1.
  std::vector<unsigned> dilation;
  /// AVG only. If true, padding counts in the divisor; if false, only elements of the input count.
  bool countIncludePad = false;
  /// The part of the upper padding that does not count even with countIncludePad: elements added to
  /// round the output size up (ceil_mode). By field dimension; empty: 0.
  std::vector<unsigned> uncountedPaddingUpper;
};

/// Output size of each field dimension.
std::vector<std::size_t> poolOutputFieldShape(const popnn::pooling::PoolParams& params,
                                              const PoolOptions& options);

/// Like popnn::pooling::pool, with options.
poplar::Tensor pool(poplar::Graph& graph, const popnn::pooling::PoolParams& params,
                    const PoolOptions& options, const poplar::Tensor& in,
                    poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {});

/// Where the maxima of a MAX pooling are: LONGLONG, in the shape of its result, the index in the
/// flattened input of the first maximum of each window in row-major order, or of its first NaN; -1
/// for a window without an element.
///
/// \param columnMajor whether the index of a channel's element counts its first field dimension
/// fastest (ONNX's storage_order)
poplar::Tensor maxPoolIndices(poplar::Graph& graph, const popnn::pooling::PoolParams& params,
                              const PoolOptions& options, const poplar::Tensor& in,
                              bool columnMajor, poplar::program::Sequence& prog,
                              const poplar::DebugContext& debugContext = {});

/// Gradient of the input, for AVG and SUM.
poplar::Tensor poolInputGradient(poplar::Graph& graph, const popnn::pooling::PoolParams& params,
                                 const PoolOptions& options, const poplar::Tensor& pooledGradient,
                                 poplar::program::Sequence& prog,
                                 const poplar::DebugContext& debugContext = {});

/// Gradient of the input, for MAX. The gradient of a window goes to its first maximum in row-major
/// order (or its first NaN), as in PyTorch and onnxruntime. PopART uses
/// popnn::pooling::poolInputGradient, which gives it to all maxima of the window.
poplar::Tensor maxPoolInputGradient(poplar::Graph& graph, const popnn::pooling::PoolParams& params,
                                    const PoolOptions& options, const poplar::Tensor& in,
                                    const poplar::Tensor& pooledGradient,
                                    poplar::program::Sequence& prog,
                                    const poplar::DebugContext& debugContext = {});

}  // namespace popir
#pragma GCC visibility pop

#endif
