// Gradients and variants in place of element-wise operators that the compiler computes: as long as
// there are operators.
#include <popart/graphcoreoperators.hpp>
#include <popart/op/add.hpp>
#include <popart/op/asin.hpp>
#include <popart/op/atan.hpp>
#include <popart/op/atan2.hpp>
#include <popart/op/ceil.hpp>
#include <popart/op/clip.hpp>
#include <popart/op/detach.hpp>
#include <popart/op/elu.hpp>
#include <popart/op/erf.hpp>
#include <popart/op/exp.hpp>
#include <popart/op/expm1.hpp>
#include <popart/op/floor.hpp>
#include <popart/op/gelu.hpp>
#include <popart/op/geluerf.hpp>
#include <popart/op/hardsigmoid.hpp>
#include <popart/op/incrementmod.hpp>
#include <popart/op/leakyrelu.hpp>
#include <popart/op/log1p.hpp>
#include <popart/op/logsoftmax.hpp>
#include <popart/op/mul.hpp>
#include <popart/op/nearbyint.hpp>
#include <popart/op/onewayunary.hpp>
#include <popart/op/pow.hpp>
#include <popart/op/relu.hpp>
#include <popart/op/reverse.hpp>
#include <popart/op/round.hpp>
#include <popart/op/selu.hpp>
#include <popart/op/shrink.hpp>
#include <popart/op/sigmoid.hpp>
#include <popart/op/sign.hpp>
#include <popart/op/sinh.hpp>
#include <popart/op/softmax.hpp>
#include <popart/op/softplus.hpp>
#include <popart/op/softsign.hpp>
#include <popart/op/subsample.hpp>
#include <popart/op/swish.hpp>
#include <popart/op/tanh.hpp>
#include <popart/op/thresholdedrelu.hpp>
#include <popart/operators.hpp>
#include <popart/opserialiser.hpp>
#include <popart/tensor.hpp>
#include <popart/tensorindex.hpp>

#include "popart/builtins.hpp"
#include "popart/op/copy_of.hpp"

namespace popart {

#define POPIR_COPIED(CLASS)  \
  CLASS::~CLASS() = default; \
  std::unique_ptr<Op> CLASS::clone() const { return copyOf(*this); }
#define POPIR_GRADIENT(OP, GRADIENT)                  \
  POPIR_COPIED(GRADIENT)                              \
  std::vector<std::unique_ptr<Op>> OP::getGradOps() { \
    std::vector<std::unique_ptr<Op>> made;            \
    made.emplace_back(new GRADIENT(*this));           \
    return made;                                      \
  }

OneWayUnaryInPlaceOp::OneWayUnaryInPlaceOp(const OperatorIdentifier& opid,
                                           const ElementWiseUnaryOp& op,
                                           const OperatorIdentifier& known)
    : ElementWiseInplaceUnaryOp(opid, op.settings), Origin(op, known) {}
POPIR_COPIED(OneWayUnaryInPlaceOp)

AsinGradOp::AsinGradOp(const AsinOp& fwdOp)
    : ElementWiseNonLinearUnaryGradOp(Onnx::GradOperators::AsinGrad, fwdOp,
                                      Onnx::Operators::Asin_7) {}
POPIR_GRADIENT(AsinOp, AsinGradOp)

AsinInplaceOp::AsinInplaceOp(const AsinOp& op)
    : ElementWiseInplaceUnaryOp(Onnx::CustomOperators::AsinInplace, op.settings),
      Origin(op, Onnx::Operators::Asin_7) {}
POPIR_COPIED(AsinInplaceOp)
void AsinInplaceOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  ElementWiseInplaceUnaryOp::appendOutlineAttributes(os);
  appendForward(os);
}

AtanGradOp::AtanGradOp(const AtanOp& fwdOp)
    : ElementWiseNonLinearUnaryGradOp(Onnx::GradOperators::AtanGrad, fwdOp,
                                      Onnx::Operators::Atan_7) {}
POPIR_GRADIENT(AtanOp, AtanGradOp)

AtanInplaceOp::AtanInplaceOp(const AtanOp& op)
    : ElementWiseInplaceUnaryOp(Onnx::CustomOperators::AtanInplace, op.settings),
      Origin(op, Onnx::Operators::Atan_7) {}
