// What the gradients of element-wise operators consist of: PopART's patterns that take them apart.
#include "popart/patterns/gradients.hpp"

#include <popart/graph.hpp>
#include <popart/ir.hpp>
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
#include <popart/patterns/atan2arg0gradoppattern.hpp>
#include <popart/patterns/atan2arg1gradoppattern.hpp>
#include <popart/patterns/cosgradoppattern.hpp>
#include <popart/patterns/divarg0gradoppattern.hpp>
#include <popart/patterns/divarg1gradoppattern.hpp>
#include <popart/patterns/elementwisegradoppattern.hpp>
#include <popart/patterns/expgradoppattern.hpp>
#include <popart/patterns/expm1gradoppattern.hpp>
#include <popart/patterns/fmodarg0gradoppattern.hpp>
#include <popart/patterns/log1pgradoppattern.hpp>
#include <popart/patterns/loggradoppattern.hpp>
#include <popart/patterns/mularggradoppattern.hpp>
#include <popart/patterns/patterns.hpp>
#include <popart/patterns/powarg0gradoppattern.hpp>
#include <popart/patterns/powarg1gradoppattern.hpp>
#include <popart/patterns/reciprocalgradoppattern.hpp>
#include <popart/patterns/sqrtgradoppattern.hpp>
#include <popart/patterns/subtractarg1gradoppattern.hpp>
#include <popart/tensor.hpp>
#include <popart/tensors.hpp>
#include <popart/util.hpp>

#include <memory>
#include <vector>

#include "popart/patterns/formula.hpp"

