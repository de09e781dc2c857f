// Lowerings of gradients of unary operators.
#include <popart/popx/op/asinx.hpp>
#include <popart/popx/op/atanx.hpp>
#include <popart/popx/op/erfx.hpp>
#include <popart/popx/op/geluerfx.hpp>
#include <popart/popx/op/relux.hpp>
#include <popart/popx/op/sigmoidx.hpp>
#include <popart/popx/op/sinhx.hpp>
#include <popart/popx/op/softsignx.hpp>
#include <popart/popx/op/swishx.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Expr.hpp>

namespace popart {
namespace popx {

namespace {

namespace pe = popops::expr;

/// Sets the output to `expr` of the gradient of the output, _1, and the other tensor, _2.
void mapped(const Opx& opx, const pe::Expr& expr, poplar::program::Sequence& prog) {
  opx.setOutTensor(0, popops::map(opx.graph(), expr, {opx.getInTensor(0), opx.getInTensor(1)}, prog,
                                  opx.debugContext()));
}

}  // namespace

AsinGradOpx::AsinGradOpx(Op* op, Devicex* devicex) : Opx(op, devicex) {}
AsinGradOpx::~AsinGradOpx() = default;

void AsinGradOpx::grow(poplar::program::Sequence& prog) const {
  mapped(*this, pe::Divide(pe::_1, pe::Sqrt(pe::Sub(pe::Const(1.0f), pe::Square(pe::_2)))), prog);
}

AtanGradOpx::AtanGradOpx(Op* op, Devicex* devicex) : Opx(op, devicex) {}
AtanGradOpx::~AtanGradOpx() = default;

void AtanGradOpx::grow(poplar::program::Sequence& prog) const {
  mapped(*this, pe::Divide(pe::_1, pe::Add(pe::Const(1.0f), pe::Square(pe::_2))), prog);
}

ReluGradOpx::ReluGradOpx(Op* op, Devicex* devicex) : Opx(op, devicex) {}
ReluGradOpx::~ReluGradOpx() = default;

void ReluGradOpx::grow(poplar::program::Sequence& prog) const {
  mapped(*this, pe::Select(pe::_1, pe::Sub(pe::_1, pe::_1), pe::Gt(pe::_2, pe::Const(0.0f))), prog);
}

SigmoidGradOpx::SigmoidGradOpx(Op* op, Devicex* devicex) : ElementWiseUnaryOpx(op, devicex) {}
SigmoidGradOpx::~SigmoidGradOpx() = default;

void SigmoidGradOpx::grow(poplar::program::Sequence& prog) const {
  mapped(*this, pe::Mul(pe::_1, pe::Mul(pe::_2, pe::Sub(pe::Const(1.0f), pe::_2))), prog);
}

SoftSignGradOpx::SoftSignGradOpx(Op* op, Devicex* devicex) : Opx(op, devicex) {}
SoftSignGradOpx::~SoftSignGradOpx() = default;

void SoftSignGradOpx::grow(poplar::program::Sequence& prog) const {
  mapped(*this, pe::Divide(pe::_1, pe::Square(pe::Add(pe::Const(1.0f), pe::Abs(pe::_2)))), prog);
}

SinhGradOpx::SinhGradOpx(Op* op, Devicex* devicex) : Opx(op, devicex) {}
SinhGradOpx::~SinhGradOpx() = default;

void SinhGradOpx::grow(poplar::program::Sequence& prog) const {
  mapped(
      *this,
      pe::Mul(pe::_1, pe::Mul(pe::Const(0.5f), pe::Add(pe::Exp(pe::_2), pe::Exp(pe::Neg(pe::_2))))),
      prog);
}

SwishGradOpx::SwishGradOpx(Op* op, Devicex* devicex) : Opx(op, devicex) {}
SwishGradOpx::~SwishGradOpx() = default;

void SwishGradOpx::grow(poplar::program::Sequence& prog) const {
  mapped(*this,
         pe::Mul(pe::_1,
                 pe::Mul(pe::Sigmoid(pe::_2),
                         pe::Add(pe::Const(1.0f),
                                 pe::Mul(pe::_2, pe::Sub(pe::Const(1.0f), pe::Sigmoid(pe::_2)))))),
         prog);
}

GeluErfGradOpx::GeluErfGradOpx(Op* op, Devicex* devicex) : Opx(op, devicex) {}
GeluErfGradOpx::~GeluErfGradOpx() = default;

void GeluErfGradOpx::grow(poplar::program::Sequence& prog) const {
  mapped(*this,
         pe::Mul(pe::_1, pe::Add(pe::Mul(pe::Const(0.5f),
                                         pe::Add(pe::Const(1.0f),
                                                 pe::Erf(pe::Mul(pe::_2, pe::Const(0.70710678f))))),
                                 pe::Mul(pe::Mul(pe::_2, pe::Const(0.39894228f)),
                                         pe::Exp(pe::Mul(pe::Const(-0.5f), pe::Square(pe::_2)))))),
         prog);
}

ErfxGradOpx::ErfxGradOpx(Op* op, Devicex* devicex) : ElementWiseUnaryOpx(op, devicex) {}
ErfxGradOpx::~ErfxGradOpx() = default;

void ErfxGradOpx::grow(poplar::program::Sequence& prog) const {
  mapped(*this,
         pe::Mul(pe::_1, pe::Mul(pe::Const(1.12837917f), pe::Exp(pe::Neg(pe::Square(pe::_2))))),
         prog);
}

}  // namespace popx
}  // namespace popart
