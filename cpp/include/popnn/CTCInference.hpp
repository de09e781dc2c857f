// Decoding of connectionist temporal classification. After popnn/CTCInference.hpp of PopLibs 3.
//
// Shapes, types and errors are as in CTCLoss.hpp. Decoding runs on the host; such a program is not
// saved.
#ifndef popnn_CTCInference_hpp
#define popnn_CTCInference_hpp

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <popnn/CTCPlan.hpp>

#include <cstddef>
#include <tuple>

#pragma GCC visibility push(default)
namespace popnn {
namespace ctc_infer {

ctc::Plan plan(const poplar::Graph& graph, const poplar::Type& inType, unsigned batchSize,
               unsigned maxTime, unsigned numClasses, unsigned beamwidth,
               const poplar::OptionFlags& options = {});

poplar::Tensor createDataInput(poplar::Graph& graph, const poplar::Type& type,
                               const std::size_t batchSize, const std::size_t maxTime,
                               const std::size_t numClasses, const ctc::Plan& plan,
                               const poplar::DebugContext& debugContext = {});

/// The most likely labels by a search with `beamwidth` prefixes: logarithms of their probabilities
/// [batch, topPaths] of the type of the data, most likely first, their lengths [batch, topPaths],
/// and the labels [batch, topPaths, time], both UNSIGNED_INT; the blank class fills labels up. If
/// there are fewer paths, the others have the value -infinity and the length 0. By PopLibs'
/// documentation the logarithms are negated; by its functions they are not.
std::tuple<poplar::Tensor, poplar::Tensor, poplar::Tensor> beamSearchDecoderLogProbabilities(
    poplar::Graph& graph, const poplar::Tensor& logProbs, const poplar::Tensor& dataLengths,
    poplar::program::Sequence& prog, unsigned blankClass, unsigned beamwidth, unsigned topPaths,
    const ctc::Plan& plan, const poplar::DebugContext& debugContext = {},
    const poplar::OptionFlags& options = {});
/// The same for logits, to which it applies log-softmax.
std::tuple<poplar::Tensor, poplar::Tensor, poplar::Tensor> beamSearchDecoderLogits(
    poplar::Graph& graph, const poplar::Tensor& logits, const poplar::Tensor& dataLengths,
    poplar::program::Sequence& prog, unsigned blankClass, unsigned beamwidth, unsigned topPaths,
    const ctc::Plan& plan, const poplar::DebugContext& debugContext = {},
    const poplar::OptionFlags& options = {});

}  // namespace ctc_infer
}  // namespace popnn
#pragma GCC visibility pop

#endif
