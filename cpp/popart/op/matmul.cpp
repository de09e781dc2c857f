#include <popart/op/gemm.hpp>
#include <popart/op/matmul.hpp>
#include <popart/opserialiser.hpp>
#include <popart/util/float8util.hpp>

#include <popart/tensor.hpp>

#include <algorithm>

#include "popart/builtins.hpp"
#include "popart/ir_calls.hpp"
#include "popart/op/copy_of.hpp"

namespace popart {
namespace {

Shape threeDimensions(Shape shape) {
  if (shape.size() < 3) shape.insert(shape.begin(), 3 - shape.size(), 1);
  return shape;
}

}  // namespace

MatMulBaseOp::~MatMulBaseOp() = default;
MatMulOp::~MatMulOp() = default;
MatMulBaseGradOp::~MatMulBaseGradOp() = default;
MatMulLhsGradOp::~MatMulLhsGradOp() = default;
MatMulRhsGradOp::~MatMulRhsGradOp() = default;
GemmOp::~GemmOp() = default;

MatMulBaseGradOp::MatMulBaseGradOp(const OperatorIdentifier& opid, const MatMulOp& fwdOp,
                                   Phase phase)
    : MatMulBaseOp(opid, fwdOp.getSettings(), phase, fwdOp.getAvailableMemoryProportion(),
                   fwdOp.getSerialiseSettings(), fwdOp.getOutputType(), fwdOp.getPartialsType(),
                   fwdOp.useFullyConnectedPass()) {}
MatMulLhsGradOp::MatMulLhsGradOp(const MatMulOp& fwdOp)
    : MatMulBaseGradOp({"ai.graphcore", "MatMulLhsGrad", 1}, fwdOp, Phase::BwdLHS) {}
MatMulRhsGradOp::MatMulRhsGradOp(const MatMulOp& fwdOp)
    : MatMulBaseGradOp({"ai.graphcore", "MatMulRhsGrad", 1}, fwdOp, Phase::BwdRHS) {}

std::unique_ptr<Op> MatMulOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> MatMulLhsGradOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> MatMulRhsGradOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> GemmOp::clone() const { return copyOf(*this); }

bool MatMulOp::isPow2ScaledMatMul() const {
  return opInputsAreValidPow2ScaledInputs(input.get(), getLog2ScaleInIndex());
}

Shape MatMulBaseOp::getExpandedLhsShape() const { return threeDimensions(inShape(0)); }
Shape MatMulBaseOp::getExpandedRhsShape() const { return threeDimensions(inShape(1)); }
Shape MatMulOp::getExpandedLhsShape() const { return threeDimensions(inShape(getLhsInIndex())); }

Shape MatMulOp::getExpandedRhsShape() const {
  Shape shape = inShape(getRhsInIndex());
  if (shape.size() == 1) shape.push_back(1);
  return threeDimensions(std::move(shape));
}

void MatMulOp::setup() {
  if (link() != nullptr && popir::builtinClass(*this) != nullptr) return builtin::setup(*this);
  validateOpFloat8Inputs(input.get(), getLog2ScaleInIndex(), debugName());
  const bool is8 = isPow2ScaledMatMul();
  // As numpy.matmul: for the product alone, a vector is a row on the left, a column on the right.
  Shape lhs = inShape(getLhsInIndex()), rhs = inShape(getRhsInIndex());
  const bool isRow = lhs.size() == 1, isColumn = rhs.size() == 1;
  if (isRow) lhs.insert(lhs.begin(), 1);
  if (isColumn) rhs.push_back(1);
  if (lhs.empty() || rhs.empty() || lhs.back() != rhs[rhs.size() - 2])
    throw error("{}: there is no product of {} and {}", debugName(), inShape(getLhsInIndex()),
                inShape(getRhsInIndex()));
  Shape out = prettyNpOut(Shape(lhs.begin(), lhs.end() - 2), Shape(rhs.begin(), rhs.end() - 2));
  if (!isRow) out.push_back(lhs[lhs.size() - 2]);
  if (!isColumn) out.push_back(rhs.back());
  const DataType type = is8 ? DataType::FLOAT16 : inInfo(getLhsInIndex()).dataType();
  outInfo(getOutIndex()) = TensorInfo(outputType ? *outputType : type, out);
}

std::string toString(const MatMulPartialsType& type) {
  return type == MatMulPartialsType::HALF ? "HALF" : "FLOAT";
}

std::ostream& operator<<(std::ostream& os, const MatMulPartialsType& type) {
  return os << toString(type);
}

void MatMulBaseOp::setUseFullyConnectedPass(bool b) {
  enableFullyConnectedPass = b;
  if (link() != nullptr)
    popir::irCalls().setNote(*this, "__use_fully_connected_pass", static_cast<int64_t>(b));
}

void MatMulBaseOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("phase", static_cast<int>(phase));
  os.appendAttribute("enableFullyConnectedPass", enableFullyConnectedPass);
  os.appendAttribute("serialization_mode", static_cast<int>(serialization.mode));
  os.appendAttribute("serialization_factor", serialization.factor);
  os.appendAttribute("partialsType", toString(partialsType));
}

void GemmOp::setup() {
  if (link() != nullptr && popir::builtinClass(*this) != nullptr) return builtin::setup(*this);
  Shape a = inShape(getAInIndex()), b = inShape(getBInIndex());
  if (transA_) std::reverse(a.begin(), a.end());
  if (transB_) std::reverse(b.begin(), b.end());
  if (a.size() != 2 || b.size() != 2 || a[1] != b[0])
    throw error("{}: there is no product of {} (transA = {}) and {} (transB = {})", debugName(),
                inShape(getAInIndex()), transA_, inShape(getBInIndex()), transB_);
  const Shape out = {a[0], b[1]};
  if (hasInput(getCInIndex()) && prettyNpOut(out, inShape(getCInIndex())) != out)
    throw error("{}: C is of the shape {}, which does not broadcast to {}", debugName(),
                inShape(getCInIndex()), out);
  outInfo(getOutIndex()) = {inInfo(getAInIndex()).dataType(), out};
}

void GemmOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("alpha", alpha_);
  os.appendAttribute("beta", beta_);
  os.appendAttribute("transA", transA_);
  os.appendAttribute("transB", transB_);
}

}  // namespace popart
