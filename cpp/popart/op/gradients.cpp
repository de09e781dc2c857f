// Gradients of element-wise operators, as classes: what they compute is said by the patterns that take
// them apart (cpp/popart/patterns/gradients.cpp).
#include <popart/graphcoreoperators.hpp>
#include <popart/op/abs.hpp>
#include <popart/op/add.hpp>
#include <popart/op/atan2.hpp>
#include <popart/op/cos.hpp>
#include <popart/op/div.hpp>
#include <popart/op/exp.hpp>
#include <popart/op/expm1.hpp>
#include <popart/op/fmod.hpp>
#include <popart/op/log.hpp>
#include <popart/op/log1p.hpp>
#include <popart/op/mul.hpp>
#include <popart/op/pow.hpp>
#include <popart/op/reciprocal.hpp>
#include <popart/op/sign.hpp>
#include <popart/op/sin.hpp>
#include <popart/op/sqrt.hpp>
#include <popart/op/subtract.hpp>
#include <popart/operators.hpp>
#include <popart/tensor.hpp>

#include "popart/op/copy_of.hpp"

namespace popart {

OperatorIdentifier CosOp::getOpId(const Ir&) { return Onnx::Operators::Cos_7; }
OperatorIdentifier SignOp::getOpId(const Ir&) { return Onnx::Operators::Sign_9; }
OperatorIdentifier MulOp::getOpId(const Ir&) { return Onnx::Operators::Mul_7; }
OperatorIdentifier PowOp::getOpId(const Ir&) { return Onnx::Operators::Pow_7; }

ElementWiseOutUnaryGradOp::ElementWiseOutUnaryGradOp(const OperatorIdentifier& opid,
                                                     const ElementWiseUnaryOp& fwdOp)
    : ElementWiseOutUnaryGradOp(opid, fwdOp, fwdOp.opid) {}
ElementWiseOutUnaryGradOp::ElementWiseOutUnaryGradOp(const OperatorIdentifier& opid,
                                                     const ElementWiseUnaryOp& fwdOp,
                                                     const OperatorIdentifier& known)
    : Op(opid, fwdOp.getSettings()), Origin(fwdOp, known) {}
void ElementWiseOutUnaryGradOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  appendForward(os);
}
ElementWiseOutUnaryGradOp::~ElementWiseOutUnaryGradOp() = default;
std::unique_ptr<Op> ElementWiseOutUnaryGradOp::clone() const { return copyOf(*this); }
void ElementWiseOutUnaryGradOp::setup() { outInfo(getOutIndex()) = inInfo(getFwdOutInIndex()); }
const std::vector<GradInOutMapper>& ElementWiseOutUnaryGradOp::gradInputInfo() const {
  static const std::vector<GradInOutMapper> inputs = {
      {getGradInIndex(), ElementWiseUnaryOp::getOutIndex(), GradOpInType::GradOut},
      {getFwdOutInIndex(), ElementWiseUnaryOp::getOutIndex(), GradOpInType::Out}};
  return inputs;
}
const std::map<int, int>& ElementWiseOutUnaryGradOp::gradOutToNonGradIn() const {
  static const std::map<int, int> outputs = {{getOutIndex(), ElementWiseUnaryOp::getInIndex()}};
  return outputs;
}

namespace {

/// The gradients of both inputs.
template <class LEFT, class RIGHT>
std::vector<std::unique_ptr<Op>> gradientsOf(const Op& op) {
  const Shape& out = op.outShape(ElementWiseBinaryBaseOp::getOutIndex());
  std::vector<std::unique_ptr<Op>> made;
  made.emplace_back(new LEFT(op, npReductionAxis(op.inShape(0), out)));
  made.emplace_back(new RIGHT(op, npReductionAxis(op.inShape(1), out)));
  return made;
}

/// That of the result alone.
const std::vector<GradInOutMapper> gradient = {{0, 0, GradOpInType::GradOut}};
const std::map<int, int> ofLeft = {{0, 0}}, ofRight = {{0, 1}};

}  // namespace

AbsGradOp::AbsGradOp(const AbsOp& fwdOp)
    : ElementWiseNonLinearUnaryGradOp(Onnx::GradOperators::AbsGrad, fwdOp) {}