POPIR_COPIED(AtanInplaceOp)
void AtanInplaceOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  ElementWiseInplaceUnaryOp::appendOutlineAttributes(os);
  appendForward(os);
}

ErfGradOp::ErfGradOp(const ErfOp& fwdOp)
    : ElementWiseNonLinearUnaryGradOp(Onnx::GradOperators::ErfGrad, fwdOp, Onnx::Operators::Erf_9) {
}
POPIR_GRADIENT(ErfOp, ErfGradOp)

GeluGradOp::GeluGradOp(const GeluOp& fwdOp)
    : ElementWiseNonLinearUnaryGradOp(Onnx::GradOperators::GeluGrad, fwdOp,
                                      Onnx::CustomOperators::Gelu_1) {}
POPIR_GRADIENT(GeluOp, GeluGradOp)

GeluInplaceOp::GeluInplaceOp(const GeluOp& op)
    : ElementWiseInplaceUnaryOp(Onnx::CustomOperators::GeluInplace, op.settings),
      Origin(op, Onnx::CustomOperators::Gelu_1) {}
POPIR_COPIED(GeluInplaceOp)
void GeluInplaceOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  ElementWiseInplaceUnaryOp::appendOutlineAttributes(os);
  appendForward(os);
}

GeluInplaceOp::GeluInplaceOp(const Op::Settings& settings)
    : ElementWiseInplaceUnaryOp(Onnx::CustomOperators::GeluInplace, settings),
      Origin(Onnx::CustomOperators::Gelu_1) {}

GeluErfGradOp::GeluErfGradOp(const GeluErfOp& fwdOp)
    : ElementWiseNonLinearUnaryGradOp(Onnx::GradOperators::GeluErfGrad, fwdOp,
                                      Onnx::CustomOperators::GeluErf_1) {}
POPIR_GRADIENT(GeluErfOp, GeluErfGradOp)

GeluErfInplaceOp::GeluErfInplaceOp(const GeluErfOp& op)
    : ElementWiseInplaceUnaryOp(Onnx::CustomOperators::GeluErfInplace, op.settings),
      Origin(op, Onnx::CustomOperators::GeluErf_1) {}
POPIR_COPIED(GeluErfInplaceOp)
void GeluErfInplaceOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  ElementWiseInplaceUnaryOp::appendOutlineAttributes(os);
  appendForward(os);
}

GeluErfInplaceOp::GeluErfInplaceOp(const Op::Settings& settings)
    : ElementWiseInplaceUnaryOp(Onnx::CustomOperators::GeluErfInplace, settings),
      Origin(Onnx::CustomOperators::GeluErf_1) {}

SinhGradOp::SinhGradOp(const SinhOp& fwdOp)
    : ElementWiseNonLinearUnaryGradOp(Onnx::GradOperators::SinhGrad, fwdOp,
                                      Onnx::Operators::Sinh_9) {}
POPIR_GRADIENT(SinhOp, SinhGradOp)

SinhInplaceOp::SinhInplaceOp(const SinhOp& op)
    : ElementWiseInplaceUnaryOp(Onnx::CustomOperators::SinhInplace, op.settings),
      Origin(op, Onnx::Operators::Sinh_9) {}
POPIR_COPIED(SinhInplaceOp)
void SinhInplaceOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  ElementWiseInplaceUnaryOp::appendOutlineAttributes(os);
  appendForward(os);
}

SoftPlusGradOp::SoftPlusGradOp(const SoftPlusOp& fwdOp)
    : ElementWiseNonLinearUnaryGradOp(Onnx::GradOperators::SoftPlusGrad, fwdOp,
                                      Onnx::Operators::Softplus_1) {}
POPIR_GRADIENT(SoftPlusOp, SoftPlusGradOp)

SoftPlusInplaceOp::SoftPlusInplaceOp(const SoftPlusOp& op)
    : ElementWiseInplaceUnaryOp(Onnx::CustomOperators::SoftPlusInplace, op.settings),
      Origin(op, Onnx::Operators::Softplus_1) {}
POPIR_COPIED(SoftPlusInplaceOp)
void SoftPlusInplaceOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  ElementWiseInplaceUnaryOp::appendOutlineAttributes(os);
  appendForward(os);
}

SoftSignGradOp::SoftSignGradOp(const SoftSignOp& fwdOp)
    : ElementWiseNonLinearUnaryGradOp(Onnx::GradOperators::SoftSignGrad, fwdOp,
                                      Onnx::Operators::Softsign_1) {}
