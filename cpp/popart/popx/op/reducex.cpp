// Lowerings of reductions and of their gradients.
#include <popart/op/add.hpp>
#include <popart/op/elementwise.hpp>
#include <popart/op/reduce.hpp>
#include <popart/popx/op/addx.hpp>
#include <popart/popx/op/reducel1x.hpp>
#include <popart/popx/op/reducel2x.hpp>
#include <popart/popx/op/reducelogsumexpx.hpp>
#include <popart/popx/op/reducelogsumx.hpp>
#include <popart/popx/op/reducemaxx.hpp>
#include <popart/popx/op/reducemeanx.hpp>
#include <popart/popx/op/reduceminx.hpp>
#include <popart/popx/op/reduceprodx.hpp>
#include <popart/popx/op/reducesumsquarex.hpp>
#include <popart/popx/op/reducesumx.hpp>
#include <popart/popx/op/subtractx.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Expr.hpp>
#include <popops/Reduce.hpp>

#include <algorithm>
#include <vector>

namespace popart {
namespace popx {

namespace {

namespace pe = popops::expr;
using popops::Operation;

/// The input, reduced over the axes of the operator, in the shape of the output.
poplar::Tensor reduced(const Opx& opx, const poplar::Tensor& in, Operation operation,
                       poplar::program::Sequence& prog) {
  const std::vector<int64_t>& axes = opx.getOp<ReduceOp>().getAxes();
  const poplar::Tensor out = popops::reduce(opx.graph(), in, {axes.begin(), axes.end()},
                                            {operation}, prog, opx.debugContext("reduce"));
  return out.reshape(opx.outShapeSzt(0));
}

poplar::Tensor mapped(const Opx& opx, const pe::Expr& expr,
                      const std::vector<poplar::Tensor>& tensors, poplar::program::Sequence& prog) {
  return popops::map(opx.graph(), expr, tensors, prog, opx.debugContext("map"));
}

/// A tensor of the shape of the output of a reduction, as one of the shape of its input.
poplar::Tensor spread(const Opx& opx, InIndex index) {
  const auto& op = opx.getOp<ReduceGradOp>();
  const Shape& kept = op.backwardShape();
  return opx.broadcast(opx.outShape(0), opx.getInTensor(index).reshape(
                                            std::vector<std::size_t>(kept.begin(), kept.end())));
}

/// How many elements each element of the output has.
float count(const TensorInfo& large, const TensorInfo& small) {
  return static_cast<float>(large.nelms()) / static_cast<float>(small.nelms());
}

}  // namespace

ReduceSumOpx::ReduceSumOpx(Op* op, Devicex* devicex) : Opx(op, devicex) {}
ReduceSumOpx::~ReduceSumOpx() = default;

void ReduceSumOpx::grow(poplar::program::Sequence& prog) const {
  setOutTensor(0, reduced(*this, getInTensor(0), Operation::ADD, prog));
}

ReduceMaxOpx::ReduceMaxOpx(Op* op, Devicex* devicex) : Opx(op, devicex) {}
ReduceMaxOpx::~ReduceMaxOpx() = default;

void ReduceMaxOpx::grow(poplar::program::Sequence& prog) const {
  setOutTensor(0, reduced(*this, getInTensor(0), Operation::MAX, prog));
}

ReduceMinOpx::ReduceMinOpx(Op* op, Devicex* devicex) : Opx(op, devicex) {}
ReduceMinOpx::~ReduceMinOpx() = default;

void ReduceMinOpx::grow(poplar::program::Sequence& prog) const {
  setOutTensor(0, reduced(*this, getInTensor(0), Operation::MIN, prog));
}

ReduceProdOpx::ReduceProdOpx(Op* op, Devicex* devicex) : Opx(op, devicex) {}
ReduceProdOpx::~ReduceProdOpx() = default;

void ReduceProdOpx::grow(poplar::program::Sequence& prog) const {
  setOutTensor(0, reduced(*this, getInTensor(0), Operation::MUL, prog));
}

ReduceMeanOpx::ReduceMeanOpx(Op* op, Devicex* devicex) : Opx(op, devicex) {}
ReduceMeanOpx::~ReduceMeanOpx() = default;

void ReduceMeanOpx::grow(poplar::program::Sequence& prog) const {
  setOutTensor(0, mapped(*this, pe::Divide(pe::_1, pe::Const(count(inInfo(0), outInfo(0)))),
                         {reduced(*this, getInTensor(0), Operation::ADD, prog)}, prog));
}

ReduceL1Opx::ReduceL1Opx(Op* op, Devicex* devicex) : Opx(op, devicex) {}
ReduceL1Opx::~ReduceL1Opx() = default;

void ReduceL1Opx::grow(poplar::program::Sequence& prog) const {
  setOutTensor(0, reduced(*this, mapped(*this, pe::Abs(pe::_1), {getInTensor(0)}, prog),
                          Operation::ADD, prog));
}

ReduceL2Opx::ReduceL2Opx(Op* op, Devicex* devicex) : Opx(op, devicex) {}
ReduceL2Opx::~ReduceL2Opx() = default;

void ReduceL2Opx::grow(poplar::program::Sequence& prog) const {
  setOutTensor(0, mapped(*this, pe::Sqrt(pe::_1),
                         {reduced(*this, getInTensor(0), Operation::SQUARE_ADD, prog)}, prog));
}

ReduceLogSumOpx::ReduceLogSumOpx(Op* op, Devicex* devicex) : Opx(op, devicex) {}
ReduceLogSumOpx::~ReduceLogSumOpx() = default;

void ReduceLogSumOpx::grow(poplar::program::Sequence& prog) const {
  setOutTensor(0, mapped(*this, pe::Log(pe::_1),
                         {reduced(*this, getInTensor(0), Operation::ADD, prog)}, prog));
}

ReduceSumSquareOpx::ReduceSumSquareOpx(Op* op, Devicex* devicex) : Opx(op, devicex) {}
ReduceSumSquareOpx::~ReduceSumSquareOpx() = default;

void ReduceSumSquareOpx::grow(poplar::program::Sequence& prog) const {
  setOutTensor(0, reduced(*this, getInTensor(0), Operation::SQUARE_ADD, prog));
}

ReduceLogSumExpOpx::ReduceLogSumExpOpx(Op* op, Devicex* devicex) : Opx(op, devicex) {}
ReduceLogSumExpOpx::~ReduceLogSumExpOpx() = default;

void ReduceLogSumExpOpx::grow(poplar::program::Sequence& prog) const {
  // Less the maximum, so that no exponential overflows.
  const poplar::Tensor most = reduced(*this, getInTensor(0), Operation::MAX, prog);
  Shape kept = inShape(0);
  for (int64_t axis : getOp<ReduceOp>().getAxes()) kept.at(axis) = 1;
  const poplar::Tensor wide =
      broadcast(inShape(0), most.reshape(std::vector<std::size_t>(kept.begin(), kept.end())));
  const poplar::Tensor raised =
      mapped(*this, pe::Exp(pe::Sub(pe::_1, pe::_2)), {getInTensor(0), wide}, prog);
  setOutTensor(0, mapped(*this, pe::Add(pe::Log(pe::_1), pe::_2),
                         {reduced(*this, raised, Operation::ADD, prog), most}, prog));
}

ReduceSumGradOpx::ReduceSumGradOpx(Op* op, Devicex* devicex) : Opx(op, devicex) {}
ReduceSumGradOpx::~ReduceSumGradOpx() = default;

void ReduceSumGradOpx::grow(poplar::program::Sequence& prog) const {
  setOutTensor(0, cloneNcopy(prog, spread(*this, 0)));
}

ReduceMeanGradOpx::ReduceMeanGradOpx(Op* op, Devicex* devicex) : Opx(op, devicex) {}
ReduceMeanGradOpx::~ReduceMeanGradOpx() = default;

void ReduceMeanGradOpx::grow(poplar::program::Sequence& prog) const {
  setOutTensor(0, mapped(*this, pe::Divide(pe::_1, pe::Const(count(outInfo(0), inInfo(0)))),
                         {spread(*this, 0)}, prog));
}

ReduceMaxGradOpx::ReduceMaxGradOpx(Op* op, Devicex* devicex) : Opx(op, devicex) {}
ReduceMaxGradOpx::~ReduceMaxGradOpx() = default;

void ReduceMaxGradOpx::grow(poplar::program::Sequence& prog) const {
  setOutTensor(
      0, mapped(*this,
                pe::Mul(pe::_1, pe::Cast(pe::Equal(pe::_2, pe::_3), getInTensor(0).elementType())),
                {spread(*this, 0), getInTensor(1), spread(*this, 2)}, prog));
}

ReduceMinGradOpx::ReduceMinGradOpx(Op* op, Devicex* devicex) : Opx(op, devicex) {}
ReduceMinGradOpx::~ReduceMinGradOpx() = default;

void ReduceMinGradOpx::grow(poplar::program::Sequence& prog) const {
  setOutTensor(
      0, mapped(*this,
                pe::Mul(pe::_1, pe::Cast(pe::Equal(pe::_2, pe::_3), getInTensor(0).elementType())),
                {spread(*this, 0), getInTensor(1), spread(*this, 2)}, prog));
}

ReduceL1GradOpx::ReduceL1GradOpx(Op* op, Devicex* devicex) : Opx(op, devicex) {}
ReduceL1GradOpx::~ReduceL1GradOpx() = default;

void ReduceL1GradOpx::grow(poplar::program::Sequence& prog) const {
  setOutTensor(0, mapped(*this, pe::Mul(pe::_1, pe::Signum(pe::_2)),
                         {spread(*this, 0), getInTensor(1)}, prog));
}

ReduceL2GradOpx::ReduceL2GradOpx(Op* op, Devicex* devicex) : Opx(op, devicex) {}
ReduceL2GradOpx::~ReduceL2GradOpx() = default;

void ReduceL2GradOpx::grow(poplar::program::Sequence& prog) const {
  setOutTensor(0, mapped(*this, pe::Divide(pe::Mul(pe::_1, pe::_2), pe::_3),
                         {spread(*this, 0), getInTensor(1), spread(*this, 2)}, prog));
}

ReduceSumSquareGradOpx::ReduceSumSquareGradOpx(Op* op, Devicex* devicex) : Opx(op, devicex) {}
ReduceSumSquareGradOpx::~ReduceSumSquareGradOpx() = default;

void ReduceSumSquareGradOpx::grow(poplar::program::Sequence& prog) const {
  setOutTensor(0, mapped(*this, pe::Mul(pe::Const(2.0f), pe::Mul(pe::_1, pe::_2)),
                         {spread(*this, 0), getInTensor(1)}, prog));
}

ReduceLogSumExpGradOpx::ReduceLogSumExpGradOpx(Op* op, Devicex* devicex) : Opx(op, devicex) {}
ReduceLogSumExpGradOpx::~ReduceLogSumExpGradOpx() = default;

void ReduceLogSumExpGradOpx::grow(poplar::program::Sequence& prog) const {
  setOutTensor(0, mapped(*this, pe::Mul(pe::_1, pe::Exp(pe::Sub(pe::_2, pe::_3))),
                         {spread(*this, 0), getInTensor(1), spread(*this, 2)}, prog));
}

ReduceLogSumGradOpx::ReduceLogSumGradOpx(Op* op, Devicex* devicex) : Opx(op, devicex) {}
ReduceLogSumGradOpx::~ReduceLogSumGradOpx() = default;

void ReduceLogSumGradOpx::grow(poplar::program::Sequence& prog) const {
  setOutTensor(0, mapped(*this, pe::Divide(pe::_1, pe::Exp(pe::_2)),
                         {spread(*this, 0), spread(*this, 1)}, prog));
}

ReduceProdGradOpx::ReduceProdGradOpx(Op* op, Devicex* devicex) : Opx(op, devicex) {}
ReduceProdGradOpx::~ReduceProdGradOpx() = default;

void ReduceProdGradOpx::grow(poplar::program::Sequence& prog) const {
  // The product of the others, which a quotient is not where an element is 0.
  const std::vector<int64_t>& axes = getOp<ReduceGradOp>().getAxes();
  const poplar::Tensor x = getInTensor(1);
  std::vector<unsigned> order, back(x.rank());
  for (unsigned d = 0; d < x.rank(); ++d)
    if (std::find(axes.begin(), axes.end(), d) == axes.end()) order.push_back(d);
  const std::size_t kept = order.size();
  order.insert(order.end(), axes.begin(), axes.end());
  std::size_t n = 1;
  for (std::size_t k = 0; k < order.size(); ++k) {
    back[order[k]] = static_cast<unsigned>(k);
    if (k >= kept) n *= x.dim(order[k]);
  }
  const poplar::Tensor ordered = x.dimShuffle(order);
  const poplar::Tensor rows = ordered.reshape({n == 0 ? 0 : x.numElements() / n, n});
  std::vector<poplar::Tensor> before(n), after(n), products(n);
  for (std::size_t i = 1; i < n; ++i) {
    const std::size_t j = n - 1 - i;
    const poplar::Tensor left = rows.slice(i - 1, i, 1), right = rows.slice(j + 1, j + 2, 1);
    before[i] = i == 1 ? left : mapped(*this, pe::Mul(pe::_1, pe::_2), {before[i - 1], left}, prog);
    after[j] = i == 1 ? right : mapped(*this, pe::Mul(pe::_1, pe::_2), {after[j + 1], right}, prog);
  }
  if (n <= 1) {
    setOutTensor(0, cloneNcopy(prog, spread(*this, 0)));
    return;
  }
  for (std::size_t i = 0; i < n; ++i)
    products[i] = i == 0 ? after[i]
                  : i == n - 1
                      ? before[i]
                      : mapped(*this, pe::Mul(pe::_1, pe::_2), {before[i], after[i]}, prog);
  const poplar::Tensor others =
      poplar::concat(products, 1).reshape(ordered.shape()).dimShuffle(back);
  setOutTensor(0, mapped(*this, pe::Mul(pe::_1, pe::_2), {spread(*this, 0), others}, prog));
}

// ---- Gradients of broadcast inputs ----

SubtractArg0GradOpx::SubtractArg0GradOpx(Op* op, Devicex* devicex) : ReduceSumOpx(op, devicex) {}
SubtractArg0GradOpx::~SubtractArg0GradOpx() = default;

AddArg0GradOpx::AddArg0GradOpx(Op* op, Devicex* devicex) : ReduceSumOpx(op, devicex) {}
AddArg0GradOpx::~AddArg0GradOpx() = default;

AddArg1GradOpx::AddArg1GradOpx(Op* op, Devicex* devicex) : ReduceSumOpx(op, devicex) {}
AddArg1GradOpx::~AddArg1GradOpx() = default;

}  // namespace popx
}  // namespace popart
