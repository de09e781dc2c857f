// Pooling over the field dimensions of [batch, channels, field...]. popir/Pooling.hpp adds
// dilation, averages that count padding, and the gradient of max pooling as defined by onnxruntime
// and PyTorch. After popnn/Pooling.hpp of PopLibs 3.
#ifndef popnn_Pooling_hpp
#define popnn_Pooling_hpp

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <popnn/PoolingDef.hpp>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace popnn {
namespace pooling {

/// Parameters of a pooling. Each vector has one entry per field dimension. Negative padding crops
/// the input.
struct PoolParams {
  PoolingType poolingType;
  std::vector<std::size_t> inputFieldShape;
  std::vector<std::size_t> kernelShape;
  std::vector<unsigned> stride;
  std::vector<int> inputTruncationOrPaddingLower;
  std::vector<int> inputTruncationOrPaddingUpper;
  std::size_t numChannels;
  std::size_t batchSize;
  poplar::Type dType;

  PoolParams(PoolingType poolingType, std::vector<std::size_t> inputFieldShape,
             std::vector<std::size_t> kernelShape, std::vector<unsigned> stride,
             std::vector<int> inputTruncationOrPaddingLower,
             std::vector<int> inputTruncationOrPaddingUpper, std::size_t numChannels,
             std::size_t batchSize, poplar::Type dType)
      : poolingType(poolingType),
        inputFieldShape(std::move(inputFieldShape)),
        kernelShape(std::move(kernelShape)),
        stride(std::move(stride)),
        inputTruncationOrPaddingLower(std::move(inputTruncationOrPaddingLower)),
        inputTruncationOrPaddingUpper(std::move(inputTruncationOrPaddingUpper)),
        numChannels(numChannels),
        batchSize(batchSize),
        dType(dType) {}

  std::size_t getNumFieldDims() const { return inputFieldShape.size(); }
  std::vector<std::size_t> getOutputFieldShape() const;
};

std::ostream& operator<<(std::ostream& o, const PoolParams& params);
/// Returns "max", "avg" or "sum".
const char* asString(const PoolingType& method);

/// Size of the output in each field dimension: (padded input - kernel) / stride + 1, rounded down;
/// 0 if the kernel does not fit.
std::vector<std::size_t> getOutputFieldShape(const PoolParams& params);
/// Number of operations: one per element of each window and, for AVG, one division per window.
std::uint64_t getFwdFlops(const PoolParams& params);
std::uint64_t getBwdFlops(const PoolParams& params);
/// The cycles of these operations if each tile loaded as much as it can; two passes for the gradient.
double getFwdPerfectCycleCount(const poplar::Graph& graph, const PoolParams& params);
double getBwdPerfectCycleCount(const poplar::Graph& graph, const PoolParams& params);

/// Pools `in`, [batchSize, numChannels, inputFieldShape...], of type dType: FLOAT, HALF, BFLOAT16,
/// DOUBLE, or any integer for MAX. Padding does not count in AVG, and is never the maximum. A
/// window that contains only padding gives 0. MAX gives NaN if the window contains NaN. HALF is
/// summed in float.
/// \param options see `popir options`, popnn.pooling.pool
/// \throws poputil::poplibs_error if parameters, shapes and types do not match
poplar::Tensor pool(poplar::Graph& graph, const PoolParams& params, const poplar::Tensor& in,
                    poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
                    const poplar::OptionFlags& options = {});

/// Gradient of the input of pool(), for floating-point types.
///
/// MAX, as in PopLibs: each element that equals the maximum of its window gets the window's
/// gradient, divided by the number of such elements if `useScaledGradient`. onnxruntime and PyTorch
/// give it to the first such element only; see popir::maxPoolInputGradient.
///
/// \param in the input of pool()
/// \param pooled the output of pool()
/// \param pooledGradient the gradient of `pooled`
poplar::Tensor poolInputGradient(poplar::Graph& graph, const PoolParams& params,
                                 const poplar::Tensor& in, const poplar::Tensor& pooled,
                                 const poplar::Tensor& pooledGradient, bool useScaledGradient,
                                 poplar::program::Sequence& prog,
                                 const poplar::DebugContext& debugContext = {},
                                 const poplar::OptionFlags& options = {});
/// The same for AVG and SUM, which need only the output's gradient. `fwdChansPerGroup` is a layout
/// hint without effect.
poplar::Tensor poolInputGradient(poplar::Graph& graph, const PoolParams& params,
                                 const unsigned fwdChansPerGroup,
                                 const poplar::Tensor& pooledGradient,
                                 poplar::program::Sequence& prog,
                                 const poplar::DebugContext& debugContext = {},
                                 const poplar::OptionFlags& options = {});

}  // namespace pooling
}  // namespace popnn
#pragma GCC visibility pop

#endif