POPIR_GRADIENT(SoftSignOp, SoftSignGradOp)

SoftSignInplaceOp::SoftSignInplaceOp(const SoftSignOp& op)
    : ElementWiseInplaceUnaryOp(Onnx::CustomOperators::SoftSignInplace, op.settings),
      Origin(op, Onnx::Operators::Softsign_1) {}
POPIR_COPIED(SoftSignInplaceOp)
void SoftSignInplaceOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  ElementWiseInplaceUnaryOp::appendOutlineAttributes(os);
  appendForward(os);
}

SwishGradOp::SwishGradOp(const SwishOp& fwdOp)
    : ElementWiseNonLinearUnaryGradOp(Onnx::CustomGradOperators::SwishGrad, fwdOp,
                                      Onnx::CustomOperators::Swish) {}
POPIR_GRADIENT(SwishOp, SwishGradOp)

SwishInplaceOp::SwishInplaceOp(const SwishOp& op)
    : ElementWiseInplaceUnaryOp(Onnx::CustomOperators::SwishInplace, op.settings),
      Origin(op, Onnx::CustomOperators::Swish) {}
POPIR_COPIED(SwishInplaceOp)
void SwishInplaceOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  ElementWiseInplaceUnaryOp::appendOutlineAttributes(os);
  appendForward(os);
}

SwishInplaceOp::SwishInplaceOp(const Op::Settings& settings)
    : ElementWiseInplaceUnaryOp(Onnx::CustomOperators::SwishInplace, settings),
      Origin(Onnx::CustomOperators::Swish) {}

EluGradOp::EluGradOp(const EluOp& fwdOp)
    : ElementWiseNonLinearUnaryGradOp(Onnx::GradOperators::EluGrad, fwdOp, Onnx::Operators::Elu_6),
      alpha_(fwdOp.alpha()) {}
POPIR_GRADIENT(EluOp, EluGradOp)

EluInplaceOp::EluInplaceOp(const EluOp& op)
    : ElementWiseInplaceUnaryOp(Onnx::CustomOperators::EluInplace, op.settings),
      Origin(op, Onnx::Operators::Elu_6),
      alpha_(op.alpha()) {}
POPIR_COPIED(EluInplaceOp)
void EluInplaceOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  ElementWiseInplaceUnaryOp::appendOutlineAttributes(os);
  appendForward(os);
}

HardSigmoidGradOp::HardSigmoidGradOp(const HardSigmoidOp& fwdOp)
    : ElementWiseNonLinearUnaryGradOp(Onnx::GradOperators::HardSigmoidGrad, fwdOp,
                                      Onnx::Operators::HardSigmoid_6),
      alpha_(fwdOp.getAlpha()),
      beta_(fwdOp.getBeta()) {}
POPIR_GRADIENT(HardSigmoidOp, HardSigmoidGradOp)

HardSigmoidInplaceOp::HardSigmoidInplaceOp(const HardSigmoidOp& op)
    : ElementWiseInplaceUnaryOp(Onnx::CustomOperators::HardSigmoidInplace, op.settings),
      Origin(op, Onnx::Operators::HardSigmoid_6),
      alpha_(op.getAlpha()),
      beta_(op.getBeta()) {}
POPIR_COPIED(HardSigmoidInplaceOp)
void HardSigmoidInplaceOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  ElementWiseInplaceUnaryOp::appendOutlineAttributes(os);
  appendForward(os);
}

SeluGradOp::SeluGradOp(const SeluOp& fwdOp)
    : ElementWiseNonLinearUnaryGradOp(Onnx::GradOperators::SeluGrad, fwdOp,
                                      Onnx::Operators::Selu_6),
      alpha_(fwdOp.getAlpha()),
      gamma_(fwdOp.getGamma()) {}
POPIR_GRADIENT(SeluOp, SeluGradOp)

SeluInplaceOp::SeluInplaceOp(const SeluOp& op)
    : ElementWiseInplaceUnaryOp(Onnx::CustomOperators::SeluInplace, op.settings),
      Origin(op, Onnx::Operators::Selu_6),
      alpha_(op.getAlpha()),
      gamma_(op.getGamma()) {}
