// Connectionist temporal classification. After popnn/CTCLoss.hpp of PopLibs 3.
//
// Data are [time, batch, classes] of FLOAT or HALF, labels [batch, most labels], and lengths [batch],
// both of integers. The steps of the data beyond their length, and labels beyond theirs, do not
// count. Losses and gradients are computed on the host, in double; such a program is not saved.
// Options: partialsType and availableMemoryProportion have no effect.
// \throws poputil::poplibs_error for other shapes and types, poplar::invalid_option for other options
#ifndef popnn_CTCLoss_hpp
#define popnn_CTCLoss_hpp

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <popnn/CTCPlan.hpp>

#include <cstddef>
#include <utility>

#pragma GCC visibility push(default)
namespace popnn {
namespace ctc {

Plan plan(const poplar::Graph& graph, const poplar::Type& inType, const poplar::Type& outType,
          unsigned batchSize, unsigned maxTime, unsigned maxLabelLength, unsigned numClasses,
          const poplar::OptionFlags& options = {});

poplar::Tensor createDataInput(poplar::Graph& graph, const poplar::Type& type,
                               const std::size_t batchSize, const std::size_t maxTime,
                               const std::size_t numClasses, const Plan& plan,
                               const poplar::DebugContext& debugContext = {});
poplar::Tensor createLabelsInput(poplar::Graph& graph, const poplar::Type& type,
                                 const std::size_t batchSize, const std::size_t maxLabelLength,
                                 const Plan& plan, const poplar::DebugContext& debugContext = {});

/// The losses [batch], negative logarithms of the labels' probabilities, and their gradient, of the
/// shape of the data. With the option includeSoftmaxGradient ("true" by default) it is that of the
/// logits whose log-softmax the data are, else of the data. With zeroInfinity ("false" by default)
/// an infinite loss, of data too short for their labels, becomes 0 with a gradient of 0.
std::pair<poplar::Tensor, poplar::Tensor> calcLossAndGradientLogProbabilities(
    poplar::Graph& graph, const poplar::Type& outType, const poplar::Tensor& logProbs,
    const poplar::Tensor& labels, const poplar::Tensor& dataLengths,
    const poplar::Tensor& labelLengths, poplar::program::Sequence& prog, const unsigned blankClass,
    const Plan& plan, const poplar::DebugContext& debugContext = {},
    const poplar::OptionFlags& options = {});
/// The same for logits, to which it applies log-softmax.
std::pair<poplar::Tensor, poplar::Tensor> calcLossAndGradientLogits(
    poplar::Graph& graph, const poplar::Type& outType, const poplar::Tensor& logits,
    const poplar::Tensor& labels, const poplar::Tensor& dataLengths,
    const poplar::Tensor& labelLengths, poplar::program::Sequence& prog, const unsigned blankClass,
    const Plan& plan, const poplar::DebugContext& debugContext = {},
    const poplar::OptionFlags& options = {});
/// The losses alone.
poplar::Tensor calcCTCLossLogProbabilities(
    poplar::Graph& graph, const poplar::Type& outType, const poplar::Tensor& logProbs,
    const poplar::Tensor& labels, const poplar::Tensor& dataLengths,
    const poplar::Tensor& labelLengths, poplar::program::Sequence& prog, const unsigned blankClass,
    const Plan& plan, const poplar::DebugContext& debugContext = {},
    const poplar::OptionFlags& options = {});
poplar::Tensor calcCTCLossLogits(poplar::Graph& graph, const poplar::Type& outType,
                                 const poplar::Tensor& logits, const poplar::Tensor& labels,
                                 const poplar::Tensor& dataLengths,
                                 const poplar::Tensor& labelLengths,
                                 poplar::program::Sequence& prog, const unsigned blankClass,
                                 const Plan& plan, const poplar::DebugContext& debugContext = {},
                                 const poplar::OptionFlags& options = {});

}  // namespace ctc
}  // namespace popnn
#pragma GCC visibility pop

#endif