AbsGradOp::~AbsGradOp() = default;
std::unique_ptr<Op> AbsGradOp::clone() const { return copyOf(*this); }
std::vector<std::unique_ptr<Op>> AbsOp::getGradOps() {
  std::vector<std::unique_ptr<Op>> made;
  made.emplace_back(new AbsGradOp(*this));
  return made;
}

SinGradOp::SinGradOp(const SinOp& fwdOp)
    : ElementWiseNonLinearUnaryGradOp(Onnx::GradOperators::SinGrad, fwdOp) {}
SinGradOp::~SinGradOp() = default;
std::unique_ptr<Op> SinGradOp::clone() const { return copyOf(*this); }
std::vector<std::unique_ptr<Op>> SinOp::getGradOps() {
  std::vector<std::unique_ptr<Op>> made;
  made.emplace_back(new SinGradOp(*this));
  return made;
}

CosGradOp::CosGradOp(const CosOp& fwdOp)
    : ElementWiseNonLinearUnaryGradOp(Onnx::GradOperators::CosGrad, fwdOp) {}
CosGradOp::~CosGradOp() = default;
std::unique_ptr<Op> CosGradOp::clone() const { return copyOf(*this); }
std::vector<std::unique_ptr<Op>> CosOp::getGradOps() {
  std::vector<std::unique_ptr<Op>> made;
  made.emplace_back(new CosGradOp(*this));
  return made;
}

ExpGradOp::ExpGradOp(const ExpOp& fwdOp)
    : ElementWiseOutUnaryGradOp(Onnx::GradOperators::ExpGrad, fwdOp) {}
ExpGradOp::~ExpGradOp() = default;
std::unique_ptr<Op> ExpGradOp::clone() const { return copyOf(*this); }
std::vector<std::unique_ptr<Op>> ExpOp::getGradOps() {
  std::vector<std::unique_ptr<Op>> made;
  made.emplace_back(new ExpGradOp(*this));
  return made;
}

Expm1GradOp::Expm1GradOp(const Expm1Op& fwdOp)
    : ElementWiseOutUnaryGradOp(Onnx::GradOperators::Expm1Grad, fwdOp) {}
Expm1GradOp::~Expm1GradOp() = default;
std::unique_ptr<Op> Expm1GradOp::clone() const { return copyOf(*this); }
std::vector<std::unique_ptr<Op>> Expm1Op::getGradOps() {
  std::vector<std::unique_ptr<Op>> made;
  made.emplace_back(new Expm1GradOp(*this));
  return made;
}

LogGradOp::LogGradOp(const LogOp& fwdOp)
    : ElementWiseNonLinearUnaryGradOp(Onnx::GradOperators::LogGrad, fwdOp) {}
LogGradOp::~LogGradOp() = default;
std::unique_ptr<Op> LogGradOp::clone() const { return copyOf(*this); }
std::vector<std::unique_ptr<Op>> LogOp::getGradOps() {
  std::vector<std::unique_ptr<Op>> made;
  made.emplace_back(new LogGradOp(*this));
  return made;
}

Log1pGradOp::Log1pGradOp(const Log1pOp& fwdOp)
    : ElementWiseNonLinearUnaryGradOp(Onnx::GradOperators::Log1pGrad, fwdOp) {}
Log1pGradOp::~Log1pGradOp() = default;
std::unique_ptr<Op> Log1pGradOp::clone() const { return copyOf(*this); }
std::vector<std::unique_ptr<Op>> Log1pOp::getGradOps() {
  std::vector<std::unique_ptr<Op>> made;
  made.emplace_back(new Log1pGradOp(*this));
  return made;
}

SqrtGradOp::SqrtGradOp(const SqrtOp& fwdOp)
    : ElementWiseOutUnaryGradOp(Onnx::GradOperators::SqrtGrad, fwdOp) {}
SqrtGradOp::~SqrtGradOp() = default;
std::unique_ptr<Op> SqrtGradOp::clone() const { return copyOf(*this); }
std::vector<std::unique_ptr<Op>> SqrtOp::getGradOps() {
  std::vector<std::unique_ptr<Op>> made;
  made.emplace_back(new SqrtGradOp(*this));
  return made;
}

ReciprocalGradOp::ReciprocalGradOp(const ReciprocalOp& fwdOp)
    : ElementWiseNonLinearUnaryGradOp(Onnx::GradOperators::ReciprocalGrad, fwdOp) {}
