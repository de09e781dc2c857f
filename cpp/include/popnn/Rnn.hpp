// Recurrent networks of any cell. After popnn/Rnn.hpp of PopLibs 3.
//
// There is one shard here: `numShards` is taken, and changes nothing.
#ifndef popnn_Rnn_hpp
#define popnn_Rnn_hpp

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

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

  /// How many shards a sequence may be cut into: one per tile, and one per step.
  std::size_t getMaxShards(const poplar::Graph& graph) const;
  /// The bytes of one step's input, or output, on a tile, spread over all tiles.
  std::size_t getInputBytesPerTile(const poplar::Graph& graph) const;
  std::size_t getOutputBytesPerTile(const poplar::Graph& graph) const;

  /// Whether the number of steps is known on the device alone.
  bool variableTimeSteps() const { return varTimeSteps.valid(); }
  /// Whether it is another for each sample.
  bool batchVariableTimeSteps() const {
    return variableTimeSteps() && varTimeSteps.numElements() > 1;
  }
};

/// Creates a state: [multiple, batch, size], where size is that of the output or the input.
poplar::Tensor createInitialState(poplar::Graph& graph, const RnnParams& params, bool isOutput,
                                  unsigned multiple, unsigned numShards,
                                  const poplar::DebugContext& debugContext = {});

/// Create a sequence, [steps, batch, size], whose steps all lie alike on the tiles. createInput...
/// and createOutputTensor() have the sizes of the layer; `multiple` is how many sequences are in
/// one, [multiple * steps, batch, size], those of a step one after another.
poplar::Tensor createRecurrentTensor(poplar::Graph& graph, const RnnParams& params, unsigned size,
                                     unsigned numShards,
                                     const poplar::DebugContext& debugContext = {});
poplar::Tensor createInputTensor(poplar::Graph& graph, const RnnParams& params, unsigned numShards,
                                 const poplar::DebugContext& debugContext = {});
poplar::Tensor createOutputTensor(poplar::Graph& graph, const RnnParams& params, unsigned numShards,
                                  const poplar::DebugContext& debugContext = {});
poplar::Tensor createOutputTensor(poplar::Graph& graph, const RnnParams& params, unsigned multiple,
                                  unsigned numShards,
                                  const poplar::DebugContext& debugContext = {});

/// Returns a copy of a sequence that is one step late: `tSingle`, then all steps of `tBase` but the
/// last.
poplar::Tensor shiftRnnTensor(poplar::Graph& graph, const RnnParams& params,
                              const poplar::Tensor& tBase, const poplar::Tensor& tSingle,
                              poplar::program::Sequence& prog, unsigned numShards,
                              const poplar::DebugContext& debugContext = {});

/// What a step reads and writes: parts of the sequences.
struct RnnSlice {
  std::vector<poplar::Tensor> inputs;
  poplar::Tensor interimIn;
  poplar::Tensor interimOut;
  std::vector<poplar::Tensor> outputs;
};

/// 1 for each sample that has the step, and 0 for the others: [batch], of the data's type; and 1
/// minus that. Invalid if all samples have one number of steps.
struct RnnBatchwiseFlags {
  poplar::Tensor mask;
  poplar::Tensor inverse;

  bool valid() const { return mask.valid(); }
};

/// Where a loop is: the shard's first step, the step in it (both UNSIGNED_INT[1]), and whether
/// samples have ended, a BOOL that is valid if they have numbers of steps of their own.
struct TimeStepState {
  poplar::Tensor begin;
  poplar::Tensor counter;
  poplar::Tensor variableSeqFlag;
};

/// Makes the program of a step. It writes the state, `interimOut` and `outputs` of the slice, and
/// sets the tensors that it creates. The sequence is what runs before the loop.
using LoopBodyType = std::function<poplar::program::Sequence(
    poplar::Graph& graph, const TimeStepState& time, const RnnBatchwiseFlags& flags,
    std::vector<poplar::Tensor>& state, const RnnSlice& slice, std::vector<poplar::Tensor>& created,
    poplar::program::Sequence* initProg, const poplar::DebugNameAndId& dnai)>;

/// Makes the program of several steps, once these have been done: `inputs` are [steps, batch, size],
/// `interimIn` is [steps * numTemps, batch, size]. The sequence, which runs before, is null but for
/// the first call.
using GatherBodyType = std::function<poplar::program::Sequence(
    poplar::Graph& graph, const RnnSlice& slice, unsigned stepsPerGather,
    poplar::program::Sequence* initProg, const poplar::DebugNameAndId& dnai)>;

/// Where a state is kept after each step: [steps, batch, size].
struct StateSequence {
  poplar::Tensor output;
  std::size_t stateIndex;
};

/// Runs a cell over the steps, or over them in reverse order.
/// \param initState the states before the first step, [n, batch, size], or invalid
/// \param inputs sequences; the cell gets those that are invalid as they are
/// \param interimIn, interimOut sequences of several values a step, [steps, n, batch, size], or null
/// \param outputs, created sequences whose steps the cell writes, or creates
/// \param options `codeReuse`, which changes nothing
/// \returns the states after the last step. With steps that vary, what a cell does not reach in
/// `interimOut`, `outputs` and the others stays as it is.
/// \throws poputil::poplibs_error for a sequence of another number of steps
std::vector<poplar::Tensor> Rnn(poplar::Graph& graph, const RnnParams& params, bool reverse,
                                const std::vector<poplar::Tensor>& initState,
                                const StateSequence& stateSequence,
                                const std::vector<poplar::Tensor>& inputs,
                                const poplar::Tensor* interimIn, poplar::Tensor* interimOut,
                                const std::vector<poplar::Tensor>& outputs,
                                const std::vector<poplar::Tensor>& created,
                                poplar::program::Sequence& prog, const LoopBodyType& loopFn,
                                unsigned numShards, poplar::OptionFlags& options,
                                const poplar::DebugContext& debugContext = {});

/// Runs a cell over the steps in reverse order, and `gatherFn` over what it writes to `interimOut`
/// and over `gatherInputs`, by `stepsPerGather` steps; the last call may have fewer.
std::vector<poplar::Tensor> Rnn(
    poplar::Graph& graph, const RnnParams& params, const std::vector<poplar::Tensor>& initState,
    const StateSequence& stateSequence, const std::vector<poplar::Tensor>& inputs,
    const poplar::Tensor& interimIn, const unsigned numTemps, poplar::program::Sequence& prog,
    const LoopBodyType& loopFn, const std::vector<poplar::Tensor>& gatherInputs,
    const GatherBodyType& gatherFn, unsigned numShards, unsigned stepsPerGather,
    poplar::OptionFlags& options, const poplar::DebugContext& debugContext = {});

}  // namespace rnn
}  // namespace popnn

#pragma GCC visibility pop

#endif
