// popnn/Loss.hpp: losses of classifiers, with their gradients, and where maxima are.
// popir/Nll.hpp has the negative log likelihood as PopART defines it.
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

/// The loss of each sample and its gradient with respect to the model's output.
///
/// With t = 1 for the class that is expected, else 0:
/// SUM_SQUARED_LOSS: loss = sum((output - t)^2) / 2, delta = output - t;
/// CROSS_ENTROPY_LOSS: loss = -log(output[expected] / modelOutputScaling), the logarithm's argument
/// no less than the smallest normal number of the type; delta = deltasScale *
/// (output / modelOutputScaling - t), the gradient with respect to the input of the softmax.
///
/// \param modelOutputs  [batch, classes], FLOAT or HALF.
/// \param expected      [batch], INT or UNSIGNED_INT: the class of each sample. MASKED_LABEL_CODE
///                      makes loss and deltas of its sample 0; any other label that is no class
///                      makes them NaN.
/// \param loss          [batch], of the type of modelOutputs; written.
/// \param deltas        of the shape and type of modelOutputs; written.
/// \param deltasScale, modelOutputScaling  one element each, of the type of modelOutputs;
///                      CROSS_ENTROPY_LOSS only.
/// \param numCorrect    one element, INT or UNSIGNED_INT; what it holds grows by the number of
///                      samples that are not masked and whose first largest output is that of the
///                      expected class.
/// \throws poputil::poplibs_error where shapes and types do not fit each other.
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
/// numCorrect alone.
poplar::program::Program calcAccuracy(poplar::Graph& graph, const poplar::Tensor& modelOutputs,
                                      const poplar::Tensor& expected,
                                      const poplar::Tensor& numCorrect,
                                      const poplar::DebugContext& debugContext = {});

/// For each row of `input`, [rows, columns] of FLOAT, HALF, DOUBLE or a 32- or 64-bit integer type:
/// the column of its first maximum (minimum), UNSIGNED_INT [rows]; NaN is larger (smaller) than
/// every number. And, where asked for, the element itself, of the type of `input`, [rows].
/// \throws poputil::poplibs_error for other ranks and types, and if there are rows but no columns.
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

}  // namespace popnn
#pragma GCC visibility pop

#endif
