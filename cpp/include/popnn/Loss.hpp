// Classification losses and their gradients; argMax and argMin. popir/Nll.hpp has the negative log
// likelihood as PopART defines it. After popnn/Loss.hpp of PopLibs 3.
#ifndef popnn_Loss_hpp
#define popnn_Loss_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <popops/EncodingConstants.hpp>
#include <utility>

#pragma GCC visibility push(default)
namespace popnn {

enum LossType { SUM_SQUARED_LOSS, CROSS_ENTROPY_LOSS };

/// Computes the loss of each sample, and its gradient (`deltas`). With t = 1 for the expected class
/// and 0 for others:
///
/// SUM_SQUARED_LOSS    loss = sum((output - t)^2) / 2
///                     delta = output - t
/// CROSS_ENTROPY_LOSS  loss = -log(output[expected] / modelOutputScaling)
///                     delta = deltasScale * (output / modelOutputScaling - t)
///
/// The argument of the logarithm is clamped to the smallest normal number. The delta of
/// CROSS_ENTROPY_LOSS is the gradient of the softmax's input.
///
/// \param modelOutputs [batch, classes], FLOAT, HALF or BFLOAT16
/// \param expected [batch], INT or UNSIGNED_INT: the class of each sample. MASKED_LABEL_CODE gives
/// loss and deltas 0. Any other label outside of [0, classes) gives NaN.
/// \param loss [batch], of the type of modelOutputs; written
/// \param deltas with the shape and type of modelOutputs; written
/// \param deltasScale one element of the type of modelOutputs; CROSS_ENTROPY_LOSS only
/// \param modelOutputScaling one element of the type of modelOutputs; CROSS_ENTROPY_LOSS only
/// \param numCorrect one element, INT or UNSIGNED_INT. The number of correct samples is added to
/// it: those that are not masked and where the first maximum is at the expected class.
/// \throws poputil::poplibs_error if shapes and types do not match
poplar::program::Program calcLoss(poplar::Graph& graph, const poplar::Tensor& modelOutputs,
                                  const poplar::Tensor& expected, const poplar::Tensor& loss,
                                  const poplar::Tensor& deltas, const poplar::Tensor& deltasScale,
                                  const poplar::Tensor& modelOutputScaling, LossType lossType,
                                  const poplar::DebugContext& debugContext = {});
poplar::program::Program calcLoss(poplar::Graph& graph, const poplar::Tensor& modelOutputs,
                                  const poplar::Tensor& expected, const poplar::Tensor& loss,
                                  const poplar::Tensor& deltas, LossType lossType,
                                  const poplar::DebugContext& debugContext = {});
poplar::program::Program calcLoss(poplar::Graph& graph, const poplar::Tensor& modelOutputs,
                                  const poplar::Tensor& expected, const poplar::Tensor& loss,
                                  const poplar::Tensor& deltas, const poplar::Tensor& deltasScale,
                                  const poplar::Tensor& modelOutputScaling,
                                  const poplar::Tensor& numCorrect, LossType lossType,
                                  const poplar::DebugContext& debugContext = {});
poplar::program::Program calcLoss(poplar::Graph& graph, const poplar::Tensor& modelOutputs,
                                  const poplar::Tensor& expected, const poplar::Tensor& loss,
                                  const poplar::Tensor& deltas, const poplar::Tensor& numCorrect,
                                  LossType lossType, const poplar::DebugContext& debugContext = {});
/// Updates numCorrect only.
poplar::program::Program calcAccuracy(poplar::Graph& graph, const poplar::Tensor& modelOutputs,
                                      const poplar::Tensor& expected,
                                      const poplar::Tensor& numCorrect,
                                      const poplar::DebugContext& debugContext = {});

/// Index of the first maximum (minimum) of each row of `input`, as UNSIGNED_INT [rows]. NaN counts
/// as larger (smaller) than every number. maxAndArgMax() and minAndArgMin() also return the
/// elements, [rows], in the type of `input`. `input` is [rows, columns] of any type of integers or
/// floating-point numbers. popir/ArgExtremum.hpp has the last maximum.
/// \throws poputil::poplibs_error for other ranks and types, and for rows without columns
poplar::Tensor argMax(poplar::Graph& graph, const poplar::Tensor& input,
                      poplar::program::Sequence& prog,
                      const poplar::DebugContext& debugContext = {});
poplar::Tensor argMin(poplar::Graph& graph, const poplar::Tensor& input,
                      poplar::program::Sequence& prog,
                      const poplar::DebugContext& debugContext = {});
std::pair<poplar::Tensor, poplar::Tensor> maxAndArgMax(
    poplar::Graph& graph, const poplar::Tensor& input, poplar::program::Sequence& prog,
    const poplar::DebugContext& debugContext = {});
std::pair<poplar::Tensor, poplar::Tensor> minAndArgMin(
    poplar::Graph& graph, const poplar::Tensor& input, poplar::program::Sequence& prog,
    const poplar::DebugContext& debugContext = {});

/// The K largest elements of each row of `input`, [rows, columns], and, in `indices`, their columns
/// as UNSIGNED_INT: [rows, 1, K] both, as in PopLibs. They are sorted, the largest first, with and without `sort`.
poplar::Tensor topK(poplar::Graph& graph, const poplar::Tensor& input, poplar::Tensor& indices,
                    unsigned K, bool sort, poplar::program::Sequence& prog,
                    const poplar::DebugContext& debugContext = {});

}  // namespace popnn
#pragma GCC visibility pop

#endif