POPIR_COPIED(SeluInplaceOp)
void SeluInplaceOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  ElementWiseInplaceUnaryOp::appendOutlineAttributes(os);
  appendForward(os);
}

ShrinkGradOp::ShrinkGradOp(const ShrinkOp& fwdOp)
    : ElementWiseNonLinearUnaryGradOp(Onnx::GradOperators::ShrinkGrad, fwdOp,
                                      Onnx::Operators::Shrink_9),
      lambd_(fwdOp.lambd()),
      bias_(fwdOp.bias()) {}
POPIR_GRADIENT(ShrinkOp, ShrinkGradOp)

ShrinkInplaceOp::ShrinkInplaceOp(const ShrinkOp& op)
    : ElementWiseInplaceUnaryOp(Onnx::CustomOperators::ShrinkInplace, op.settings),
      Origin(op, Onnx::Operators::Shrink_9),
      lambd_(op.lambd()),
      bias_(op.bias()) {}
POPIR_COPIED(ShrinkInplaceOp)
void ShrinkInplaceOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  ElementWiseInplaceUnaryOp::appendOutlineAttributes(os);
  appendForward(os);
}

ThresholdedReluGradOp::ThresholdedReluGradOp(const ThresholdedReluOp& fwdOp)
    : ElementWiseNonLinearUnaryGradOp(Onnx::GradOperators::ThresholdedReluGrad, fwdOp,
                                      Onnx::Operators::ThresholdedRelu_10),
      alpha_(fwdOp.getAlpha()) {}
POPIR_GRADIENT(ThresholdedReluOp, ThresholdedReluGradOp)

ThresholdedReluInplaceOp::ThresholdedReluInplaceOp(const ThresholdedReluOp& op)
    : ElementWiseInplaceUnaryOp(Onnx::CustomOperators::ThresholdedReluInplace, op.settings),
      Origin(op, Onnx::Operators::ThresholdedRelu_10),
      alpha_(op.getAlpha()) {}
POPIR_COPIED(ThresholdedReluInplaceOp)
void ThresholdedReluInplaceOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  ElementWiseInplaceUnaryOp::appendOutlineAttributes(os);
  appendForward(os);
}

TanhGradOp::TanhGradOp(const TanhOp& fwdOp)
    : ElementWiseOutUnaryGradOp(Onnx::GradOperators::TanhGrad, fwdOp, Onnx::Operators::Tanh_6) {}
POPIR_GRADIENT(TanhOp, TanhGradOp)

SigmoidGradOp::SigmoidGradOp(const SigmoidOp& fwdOp)
    : ElementWiseOutUnaryGradOp(Onnx::GradOperators::SigmoidGrad, fwdOp,
                                Onnx::Operators::Sigmoid_6) {}
POPIR_GRADIENT(SigmoidOp, SigmoidGradOp)

SigmoidInplaceOp::SigmoidInplaceOp(const SigmoidOp& op)
    : ElementWiseInplaceUnaryOp(Onnx::CustomOperators::SigmoidInplace, op.settings),
      Origin(op, Onnx::Operators::Sigmoid_6) {}
POPIR_COPIED(SigmoidInplaceOp)
void SigmoidInplaceOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  ElementWiseInplaceUnaryOp::appendOutlineAttributes(os);
  appendForward(os);
}

ReluGradOp::ReluGradOp(const ReluOp& fwdOp)
    : ElementWiseOutUnaryGradOp(Onnx::GradOperators::ReluGrad, fwdOp, Onnx::Operators::Relu_6) {}
POPIR_GRADIENT(ReluOp, ReluGradOp)

LeakyReluGradOp::LeakyReluGradOp(const LeakyReluOp& fwdOp)
    : ElementWiseOutUnaryGradOp(Onnx::GradOperators::LeakyReluGrad, fwdOp,
                                Onnx::Operators::LeakyRelu_6),
      LeakyReluOpBaseAttributes(fwdOp.getAlpha()) {}
POPIR_GRADIENT(LeakyReluOp, LeakyReluGradOp)

LeakyReluInplaceOp::LeakyReluInplaceOp(const LeakyReluOp& op)
    : ElementWiseInplaceUnaryOp(Onnx::CustomOperators::LeakyReluInplace, op.settings),
      Origin(op, Onnx::Operators::LeakyRelu_6),
      LeakyReluOpBaseAttributes(op.getAlpha()) {}