namespace popart {
namespace {

namespace O = Onnx::Operators;

using AbsGradOpPattern = ElementWiseGradOpPattern<AbsGradOp, SignOp>;
using SinGradOpPattern = ElementWiseGradOpPattern<SinGradOp, CosOp>;

const AddPatternName<AbsGradOpPattern> absName("AbsGradOp");
const AddPatternName<SinGradOpPattern> sinName("SinGradOp");
const AddPatternName<MulArgGradOpPattern> mulName("MulArgGradOp");
const AddPatternName<CosGradOpPattern> cosName("CosGradOp");
const AddPatternName<ExpGradOpPattern> expName("ExpGradOp");
const AddPatternName<Expm1GradOpPattern> expm1Name("Expm1GradOp");
const AddPatternName<LogGradOpPattern> logName("LogGradOp");
const AddPatternName<Log1pGradOpPattern> log1pName("Log1pGradOp");
const AddPatternName<SqrtGradOpPattern> sqrtName("SqrtGradOp");
const AddPatternName<ReciprocalGradOpPattern> reciprocalName("ReciprocalGradOp");
const AddPatternName<SubtractArg1GradOpPattern> subtractArg1Name("SubtractArg1GradOp");
const AddPatternName<DivArg0GradOpPattern> divArg0Name("DivArg0GradOp");
const AddPatternName<DivArg1GradOpPattern> divArg1Name("DivArg1GradOp");
const AddPatternName<PowArg0GradOpPattern> powArg0Name("PowArg0GradOp");
const AddPatternName<PowArg1GradOpPattern> powArg1Name("PowArg1GradOp");
const AddPatternName<Atan2Arg0GradOpPattern> atan2Arg0Name("Atan2Arg0GradOp");
const AddPatternName<Atan2Arg1GradOpPattern> atan2Arg1Name("Atan2Arg1GradOp");
const AddPatternName<FmodArg0GradOpPattern> fmodArg0Name("FmodArg0GradOp");

/// A gradient of an operator with one input: `formula` gets what adds operators, and the inputs.
template <class FORMULA>
bool replaceUnary(const PreAliasPattern& pattern, Op* op, const FORMULA& formula) {
  const TensorId g = op->inId(0), value = op->inId(1), out = op->outId(0);
  const Shape shape = op->outShape(0);
  op->disconnectAllInputs();
  op->disconnectAllOutputs();
  finish(op, formula(Formula(pattern, op, out), g, value), {}, shape, out);
  op->getGraph().eraseOp(op->id);
  return true;
}

}  // namespace

CosGradOpPattern::~CosGradOpPattern() = default;
ExpGradOpPattern::~ExpGradOpPattern() = default;
Expm1GradOpPattern::~Expm1GradOpPattern() = default;
LogGradOpPattern::~LogGradOpPattern() = default;
Log1pGradOpPattern::~Log1pGradOpPattern() = default;
SqrtGradOpPattern::~SqrtGradOpPattern() = default;
ReciprocalGradOpPattern::~ReciprocalGradOpPattern() = default;
SubtractArg1GradOpPattern::~SubtractArg1GradOpPattern() = default;
DivArg0GradOpPattern::~DivArg0GradOpPattern() = default;
DivArg1GradOpPattern::~DivArg1GradOpPattern() = default;
PowArg0GradOpPattern::~PowArg0GradOpPattern() = default;
PowArg1GradOpPattern::~PowArg1GradOpPattern() = default;
Atan2Arg0GradOpPattern::~Atan2Arg0GradOpPattern() = default;
Atan2Arg1GradOpPattern::~Atan2Arg1GradOpPattern() = default;
FmodArg0GradOpPattern::~FmodArg0GradOpPattern() = default;
MulArgGradOpPattern::~MulArgGradOpPattern() = default;
BinaryGradOpPattern::~BinaryGradOpPattern() = default;

bool CosGradOpPattern::matches(Op* op) const { return op->isConvertibleTo<CosGradOp>(); }
bool ExpGradOpPattern::matches(Op* op) const { return op->isConvertibleTo<ExpGradOp>(); }
bool Expm1GradOpPattern::matches(Op* op) const { return op->isConvertibleTo<Expm1GradOp>(); }
bool LogGradOpPattern::matches(Op* op) const { return op->isConvertibleTo<LogGradOp>(); }
bool Log1pGradOpPattern::matches(Op* op) const { return op->isConvertibleTo<Log1pGradOp>(); }
bool SqrtGradOpPattern::matches(Op* op) const { return op->isConvertibleTo<SqrtGradOp>(); }
bool ReciprocalGradOpPattern::matches(Op* op) const {
  return op->isConvertibleTo<ReciprocalGradOp>();
}
bool SubtractArg1GradOpPattern::matches(Op* op) const {
  return op->isConvertibleTo<SubtractArg1GradOp>();
}
bool DivArg0GradOpPattern::matches(Op* op) const { return op->isConvertibleTo<DivArg0GradOp>(); }
bool DivArg1GradOpPattern::matches(Op* op) const { return op->isConvertibleTo<DivArg1GradOp>(); }
bool PowArg0GradOpPattern::matches(Op* op) const { return op->isConvertibleTo<PowArg0GradOp>(); }
bool PowArg1GradOpPattern::matches(Op* op) const { return op->isConvertibleTo<PowArg1GradOp>(); }
bool Atan2Arg0GradOpPattern::matches(Op* op) const {
  return op->isConvertibleTo<Atan2Arg0GradOp>();
}
bool Atan2Arg1GradOpPattern::matches(Op* op) const {
  return op->isConvertibleTo<Atan2Arg1GradOp>();
}
bool FmodArg0GradOpPattern::matches(Op* op) const { return op->isConvertibleTo<FmodArg0GradOp>(); }
bool MulArgGradOpPattern::matches(Op* op) const {
  return op->isConvertibleTo<MulArg0GradOp>() || op->isConvertibleTo<MulArg1GradOp>();
}

// ---- With one input ----

bool CosGradOpPattern::apply(Op* op) const {
  return replaceUnary(*this, op, [](const Formula& add, const TensorId& g, const TensorId& x) {
    return add(O::Neg_6, {add(O::Mul_7, {g, add(O::Sin_7, {x})})});
  });
}

bool ExpGradOpPattern::apply(Op* op) const {
  return replaceUnary(*this, op, [](const Formula& add, const TensorId& g, const TensorId& y) {
    return add(O::Mul_7, {g, y});
  });
}

bool Expm1GradOpPattern::apply(Op* op) const {
  return replaceUnary(*this, op, [](const Formula& add, const TensorId& g, const TensorId& y) {
    return add(O::Add_7, {add(O::Mul_7, {g, y}), g});
  });
}

bool LogGradOpPattern::apply(Op* op) const {
  return replaceUnary(*this, op, [](const Formula& add, const TensorId& g, const TensorId& x) {
    return add(O::Div_7, {g, x});
  });
}

bool Log1pGradOpPattern::apply(Op* op) const {
  return replaceUnary(*this, op, [op](const Formula& add, const TensorId& g, const TensorId& x) {
    return add(O::Div_7,
               {g, add(O::Add_7, {x, add.one(op->getGraph().getTensor(x)->info.dataType())})});
  });
}

bool SqrtGradOpPattern::apply(Op* op) const {
  return replaceUnary(*this, op, [](const Formula& add, const TensorId& g, const TensorId& y) {
    return add(O::Div_7, {g, add(O::Add_7, {y, y})});
  });
}

bool ReciprocalGradOpPattern::apply(Op* op) const {
  return replaceUnary(*this, op, [](const Formula& add, const TensorId& g, const TensorId& x) {
    return add(O::Neg_6, {add(O::Div_7, {g, add(O::Mul_7, {x, x})})});
  });
}

// ---- With two ----

bool BinaryGradOpPattern::apply(Op* op) const {
  const auto* gradient = dynamic_cast<const ElementWiseBinaryGradOp*>(op);
  if (gradient == nullptr)
    throw error(
        "The pattern '{}' is for gradients of an element-wise operator with two inputs, not {}",
        getPatternName(), op->debugName());
  using Grad = ElementWiseBinaryGradOp;
  const Tensor* in[] = {
      op->inTensor(Grad::getGradInIndex()), op->inTensor(Grad::getFwdArg0InIndex()),
      op->inTensor(Grad::getFwdArg1InIndex()), op->inTensor(Grad::getFwdOutIndex())};
  const TensorId out = op->outId(0);
  const Shape shape = op->outShape(0);
  const std::vector<int64_t> axes = gradient->getReductionAxes();
  op->disconnectAllInputs();
  op->disconnectAllOutputs();
  finish(op, makeAllReplacementOps(op, &op->getIr(), *in[0], *in[1], *in[2], *in[3]), axes, shape,
         out);
  op->getGraph().eraseOp(op->id);
  return true;
}

static TensorId squares(const Formula& add, const Tensor& a, const Tensor& b) {
  return add(O::Add_7, {add(O::Mul_7, {a.id, a.id}), add(O::Mul_7, {b.id, b.id})});
}

TensorId SubtractArg1GradOpPattern::makeAllReplacementOps(Op* op, Ir*, const Tensor& g,
                                                          const Tensor&, const Tensor&,
                                                          const Tensor&) const {
  const Formula add(*this, op, g.id);
  return add(O::Neg_6, {g.id});
}

TensorId DivArg0GradOpPattern::makeAllReplacementOps(Op* op, Ir*, const Tensor& g, const Tensor&,
                                                     const Tensor& b, const Tensor&) const {
  const Formula add(*this, op, g.id);
  return add(O::Div_7, {g.id, b.id});
}

TensorId DivArg1GradOpPattern::makeAllReplacementOps(Op* op, Ir*, const Tensor& g, const Tensor& a,
                                                     const Tensor& b, const Tensor&) const {
  const Formula add(*this, op, g.id);
  return add(O::Neg_6, {add(O::Div_7, {add(O::Mul_7, {g.id, a.id}), add(O::Mul_7, {b.id, b.id})})});
}

TensorId PowArg0GradOpPattern::makeAllReplacementOps(Op* op, Ir*, const Tensor& g, const Tensor& a,
                                                     const Tensor& b, const Tensor&) const {
  const Formula add(*this, op, g.id);
  return add(
      O::Mul_7,
      {g.id,
       add(O::Mul_7,
           {b.id, add(O::Pow_7, {a.id, add(O::Sub_7, {b.id, add.one(b.info.dataType())})})})});
}

TensorId PowArg1GradOpPattern::makeAllReplacementOps(Op* op, Ir*, const Tensor& g, const Tensor& a,
                                                     const Tensor&, const Tensor& y) const {
  const Formula add(*this, op, g.id);
  return add(O::Mul_7, {g.id, add(O::Mul_7, {y.id, add(O::Log_6, {a.id})})});
}

TensorId Atan2Arg0GradOpPattern::makeAllReplacementOps(Op* op, Ir*, const Tensor& g,
                                                       const Tensor& a, const Tensor& b,
                                                       const Tensor&) const {
  const Formula add(*this, op, g.id);
  return add(O::Div_7, {add(O::Mul_7, {g.id, b.id}), squares(add, a, b)});
}

TensorId Atan2Arg1GradOpPattern::makeAllReplacementOps(Op* op, Ir*, const Tensor& g,
                                                       const Tensor& a, const Tensor& b,
                                                       const Tensor&) const {
  const Formula add(*this, op, g.id);
  return add(O::Neg_6, {add(O::Div_7, {add(O::Mul_7, {g.id, a.id}), squares(add, a, b)})});
}

TensorId FmodArg0GradOpPattern::makeAllReplacementOps(Op*, Ir*, const Tensor& g, const Tensor&,
                                                      const Tensor&, const Tensor&) const {
  return g.id;
}

bool MulArgGradOpPattern::apply(Op* op) const {
  using Grad = ElementWiseBinaryGradOp;
  const bool isLeft = op->isConvertibleTo<MulArg0GradOp>();
  const TensorId g = op->inId(Grad::getGradInIndex()), out = op->outId(0);
  const TensorId other = op->inId(isLeft ? Grad::getFwdArg1InIndex() : Grad::getFwdArg0InIndex());
  const Shape shape = op->outShape(0);
  const std::vector<int64_t> axes = dynamic_cast<const Grad*>(op)->getReductionAxes();
  op->disconnectAllInputs();
  op->disconnectAllOutputs();
  finish(op, Formula(*this, op, out)(O::Mul_7, {g, other}), axes, shape, out);
  op->getGraph().eraseOp(op->id);
  return true;
}

}  // namespace popart

