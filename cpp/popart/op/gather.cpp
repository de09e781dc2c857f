// Gather and its gradient.
#include <popart/op/gather.hpp>
#include <popart/operators.hpp>
#include <popart/opserialiser.hpp>
#include <popart/util.hpp>

namespace popart {

GatherOp::~GatherOp() = default;
GatherGradOp::~GatherGradOp() = default;

std::unique_ptr<Op> GatherOp::clone() const { return std::unique_ptr<Op>(new GatherOp(*this)); }
std::unique_ptr<Op> GatherGradOp::clone() const {
  return std::unique_ptr<Op>(new GatherGradOp(*this));
}

GatherOp::GatherOp(const OperatorIdentifier& opid, int64_t axis, int64_t groupSize,
                   const Op::Settings& settings,
                   const nonstd::optional<float>& availableMemoryProportion,
                   bool zeroOutOfRangeIndices)
    : Op(opid, settings),
      axis_(axis),
      groups_(groupSize),
      memory_(availableMemoryProportion),
      zeroOutOfRange_(zeroOutOfRangeIndices) {
  if (groupSize < 1)
    throw error("{}: a gather of {} groups; the group size is the number of groups, at least 1",
                opid, groupSize);
}

void GatherOp::setup() {
  const Shape& data = inShape(dataInIndex());
  const Shape& indices = inShape(indicesInIndex());
  axis_ = getReduceAxis(axis_, static_cast<int64_t>(data.size()));
  const int lead = groups_ > 1 ? 1 : 0;
  if (axis_ < lead)
    throw error("{}: the axis 0 of {} is the dimension of the {} groups; give one of the others",
                debugName(), data, groups_);
  for (const Shape& shape : {data, indices})
    if (lead > 0 && (shape.empty() || shape.front() != groups_))
      throw error(
          "{}: the data are {}, the indices {}; the first dimension of both must be {}, the"
          " number of groups",
          debugName(), data, indices, groups_);
  Shape out(data.begin(), data.begin() + axis_);
  out.insert(out.end(), indices.begin() + lead, indices.end());
  out.insert(out.end(), data.begin() + axis_ + 1, data.end());
  outInfo(outIndex()) = TensorInfo(inInfo(dataInIndex()).dataType(), out);
}

bool GatherOp::canBeReplacedByIdentity() const {
  const TensorInfo& indices = inInfo(indicesInIndex());
  return inShape(dataInIndex())[static_cast<std::size_t>(axis_)] == 1 && indices.rank() == 1 &&
         indices.nelms() == 1 && !zeroOutOfRange_;
}

namespace {

void appendTo(OpSerialiserBase& os, int64_t axis, int64_t groups, bool zeros,
              const nonstd::optional<float>& memory) {
  os.appendAttribute("axis", axis);
  os.appendAttribute("group_size", groups);
  os.appendAttribute("zeroOutOfRangeIndices", zeros);
  os.appendAttribute(sAvailMemAttribute, memory);
}

}  // namespace

void GatherOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  appendTo(os, axis_, groups_, zeroOutOfRange_, memory_);
}

std::vector<std::unique_ptr<Op>> GatherOp::getGradOps() {
  std::vector<std::unique_ptr<Op>> ops;
  ops.emplace_back(new GatherGradOp(*this, axis_, groups_));
  return ops;
}

GatherGradOp::GatherGradOp(const GatherOp& op, int64_t axis, int64_t groupSize)
    : Op(op.opid == Onnx::CustomOperators::GroupedGather
             ? Onnx::CustomGradOperators::GroupedGatherGrad
             : Onnx::GradOperators::GatherGrad,
         op.getSettings()),
      axis_(axis),
      groups_(groupSize),
      data_(op.inInfo(GatherOp::dataInIndex())),
      memory_(op.getAvailableMemoryProportion()),
      zeroOutOfRange_(op.zeroOutOfRangeIndices()) {}

const std::vector<GradInOutMapper>& GatherGradOp::gradInputInfo() const {
  static const std::vector<GradInOutMapper> inputs = {
      {gradInIndex(), GatherOp::outIndex(), GradOpInType::GradOut},
      {indicesInIndex(), GatherOp::indicesInIndex(), GradOpInType::In}};
  return inputs;
}

const std::map<int, int>& GatherGradOp::gradOutToNonGradIn() const {
  static const std::map<int, int> outputs = {{gradOutIndex(), GatherOp::dataInIndex()}};
  return outputs;
}

void GatherGradOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  appendTo(os, axis_, groups_, zeroOutOfRange_, memory_);
}

}  // namespace popart
