// Classes of operators that others take the place of before they are lowered
// (cpp/popart/patterns/composed.cpp).
#include <popart/graphcoreoperators.hpp>
#include <popart/op/addbias.hpp>
#include <popart/op/binaryconstscalar.hpp>
#include <popart/op/padgrad.hpp>
#include <popart/op/square.hpp>
#include <popart/op/zeros.hpp>
#include <popart/opserialiser.hpp>
#include <popart/tensor.hpp>

#include <algorithm>

#include "popart/op/copy_of.hpp"

namespace popart {
namespace {

/// The gradient of the result alone; and of which input the output is the gradient.
const std::vector<GradInOutMapper> ofResult = {{0, 0, GradOpInType::GradOut}};
const std::map<int, int> ofFirst = {{0, 0}}, ofSecond = {{0, 1}};

}  // namespace

SquareOp::~SquareOp() = default;
std::unique_ptr<Op> SquareOp::clone() const { return copyOf(*this); }

// ---- Zeros ----

ZerosBaseOp::~ZerosBaseOp() = default;
ZerosOp::~ZerosOp() = default;
ZerosLikeOp::~ZerosLikeOp() = default;
UnaryZeroGradOp::~UnaryZeroGradOp() = default;
std::unique_ptr<Op> ZerosOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> ZerosLikeOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> UnaryZeroGradOp::clone() const { return copyOf(*this); }

std::vector<DataType> ZerosBaseOp::supportedDataTypes() {
  return {DataType::INT32, DataType::UINT32, DataType::FLOAT16, DataType::FLOAT, DataType::BOOL};
}

void ZerosOp::setup() {
  const DataType type = getDataType() ? *getDataType() : DataType::FLOAT;
  const std::vector<DataType> all = supportedDataTypes();
  if (std::find(all.begin(), all.end(), type) == all.end())
    throw error("{}: the type {} is none of FLOAT, FLOAT16, INT32, UINT32 and BOOL", debugName(),
                type);
  outInfo(getOutIndex()) = TensorInfo(type, shape_);
}

void ZerosOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("shape", shape_);
}

void ZerosLikeOp::setup() { outInfo(getOutIndex()) = inInfo(getInIndex()); }

std::unique_ptr<ZerosOp> ZerosLikeOp::foldInputTensor(const Op::Settings& settings) const {
  const TensorInfo& in = inInfo(getInIndex());
  return std::make_unique<ZerosOp>(Onnx::CustomOperators::Zeros_1, in.shape(),
                                   OptionalDataType(in.dataType()), settings);
}

std::vector<std::unique_ptr<Op>> UnaryZeroGradOp::getGradOpVector(const Op::Settings& settings) {
  std::vector<std::unique_ptr<Op>> made;
  made.emplace_back(new UnaryZeroGradOp(Onnx::CustomGradOperators::UnaryZeroGradOp, settings));
  return made;
}
const std::vector<GradInOutMapper>& UnaryZeroGradOp::gradInputInfo() const {
  static const std::vector<GradInOutMapper> inputs = {{getInIndex(), 0, GradOpInType::In}};
  return inputs;
}
const std::map<int, int>& UnaryZeroGradOp::gradOutToNonGradIn() const { return ofFirst; }

// ---- An operator of a tensor and a number ----

BinaryConstScalarOp::BinaryConstScalarOp(const OperatorIdentifier& opid, float value, Type type,
                                         int64_t index, const Op::Settings& settings)
    : ElementWiseUnaryOp(opid, settings), value_(value), type_(type), index_(index) {
  if (type < Type::Add || type >= Type::N)
    throw error("{}: the operation {} is none of Add, Sub, Mul, Div and Pow, 0 to 4", debugName(),
                static_cast<int>(type));
  if (index != 0 && index != 1)
    throw error("{}: the index of the number is {}, and has to be 0 or 1", debugName(), index);
}
BinaryConstScalarOp::~BinaryConstScalarOp() = default;
std::unique_ptr<Op> BinaryConstScalarOp::clone() const { return copyOf(*this); }
void BinaryConstScalarOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  ElementWiseUnaryOp::appendOutlineAttributes(os);
  os.appendAttribute("value", value_);
  os.appendAttribute("op", static_cast<int>(type_));
  os.appendAttribute("scalar_in_index", index_);
}

