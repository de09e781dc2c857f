// The sizes of recurrent layers. After popnn/Rnn.hpp of PopLibs 3, without its function Rnn().
#ifndef popnn_Rnn_hpp
#define popnn_Rnn_hpp

#include <poplar/Graph.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace popnn {
namespace rnn {

/// Type and sizes of the layers of a recurrent network.
struct RnnParams {
  poplar::Type dataType;
  std::size_t batchSize;
  /// The number of steps, or the most that there are of any sample.
  std::size_t maxTimeSteps;
  std::size_t timeSteps;
  /// The number of steps of the samples: one for all, or one each; invalid if it is known.
  poplar::Tensor varTimeSteps;
  /// The sizes of the input and of each layer's output.
  std::vector<std::size_t> layerSizes;

  RnnParams(poplar::Type dataType_, std::size_t batchSize_, std::size_t steps,
            std::vector<std::size_t> layerSizes_)
      : dataType(dataType_),
        batchSize(batchSize_),
        maxTimeSteps(steps),
        timeSteps(steps),
        layerSizes(std::move(layerSizes_)) {}
  RnnParams(poplar::Type dataType_, std::size_t batchSize_, std::size_t maxTimeSteps_,
            const poplar::Tensor& varTimeSteps_, std::vector<std::size_t> layerSizes_)
      : dataType(dataType_),
        batchSize(batchSize_),
        maxTimeSteps(maxTimeSteps_),
        timeSteps(maxTimeSteps_),
        varTimeSteps(varTimeSteps_),
        layerSizes(std::move(layerSizes_)) {}

  /// Whether the number of steps is known on the device alone.
  bool variableTimeSteps() const { return varTimeSteps.valid(); }
  /// Whether it is another for each sample.
  bool batchVariableTimeSteps() const {
    return variableTimeSteps() && varTimeSteps.numElements() > 1;
  }
};

}  // namespace rnn
}  // namespace popnn

#endif
