// The classes of element-wise functions, comparisons and activations that differ in their names and
// attributes alone.
#include <popart/op/and.hpp>
#include <popart/op/asin.hpp>
#include <popart/op/atan.hpp>
#include <popart/op/atan2.hpp>
#include <popart/op/cosh.hpp>
#include <popart/op/elu.hpp>
#include <popart/op/equal.hpp>
#include <popart/op/expm1.hpp>
#include <popart/op/fmod.hpp>
#include <popart/op/gelu.hpp>
#include <popart/op/geluerf.hpp>
#include <popart/op/greater.hpp>
#include <popart/op/hardsigmoid.hpp>
#include <popart/op/incrementmod.hpp>
#include <popart/op/isinf.hpp>
#include <popart/op/isnan.hpp>
#include <popart/op/leakyrelu.hpp>
#include <popart/op/less.hpp>
#include <popart/op/log1p.hpp>
#include <popart/op/lrn.hpp>
#include <popart/op/max.hpp>
#include <popart/op/min.hpp>
#include <popart/op/nearbyint.hpp>
#include <popart/op/not.hpp>
#include <popart/op/onewayunary.hpp>
#include <popart/op/or.hpp>
#include <popart/op/pow.hpp>
#include <popart/op/round.hpp>
#include <popart/op/selu.hpp>
#include <popart/op/shrink.hpp>
#include <popart/op/sinh.hpp>
#include <popart/op/softplus.hpp>
#include <popart/op/swish.hpp>
#include <popart/op/thresholdedrelu.hpp>
#include <popart/opserialiser.hpp>

#include "popart/op/copy_of.hpp"

namespace popart {

AsinOp::~AsinOp() = default;
AtanOp::~AtanOp() = default;
CoshOp::~CoshOp() = default;
SinhOp::~SinhOp() = default;
Expm1Op::~Expm1Op() = default;
Log1pOp::~Log1pOp() = default;
GeluOp::~GeluOp() = default;
GeluErfOp::~GeluErfOp() = default;
SwishOp::~SwishOp() = default;
SoftPlusOp::~SoftPlusOp() = default;
OneWayUnaryOp::~OneWayUnaryOp() = default;
RoundOp::~RoundOp() = default;
NearbyIntOp::~NearbyIntOp() = default;
NotOp::~NotOp() = default;
IsInf::~IsInf() = default;
IsNaN::~IsNaN() = default;
EqualOp::~EqualOp() = default;
LessOp::~LessOp() = default;
GreaterOp::~GreaterOp() = default;
AndOp::~AndOp() = default;
OrOp::~OrOp() = default;
PowOp::~PowOp() = default;
FmodOp::~FmodOp() = default;
Atan2Op::~Atan2Op() = default;
MaxOp::~MaxOp() = default;
MinOp::~MinOp() = default;
EluOp::~EluOp() = default;
SeluOp::~SeluOp() = default;
LeakyReluOp::~LeakyReluOp() = default;
HardSigmoidOp::~HardSigmoidOp() = default;
ThresholdedReluOp::~ThresholdedReluOp() = default;
ShrinkOp::~ShrinkOp() = default;
IncrementModOp::~IncrementModOp() = default;
LRNOp::~LRNOp() = default;

std::unique_ptr<Op> AsinOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> AtanOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> CoshOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> SinhOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> Expm1Op::clone() const { return copyOf(*this); }
std::unique_ptr<Op> Log1pOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> GeluOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> GeluErfOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> SwishOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> SoftPlusOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> OneWayUnaryOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> RoundOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> NearbyIntOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> NotOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> IsInf::clone() const { return copyOf(*this); }
std::unique_ptr<Op> IsNaN::clone() const { return copyOf(*this); }
std::unique_ptr<Op> EqualOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> LessOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> GreaterOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> AndOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> OrOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> PowOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> FmodOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> Atan2Op::clone() const { return copyOf(*this); }
std::unique_ptr<Op> MaxOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> MinOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> EluOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> SeluOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> LeakyReluOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> HardSigmoidOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> ThresholdedReluOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> ShrinkOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> IncrementModOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> LRNOp::clone() const { return copyOf(*this); }

void EluOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  ElementWiseUnaryOp::appendOutlineAttributes(os);
  os.appendAttribute("alpha", alpha_);
}

void SeluOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  ElementWiseUnaryOp::appendOutlineAttributes(os);
  os.appendAttribute("alpha", alpha_);
  os.appendAttribute("gamma", gamma_);
}

void LeakyReluOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  ElementWiseUnaryOp::appendOutlineAttributes(os);
  os.appendAttribute("alpha", alpha_);
}

void HardSigmoidOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  ElementWiseUnaryOp::appendOutlineAttributes(os);
  os.appendAttribute("alpha", alpha_);
  os.appendAttribute("beta", beta_);
}

void ThresholdedReluOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  ElementWiseUnaryOp::appendOutlineAttributes(os);
  os.appendAttribute("alpha", alpha_);
}

void IncrementModOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("increment", increment_);
  os.appendAttribute("modulus", modulus_);
}

void LRNOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("alpha", alpha_);
  os.appendAttribute("beta", beta_);
  os.appendAttribute("bias", bias_);
  os.appendAttribute("size", size_);
}

void ShrinkOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  ElementWiseUnaryOp::appendOutlineAttributes(os);
  os.appendAttribute("lambd", lambd_);
  os.appendAttribute("bias", bias_);
}

}  // namespace popart