// ---- The bias of a convolution ----

AddBiasOp::~AddBiasOp() = default;
AddBiasDataGradOp::~AddBiasDataGradOp() = default;
AddBiasBiasGradOp::~AddBiasBiasGradOp() = default;
std::unique_ptr<Op> AddBiasOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> AddBiasDataGradOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> AddBiasBiasGradOp::clone() const { return copyOf(*this); }

void AddBiasOp::setup() {
  const Shape &data = inShape(getDataInIndex()), &bias = inShape(getBiasInIndex());
  if (data.size() < 2 || bias != Shape{data[1]})
    throw error("{}: data {} and bias {}; expected are [N, C, ...] and [C]", debugName(), data,
                bias);
  outInfo(getOutIndex()) = inInfo(getDataInIndex());
}

std::vector<std::unique_ptr<Op>> AddBiasOp::getGradOps() {
  std::vector<int64_t> axes;
  for (int64_t d = 0; d < inRank(getDataInIndex()); ++d)
    if (d != 1) axes.push_back(d);
  std::vector<std::unique_ptr<Op>> made;
  made.emplace_back(new AddBiasDataGradOp(*this));
  made.emplace_back(new AddBiasBiasGradOp(*this, axes));
  return made;
}

AddBiasDataGradOp::AddBiasDataGradOp(const AddBiasOp& op)
    : IdentityOp(Onnx::CustomGradOperators::AddBiasDataGrad, op.settings) {}
const std::vector<GradInOutMapper>& AddBiasDataGradOp::gradInputInfo() const { return ofResult; }
const std::map<int, int>& AddBiasDataGradOp::gradOutToNonGradIn() const { return ofFirst; }

AddBiasBiasGradOp::AddBiasBiasGradOp(const AddBiasOp& op, const std::vector<int64_t>& axes)
    : ReduceSumOp(Onnx::CustomGradOperators::AddBiasBiasGrad, axes, 0, op.settings) {}
const std::vector<GradInOutMapper>& AddBiasBiasGradOp::gradInputInfo() const { return ofResult; }
const std::map<int, int>& AddBiasBiasGradOp::gradOutToNonGradIn() const { return ofSecond; }

// ---- The gradient of a pad ----

namespace {

std::vector<int64_t> dimensions(const PadOp& op) {
  std::vector<int64_t> all;
  for (int64_t d = 0; d < op.getRank(); ++d) all.push_back(d);
  return all;
}

/// The first elements of the input in the output, or those behind the last.
std::vector<int64_t> bounds(const PadOp& op, bool end) {
  const auto constants = [](int64_t pad) { return pad >= 0; };
  if (op.getMode() != "constant" || !op.getFlips().empty() ||
      !std::all_of(op.getPads().begin(), op.getPads().end(), constants))
    throw error(
        "{}: its gradient is the compiler's alone; a PadGradOp is one of a pad with constants, "
        "which "
        "neither cuts off nor reverses",
        op.debugName());
  std::vector<int64_t> places;
  for (int64_t d = 0; d < op.getRank(); ++d) {
    const auto dim = static_cast<std::size_t>(d);
    places.push_back(op.getLowerPadding(dim) + (end ? op.inShape(PadOp::getInIndex())[dim] : 0));
  }
  return places;
}

}  // namespace

PadGradOp::PadGradOp(const PadOp& fwdOp)
    : SliceOp(Onnx::GradOperators::PadGrad, bounds(fwdOp, false), bounds(fwdOp, true),
              dimensions(fwdOp), fwdOp.settings) {}
PadGradOp::~PadGradOp() = default;
std::unique_ptr<Op> PadGradOp::clone() const { return copyOf(*this); }
const std::vector<GradInOutMapper>& PadGradOp::gradInputInfo() const { return ofResult; }
const std::map<int, int>& PadGradOp::gradOutToNonGradIn() const { return ofFirst; }

std::vector<std::unique_ptr<Op>> PadOp::getGradOps() {
  std::vector<std::unique_ptr<Op>> made;
  made.emplace_back(new PadGradOp(*this));
  return made;
}

}  // namespace popart