ReciprocalGradOp::~ReciprocalGradOp() = default;
std::unique_ptr<Op> ReciprocalGradOp::clone() const { return copyOf(*this); }
std::vector<std::unique_ptr<Op>> ReciprocalOp::getGradOps() {
  std::vector<std::unique_ptr<Op>> made;
  made.emplace_back(new ReciprocalGradOp(*this));
  return made;
}

MulArg0GradOp::MulArg0GradOp(const Op& op, const std::vector<int64_t>& reductionAxes)
    : ElementWiseBinaryArg0GradOp(Onnx::GradOperators::MulArg0Grad, reductionAxes, op.inInfo(0),
                                  op.settings) {}
MulArg0GradOp::~MulArg0GradOp() = default;
std::unique_ptr<Op> MulArg0GradOp::clone() const { return copyOf(*this); }
MulArg1GradOp::MulArg1GradOp(const Op& op, const std::vector<int64_t>& reductionAxes)
    : ElementWiseBinaryArg1GradOp(Onnx::GradOperators::MulArg1Grad, reductionAxes, op.inInfo(1),
                                  op.settings) {}
MulArg1GradOp::~MulArg1GradOp() = default;
std::unique_ptr<Op> MulArg1GradOp::clone() const { return copyOf(*this); }
std::vector<std::unique_ptr<Op>> MulOp::getGradOps() {
  return gradientsOf<MulArg0GradOp, MulArg1GradOp>(*this);
}

DivArg0GradOp::DivArg0GradOp(const Op& op, const std::vector<int64_t>& reductionAxes)
    : ElementWiseBinaryArg0GradOp(Onnx::GradOperators::DivArg0Grad, reductionAxes, op.inInfo(0),
                                  op.settings) {}
DivArg0GradOp::~DivArg0GradOp() = default;
std::unique_ptr<Op> DivArg0GradOp::clone() const { return copyOf(*this); }
DivArg1GradOp::DivArg1GradOp(const Op& op, const std::vector<int64_t>& reductionAxes)
    : ElementWiseBinaryArg1GradOp(Onnx::GradOperators::DivArg1Grad, reductionAxes, op.inInfo(1),
                                  op.settings) {}
DivArg1GradOp::~DivArg1GradOp() = default;
std::unique_ptr<Op> DivArg1GradOp::clone() const { return copyOf(*this); }
std::vector<std::unique_ptr<Op>> DivOp::getGradOps() {
  return gradientsOf<DivArg0GradOp, DivArg1GradOp>(*this);
}

PowArg0GradOp::PowArg0GradOp(const Op& op, const std::vector<int64_t>& reductionAxes)
    : ElementWiseBinaryArg0GradOp(Onnx::GradOperators::PowArg0Grad, reductionAxes, op.inInfo(0),
                                  op.settings) {}
PowArg0GradOp::~PowArg0GradOp() = default;
std::unique_ptr<Op> PowArg0GradOp::clone() const { return copyOf(*this); }
PowArg1GradOp::PowArg1GradOp(const Op& op, const std::vector<int64_t>& reductionAxes)
    : ElementWiseBinaryArg1GradOp(Onnx::GradOperators::PowArg1Grad, reductionAxes, op.inInfo(1),
                                  op.settings) {}
PowArg1GradOp::~PowArg1GradOp() = default;
std::unique_ptr<Op> PowArg1GradOp::clone() const { return copyOf(*this); }
std::vector<std::unique_ptr<Op>> PowOp::getGradOps() {
  return gradientsOf<PowArg0GradOp, PowArg1GradOp>(*this);
}

Atan2Arg0GradOp::Atan2Arg0GradOp(const Op& op, const std::vector<int64_t>& reductionAxes)
    : ElementWiseBinaryArg0GradOp(Onnx::GradOperators::Atan2Arg0Grad, reductionAxes, op.inInfo(0),
                                  op.settings) {}
Atan2Arg0GradOp::~Atan2Arg0GradOp() = default;
std::unique_ptr<Op> Atan2Arg0GradOp::clone() const { return copyOf(*this); }
Atan2Arg1GradOp::Atan2Arg1GradOp(const Op& op, const std::vector<int64_t>& reductionAxes)
    : ElementWiseBinaryArg1GradOp(Onnx::GradOperators::Atan2Arg1Grad, reductionAxes, op.inInfo(1),
                                  op.settings) {}
