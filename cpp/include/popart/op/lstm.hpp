// Recurrent layers with three gates and a cell. After popart/op/lstm.hpp of PopART 3.
#ifndef popart_op_lstm_hpp
#define popart_op_lstm_hpp

#include <popart/op/rnnbase.hpp>

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>
#pragma GCC visibility push(default)

namespace popart {

/// ONNX's LSTM. The functions are those of the cell and of the gates.
class LSTMOp : public BaseOnnxRNNOp {
 public:
  LSTMOp(const OperatorIdentifier& opid, nonstd::optional<int64_t> hiddenSize,
         ActivationFunction activation, ActivationFunction recurrentActivation,
         const Op::Settings& settings, nonstd::optional<float> availableMemoryProportion)
      : BaseOnnxRNNOp(opid, hiddenSize, settings),
        activation_(activation),
        recurrent_(recurrentActivation),
        memory_(availableMemoryProportion) {}
  ~LSTMOp() override;

  static InIndex getInitialCInIndex() { return 6; }
  static InIndex getPeepholeInIndex() { return 7; }
  static OutIndex getLastCellStateOutIndex() { return 2; }
  std::unique_ptr<Op> clone() const override;
  void setup() override;
  std::set<InIndex> optionalInputs() const override;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  std::string getName() const override { return "LSTM"; }
  bool hasInitialCInput() const { return hasInput(getInitialCInIndex()); }
  ActivationFunction getActivation() const { return activation_; }
  ActivationFunction getRecurrentActivation() const { return recurrent_; }
  /// What the node's annotation or the constructor said; the compiler reads annotations alone.
  nonstd::optional<float> getAvailableMemoryProportion() const { return memory_; }

 private:
  ActivationFunction activation_, recurrent_;
  nonstd::optional<float> memory_;
};

/// PopART's LSTM: of one direction, X [time, batch, inputs], weights [4, inputs + hidden, hidden],
/// biases [4, hidden] and first states [2, batch, hidden], which are optional. The outputs are all
/// states [time, batch, hidden], or the last alone, and the last cell.
class PopartLSTMOp : public Op {
 public:
  PopartLSTMOp(const OperatorIdentifier& opid, bool outputFullSequence,
               const Op::Settings& settings,
               nonstd::optional<float> availableMemoryProportion = nonstd::nullopt)
      : PopartLSTMOp(opid, outputFullSequence, ActivationFunction::Tanh,
                     ActivationFunction::Sigmoid, settings, availableMemoryProportion) {}
  PopartLSTMOp(const OperatorIdentifier& opid, bool fullSequence, ActivationFunction activation,
               ActivationFunction recurrentActivation, const Op::Settings& settings,
               nonstd::optional<float> availableMemoryProportion = nonstd::nullopt)
      : Op(opid, settings),
        outputFullSequence(fullSequence),
        activation_(activation),
        recurrent_(recurrentActivation),
        memory_(availableMemoryProportion) {}
  ~PopartLSTMOp() override;

  static InIndex getInputInIndex() { return 0; }
  static InIndex getWeightsInIndex() { return 1; }
  static InIndex getBiasesInIndex() { return 2; }
  static InIndex getInitialStateInIndex() { return 3; }
  static InIndex getSequenceLensInIndex() { return 4; }
  static OutIndex getOutputOutIndex() { return 0; }
  static OutIndex getCellStateOutIndex() { return 1; }
  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
  /// \throws error for inputs that do not fit
  void setup() final;
  std::set<InIndex> optionalInputs() const override;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getSubgraphValue() const final { return getHighSubgraphValue(); }
  bool hasBiasesInput() const { return hasInput(getBiasesInIndex()); }
  int64_t getMaxSeqLength() const { return inShape(getInputInIndex())[0]; }
  int64_t getBatchSize() const { return inShape(getInputInIndex())[1]; }
  int64_t getInputSize() const { return inShape(getInputInIndex())[2]; }
  int64_t getHiddenSize() const { return inShape(getWeightsInIndex())[2]; }
  ActivationFunction getActivation() const { return activation_; }
  ActivationFunction getRecurrentActivation() const { return recurrent_; }
  /// What the node's annotation or the constructor said; the compiler reads annotations alone.
  nonstd::optional<float> getAvailableMemoryProportion() const { return memory_; }

  const bool outputFullSequence;

 private:
  ActivationFunction activation_, recurrent_;
  nonstd::optional<float> memory_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
