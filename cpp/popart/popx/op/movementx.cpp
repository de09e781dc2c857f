// Lowerings of casts, copies and views, and of operators of several tensors.
#include <popart/op/concat.hpp>
#include <popart/op/transpose.hpp>
#include <popart/popx/irlowering.hpp>
#include <popart/popx/op/castx.hpp>
#include <popart/popx/op/concatx.hpp>
#include <popart/popx/op/detachx.hpp>
#include <popart/popx/op/identityx.hpp>
#include <popart/popx/op/maxx.hpp>
#include <popart/popx/op/meanx.hpp>
#include <popart/popx/op/minx.hpp>
#include <popart/popx/op/nopx.hpp>
#include <popart/popx/op/reshapex.hpp>
#include <popart/popx/op/sumx.hpp>
#include <popart/popx/op/transposex.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Expr.hpp>
#include <popops/Reduce.hpp>

#include <vector>

#include "popart/popx/op/regionsx.hpp"

namespace popart {
namespace popx {

namespace {

/// Of views that move elements about: any region of the output needs the whole input.
view::RegMap whole(const Shape& shape) {
  return [shape](const view::Region&) { return view::Regions{view::Region::getFull(shape)}; };
}

/// All inputs of a variadic operator, one after another.
poplar::Tensor folded(const Opx& opx, popops::expr::BinaryOpType operation,
                      poplar::program::Sequence& prog) {
  const int inputs = opx.getOp<Op>().input->n();
  poplar::Tensor out = opx.broadcast(opx.outShape(0), opx.getInTensor(0));
  if (inputs == 1) return opx.cloneNcopy(prog, out);
  for (int i = 1; i < inputs; ++i)
    out = popops::map(opx.graph(), operation, out,
                      opx.broadcast(opx.outShape(0), opx.getInTensor(i)), prog, opx.debugContext());
  return out;
}

InputCreatorType sameShape(const Opx& opx, InIndex index) {
  return opx.inShape(index) == opx.outShape(0) ? InputCreatorType::CanUnwind
                                               : InputCreatorType::Deadend;
}

/// `tensor`, summed over what was broadcast from the shape of the output.
poplar::Tensor summed(const Opx& opx, poplar::Tensor tensor, poplar::program::Sequence& prog) {
  const std::vector<std::size_t> to = opx.outShapeSzt(0), from = tensor.shape();
  std::vector<std::size_t> dims;
  for (std::size_t d = 0; d < from.size(); ++d) {
    const std::size_t added = from.size() - to.size();
    if (d < added || (to[d - added] == 1 && from[d] != 1)) dims.push_back(d);
  }
  if (dims.empty()) return opx.cloneNcopy(prog, tensor);
  return popops::reduce(opx.graph(), tensor, dims, {popops::Operation::ADD}, prog,
                        opx.debugContext())
      .reshape(to);
}

/// The gradient of the output, input 0, where input 1 gave the output, input 2.
poplar::Tensor chosen(const Opx& opx, poplar::program::Sequence& prog) {
  using namespace popops::expr;
  const poplar::Tensor in = opx.broadcast(opx.inShape(2), opx.getInTensor(1));
  return popops::map(opx.graph(), Mul(_1, Cast(Equal(_2, _3), in.elementType())),
                     {opx.getInTensor(0), in, opx.getInTensor(2)}, prog, opx.debugContext());
}

}  // namespace

CastOpx::CastOpx(Op* op, Devicex* devicex) : Opx(op, devicex) {}
CastOpx::~CastOpx() = default;

void CastOpx::grow(poplar::program::Sequence& prog) const {
  setOutTensor(0, popops::cast(graph(), getInTensor(0), popType(outInfo(0)), prog, debugContext()));
}

CastGradOpx::CastGradOpx(Op* op, Devicex* devicex) : CastOpx(op, devicex) {}
CastGradOpx::~CastGradOpx() = default;

NopOpx::NopOpx(Op* op, Devicex* devicex) : Opx(op, devicex) {}
NopOpx::~NopOpx() = default;

void NopOpx::grow(poplar::program::Sequence& prog) const {
  setOutTensor(0, cloneNcopy(prog, getInTensor(0)));
}

DetachOpx::DetachOpx(Op* op, Devicex* devicex) : ElementWiseUnaryOpx(op, devicex) {}
DetachOpx::~DetachOpx() = default;

void DetachOpx::grow(poplar::program::Sequence& prog) const {
  setOutTensor(0, Opx::cloneNcopy(prog, getInTensor(0).getPoplarTensor()));
}

DetachInplaceOpx::DetachInplaceOpx(Op* op, Devicex* devicex) : ElementWiseUnaryOpx(op, devicex) {}
DetachInplaceOpx::~DetachInplaceOpx() = default;

void DetachInplaceOpx::grow(poplar::program::Sequence&) const { setOutTensor(0, getInTensor(0)); }

IdentityOpx::IdentityOpx(Op* op, Devicex* devicex) : ElementWiseUnaryOpx(op, devicex) {}
IdentityOpx::~IdentityOpx() = default;

void IdentityOpx::grow(poplar::program::Sequence& prog) const {
  setOutTensor(0, Opx::cloneNcopy(prog, getInTensor(0).getPoplarTensor()));
}

IdentityGradOpx::IdentityGradOpx(Op* op, Devicex* devicex) : ElementWiseUnaryOpx(op, devicex) {}
IdentityGradOpx::~IdentityGradOpx() = default;

void IdentityGradOpx::grow(poplar::program::Sequence& prog) const {
  setOutTensor(0, Opx::cloneNcopy(prog, getInTensor(0).getPoplarTensor()));
}

IdentityInplaceOpx::IdentityInplaceOpx(Op* op, Devicex* devicex) : Opx(op, devicex) {}
IdentityInplaceOpx::~IdentityInplaceOpx() = default;

void IdentityInplaceOpx::grow(poplar::program::Sequence&) const { setOutTensor(0, getInTensor(0)); }

// ---- Several inputs ----

MinOpx::MinOpx(Op* op, Devicex* devicex) : Opx(op, devicex) {}
MinOpx::~MinOpx() = default;

void MinOpx::grow(poplar::program::Sequence& prog) const {
  setOutTensor(0, folded(*this, popops::expr::BinaryOpType::MINIMUM, prog));
}

InputCreatorType MinOpx::getInputCreatorType(InIndex index) const {
  return sameShape(*this, index);
}
poplar::Tensor MinOpx::unwindTensorLayout(poplar::Tensor tensor, InIndex, OutIndex) const {
  return tensor;
}
view::RegMap MinOpx::unwindRegion(InIndex, OutIndex) const { return oneToOne(); }

MaxOpx::MaxOpx(Op* op, Devicex* devicex) : Opx(op, devicex) {}
MaxOpx::~MaxOpx() = default;

void MaxOpx::grow(poplar::program::Sequence& prog) const {
  setOutTensor(0, folded(*this, popops::expr::BinaryOpType::MAXIMUM, prog));
}

InputCreatorType MaxOpx::getInputCreatorType(InIndex index) const {
  return sameShape(*this, index);
}
poplar::Tensor MaxOpx::unwindTensorLayout(poplar::Tensor tensor, InIndex, OutIndex) const {
  return tensor;
}
view::RegMap MaxOpx::unwindRegion(InIndex, OutIndex) const { return oneToOne(); }

SumOpx::SumOpx(Op* op, Devicex* devicex) : Opx(op, devicex) {}
SumOpx::~SumOpx() = default;

void SumOpx::grow(poplar::program::Sequence& prog) const {
  setOutTensor(0, folded(*this, popops::expr::BinaryOpType::ADD, prog));
}

InputCreatorType SumOpx::getInputCreatorType(InIndex index) const {
  return sameShape(*this, index);
}
poplar::Tensor SumOpx::unwindTensorLayout(poplar::Tensor tensor, InIndex, OutIndex) const {
  return tensor;
}
view::RegMap SumOpx::unwindRegion(InIndex, OutIndex) const { return oneToOne(); }

MinArgGradOpx::MinArgGradOpx(Op* op, Devicex* devicex) : Opx(op, devicex) {}
MinArgGradOpx::~MinArgGradOpx() = default;

void MinArgGradOpx::grow(poplar::program::Sequence& prog) const {
  setOutTensor(0, summed(*this, chosen(*this, prog), prog));
}

MaxArgGradOpx::MaxArgGradOpx(Op* op, Devicex* devicex) : Opx(op, devicex) {}
MaxArgGradOpx::~MaxArgGradOpx() = default;

void MaxArgGradOpx::grow(poplar::program::Sequence& prog) const {
  setOutTensor(0, summed(*this, chosen(*this, prog), prog));
}

SumArgGradOpx::SumArgGradOpx(Op* op, Devicex* devicex) : Opx(op, devicex) {}
SumArgGradOpx::~SumArgGradOpx() = default;

void SumArgGradOpx::grow(poplar::program::Sequence& prog) const {
  setOutTensor(0, summed(*this, getInTensor(0), prog));
}

MeanOpx::MeanOpx(Op* op, Devicex* devicex) : ElementWiseUnaryOpx(op, devicex) {}
MeanOpx::~MeanOpx() = default;

void MeanOpx::grow(poplar::program::Sequence& prog) const {
  using namespace popops::expr;
  const auto inputs = static_cast<float>(getOp<Op>().input->n());
  setOutTensor(0, popops::map(graph(), Divide(_1, Const(inputs)),
                              {folded(*this, BinaryOpType::ADD, prog)}, prog, debugContext()));
}

// ---- Views ----

ReshapeBaseOpx::ReshapeBaseOpx(Op* op, Devicex* devicex) : Opx(op, devicex) {}
ReshapeBaseOpx::~ReshapeBaseOpx() = default;

InputCreatorType ReshapeBaseOpx::getInputCreatorType(InIndex) const {
  return InputCreatorType::CanUnwind;
}
poplar::Tensor ReshapeBaseOpx::unwindTensorLayout(poplar::Tensor tensor, InIndex in,
                                                  OutIndex) const {
  return tensor.reshape(inShapeSzt(in));
}
view::RegMap ReshapeBaseOpx::unwindRegion(InIndex in, OutIndex) const { return whole(inShape(in)); }

ReshapeOpx::ReshapeOpx(Op* op, Devicex* devicex) : ReshapeBaseOpx(op, devicex) {}
ReshapeOpx::~ReshapeOpx() = default;

void ReshapeOpx::grow(poplar::program::Sequence& prog) const {
  setOutTensor(0, cloneNcopy(prog, getInTensor(0)).reshape(outShapeSzt(0)));
}

ReshapeInplaceOpx::ReshapeInplaceOpx(Op* op, Devicex* devicex) : ReshapeBaseOpx(op, devicex) {}
ReshapeInplaceOpx::~ReshapeInplaceOpx() = default;

void ReshapeInplaceOpx::grow(poplar::program::Sequence&) const {
  setOutTensor(0, getInTensor(0).reshape(outShapeSzt(0)));
}

ReshapeGradOpx::ReshapeGradOpx(Op* op, Devicex* devicex) : ReshapeOpx(op, devicex) {}
ReshapeGradOpx::~ReshapeGradOpx() = default;

namespace {

/// The tensor with the permutation of a TransposeBaseOp, or with its inverse.
poplar::Tensor shuffled(const Opx& opx, const poplar::Tensor& tensor, bool inverse) {
  const Shape& perm = opx.getOp<TransposeBaseOp>().getPerm();
  std::vector<unsigned> order(perm.size());
  for (std::size_t d = 0; d < perm.size(); ++d) {
    if (inverse)
      order[perm[d]] = static_cast<unsigned>(d);
    else
      order[d] = static_cast<unsigned>(perm[d]);
  }
  return tensor.dimShuffle(order);
}

}  // namespace

TransposeOpx::TransposeOpx(Op* op, Devicex* devicex) : Opx(op, devicex) {}
TransposeOpx::~TransposeOpx() = default;

void TransposeOpx::grow(poplar::program::Sequence& prog) const {
  setOutTensor(0, cloneNcopy(prog, shuffled(*this, getInTensor(0), false)));
}

InputCreatorType TransposeOpx::getInputCreatorType(InIndex) const {
  return InputCreatorType::CanUnwind;
}
poplar::Tensor TransposeOpx::unwindTensorLayout(poplar::Tensor tensor, InIndex, OutIndex) const {
  return shuffled(*this, tensor, true);
}
view::RegMap TransposeOpx::unwindRegion(InIndex in, OutIndex) const { return whole(inShape(in)); }

TransposeInplaceOpx::TransposeInplaceOpx(Op* op, Devicex* devicex) : Opx(op, devicex) {}
TransposeInplaceOpx::~TransposeInplaceOpx() = default;

void TransposeInplaceOpx::grow(poplar::program::Sequence&) const {
  setOutTensor(0, shuffled(*this, getInTensor(0), false));
}

InputCreatorType TransposeInplaceOpx::getInputCreatorType(InIndex) const {
  return InputCreatorType::CanUnwind;
}
poplar::Tensor TransposeInplaceOpx::unwindTensorLayout(poplar::Tensor tensor, InIndex,
                                                       OutIndex) const {
  return shuffled(*this, tensor, true);
}
view::RegMap TransposeInplaceOpx::unwindRegion(InIndex in, OutIndex) const {
  return whole(inShape(in));
}

TransposeGradOpx::TransposeGradOpx(Op* op, Devicex* devicex) : TransposeOpx(op, devicex) {}
TransposeGradOpx::~TransposeGradOpx() = default;

namespace {

poplar::Tensor joined(const Opx& opx) {
  std::vector<poplar::Tensor> parts;
  for (int i = 0; i < opx.getOp<Op>().input->n(); ++i) parts.push_back(opx.getInTensor(i));
  return poplar::concat(parts, static_cast<unsigned>(opx.getOp<ConcatOp>().getAxis()));
}

}  // namespace

BaseConcatOpx::BaseConcatOpx(Op* op, Devicex* devicex) : Opx(op, devicex) {}
BaseConcatOpx::~BaseConcatOpx() = default;

InputCreatorType BaseConcatOpx::getInputCreatorType(InIndex) const {
  return InputCreatorType::CanUnwind;
}
poplar::Tensor BaseConcatOpx::unwindTensorLayout(poplar::Tensor tensor, InIndex in,
                                                 OutIndex) const {
  const auto axis = static_cast<unsigned>(getOp<ConcatOp>().getAxis());
  std::size_t start = 0;
  for (InIndex i = 0; i < in; ++i) start += inShapeSzt(i)[axis];
  return tensor.slice(start, start + inShapeSzt(in)[axis], axis);
}
view::RegMap BaseConcatOpx::unwindRegion(InIndex in, OutIndex) const { return whole(inShape(in)); }

ConcatOpx::ConcatOpx(Op* op, Devicex* devicex) : BaseConcatOpx(op, devicex) {}
ConcatOpx::~ConcatOpx() = default;

void ConcatOpx::grow(poplar::program::Sequence& prog) const {
  setOutTensor(0, cloneNcopy(prog, joined(*this)));
}

ConcatInplaceOpx::ConcatInplaceOpx(Op* op, Devicex* devicex) : BaseConcatOpx(op, devicex) {}
ConcatInplaceOpx::~ConcatInplaceOpx() = default;

void ConcatInplaceOpx::grow(poplar::program::Sequence&) const { setOutTensor(0, joined(*this)); }

}  // namespace popx
}  // namespace popart