Atan2Arg1GradOp::~Atan2Arg1GradOp() = default;
std::unique_ptr<Op> Atan2Arg1GradOp::clone() const { return copyOf(*this); }
std::vector<std::unique_ptr<Op>> Atan2Op::getGradOps() {
  return gradientsOf<Atan2Arg0GradOp, Atan2Arg1GradOp>(*this);
}

AddArg0GradOp::AddArg0GradOp(const Op& op, const std::vector<int64_t>& reductionAxes)
    : ReduceSumOp(Onnx::GradOperators::AddArg0Grad, reductionAxes, 0, op.settings),
      argInfo_(op.inInfo(0)) {}
void AddArg0GradOp::setup() { outInfo(getOutIndex()) = argInfo_; }
const std::vector<GradInOutMapper>& AddArg0GradOp::gradInputInfo() const { return gradient; }
const std::map<int, int>& AddArg0GradOp::gradOutToNonGradIn() const { return ofLeft; }
AddArg0GradOp::~AddArg0GradOp() = default;
std::unique_ptr<Op> AddArg0GradOp::clone() const { return copyOf(*this); }
AddArg1GradOp::AddArg1GradOp(const Op& op, const std::vector<int64_t>& reductionAxes)
    : ReduceSumOp(Onnx::GradOperators::AddArg1Grad, reductionAxes, 0, op.settings),
      argInfo_(op.inInfo(1)) {}
void AddArg1GradOp::setup() { outInfo(getOutIndex()) = argInfo_; }
const std::vector<GradInOutMapper>& AddArg1GradOp::gradInputInfo() const { return gradient; }
const std::map<int, int>& AddArg1GradOp::gradOutToNonGradIn() const { return ofRight; }
AddArg1GradOp::~AddArg1GradOp() = default;
std::unique_ptr<Op> AddArg1GradOp::clone() const { return copyOf(*this); }
std::vector<std::unique_ptr<Op>> AddOp::getGradOps() {
  return gradientsOf<AddArg0GradOp, AddArg1GradOp>(*this);
}

SubtractArg0GradOp::SubtractArg0GradOp(const Op& op, const std::vector<int64_t>& reductionAxes)
    : ReduceSumOp(Onnx::GradOperators::SubArg0Grad, reductionAxes, 0, op.settings),
      argInfo_(op.inInfo(0)) {}
void SubtractArg0GradOp::setup() { outInfo(getOutIndex()) = argInfo_; }
const std::vector<GradInOutMapper>& SubtractArg0GradOp::gradInputInfo() const { return gradient; }
const std::map<int, int>& SubtractArg0GradOp::gradOutToNonGradIn() const { return ofLeft; }
SubtractArg0GradOp::~SubtractArg0GradOp() = default;
std::unique_ptr<Op> SubtractArg0GradOp::clone() const { return copyOf(*this); }
SubtractArg1GradOp::SubtractArg1GradOp(const Op& op, const std::vector<int64_t>& reductionAxes)
    : ElementWiseBinaryArg1GradOp(Onnx::GradOperators::SubArg1Grad, reductionAxes, op.inInfo(1),
                                  op.settings) {}
SubtractArg1GradOp::~SubtractArg1GradOp() = default;
std::unique_ptr<Op> SubtractArg1GradOp::clone() const { return copyOf(*this); }
std::vector<std::unique_ptr<Op>> SubtractOp::getGradOps() {
  return gradientsOf<SubtractArg0GradOp, SubtractArg1GradOp>(*this);
}

FmodArg0GradOp::FmodArg0GradOp(const FmodOp& op, const std::vector<int64_t>& reductionAxes)
    : ElementWiseBinaryArg0GradOp(Onnx::GradOperators::FmodArg0Grad, reductionAxes, op.inInfo(0),
                                  op.settings) {}
FmodArg0GradOp::~FmodArg0GradOp() = default;
std::unique_ptr<Op> FmodArg0GradOp::clone() const { return copyOf(*this); }
std::vector<std::unique_ptr<Op>> FmodOp::getGradOps() {
  std::vector<std::unique_ptr<Op>> made;
  made.emplace_back(new FmodArg0GradOp(*this, npReductionAxis(inShape(0), outShape(0))));
  return made;
}

}  // namespace popart