POPIR_COPIED(LeakyReluInplaceOp)
void LeakyReluInplaceOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  ElementWiseInplaceUnaryOp::appendOutlineAttributes(os);
  appendForward(os);
}

CeilInplaceOp::CeilInplaceOp(const CeilOp& op)
    : OneWayUnaryInPlaceOp(Onnx::CustomOperators::CeilInplace, op, Onnx::Operators::Ceil_6) {}
POPIR_COPIED(CeilInplaceOp)

FloorInplaceOp::FloorInplaceOp(const FloorOp& op)
    : OneWayUnaryInPlaceOp(Onnx::CustomOperators::FloorInplace, op, Onnx::Operators::Floor_6) {}
POPIR_COPIED(FloorInplaceOp)

RoundInplaceOp::RoundInplaceOp(const RoundOp& op)
    : OneWayUnaryInPlaceOp(Onnx::CustomOperators::RoundInplace, op,
                           Onnx::CustomOperators::Round_1) {}
POPIR_COPIED(RoundInplaceOp)

NearbyIntInplaceOp::NearbyIntInplaceOp(const NearbyIntOp& op)
    : OneWayUnaryInPlaceOp(Onnx::CustomOperators::NearbyIntInplace, op,
                           Onnx::CustomOperators::NearbyInt) {}
POPIR_COPIED(NearbyIntInplaceOp)

ExpInplaceOp::ExpInplaceOp(const ExpOp& op)
    : ElementWiseInplaceUnaryOp(Onnx::CustomOperators::ExpInplace, op.settings),
      Origin(op, Onnx::Operators::Exp_6) {}
POPIR_COPIED(ExpInplaceOp)
void ExpInplaceOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  ElementWiseInplaceUnaryOp::appendOutlineAttributes(os);
  appendForward(os);
}

Expm1InplaceOp::Expm1InplaceOp(const Expm1Op& op)
    : ElementWiseInplaceUnaryOp(Onnx::CustomOperators::Expm1Inplace, op.settings),
      Origin(op, Onnx::CustomOperators::Expm1_1) {}
POPIR_COPIED(Expm1InplaceOp)
void Expm1InplaceOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  ElementWiseInplaceUnaryOp::appendOutlineAttributes(os);
  appendForward(os);
}

Log1pInplaceOp::Log1pInplaceOp(const Log1pOp& op)
    : ElementWiseInplaceUnaryOp(Onnx::CustomOperators::Log1pInplace, op.settings),
      Origin(op, Onnx::CustomOperators::Log1p_1) {}
POPIR_COPIED(Log1pInplaceOp)
void Log1pInplaceOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  ElementWiseInplaceUnaryOp::appendOutlineAttributes(os);
  appendForward(os);
}

SignInplaceOp::SignInplaceOp(const SignOp& op)
    : ElementWiseInplaceUnaryOp(Onnx::CustomOperators::SignInplace, op.settings),
      Origin(op, Onnx::Operators::Sign_9) {}
POPIR_COPIED(SignInplaceOp)
void SignInplaceOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  ElementWiseInplaceUnaryOp::appendOutlineAttributes(os);
  appendForward(os);
}

DetachInplaceOp::DetachInplaceOp(const DetachOp& op)
    : ElementWiseInplaceUnaryOp(Onnx::CustomOperators::DetachInplace, op.settings),
      Origin(op, Onnx::CustomOperators::Detach_1) {}
POPIR_COPIED(DetachInplaceOp)
void DetachInplaceOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  ElementWiseInplaceUnaryOp::appendOutlineAttributes(os);
  appendForward(os);
}

LogSoftmaxInplaceOp::LogSoftmaxInplaceOp(const LogSoftmaxOp& op)
    : ElementWiseInplaceUnaryOp(Onnx::CustomOperators::LogSoftmaxInplace, op.settings),
      Origin(op, Onnx::Operators::LogSoftmax_1),
      axis_(op.getAxis()) {}
POPIR_COPIED(LogSoftmaxInplaceOp)
void LogSoftmaxInplaceOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  ElementWiseInplaceUnaryOp::appendOutlineAttributes(os);
  appendForward(os);
}

SoftmaxInplaceOp::SoftmaxInplaceOp(const SoftmaxOp& op)
    : ElementWiseInplaceUnaryOp(Onnx::CustomOperators::SoftmaxInplace, op.settings),
      Origin(op, Onnx::Operators::Softmax_1),
      axis_(op.getAxis()) {}
