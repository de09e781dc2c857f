// MapKernel::work(): an element-wise kernel as the machine reading costs it.
#include <map>

#include "kernels/elementwise/expression.hpp"

namespace popir {
namespace {

using Value = MapProgram::Value;
using Kind = MapProgram::Kind;

enum class Spread { Full, Inner, Outer, Scalar };

/// How an operand is broadcast to its shape. Full: not at all. Scalar: it has one element. Outer:
/// along the last dimension, and not along all. Inner: only along dimensions before the last.
/// Dimensions of size 1 do not count.
Spread spreadOf(const Layout& l) {
  bool anyZero = false, anyStep = false, lastZero = false;
  for (std::size_t d = 0; d < l.shape.size(); ++d) {
    if (l.shape[d] == 1) continue;
    lastZero = l.strides[d] == 0;
    (lastZero ? anyZero : anyStep) = true;
  }
  if (!anyZero) return Spread::Full;
  return !anyStep ? Spread::Scalar : lastZero ? Spread::Outer : Spread::Inner;
}

/// Number of elements in the longest run of trailing dimensions of which none is broadcast, or,
/// with `repeat`, of which all are.
std::uint64_t columnsOf(const Layout& l, bool repeat) {
  std::uint64_t n = 1;
  for (std::size_t d = l.shape.size(); d-- > 0;) {
    if (l.shape[d] == 1) continue;
    if ((l.strides[d] == 0) != repeat) break;
    n *= static_cast<std::uint64_t>(l.shape[d]);
  }
  return n;
}

/// True for the conversion of a 16-bit operand to float and of a float result to 16 bits. These are
/// not part of the expression; they are there because 16-bit floats are computed in float.
bool isStorageConversion(const Value& v, const MapProgram& p) {
  if (v.op != VecOp::Convert) return false;
  const bool widens = v.from == Lane::F16 || v.from == Lane::BF16;
  const bool narrows = v.lane == Lane::F16 || v.lane == Lane::BF16;
  return (widens && v.lane == Lane::F32) ||
         (narrows && v.from == Lane::F32 && p[v.args[0]].kind == Kind::Apply);
}

/// The operator that the machine reading costs. Copies and conversions are casts.
Operator operatorOf(VecOp op) {
  return op < VecOp::Copy ? static_cast<Operator>(op) : Operator::CAST;
}
static_assert(static_cast<int>(VecOp::Copy) == static_cast<int>(Operator::CAST));

/// 1 for an operator of UnaryOpType, 2 for one of BinaryOpType, else 0.
int arityOf(VecOp op) {
  switch (op) {
#define POPIR_CASE(NODE, OP, FUNCTION) case VecOp::NODE:
    POPOPS_EXPR_UNARY_OPS(POPIR_CASE) return 1;
    POPOPS_EXPR_BINARY_OPS(POPIR_CASE) return 2;
#undef POPIR_CASE
    default: return 0;
  }
}

std::uint64_t flopsOf(const Value& v) {
  if (v.from != Lane::F32 && v.from != Lane::F64) return 0;
  switch (v.op) {
    case VecOp::GeluErf: return 8;
    case VecOp::Convert:
    case VecOp::Select:
    case VecOp::Copy: return 0;
    default: return 1;
  }
}

}  // namespace

Work MapKernel::work(const std::vector<Layout>& operands) const {
  Work w;
  const Layout& out = operands[outputs_.front()];
  const std::uint64_t n = out.elements();
  const auto type = inputs_.empty() ? out.type : operands[inputs_.front()].type;
  std::vector<const Value*> ops;
  for (const Value& v : program_.values()) {
    if (v.kind != Kind::Apply || isStorageConversion(v, program_)) continue;
    ops.push_back(&v);
    w.flops += n * flopsOf(v);
  }
  bool inPlace = false;
  for (std::size_t i : inputs_) inPlace = inPlace || writes(i);

  std::uint64_t full = 0, scalars = 0, others = 0, columns = 0;
  Spread vector = Spread::Full;
  for (const Value& v : program_.values()) {
    if (v.kind == Kind::Constant) ++scalars;
    if (v.kind != Kind::Input) continue;
    const Layout& l = operands[inputs_[static_cast<std::size_t>(v.data)]];
    const Spread s = spreadOf(l);
    if (s == Spread::Full) ++full;
    if (s == Spread::Scalar) ++scalars;
    if (s == Spread::Full) continue;
    ++others;
    if (s != Spread::Scalar) {
      vector = s;
      columns = columnsOf(l, s == Spread::Outer);
    }
  }

  if (activation_ != Activation::None) {
    const bool forward = activation_ < Activation::ReluGrad;
    w.vertexClass = !forward  ? "popnn::NonLinearityGrad1D"
                    : inPlace ? "popnn::NonLinearity1DInPlace"
                              : "popnn::NonLinearity1D";
    w.whole = ActivationWork{type, n, activation_};
    return w;
  }
  const bool castOnly = ops.empty() && type != out.type;
  if (castOnly || (ops.size() == 1 && outputs_.size() == 1)) {
    const Value& v = castOnly ? program_[program_.outputs().front()] : *ops.front();
    const auto op = operatorOf(v.op);
    if (arityOf(v.op) == 1) {
      w.vertexClass = "popops::UnaryOp1D";
      w.whole = OperatorWork{type, n, op};
    } else if (arityOf(v.op) == 2) {
      w.vertexClass = vector == Spread::Inner   ? "popops::BroadcastVectorInner"
                      : vector == Spread::Outer ? "popops::BroadcastVectorOuter"
                      : scalars > 0             ? "popops::BroadcastScalar1D"
                                                : "popops::BinaryOp1D";
      w.whole = OperatorWork{type, n, op, vector == Spread::Full ? 1 : columns};
    } else if (v.op == VecOp::Select || v.op == VecOp::Clamp) {
      w.vertexClass = v.op == VecOp::Select ? "popops::Select"
                      : scalars == 2        ? "popops::BroadcastClamp"
                                            : "popops::Clamp";
      w.whole = ElementsWork{type, n};
    } else {
      w.vertexClass = "popops::Cast1D";
      w.whole = CastWork{type, n, out.type};
    }
    if (inPlace) w.vertexClass += "InPlace";
    return w;
  }
  ExpressionWork work{type, n, full, outputs_.size(), others};
  std::map<Operator, std::uint64_t> counts;
  for (const Value* v : ops) ++counts[operatorOf(v->op)];
  for (const auto& [op, times] : counts) work.operators.push_back({op, times});
  w.vertexClass = "popops::MapExpr";
  w.whole = std::move(work);
  return w;
}

}  // namespace popir
