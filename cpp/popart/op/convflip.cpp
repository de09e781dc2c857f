#include <popart/op/conv.hpp>
#include <popart/operators.hpp>
#include <popart/opserialiser.hpp>
#include <popart/tensor.hpp>

#include <utility>

#include "popart/op/copy_of.hpp"

namespace popart {

ConvFlipWeightsOp::ConvFlipWeightsOp(const OperatorIdentifier& opid, const Op::Settings& settings)
    : Op(opid, settings), parameters_(), options_({}, Attributes()) {}

ConvFlipWeightsGradOp::ConvFlipWeightsGradOp(const ConvFlipWeightsOp& op)
    : ConvFlipWeightsOp(Onnx::GradOperators::ConvFlipWeightsGrad, op.getSettings()) {
  // The groups have their channels exchanged.
  ConvParameters parameters = op.getParameters();
  std::swap(parameters.numInChannelsPerGroup, parameters.numOutChannelsPerGroup);
  setParameters(parameters);
  setGroupReshape(op.getGroupReshape());
  setConvOptions(op.getMultiConvOptions());
}

ConvFlipWeightsOp::~ConvFlipWeightsOp() = default;
ConvFlipWeightsGradOp::~ConvFlipWeightsGradOp() = default;
std::unique_ptr<Op> ConvFlipWeightsOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> ConvFlipWeightsGradOp::clone() const { return copyOf(*this); }

std::vector<std::unique_ptr<Op>> ConvFlipWeightsOp::getGradOps() {
  std::vector<std::unique_ptr<Op>> ops;
  ops.push_back(std::make_unique<ConvFlipWeightsGradOp>(*this));
  return ops;
}

int64_t ConvFlipWeightsOp::getGroups() const {
  return groupReshape_ && parameters_.numGroups > 0 ? parameters_.numGroups : 1;
}

void ConvFlipWeightsOp::setup() {
  Shape shape = inShape(getInIndex());
  const int64_t groups = getGroups();
  if (shape.size() < 3 || shape[0] % groups != 0)
    throw error("{}: there are no weights of a convolution of shape {} in {} groups", debugName(),
                shape, groups);
  const int64_t out = shape[0] / groups, in = shape[1];
  shape[0] = in * groups;
  shape[1] = out;
  outInfo(getOutIndex()) = TensorInfo(inInfo(getInIndex()).dataType(), shape);
}

void ConvFlipWeightsOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("groups", getGroups());
}

const std::vector<GradInOutMapper>& ConvFlipWeightsGradOp::gradInputInfo() const {
  static const std::vector<GradInOutMapper> inputs{
      {getInIndex(), ConvFlipWeightsOp::getOutIndex(), GradOpInType::GradOut}};
  return inputs;
}

const std::map<int, int>& ConvFlipWeightsGradOp::gradOutToNonGradIn() const {
  static const std::map<int, int> outputs{{getOutIndex(), ConvFlipWeightsOp::getInIndex()}};
  return outputs;
}

}  // namespace popart
