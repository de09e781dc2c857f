// Recurrent layers.
#include <popart/op/gru.hpp>
#include <popart/op/lstm.hpp>
#include <popart/op/rnn.hpp>
#include <popart/opserialiser.hpp>
#include <popart/tensor.hpp>

#include <algorithm>
#include <cctype>

#include "popart/builtins.hpp"
#include "popart/op/copy_of.hpp"

namespace popart {
namespace {

const char* const kFunctions[] = {"sigmoid", "relu",    "tanh",          "gelu",         "geluerf",
                                  "swish",   "softmax", "softmaxstable", "softmaxscaled"};

void expect(const Op& op, const char* what, InIndex in, const Shape& shape) {
  if (op.inShape(in) != shape)
    throw error("{}: the {} are of the shape {}, expected is {}", op.debugName(), what,
                op.inShape(in), shape);
}

}  // namespace

ActivationFunction fromString(const std::string& name) {
  std::string small;
  for (const char c : name)
    if (c != '_') small.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
  const auto found = std::find(std::begin(kFunctions), std::end(kFunctions), small);
  return found == std::end(kFunctions)
             ? ActivationFunction::Invalid
             : static_cast<ActivationFunction>(found - std::begin(kFunctions));
}

std::ostream& operator<<(std::ostream& os, const ActivationFunction& function) {
  const auto n = static_cast<std::size_t>(function);
  return os << (n < std::size(kFunctions) ? kFunctions[n] : "invalid");
}

BaseOnnxRNNOp::~BaseOnnxRNNOp() = default;
RNNOp::~RNNOp() = default;
GRUOp::~GRUOp() = default;
LSTMOp::~LSTMOp() = default;
PopartLSTMOp::~PopartLSTMOp() = default;
std::unique_ptr<Op> RNNOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> GRUOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> LSTMOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> PopartLSTMOp::clone() const { return copyOf(*this); }

void BaseOnnxRNNOp::checkHiddenSize() const {
  if (hiddenSize_ && *hiddenSize_ != getHiddenSize())
    throw error("{}: the attribute hidden_size is {}, the recurrence weights are {}", debugName(),
                *hiddenSize_, inShape(getRecurrenceWeightsInIndex()));
}

void BaseOnnxRNNOp::setOut(OutIndex out, const Shape& shape) {
  if (hasOutput(out)) outInfo(out) = {inInfo(getInputInIndex()).dataType(), shape};
}

void BaseOnnxRNNOp::setup() {
  for (const InIndex in :
       {getInputInIndex(), getInputWeightsInIndex(), getRecurrenceWeightsInIndex()})
    if (inShape(in).size() != 3)
      throw error("{}: input {} is of the shape {}, expected are three dimensions", debugName(), in,
                  inShape(in));
  checkHiddenSize();
  const int64_t hidden = getHiddenSize(), directions = getNumDirections();
  const int64_t rows = inShape(getInputWeightsInIndex())[1];
  expect(*this, "input weights", getInputWeightsInIndex(), {directions, rows, getInputSize()});
  expect(*this, "recurrence weights", getRecurrenceWeightsInIndex(), {directions, rows, hidden});
  if (hasBiasesInput()) expect(*this, "biases", getBiasesInIndex(), {directions, 2 * rows});
  if (hasSeqLenInput()) expect(*this, "lengths", getSequenceLensInIndex(), {getBatchSize()});
  const Shape state = {directions, getBatchSize(), hidden};
  if (hasInitialHInput()) expect(*this, "first states", getInitialHInIndex(), state);
  setOut(getFullHiddenStateOutIndex(), {getMaxSeqLength(), directions, getBatchSize(), hidden});
  setOut(getLastHiddenStateOutIndex(), state);
}

std::set<InIndex> BaseOnnxRNNOp::optionalInputs() const {
  return {getBiasesInIndex(), getSequenceLensInIndex(), getInitialHInIndex()};
}

int BaseOnnxRNNOp::getInBatchAxis(InIndex in) const {
  if (in == getSequenceLensInIndex()) return 0;
  return in == getInputInIndex() || in == getInitialHInIndex() ? 1 : -1;
}

int BaseOnnxRNNOp::getOutBatchAxis(OutIndex out) const {
  return out == getFullHiddenStateOutIndex() ? 2 : 1;
}

void BaseOnnxRNNOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("hidden_size", hiddenSize_);
}

void RNNOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  BaseOnnxRNNOp::appendOutlineAttributes(os);
  os.appendAttribute("activation", static_cast<int>(activation_attribute));
}

void GRUOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  BaseOnnxRNNOp::appendOutlineAttributes(os);
  os.appendAttribute("direction", direction_);
  os.appendAttribute("linear_before_reset", linearBeforeReset_);
}

void LSTMOp::setup() {
  if (link() != nullptr && popir::builtinClass(*this) != nullptr) return builtin::setup(*this);
  BaseOnnxRNNOp::setup();
  const Shape state = {getNumDirections(), getBatchSize(), getHiddenSize()};
  if (hasInitialCInput()) expect(*this, "first cells", getInitialCInIndex(), state);
  setOut(getLastCellStateOutIndex(), state);
}

std::set<InIndex> LSTMOp::optionalInputs() const {
  auto inputs = BaseOnnxRNNOp::optionalInputs();
  inputs.insert({getInitialCInIndex(), getPeepholeInIndex()});
  return inputs;
}

void LSTMOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  BaseOnnxRNNOp::appendOutlineAttributes(os);
  os.appendAttribute("activation", static_cast<int>(activation_));
  os.appendAttribute("recurrent_activation", static_cast<int>(recurrent_));
  os.appendAttribute("available_memory_proportion", memory_);
}

void PopartLSTMOp::setup() {
  if (inShape(getInputInIndex()).size() != 3 || inShape(getWeightsInIndex()).size() != 3)
    throw error(
        "{}: the input is of the shape {}, the weights of {}; expected are three dimensions",
        debugName(), inShape(getInputInIndex()), inShape(getWeightsInIndex()));
  const int64_t hidden = getHiddenSize(), batch = getBatchSize();
  expect(*this, "weights", getWeightsInIndex(), {4, getInputSize() + hidden, hidden});
  if (hasBiasesInput()) expect(*this, "biases", getBiasesInIndex(), {4, hidden});
  if (hasInput(getInitialStateInIndex()))
    expect(*this, "first states", getInitialStateInIndex(), {2, batch, hidden});
  Shape out = {batch, hidden};
  const DataType type = inInfo(getInputInIndex()).dataType();
  if (hasOutput(getCellStateOutIndex())) outInfo(getCellStateOutIndex()) = {type, out};
  if (outputFullSequence) out.insert(out.begin(), getMaxSeqLength());
  outInfo(getOutputOutIndex()) = {type, out};
}

std::set<InIndex> PopartLSTMOp::optionalInputs() const {
  return {getBiasesInIndex(), getInitialStateInIndex(), getSequenceLensInIndex()};
}

void PopartLSTMOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("outputFullSequence", outputFullSequence);
  os.appendAttribute("activation", static_cast<int>(activation_));
  os.appendAttribute("recurrent_activation", static_cast<int>(recurrent_));
  os.appendAttribute("available_memory_proportion", memory_);
}

}  // namespace popart
