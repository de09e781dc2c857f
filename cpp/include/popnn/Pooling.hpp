// popnn/Pooling.hpp: pooling over the spatial dimensions of [batch, channels, spatial...].
// popir/Pooling.hpp has what PopLibs lacks: dilation, averages that count the padding, and the
// gradient of max pooling as ONNX runtimes define it.
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

/// Sizes of a pooling; each vector has one entry for each spatial dimension. A negative padding
/// cuts elements off.
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
/// "max", "avg" or "sum".
const char* asString(const PoolingType& method);

/// For each dimension (padded input - kernel) / stride + 1, rounded down; 0 where the kernel does
/// not fit.
std::vector<std::size_t> getOutputFieldShape(const PoolParams& params);
/// One operation for each element of each window, and one for each division of an average.
std::uint64_t getFwdFlops(const PoolParams& params);
std::uint64_t getBwdFlops(const PoolParams& params);

/// Pools `in`, [batchSize, numChannels, inputFieldShape...], of type dType: FLOAT, HALF, DOUBLE,
/// or for MAX any integer. Padding is never counted and never a maximum; a window of padding alone
/// gives 0. MAX gives NaN if an element of the window is NaN. HALF is summed in float.
/// \param options  those that `popir options` lists as popnn.pooling.pool.
/// \throws poputil::poplibs_error where parameters, shapes and types do not fit each other.
poplar::Tensor pool(poplar::Graph& graph, const PoolParams& params, const poplar::Tensor& in,
                    poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
                    const poplar::OptionFlags& options = {});

/// The gradient of pool() with respect to its input, of floating point type.
///
/// MAX, as in PopLibs: every element of a window that equals its maximum gets the gradient of the
/// window, divided by the number of such elements if `useScaledGradient`. ONNX runtimes and
/// PyTorch give it to the first such element: popir::maxPoolInputGradient.
///
/// \param in               the input of pool().
/// \param pooled           the output of pool().
/// \param pooledGradient   the gradient with respect to `pooled`.
poplar::Tensor poolInputGradient(poplar::Graph& graph, const PoolParams& params,
                                 const poplar::Tensor& in, const poplar::Tensor& pooled,
                                 const poplar::Tensor& pooledGradient, bool useScaledGradient,
                                 poplar::program::Sequence& prog,
                                 const poplar::DebugContext& debugContext = {},
                                 const poplar::OptionFlags& options = {});
/// The same for AVG and SUM, which need the gradient alone. `fwdChansPerGroup`, a wish about the
/// layout, changes nothing.
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
