// Base of recurrent layers. After popart/op/rnnbase.hpp of PopART 3.
#ifndef popart_op_rnnbase_hpp
#define popart_op_rnnbase_hpp

#include <popart/op/builtin.hpp>
#include <popart/op/lstmutil.hpp>
#include <popart/vendored/optional.hpp>

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// ONNX's recurrent layers: X [time, batch, inputs], W [directions, gates hidden, inputs], R
/// [directions, gates hidden, hidden]; biases, lengths and the first state are optional. The
/// outputs are all states [time, directions, batch, hidden] and the last one. The attributes are
/// those that PopART has; of the compiler's operators, and of their copies, the others of a node
/// act too, such as `direction`, `clip` and `layout`.
class BaseOnnxRNNOp : public Op {
 public:
  BaseOnnxRNNOp(const OperatorIdentifier& opid, nonstd::optional<int64_t> hiddenSize,
                const Op::Settings& settings)
      : Op(opid, settings), hiddenSize_(hiddenSize) {}
  ~BaseOnnxRNNOp() override;

  static InIndex getInputInIndex() { return 0; }
  static InIndex getInputWeightsInIndex() { return 1; }
  static InIndex getRecurrenceWeightsInIndex() { return 2; }
  static InIndex getBiasesInIndex() { return 3; }
  static InIndex getSequenceLensInIndex() { return 4; }
  static InIndex getInitialHInIndex() { return 5; }
  static OutIndex getFullHiddenStateOutIndex() { return 0; }
  static OutIndex getLastHiddenStateOutIndex() { return 1; }

  std::unique_ptr<Op> clone() const override = 0;
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
  /// \throws error for inputs that do not fit
  void setup() override;
  std::set<InIndex> optionalInputs() const override;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getSubgraphValue() const final { return getHighSubgraphValue(); }
  int getInBatchAxis(InIndex in) const override;
  int getOutBatchAxis(OutIndex out) const override;
  virtual std::string getName() const { return "RNNBase"; }

  int64_t getMaxSeqLength() const { return inShape(getInputInIndex())[0]; }
  int64_t getBatchSize() const { return inShape(getInputInIndex())[1]; }
  int64_t getInputSize() const { return inShape(getInputInIndex())[2]; }
  int64_t getHiddenSize() const { return inShape(getRecurrenceWeightsInIndex())[2]; }
  virtual int64_t getNumDirections() const { return inShape(getInputWeightsInIndex())[0]; }
  /// \throws error if the attribute is not what the inputs have
  void checkHiddenSize() const;
  bool hasBiasesInput() const { return hasInput(getBiasesInIndex()); }
  bool hasInitialHInput() const { return hasInput(getInitialHInIndex()); }
  bool hasSeqLenInput() const { return hasInput(getSequenceLensInIndex()); }
  nonstd::optional<int64_t> getHiddenSizeAttribute() const { return hiddenSize_; }

 protected:
  /// Sets the output's type and shape, if the output is there.
  void setOut(OutIndex out, const Shape& shape);

 private:
  nonstd::optional<int64_t> hiddenSize_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