POPIR_COPIED(SoftmaxInplaceOp)
void SoftmaxInplaceOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  ElementWiseInplaceUnaryOp::appendOutlineAttributes(os);
  appendForward(os);
}

IncrementModInplaceOp::IncrementModInplaceOp(const IncrementModOp& op)
    : ElementWiseInplaceUnaryOp(Onnx::CustomOperators::IncrementModInplace_1, op.settings),
      Origin(op, Onnx::CustomOperators::IncrementMod_1),
      increment_(op.getIncrement()),
      modulus_(op.getModulus()) {}
POPIR_COPIED(IncrementModInplaceOp)
void IncrementModInplaceOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  ElementWiseInplaceUnaryOp::appendOutlineAttributes(os);
  appendForward(os);
}

bool AddOp::hasLhsInplaceVariant() const { return popir::builtinClass(*this) != nullptr; }
bool AddOp::hasRhsInplaceVariant() const { return popir::builtinClass(*this) != nullptr; }
std::unique_ptr<Op> AddOp::getLhsInplaceVariant() const {
  return std::unique_ptr<Op>(new AddLhsInplaceOp(getSettings()));
}
std::unique_ptr<Op> AddOp::getRhsInplaceVariant() const {
  return std::unique_ptr<Op>(new AddRhsInplaceOp(getSettings()));
}
OperatorIdentifier AddOp::getLhsOperatorIdentifier() const {
  return Onnx::CustomOperators::AddLhsInplace;
}
OperatorIdentifier AddOp::getRhsOperatorIdentifier() const {
  return Onnx::CustomOperators::AddRhsInplace;
}

MulLhsInplaceOp::MulLhsInplaceOp(const Op::Settings& settings)
    : ElementWiseBinaryInplaceLhsOp(Onnx::CustomOperators::MulLhsInplace, settings),
      Origin(Onnx::Operators::Mul_7) {}
POPIR_COPIED(MulLhsInplaceOp)
bool MulOp::hasLhsInplaceVariant() const { return popir::builtinClass(*this) != nullptr; }
std::unique_ptr<Op> MulOp::getLhsInplaceVariant() const {
  return std::unique_ptr<Op>(new MulLhsInplaceOp(getSettings()));
}
OperatorIdentifier MulOp::getLhsOperatorIdentifier() const {
  return Onnx::CustomOperators::MulLhsInplace;
}

MulRhsInplaceOp::MulRhsInplaceOp(const Op::Settings& settings)
    : ElementWiseBinaryInplaceRhsOp(Onnx::CustomOperators::MulRhsInplace, settings),
      Origin(Onnx::Operators::Mul_7) {}
POPIR_COPIED(MulRhsInplaceOp)
bool MulOp::hasRhsInplaceVariant() const { return popir::builtinClass(*this) != nullptr; }
std::unique_ptr<Op> MulOp::getRhsInplaceVariant() const {
  return std::unique_ptr<Op>(new MulRhsInplaceOp(getSettings()));
}
OperatorIdentifier MulOp::getRhsOperatorIdentifier() const {
  return Onnx::CustomOperators::MulRhsInplace;
}

PowLhsInplaceOp::PowLhsInplaceOp(const Op::Settings& settings)
    : ElementWiseBinaryInplaceLhsOp(Onnx::CustomOperators::PowLhsInplace, settings),
      Origin(Onnx::Operators::Pow_7) {}
POPIR_COPIED(PowLhsInplaceOp)
bool PowOp::hasLhsInplaceVariant() const { return popir::builtinClass(*this) != nullptr; }
std::unique_ptr<Op> PowOp::getLhsInplaceVariant() const {
  return std::unique_ptr<Op>(new PowLhsInplaceOp(getSettings()));
}
OperatorIdentifier PowOp::getLhsOperatorIdentifier() const {
  return Onnx::CustomOperators::PowLhsInplace;
}

Atan2LhsInplaceOp::Atan2LhsInplaceOp(const Op::Settings& settings)
    : ElementWiseBinaryInplaceLhsOp(Onnx::CustomOperators::Atan2Inplace, settings),
      Origin(Onnx::CustomOperators::Atan2_1) {}
