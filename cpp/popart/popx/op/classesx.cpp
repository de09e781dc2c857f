// Lowerings of operators in popart/op/ that only C++ code creates.
#include <popart/op/accumulate.hpp>
#include <popart/op/histogram.hpp>
#include <popart/op/identity.hpp>
#include <popart/op/lamb.hpp>
#include <popart/operators.hpp>
#include <popart/popx/opx.hpp>
#include <popart/popx/opxmanager.hpp>
#include <popops/ElementWise.hpp>
#include <popops/GatherStatistics.hpp>
#include <popops/Reduce.hpp>

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

/// Base of updates of a variable by an updater and one number of the optimizer.
class UpdateOpx : public Opx {
 public:
  using Opx::Opx;

 protected:
  /// Adds an update in place. `makeExpr` gives it in terms of the variable _1, the updater _2, both
  /// in the variable's type, and the expression of the number, which is `value` or the input `index`.
  template <class MakeExpr>
  void update(poplar::program::Sequence& prog, const OptimizerValue& value, InIndex index,
              const MakeExpr& makeExpr) const {
    const poplar::Tensor& variable = getInTensor(VarUpdateOp::getVarToUpdateInIndex());
    const poplar::Type type = variable.elementType();
    std::vector<poplar::Tensor> tensors = {
        variable, cast(getInTensor(VarUpdateWithUpdaterOp::getUpdaterInIndex()), type, prog)};
    std::unique_ptr<pe::Expr> number(new pe::Const(value.val()));
    if (!value.isConst()) {
      tensors.push_back(cast(getInTensor(index), type, prog).reshape({}));
      number = pe::_3.clone();
    }
    popops::mapInPlace(graph(), *makeExpr(*number), tensors, prog, debugContext("update"));
    setOutTensor(VarUpdateOp::getUpdatedVarOutIndex(), variable);
  }

 private:
  poplar::Tensor cast(const poplar::Tensor& tensor, const poplar::Type& type,
                      poplar::program::Sequence& prog) const {
    if (tensor.elementType() == type) return tensor;
    return popops::map(graph(), pe::Cast(pe::_1, type), {tensor}, prog, debugContext("cast"));
  }
};

class AccumulateOpx : public UpdateOpx {
 public:
  AccumulateOpx(Op* op, Devicex* devicex) : UpdateOpx(op, devicex) {
    verifyOp<AccumulateOp>(op, Onnx::CustomOperators::Accumulate);
  }

  void grow(poplar::program::Sequence& prog) const final {
    const auto& op = getOp<AccumulateOp>();
    update(prog, op.getFactor(), AccumulateOp::getFactorInIndex(),
           [&](const pe::Expr& factor) { return updated(op.getAccumulationType(), factor); });
  }
};

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

class HistogramOpx : public Opx {
 public:
  using Opx::Opx;
  void grow(poplar::program::Sequence& prog) const final {
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

OpxCreator<HistogramOpx> histogramOpxCreator(Onnx::CustomOperators::Histogram);
OpxCreator<LambSquareOpx> lambSquareOpxCreator(Onnx::CustomOperators::LambSquare);
OpxCreator<AliasingIdentityGradOpx> identityGradOpxCreator(Onnx::GradOperators::IdentityGrad);
OpxCreator<AccumulateOpx> accumulateOpxCreator(Onnx::CustomOperators::Accumulate);

}  // namespace
}  // namespace popx
}  // namespace popart