namespace popir {
namespace {

/// The gradients that are a sum alone, as they are in PopART.
bool isSum(const popart::Op* op) {
  return dynamic_cast<const popart::AddArg0GradOp*>(op) != nullptr ||
         dynamic_cast<const popart::AddArg1GradOp*>(op) != nullptr ||
         dynamic_cast<const popart::SubtractArg0GradOp*>(op) != nullptr;
}

template <class... PATTERNS>
std::vector<std::unique_ptr<const popart::PreAliasPattern>> all() {
  std::vector<std::unique_ptr<const popart::PreAliasPattern>> made;
  (made.push_back(std::make_unique<PATTERNS>()), ...);
  return made;
}

}  // namespace

bool takeGradientApart(popart::Op* op) {
  using namespace popart;
  if (isSum(op)) {
    const TensorId g = op->inId(0), out = op->outId(0);
    const Shape shape = op->outShape(0);
    const std::vector<int64_t> axes = dynamic_cast<const ReduceSumOp*>(op)->getAxes();
    op->disconnectAllInputs();
    op->disconnectAllOutputs();
    finish(op, g, axes, shape, out);
    op->getGraph().eraseOp(op->id);
    return true;
  }
  static const auto patterns =
      all<AbsGradOpPattern, SinGradOpPattern, MulArgGradOpPattern, CosGradOpPattern,
          ExpGradOpPattern, Expm1GradOpPattern, LogGradOpPattern, Log1pGradOpPattern,
          SqrtGradOpPattern, ReciprocalGradOpPattern, SubtractArg1GradOpPattern,
          DivArg0GradOpPattern, DivArg1GradOpPattern, PowArg0GradOpPattern, PowArg1GradOpPattern,
          Atan2Arg0GradOpPattern, Atan2Arg1GradOpPattern, FmodArg0GradOpPattern>();
  for (const std::unique_ptr<const PreAliasPattern>& pattern : patterns)
    if (pattern->matches(op)) return pattern->apply(op);
  return false;
}

}  // namespace popir
