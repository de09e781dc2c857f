// Operators whose lowerings are PopART's classes, or derive from those of element-wise operators and
// speak of snap's graphs and tensors.
#include <popart/op/conv.hpp>
#include <popart/op/elementwise.hpp>
#include <popart/op/restore.hpp>
#include <popart/op/stash.hpp>
#include <popart/operators.hpp>
#include <popart/opmanager.hpp>
#include <popart/popx/op/convx.hpp>
#include <popart/popx/op/elementwisex.hpp>
#include <popart/popx/op/restorex.hpp>
#include <popart/popx/op/stashx.hpp>
#include <popart/popx/opxmanager.hpp>
#include <popops/ElementWise.hpp>
#include <snap/Graph.hpp>
#include <snap/Program.hpp>
#include <snap/Tensor.hpp>
#include <snap/popops/ElementWise.hpp>

using namespace popart;
namespace pe = popops::expr;

namespace {

OperatorIdentifier named(const char* type) { return {"test", type, 1}; }

// Stashes and what reads them.

template <class OP, class BASE>
struct Places : BASE {
  using BASE::BASE;
  std::unique_ptr<Op> clone() const final {
    return std::make_unique<OP>(static_cast<const OP&>(*this));
  }
};
struct Kept : Places<Kept, StashOp> {
  using Places::Places;
};
struct Back : Places<Back, RestoreOp> {
  using Places::Places;
};
struct BackInPlace : Places<BackInPlace, RestoreInplaceOp> {
  using Places::Places;
};

template <class OP>
std::unique_ptr<Op> withPlaces(const OpCreatorInfo& info) {
  return std::make_unique<OP>(info.opid, info.attributes.getAttribute<Attributes::Int>("places"),
                              info.settings);
}

OpCreator<Kept> kept(OpDefinitions({{named("Kept"), {}}}), withPlaces<Kept>, true);
OpCreator<Back> back(OpDefinitions({{named("Back"), {}}}), withPlaces<Back>, true);
OpCreator<BackInPlace> backInPlace(OpDefinitions({{named("BackInPlace"), {}}}),
                                   withPlaces<BackInPlace>, true);
popx::OpxCreator<popx::StashOpx> keptX(named("Kept"));
popx::OpxCreator<popx::RestoreOpx> backX(named("Back"));
popx::OpxCreator<popx::RestoreInplaceOpx> backInPlaceX(named("BackInPlace"));

// Weights that are flipped.

struct Flip : ConvFlipWeightsOp {
  using ConvFlipWeightsOp::ConvFlipWeightsOp;
  std::unique_ptr<Op> clone() const final { return std::make_unique<Flip>(*this); }
};

OpCreator<Flip> flip(
    OpDefinitions({{named("Flip"), {}}}),
    [](const OpCreatorInfo& info) -> std::unique_ptr<Op> {
      auto op = std::make_unique<Flip>(info.opid, info.settings);
      ConvParameters parameters{};
      parameters.numGroups = info.attributes.getAttribute<Attributes::Int>("groups", 1);
      op->setParameters(parameters);
      op->setGroupReshape(true);
      return op;
    },
    true);
popx::OpxCreator<popx::ConvFlipWeightsGradOpx> flipX(named("Flip"));
popx::OpxCreator<popx::ConvFlipWeightsGradOpx> flipGradX(Onnx::GradOperators::ConvFlipWeightsGrad);

// Softsign in three interfaces: with snap's tensors, with snap's graph and Poplar's tensors, and with
// Poplar's alone.

struct Signed : ElementWiseUnaryOp {
  using ElementWiseUnaryOp::ElementWiseUnaryOp;
  std::unique_ptr<Op> clone() const final { return std::make_unique<Signed>(*this); }
};

struct Signed31 : popx::ElementWiseUnaryOpx {
  using ElementWiseUnaryOpx::ElementWiseUnaryOpx;
  void grow(snap::program::Sequence& prog) const final {
    const snap::Tensor x = getInTensor(0);
    const snap::Tensor y = cloneNcopy(prog, x);
    snap::popops::mapInPlace(graph(), pe::Divide(pe::_1, pe::Add(pe::Const(1.0f), pe::Abs(pe::_1))),
                             {y}, prog, debugContext("soft"));
    const snap::Tensor zero = getConst(x.elementType(), {}, 0.0, "zero");
    const auto sum = popops::add(graph().getPoplarGraph(), y.getPoplarTensor(),
                                 zero.getPoplarTensor(), prog.getPoplarSequence());
    prog.add(snap::program::Copy(snap::Tensor{sum, graph()}, graph().clone(y)));
    setOutTensor(0, y);
  }
};

struct Signed22 : popx::ElementWiseUnaryOpx {
  using ElementWiseUnaryOpx::ElementWiseUnaryOpx;
  void grow(poplar::program::Sequence& prog) const final {
    poplar::Tensor x = getInTensor(0);
    poplar::Tensor below = popops::abs(graph().getPoplarGraph(), x, prog);
    popops::addInPlace(graph().getPoplarGraph(), below, 1.0f, prog);
    setOutTensor(0, popops::div(graph().getPoplarGraph(), x, below, prog));
  }
};

struct Signed33 : popx::ElementWiseUnaryOpx {
  using ElementWiseUnaryOpx::ElementWiseUnaryOpx;
  void grow(poplar::program::Sequence& prog) const final {
    const auto& x = getInTensor(0);
    const poplar::Tensor y = graph().clone(x);
    prog.add(poplar::program::Copy(x, y));
    popops::mapInPlace(graph(), pe::Divide(pe::_1, pe::Add(pe::Const(1.0f), pe::Abs(pe::_1))), {y},
                       prog);
    setOutTensor(0, y);
  }
};

/// A class that says nothing of its lowering.
struct SignedNone : popx::ElementWiseUnaryOpx {
  using ElementWiseUnaryOpx::ElementWiseUnaryOpx;
};

OpCreator<Signed> signed_(OpDefinitions({{named("Signed31"), {}},
                                         {named("Signed22"), {}},
                                         {named("Signed33"), {}},
                                         {named("SignedNone"), {}}}));
popx::OpxCreator<Signed31> signed31(named("Signed31"));
popx::OpxCreator<Signed22> signed22(named("Signed22"));
popx::OpxCreator<Signed33> signed33(named("Signed33"));
popx::OpxCreator<SignedNone> signedNone(named("SignedNone"));

// A product of two inputs, of snap's tensors.

struct Times : ElementWiseBinaryOp {
  using ElementWiseBinaryOp::ElementWiseBinaryOp;
  std::unique_ptr<Op> clone() const final { return std::make_unique<Times>(*this); }
};
struct TimesOpx : popx::ElementWiseBinaryOpx {
  using ElementWiseBinaryOpx::ElementWiseBinaryOpx;
  void grow(snap::program::Sequence& prog) const final {
    setOutTensor(0, snap::popops::map(graph(), pe::BinaryOpType::MULTIPLY, getInTensor(0),
                                      getInTensor(1), prog, debugContext("times")));
    // The lowering's tensors by their ids.
    if (!dv_p->lowering().tensors().contains(outId(0))) throw error("the output is not there");
  }
};
OpCreator<Times> times(OpDefinitions({{named("Times"), {}}}));
popx::OpxCreator<TimesOpx> timesX(named("Times"));

}  // namespace
