// Lowerings of operators in popart/op/ that only C++ code creates.
#include <popart/ir.hpp>
#include <popart/op/accumulate.hpp>
#include <popart/op/getrandomseed.hpp>
#include <popart/op/histogram.hpp>
#include <popart/op/identity.hpp>
#include <popart/op/lamb.hpp>
#include <popart/op/lossscaleupdate.hpp>
#include <popart/op/modifyrandomseed.hpp>
#include <popart/op/sync.hpp>
#include <popart/operators.hpp>
#include <popart/popx/irlowering.hpp>
#include <popart/popx/op/accumulatex.hpp>
#include <popart/popx/op/getrandomseedx.hpp>
#include <popart/popx/op/histogramx.hpp>
#include <popart/popx/op/lossscaleupdatex.hpp>
#include <popart/popx/op/modifyrandomseedx.hpp>
#include <popart/popx/op/syncx.hpp>
#include <popart/popx/opx.hpp>
#include <popart/popx/opxmanager.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/GatherStatistics.hpp>
#include <popops/Reduce.hpp>
#include <poprand/RandomGen.hpp>

namespace popart {
namespace popx {
namespace {

namespace pe = popops::expr;

/// The new value of the variable _1 with the updater _2, both in the variable's type.
std::unique_ptr<pe::Expr> updated(AccumulationType type, const pe::Expr& factor) {
  const auto& v = pe::_1;
  const auto& u = pe::_2;
  const pe::Const one(1.0f);
  const auto given = [](const pe::Expr& e) { return e.clone(); };
  switch (type) {
    case AccumulationType::Add: return given(pe::Add(v, u));
    case AccumulationType::DampenedAdd: return given(pe::Add(v, pe::Mul(factor, u)));
    case AccumulationType::DampenedAddSquare:
      return given(pe::Add(v, pe::Mul(factor, pe::Square(u))));
    case AccumulationType::DecayAdd: return given(pe::Add(pe::Mul(factor, v), u));
    case AccumulationType::DecayAddSquare: return given(pe::Add(pe::Mul(factor, v), pe::Square(u)));
    case AccumulationType::MovingAverage:
      return given(pe::Add(pe::Mul(factor, v), pe::Mul(pe::Sub(one, factor), u)));
    case AccumulationType::MovingAverageSquare:
      return given(pe::Add(pe::Mul(factor, v), pe::Mul(pe::Sub(one, factor), pe::Square(u))));
    case AccumulationType::Infinity: return given(pe::Max(pe::Mul(factor, v), pe::Abs(u)));
    case AccumulationType::Mean: break;
  }
  return given(pe::Divide(pe::Add(pe::Mul(factor, v), u), pe::Add(factor, one)));
}

/// Returns the input itself, in accordance with IdentityGradOp::aliases().
class AliasingIdentityGradOpx : public Opx {
 public:
  using Opx::Opx;
  void grow(poplar::program::Sequence&) const final { setOutTensor(0, getInTensor(0)); }
  InputCreatorType getInputCreatorType(InIndex) const final { return InputCreatorType::CanUnwind; }
  poplar::Tensor unwindTensorLayout(poplar::Tensor tensor, InIndex, OutIndex) const final {
    return tensor;
  }
};

/// The sum of the squares, in FLOAT.
class LambSquareOpx : public Opx {
 public:
  using Opx::Opx;
  void grow(poplar::program::Sequence& prog) const final {
    setOutTensor(
        LambSquareOp::getOutIndex(),
        popops::reduce(graph(), getInTensor(LambSquareOp::getInIndex()).flatten(), poplar::FLOAT,
                       {0}, {popops::Operation::SQUARE_ADD}, prog, debugContext("square")));
  }
};

OpxCreator<GetRandomSeedOpx> getRandomSeedOpxCreator(Onnx::CustomOperators::GetRandomSeed);
OpxCreator<ModifyRandomSeedOpx> modifyRandomSeedOpxCreator(Onnx::CustomOperators::ModifyRandomSeed);
OpxCreator<LossScaleUpdateOpx> lossScaleUpdateOpxCreator(Onnx::CustomOperators::LossScaleUpdate);
OpxCreator<SyncOpx> syncOpxCreator(Onnx::CustomOperators::Sync);
OpxCreator<HistogramOpx> histogramOpxCreator(Onnx::CustomOperators::Histogram);
OpxCreator<LambSquareOpx> lambSquareOpxCreator(Onnx::CustomOperators::LambSquare);
OpxCreator<AliasingIdentityGradOpx> identityGradOpxCreator(Onnx::GradOperators::IdentityGrad);
OpxCreator<AccumulateOpx> accumulateOpxCreator(Onnx::CustomOperators::Accumulate);

}  // namespace

VarUpdateOpx::~VarUpdateOpx() = default;
AccumulateBaseOpx::~AccumulateBaseOpx() = default;

AccumulateOpx::AccumulateOpx(Op* op, Devicex* devicex) : AccumulateBaseOpx(op, devicex) {
  verifyOp<AccumulateOp>(op);
}
AccumulateOpx::~AccumulateOpx() = default;
void AccumulateOpx::grow(poplar::program::Sequence& prog) const {
  const auto& op = getOp<AccumulateOp>();
  const poplar::Tensor& variable = getInTensor(VarUpdateOp::getVarToUpdateInIndex());
  const auto own = [&](const poplar::Tensor& tensor) {
    if (tensor.elementType() == variable.elementType()) return tensor;
    return popops::cast(graph(), tensor, variable.elementType(), prog, debugContext("cast"));
  };
  std::vector<poplar::Tensor> tensors = {
      variable, own(getInTensor(VarUpdateWithUpdaterOp::getUpdaterInIndex()))};
  std::unique_ptr<pe::Expr> factor(new pe::Const(op.getFactor().val()));
  if (!op.getFactor().isConst()) {
    tensors.push_back(own(getInTensor(AccumulateOp::getFactorInIndex())).reshape({}));
    factor = pe::_3.clone();
  }
  popops::mapInPlace(graph(), *updated(op.getAccumulationType(), *factor), tensors, prog,
                     debugContext("update"));
  setOutTensor(VarUpdateOp::getUpdatedVarOutIndex(), variable);
}

HistogramOpx::HistogramOpx(Op* op, Devicex* devicex) : Opx(op, devicex) {
  verifyOp<HistogramOp>(op);
}
HistogramOpx::~HistogramOpx() = default;
void HistogramOpx::grow(poplar::program::Sequence& prog) const {
  const auto& op = getOp<HistogramOp>();
  const poplar::Tensor input = getInTensor(HistogramOp::getInIndex()).flatten();
  const std::vector<float> bounds = op.getLevels();
  const auto levels = graph().addConstant(input.elementType(), {bounds.size()}, bounds.data(),
                                          debugContext("levels"));
  graph().setTileMapping(levels, 0);
  setOutTensor(HistogramOp::getOutIndex(),
               popops::histogram(graph(), input, levels, op.getAbsoluteOfInput(), prog,
                                 debugContext("histogram")));
}

GetRandomSeedOpx::GetRandomSeedOpx(Op* op, Devicex* devicex) : Opx(op, devicex) {
  verifyOp<GetRandomSeedOp>(op);
}
GetRandomSeedOpx::~GetRandomSeedOpx() = default;
void GetRandomSeedOpx::grow(poplar::program::Sequence& prog) const {
  const poplar::Tensor& seed = getInTensor(getOp<GetRandomSeedOp>().getSeedInIndex());
  const std::vector<unsigned> step = {dv_p->lowering().getGlobalReplicationFactor(), 1};
  const poplar::Tensor on =
      graph().addConstant<unsigned>(poplar::UNSIGNED_INT, {2}, step, debugContext("step"));
  graph().setTileMapping(on, 0);
  popops::addInPlace(graph(), seed, on, prog, debugContext("nextSeed"));
  setOutTensor(GetRandomSeedOp::getUpdatedSeedOutIndex(), seed);
}

ModifyRandomSeedOpx::ModifyRandomSeedOpx(Op* op, Devicex* devicex) : Opx(op, devicex) {
  verifyOp<ModifyRandomSeedOp>(op);
}
ModifyRandomSeedOpx::~ModifyRandomSeedOpx() = default;
void ModifyRandomSeedOpx::grow(poplar::program::Sequence& prog) const {
  const poplar::Tensor& seed = getInTensor(getOp<ModifyRandomSeedOp>().getSeedInIndex());
  const poplar::Tensor modifier =
      getInTensor(ModifyRandomSeedOp::getSeedModifierInIndex()).reshape({1});
  const poplar::Tensor moved =
      popops::add(graph(), seed.slice(1, 2), modifier, prog, debugContext("moved"));
  const poplar::Tensor of = poplar::concat(seed.slice(0, 1), moved);
  // All 32 bits, by numbers of INT: the range of its values, as doubles.
  const poplar::Tensor drawn = poprand::uniform(graph(), &of, 0, moved, poplar::INT, -2147483648.0,
                                                2147483647.0, prog, debugContext("draw"));
  setOutTensor(
      ModifyRandomSeedOp::getModifiedSeedOutIndex(),
      cloneNcopy(prog, poplar::concat(seed.slice(0, 1), drawn.reinterpret(poplar::UNSIGNED_INT))));
}

LossScaleUpdateOpx::LossScaleUpdateOpx(Op* op, Devicex* devicex) : Opx(op, devicex) {
  verifyOp<LossScaleUpdateOp>(op);
}
LossScaleUpdateOpx::~LossScaleUpdateOpx() = default;
void LossScaleUpdateOpx::grow(poplar::program::Sequence& prog) const {
  const float share =
      op_p->getIr().getSessionOptions().automaticLossScalingSettings.thresholdUpperCountProportion;
  if (!(share >= 0 && share < 1))
    throw error(
        "{}: thresholdUpperCountProportion {} of automaticLossScalingSettings; give a share "
        "from 0 to below 1",
        op_p->str(), share);
  const poplar::Tensor& factor = getInTensor(LossScaleUpdateOp::getLossScaleUpdateFactorInIndex());
  const poplar::Tensor counts =
      popops::cast(graph(), getInTensor(LossScaleUpdateOp::getStatisticsTensorInIndex()),
                   poplar::FLOAT, prog, debugContext("counts"));
  const poplar::Tensor below = counts.slice(0, 1).reshape(factor.shape());
  const poplar::Tensor above = counts.slice(1, 2).reshape(factor.shape());
  popops::mapInPlace(
      graph(),
      pe::Mul(pe::_1,
              pe::Cast(pe::Select(pe::Const(0.5f), pe::Const(2.0f),
                                  pe::Gt(pe::_3, pe::Mul(pe::_2, pe::Const(share / (1 - share))))),
                       factor.elementType())),
      {factor, below, above}, prog, debugContext("update"));
  setOutTensor(LossScaleUpdateOp::getUpdatedLossScaleUpdateFactorOutIndex(), factor);
}

SyncOpx::SyncOpx(Op* op, Devicex* devicex) : Opx(op, devicex) { verifyOp<SyncOp>(op); }
SyncOpx::~SyncOpx() = default;
void SyncOpx::grow(poplar::program::Sequence& prog) const {
  prog.add(poplar::program::Sync(getOp<SyncOp>().getSyncType(), debugContext("sync")));
}

}  // namespace popx
}  // namespace popart
