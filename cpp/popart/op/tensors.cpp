// Reshape, and the options of convolutions.
#include <popart/op/reshape.hpp>
#include <popart/opserialiser.hpp>

namespace popart {

ReshapeBaseOp::~ReshapeBaseOp() = default;
ReshapeOp::~ReshapeOp() = default;

std::unique_ptr<Op> ReshapeBaseOp::clone() const {
  return std::unique_ptr<Op>(new ReshapeBaseOp(*this));
}
std::unique_ptr<Op> ReshapeOp::clone() const { return std::unique_ptr<Op>(new ReshapeOp(*this)); }

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

namespace {

view::RegMap reshaped(const Shape& from, const Shape& to) {
  return [from = view::Region::getFull(from), to = view::Region::getFull(to)](
             const view::Region& region) { return region.reshape(from, to); };
}

}  // namespace

view::RegMap ReshapeBaseOp::fwdRegMap(InIndex in, OutIndex out) const {
  return reshaped(inShape(in), outShape(out));
}
view::RegMap ReshapeBaseOp::bwdRegMap(InIndex in, OutIndex out) const {
  return reshaped(outShape(out), inShape(in));
}

void ReshapeBaseOp::setOutShape(const Shape& shape) {
  outShape_ = shape;
  builtin::changed(*this, opid.domain == Domain::ai_graphcore);
}

bool ReshapeBaseOp::canBeReplacedByIdentity() const {
  return inShape(getInIndex()) == outShape(getOutIndex());
}

}  // namespace popart
