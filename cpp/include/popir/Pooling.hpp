// popir/Pooling.hpp: pooling as ONNX has it, where that is more than popnn::pooling.
#ifndef popir_Pooling_hpp
#define popir_Pooling_hpp

#include <popnn/Pooling.hpp>
#include <vector>

#pragma GCC visibility push(default)
namespace popir {

struct PoolOptions {
  /// Distance between the elements of a window, for each spatial dimension; empty: 1. The output
  /// then has (padded input - dilation (kernel - 1) - 1) / stride + 1 elements in each.
  std::vector<unsigned> dilation;
  /// AVG divides by the size of the window inside the padded input, where else only elements of the
  /// input count.
  bool countIncludePad = false;
  /// Of the upper padding, what countIncludePad does not count: what rounding the output's shape up
  /// (ceil_mode) added. For each spatial dimension; empty: 0.
  std::vector<unsigned> uncountedPaddingUpper;
};

std::vector<std::size_t> poolOutputFieldShape(const popnn::pooling::PoolParams& params,
                                              const PoolOptions& options);

/// popnn::pooling::pool with options.
poplar::Tensor pool(poplar::Graph& graph, const popnn::pooling::PoolParams& params,
                    const PoolOptions& options, const poplar::Tensor& in,
                    poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {});

/// The gradient with respect to the input of AVG and SUM pooling.
poplar::Tensor poolInputGradient(poplar::Graph& graph, const popnn::pooling::PoolParams& params,
                                 const PoolOptions& options, const poplar::Tensor& pooledGradient,
                                 poplar::program::Sequence& prog,
                                 const poplar::DebugContext& debugContext = {});

/// The gradient with respect to the input of MAX pooling: the gradient of each window goes to its
/// first maximum in row-major order (or its first NaN), as in PyTorch and ONNX runtimes. PopART, by
/// popnn::pooling::poolInputGradient, shares it among all maxima of the window.
poplar::Tensor maxPoolInputGradient(poplar::Graph& graph, const popnn::pooling::PoolParams& params,
                                    const PoolOptions& options, const poplar::Tensor& in,
                                    const poplar::Tensor& pooledGradient,
                                    poplar::program::Sequence& prog,
                                    const poplar::DebugContext& debugContext = {});

}  // namespace popir
#pragma GCC visibility pop

#endif