POPIR_COPIED(Atan2LhsInplaceOp)
bool Atan2Op::hasLhsInplaceVariant() const { return popir::builtinClass(*this) != nullptr; }
std::unique_ptr<Op> Atan2Op::getLhsInplaceVariant() const {
  return std::unique_ptr<Op>(new Atan2LhsInplaceOp(getSettings()));
}
OperatorIdentifier Atan2Op::getLhsOperatorIdentifier() const {
  return Onnx::CustomOperators::Atan2Inplace;
}

// Variants that are offered to Ir::applyInplacePattern: of the compiler's operator, not of one that
// derives from its class and may compute something else.
#define POPIR_OFFERED(OP, VARIANT, ID)                                                    \
  std::vector<std::tuple<OperatorIdentifier, float>> OP::inplacePriorityDefault() const { \
    if (popir::builtinClass(*this) == nullptr) return {};                                 \
    return {{Onnx::CustomOperators::ID, 10.0f}};                                          \
  }                                                                                       \
  std::unique_ptr<Op> OP::getInplaceVariant(const OperatorIdentifier& id) const {         \
    if (id == Onnx::CustomOperators::ID) return std::unique_ptr<Op>(new VARIANT(*this));  \
    return Op::getInplaceVariant(id);                                                     \
  }
POPIR_OFFERED(AsinOp, AsinInplaceOp, AsinInplace)
POPIR_OFFERED(AtanOp, AtanInplaceOp, AtanInplace)
POPIR_OFFERED(GeluOp, GeluInplaceOp, GeluInplace)
POPIR_OFFERED(GeluErfOp, GeluErfInplaceOp, GeluErfInplace)
POPIR_OFFERED(SinhOp, SinhInplaceOp, SinhInplace)
POPIR_OFFERED(SoftPlusOp, SoftPlusInplaceOp, SoftPlusInplace)
POPIR_OFFERED(SoftSignOp, SoftSignInplaceOp, SoftSignInplace)
POPIR_OFFERED(SwishOp, SwishInplaceOp, SwishInplace)
POPIR_OFFERED(EluOp, EluInplaceOp, EluInplace)
POPIR_OFFERED(HardSigmoidOp, HardSigmoidInplaceOp, HardSigmoidInplace)
POPIR_OFFERED(SeluOp, SeluInplaceOp, SeluInplace)
POPIR_OFFERED(ShrinkOp, ShrinkInplaceOp, ShrinkInplace)
POPIR_OFFERED(ThresholdedReluOp, ThresholdedReluInplaceOp, ThresholdedReluInplace)
POPIR_OFFERED(SigmoidOp, SigmoidInplaceOp, SigmoidInplace)
POPIR_OFFERED(LeakyReluOp, LeakyReluInplaceOp, LeakyReluInplace)
POPIR_OFFERED(CeilOp, CeilInplaceOp, CeilInplace)
POPIR_OFFERED(FloorOp, FloorInplaceOp, FloorInplace)
POPIR_OFFERED(RoundOp, RoundInplaceOp, RoundInplace)
POPIR_OFFERED(NearbyIntOp, NearbyIntInplaceOp, NearbyIntInplace)
POPIR_OFFERED(ExpOp, ExpInplaceOp, ExpInplace)
POPIR_OFFERED(Expm1Op, Expm1InplaceOp, Expm1Inplace)
POPIR_OFFERED(Log1pOp, Log1pInplaceOp, Log1pInplace)
POPIR_OFFERED(SignOp, SignInplaceOp, SignInplace)
POPIR_OFFERED(DetachOp, DetachInplaceOp, DetachInplace)
POPIR_OFFERED(LogSoftmaxOp, LogSoftmaxInplaceOp, LogSoftmaxInplace)
POPIR_OFFERED(SoftmaxOp, SoftmaxInplaceOp, SoftmaxInplace)
POPIR_OFFERED(IncrementModOp, IncrementModInplaceOp, IncrementModInplace_1)
POPIR_OFFERED(ReverseOp, ReverseInplaceOp, ReverseInplace)
POPIR_OFFERED(SubsampleOp, SubsampleInplaceOp, SubsampleInplace)
POPIR_OFFERED(ClipOp, ClipInplaceOp, ClipInplace)
#undef POPIR_OFFERED

#undef POPIR_GRADIENT
#undef POPIR_COPIED

}  // namespace popart
