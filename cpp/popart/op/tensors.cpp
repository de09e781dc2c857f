// Reshape, gather and the options of convolutions.
#include <popart/op/convbase.hpp>
#include <popart/op/gather.hpp>
#include <popart/op/reshape.hpp>
#include <popart/opserialiser.hpp>
#include <popart/util.hpp>

namespace popart {

ReshapeBaseOp::~ReshapeBaseOp() = default;
ReshapeOp::~ReshapeOp() = default;
GatherOp::~GatherOp() = default;

std::unique_ptr<Op> ReshapeBaseOp::clone() const {
  return std::unique_ptr<Op>(new ReshapeBaseOp(*this));
}
std::unique_ptr<Op> ReshapeOp::clone() const { return std::unique_ptr<Op>(new ReshapeOp(*this)); }
std::unique_ptr<Op> GatherOp::clone() const { return std::unique_ptr<Op>(new GatherOp(*this)); }

void ReshapeBaseOp::setup() {
  const TensorInfo& in = inInfo(getInIndex());
  if (outShape_.empty() && outInfo(getOutIndex()).isSet()) return;
  Shape shape = outShape_;
  int64_t known = 1, open = -1;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 0 && handleZero_) shape[d] = in.dim(static_cast<int>(d));
    if (shape[d] >= 0) known *= shape[d];
    if (shape[d] < 0) open = static_cast<int64_t>(d);
  }
  if (open >= 0 && known > 0) shape[static_cast<std::size_t>(open)] = in.nelms() / known;
  const TensorInfo out(in.dataType(), shape);
  if (out.nelms() != in.nelms())
    throw error("{}: {} elements do not fit the shape {}", debugName(), in.nelms(), outShape_);
  outInfo(getOutIndex()) = out;
}

bool ReshapeBaseOp::canBeReplacedByIdentity() const {
  return inShape(getInIndex()) == outShape(getOutIndex());
}

GatherOp::GatherOp(const OperatorIdentifier& opid, int64_t axis, int64_t groupSize,
                   const Op::Settings& settings,
                   const nonstd::optional<float>& availableMemoryProportion,
                   bool zeroOutOfRangeIndices)
    : Op(opid, settings),
      axis_(axis),
      memory_(availableMemoryProportion),
      zeroOutOfRange_(zeroOutOfRangeIndices) {
  if (groupSize != 1) throw error("{}: gathers of {} groups are not there; 1 is", opid, groupSize);
}

void GatherOp::setup() {
  const Shape& data = inShape(dataInIndex());
  const Shape& indices = inShape(indicesInIndex());
  axis_ = getReduceAxis(axis_, static_cast<int64_t>(data.size()));
  Shape out(data.begin(), data.begin() + axis_);
  out.insert(out.end(), indices.begin(), indices.end());
  out.insert(out.end(), data.begin() + axis_ + 1, data.end());
  outInfo(outIndex()) = TensorInfo(inInfo(dataInIndex()).dataType(), out);
}

void GatherOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("axis", axis_);
  os.appendAttribute("zeroOutOfRangeIndices", zeroOutOfRange_);
  os.appendAttribute(sAvailMemAttribute, memory_);
}

MultiConvOptions::MultiConvOptions(const std::map<std::string, std::string> sessionConvOptions,
                                   const Attributes& attributes)
    : global_(sessionConvOptions) {
  attributes.setIfPresent(availableMemoryProportions, sAvailMemAttribute);
  attributes.setIfPresent(partialsTypes, sPartialsTypeAttribute);
  attributes.setIfPresent(enableConvDithering, "__enable_conv_dithering");
  const auto scalar = [&](auto& value, const char* name, auto zero) {
    if (attributes.hasAttribute(name)) value = attributes.getAttribute<decltype(zero)>(name);
  };
  scalar(planType, "__planType", Attributes::String());
  scalar(perConvReservedTiles, "__perConvReservedTiles", Attributes::Int());
  scalar(cycleBackOff, "__cycleBackOff", Attributes::Float());
}

}  // namespace popart
