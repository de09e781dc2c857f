// Lowerings of operators that models have, for operators of other names that derive from their classes.
// The file is long, since there are 28 of them, each of which is short.
#include <popart/op/addbias.hpp>
#include <popart/op/argextrema.hpp>
#include <popart/op/cumsum.hpp>
#include <popart/op/expand.hpp>
#include <popart/op/incrementmod.hpp>
#include <popart/op/init.hpp>
#include <popart/op/l1.hpp>
#include <popart/op/logsoftmax.hpp>
#include <popart/op/onehot.hpp>
#include <popart/op/printtensor.hpp>
#include <popart/op/reverse.hpp>
#include <popart/op/softmax.hpp>
#include <popart/op/split.hpp>
#include <popart/op/tile.hpp>
#include <popart/op/topk.hpp>
#include <popart/op/where.hpp>
#include <popart/popx/op/addbiasx.hpp>
#include <popart/popx/op/argmaxx.hpp>
#include <popart/popx/op/argminx.hpp>
#include <popart/popx/op/cumsumx.hpp>
#include <popart/popx/op/expandx.hpp>
#include <popart/popx/op/incrementmodx.hpp>
#include <popart/popx/op/initx.hpp>
#include <popart/popx/op/l1x.hpp>
#include <popart/popx/op/logsoftmaxx.hpp>
#include <popart/popx/op/onehotx.hpp>
#include <popart/popx/op/padx.hpp>
#include <popart/popx/op/printtensorx.hpp>
#include <popart/popx/op/reversex.hpp>
#include <popart/popx/op/softmaxx.hpp>
#include <popart/popx/op/splitx.hpp>
#include <popart/popx/op/tanhx.hpp>
#include <popart/popx/op/tilex.hpp>
#include <popart/popx/op/topkx.hpp>
#include <popart/popx/op/wherex.hpp>
#include <popart/popx/op/zerosx.hpp>
#include <popir/Scan.hpp>
#include <popir/Softmax.hpp>
#include <poplin/Convolution.hpp>
#include <popnn/Loss.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Encoding.hpp>
#include <popops/Pad.hpp>
#include <popops/Reduce.hpp>
#include <popops/TopK.hpp>
#include <popops/Zero.hpp>
#include <poputil/TileMapping.hpp>

#include <algorithm>
#include <numeric>

namespace popart {
namespace popx {
namespace {

namespace pe = popops::expr;

unsigned wrapped(int64_t axis, unsigned rank) {
  return static_cast<unsigned>(axis < 0 ? axis + static_cast<int64_t>(rank) : axis);
}

/// `tensor` added up over what was broadcast from the shape `to`.
poplar::Tensor summedTo(const Opx& opx, poplar::Tensor tensor, const std::vector<std::size_t>& to,
                        poplar::program::Sequence& prog) {
  const std::vector<std::size_t> from = tensor.shape();
  const std::size_t added = from.size() - to.size();
  std::vector<std::size_t> dims;
  for (std::size_t d = 0; d < from.size(); ++d)
    if (d < added || (to[d - added] == 1 && from[d] != 1)) dims.push_back(d);
  if (dims.empty()) return opx.cloneNcopy(prog, tensor);
  return popops::reduce(opx.graph(), tensor, dims, {popops::Operation::ADD}, prog,
                        opx.debugContext("sum"))
      .reshape(to);
}

poplar::Tensor casted(const Opx& opx, const poplar::Tensor& tensor, const TensorInfo& to,
                      poplar::program::Sequence& prog) {
  const poplar::Type type = popType(to);
  if (tensor.elementType() == type) return tensor;
  return popops::cast(opx.graph(), tensor, type, prog, opx.debugContext("cast"));
}

poplar::Tensor zeros(const Opx& opx, const TensorInfo& info, poplar::program::Sequence& prog) {
  const poplar::Tensor made =
      opx.graph().addVariable(popType(info), info.shape_szt(),
                              poplar::VariableMappingMethod::LINEAR, opx.debugContext("zeros"));
  popops::zero(opx.graph(), made, prog, opx.debugContext("zero"));
  return made;
}

}  // namespace

// ---- ArgMax, ArgMin ----

ArgExtremaOpx::ArgExtremaOpx(Op* op, Devicex* devicex) : Opx(op, devicex) {
  verifyOp<ArgExtremaOp>(op);
}
ArgExtremaOpx::~ArgExtremaOpx() = default;
void ArgExtremaOpx::grow(poplar::program::Sequence& prog) const {
  const poplar::Tensor in = getInTensor(0);
  const unsigned axis = wrapped(getOp<ArgExtremaOp>().getAxis(), in.rank());
  const std::size_t columns = in.dim(axis);
  const poplar::Tensor rows =
      in.dimRoll(axis, in.rank() - 1).reshape({in.numElements() / columns, columns});
  setOutTensor(0, casted(*this, extremaOp(prog, rows), outInfo(0), prog).reshape(outShapeSzt(0)));
}
ArgMaxOpx::~ArgMaxOpx() = default;
poplar::Tensor ArgMaxOpx::extremaOp(poplar::program::Sequence& prog,
                                    const poplar::Tensor& rows) const {
  return popnn::argMax(graph(), rows, prog, debugContext("argMax"));
}
ArgMinOpx::~ArgMinOpx() = default;
poplar::Tensor ArgMinOpx::extremaOp(poplar::program::Sequence& prog,
                                    const poplar::Tensor& rows) const {
  return popnn::argMin(graph(), rows, prog, debugContext("argMin"));
}

// ---- CumSum ----

CumSumOpx::CumSumOpx(Op* op, Devicex* devicex) : Opx(op, devicex) { verifyOp<CumSumOp>(op); }
CumSumOpx::~CumSumOpx() = default;
void CumSumOpx::grow(poplar::program::Sequence& prog) const {
  const auto& op = getOp<CumSumOp>();
  const poplar::Tensor& x = getInTensor(CumSumOp::xInIndex());
  setOutTensor(0,
               popir::runningSum(graph(), x, wrapped(op.getAxis(), x.rank()),
                                 {op.getExclusive(), op.getReverse()}, prog, debugContext("sums")));
}
CumSumGradOpx::CumSumGradOpx(Op* op, Devicex* devicex) : Opx(op, devicex) {
  verifyOp<CumSumGradOp>(op);
}
CumSumGradOpx::~CumSumGradOpx() = default;
void CumSumGradOpx::grow(poplar::program::Sequence& prog) const {
  const auto& op = getOp<CumSumGradOp>();
  const poplar::Tensor& g = getInTensor(CumSumGradOp::outGradXInIndex());
  setOutTensor(
      0, popir::runningSum(graph(), g, wrapped(op.getAxis(), g.rank()),
                           {op.getExclusive(), !op.getReverse()}, prog, debugContext("sums")));
}

// ---- Expand, Tile, Split, Reverse ----

ExpandOpx::ExpandOpx(Op* op, Devicex* devicex) : Opx(op, devicex) {}
ExpandOpx::~ExpandOpx() = default;
void ExpandOpx::grow(poplar::program::Sequence& prog) const {
  setOutTensor(0, cloneNcopy(prog, broadcast(outShape(0), getInTensor(0))));
}
ExpandInplaceOpx::ExpandInplaceOpx(Op* op, Devicex* devicex) : Opx(op, devicex) {}
ExpandInplaceOpx::~ExpandInplaceOpx() = default;
void ExpandInplaceOpx::grow(poplar::program::Sequence&) const {
  setOutTensor(0, broadcast(outShape(0), getInTensor(0)));
}
ExpandGradOpx::ExpandGradOpx(Op* op, Devicex* devicex) : Opx(op, devicex) {}
ExpandGradOpx::~ExpandGradOpx() = default;
void ExpandGradOpx::grow(poplar::program::Sequence& prog) const {
  setOutTensor(0, summedTo(*this, getInTensor(0), outShapeSzt(0), prog));
}

TileOpx::TileOpx(Op* op, Devicex* devicex) : Opx(op, devicex) {}
TileOpx::~TileOpx() = default;
void TileOpx::grow(poplar::program::Sequence& prog) const {
  poplar::Tensor out = getInTensor(TileOp::getInIndex());
  const std::vector<std::size_t> to = outShapeSzt(0);
  for (unsigned d = 0; d < to.size(); ++d)
    if (out.dim(d) != 0) out = out.broadcast(static_cast<unsigned>(to[d] / out.dim(d)), d);
  setOutTensor(0, cloneNcopy(prog, out));
}
TileGradOpx::TileGradOpx(Op* op, Devicex* devicex) : Opx(op, devicex) {}
TileGradOpx::~TileGradOpx() = default;
void TileGradOpx::grow(poplar::program::Sequence& prog) const {
  const poplar::Tensor& g = getInTensor(TileOp::getInIndex());
  const std::vector<std::size_t> to = outShapeSzt(0);
  std::vector<std::size_t> split, dims;
  for (std::size_t d = 0; d < to.size(); ++d) {
    dims.push_back(split.size());
    split.push_back(g.dim(d) / to[d]);
    split.push_back(to[d]);
  }
  setOutTensor(0, popops::reduce(graph(), g.reshape(split), dims, {popops::Operation::ADD}, prog,
                                 debugContext("sum"))
                      .reshape(to));
}

SplitOpx::SplitOpx(Op* op, Devicex* devicex) : Opx(op, devicex) { verifyOp<SplitOp>(op); }
SplitOpx::~SplitOpx() = default;
void SplitOpx::grow(poplar::program::Sequence& prog) const {
  const auto& op = getOp<SplitOp>();
  const poplar::Tensor& in = getInTensor(SplitOp::getInIndex());
  const unsigned axis = wrapped(op.getAxis(), in.rank());
  std::size_t begin = 0;
  OutIndex index = 0;
  for (const int64_t size : op.getSplitSizes()) {
    const std::size_t end = begin + static_cast<std::size_t>(size);
    setOutTensor(index++, cloneNcopy(prog, in.slice(begin, end, axis)));
    begin = end;
  }
}

ReverseBaseOpx::ReverseBaseOpx(Op* op, Devicex* devicex) : Opx(op, devicex) {
  verifyOp<ReverseBaseOp>(op);
}
ReverseBaseOpx::~ReverseBaseOpx() = default;
poplar::Tensor ReverseBaseOpx::reversed(const poplar::Tensor& tensor) const {
  poplar::Tensor out = tensor;
  for (const int64_t d : getOp<ReverseBaseOp>().getDimensions())
    out = out.reverse(wrapped(d, out.rank()));
  return out;
}
poplar::Tensor ReverseBaseOpx::unwindTensorLayout(poplar::Tensor tensor, InIndex, OutIndex) const {
  return reversed(tensor);
}
ReverseOpx::ReverseOpx(Op* op, Devicex* devicex) : ReverseBaseOpx(op, devicex) {}
ReverseOpx::~ReverseOpx() = default;
void ReverseOpx::grow(poplar::program::Sequence& prog) const {
  setOutTensor(0, cloneNcopy(prog, reversed(getInTensor(0))));
}
ReverseInplaceOpx::ReverseInplaceOpx(Op* op, Devicex* devicex) : ReverseBaseOpx(op, devicex) {}
ReverseInplaceOpx::~ReverseInplaceOpx() = default;
void ReverseInplaceOpx::grow(poplar::program::Sequence&) const {
  setOutTensor(0, reversed(getInTensor(0)));
}
ReverseGradOpx::~ReverseGradOpx() = default;

// ---- Where ----

WhereOpx::WhereOpx(Op* op, Devicex* devicex) : Opx(op, devicex) {}
WhereOpx::~WhereOpx() = default;
void WhereOpx::grow(poplar::program::Sequence& prog) const {
  const auto full = [&](InIndex index) { return broadcast(outShape(0), getInTensor(index)); };
  setOutTensor(0, popops::map(graph(), pe::Select(pe::_1, pe::_2, pe::_3),
                              {full(WhereOp::xInIndex()), full(WhereOp::yInIndex()),
                               full(WhereOp::conditionInIndex())},
                              prog, debugContext("where")));
}

namespace {

poplar::Tensor whereGradient(const Opx& opx, bool ofX, poplar::program::Sequence& prog) {
  const poplar::Tensor& g = opx.getInTensor(WhereXGradOp::outGradInIndex());
  const poplar::Tensor condition =
      opx.broadcast(opx.inShape(WhereXGradOp::outGradInIndex()),
                    opx.getInTensor(WhereXGradOp::fwdConditionInIndex()));
  const pe::Cast chosen(pe::_2, g.elementType());
  const pe::Cast others(pe::Not(pe::_2), g.elementType());
  const pe::Mul x(pe::_1, chosen), y(pe::_1, others);
  const poplar::Tensor own = popops::map(opx.graph(), ofX ? static_cast<const pe::Expr&>(x) : y,
                                         {g, condition}, prog, opx.debugContext("chosen"));
  return summedTo(opx, own, opx.outShapeSzt(0), prog);
}

}  // namespace

WhereXGradOpx::WhereXGradOpx(Op* op, Devicex* devicex) : Opx(op, devicex) {}
WhereXGradOpx::~WhereXGradOpx() = default;
void WhereXGradOpx::grow(poplar::program::Sequence& prog) const {
  setOutTensor(0, whereGradient(*this, true, prog));
}
WhereYGradOpx::WhereYGradOpx(Op* op, Devicex* devicex) : Opx(op, devicex) {}
WhereYGradOpx::~WhereYGradOpx() = default;
void WhereYGradOpx::grow(poplar::program::Sequence& prog) const {
  setOutTensor(0, whereGradient(*this, false, prog));
}

// ---- OneHot ----

namespace {

/// The indices as a vector of numbers that encodeOneHot takes.
poplar::Tensor indicesOf(const Opx& opx, InIndex index, poplar::program::Sequence& prog) {
  poplar::Tensor indices = opx.getInTensor(index).flatten();
  if (indices.elementType() != poplar::INT && indices.elementType() != poplar::UNSIGNED_INT)
    indices = popops::cast(opx.graph(), indices, poplar::INT, prog, opx.debugContext("indices"));
  return indices;
}

/// A vector [indices, depth] of the type `info`, with 1 where the index is.
poplar::Tensor encoded(const Opx& opx, const poplar::Tensor& indices, std::size_t depth,
                       const poplar::Type& type, poplar::program::Sequence& prog) {
  const poplar::Tensor made =
      opx.graph().addVariable(type, {indices.numElements(), depth},
                              poplar::VariableMappingMethod::LINEAR, opx.debugContext("oneHot"));
  popops::encodeOneHot(opx.graph(), indices, made, prog, opx.debugContext("encode"));
  return made;
}

}  // namespace

OnehotOpx::OnehotOpx(Op* op, Devicex* devicex) : Opx(op, devicex) { verifyOp<OnehotOp>(op); }
OnehotOpx::~OnehotOpx() = default;
void OnehotOpx::grow(poplar::program::Sequence& prog) const {
  const std::vector<std::size_t> to = outShapeSzt(0);
  const unsigned axis = wrapped(getOp<OnehotOp>().getAxis(), static_cast<unsigned>(to.size()));
  const poplar::Tensor indices = indicesOf(*this, OnehotOp::getIndicesInIndex(), prog);
  const poplar::Tensor& values = getInTensor(OnehotOp::getValuesInIndex());
  const poplar::Tensor made =
      graph().addVariable(values.elementType(), {indices.numElements(), to[axis]},
                          poplar::VariableMappingMethod::LINEAR, debugContext("oneHot"));
  popops::encodeOneHot(graph(), indices, made, prog, values.slice(1, 2).reshape({}),
                       values.slice(0, 1).reshape({}), debugContext("encode"));
  std::vector<std::size_t> last = to;
  last.erase(last.begin() + axis);
  last.push_back(to[axis]);
  setOutTensor(0, made.reshape(last).dimRoll(static_cast<unsigned>(to.size()) - 1, axis));
}
OnehotGradOpx::OnehotGradOpx(Op* op, Devicex* devicex) : Opx(op, devicex) {
  verifyOp<OnehotGradOp>(op);
}
OnehotGradOpx::~OnehotGradOpx() = default;
void OnehotGradOpx::grow(poplar::program::Sequence& prog) const {
  const poplar::Tensor& g = getInTensor(OnehotGradOp::getGradInIndex());
  const unsigned axis = wrapped(getOp<OnehotGradOp>().getAxis(), g.rank());
  const std::size_t depth = g.dim(axis);
  const poplar::Tensor indices = indicesOf(*this, OnehotGradOp::getIndicesInIndex(), prog);
  const poplar::Tensor rows = g.dimRoll(axis, g.rank() - 1).reshape({indices.numElements(), depth});
  const poplar::Tensor on = encoded(*this, indices, depth, g.elementType(), prog);
  const poplar::Tensor where = popops::mul(graph(), rows, on, prog, debugContext("on"));
  const poplar::Tensor rest = popops::sub(graph(), rows, where, prog, debugContext("off"));
  const auto sum = [&](const poplar::Tensor& t) {
    return popops::reduce(graph(), t, {0, 1}, {popops::Operation::ADD}, prog, debugContext("sum"))
        .reshape({1});
  };
  setOutTensor(0, poplar::concat({sum(rest), sum(where)}).reshape(outShapeSzt(0)));
}

// ---- Pad ----

BasePadOpx::BasePadOpx(Op* op, Devicex* devicex) : Opx(op, devicex) { verifyOp<BasePadOp>(op); }
BasePadOpx::~BasePadOpx() = default;
const BasePadOp& BasePadOpx::getBasePadOp() const { return getOp<BasePadOp>(); }
poplar::Tensor BasePadOpx::padGrow(poplar::Tensor tensor, poplar::program::Sequence& prog,
                                   bool inPlaceAllowed) const {
  const BasePadOp& op = getBasePadOp();
  for (const unsigned d : op.getFlips()) tensor = tensor.reverse(d);
  const auto lower = op.getLowerPadding(), upper = op.getUpperPadding();
  const bool isFloat =
      tensor.elementType() == poplar::FLOAT || tensor.elementType() == poplar::HALF;
  poplar::Tensor padded =
      op.getMode() == "edge" ? popops::pad(tensor, lower, upper, popops::padding::Type::EDGE)
      : op.getMode() == "reflect"
          ? popops::pad(tensor, lower, upper, popops::padding::Type::REFLECT)
      : isFloat ? popops::pad(graph(), tensor, lower, upper, op.getPadValue())
                : popops::pad(graph(), tensor, lower, upper, static_cast<int>(op.getPadValue()));
  return inPlaceAllowed ? padded : cloneNcopy(prog, padded);
}
PadOpx::PadOpx(Op* op, Devicex* devicex) : BasePadOpx(op, devicex) {}
PadOpx::~PadOpx() = default;
void PadOpx::grow(poplar::program::Sequence& prog) const {
  setOutTensor(0, padGrow(getInTensor(0), prog, false));
}
PadInplaceOpx::PadInplaceOpx(Op* op, Devicex* devicex) : BasePadOpx(op, devicex) {}
PadInplaceOpx::~PadInplaceOpx() = default;
void PadInplaceOpx::grow(poplar::program::Sequence& prog) const {
  setOutTensor(0, padGrow(getInTensor(0), prog, true));
}

// ---- Init, Zeros, IncrementMod, PrintTensor, TopK ----

InitOpx::InitOpx(Op* op, Devicex* devicex) : Opx(op, devicex) { verifyOp<InitOp>(op); }
InitOpx::~InitOpx() = default;
void InitOpx::grow(poplar::program::Sequence& prog) const {
  const TensorInfo& info = outInfo(0);
  setOutTensor(
      0, getOp<InitOp>().getInitType() == InitType::Zero
             ? zeros(*this, info, prog)
             : graph().addVariable(popType(info), info.shape_szt(),
                                   poplar::VariableMappingMethod::LINEAR, debugContext("init")));
}
ZerosOpx::ZerosOpx(Op* op, Devicex* devicex) : Opx(op, devicex) {}
ZerosOpx::~ZerosOpx() = default;
void ZerosOpx::grow(poplar::program::Sequence& prog) const {
  setOutTensor(0, zeros(*this, outInfo(0), prog));
}

namespace {

/// (_1 + increment) modulo modulus, in the type of _1.
std::unique_ptr<pe::Expr> incremented(const poplar::Type& type, double increment, double modulus) {
  const auto of = [&](const auto& a, const auto& b) {
    return pe::Rem(pe::Add(pe::_1, a), b).clone();
  };
  if (type == poplar::INT)
    return of(pe::Const(static_cast<int>(increment)), pe::Const(static_cast<int>(modulus)));
  if (type == poplar::UNSIGNED_INT)
    return of(pe::Const(static_cast<unsigned>(increment)),
              pe::Const(static_cast<unsigned>(modulus)));
  return of(pe::Const(static_cast<float>(increment)), pe::Const(static_cast<float>(modulus)));
}

}  // namespace

IncrementModOpx::IncrementModOpx(Op* op, Devicex* devicex) : ElementWiseUnaryOpx(op, devicex) {
  verifyOp<IncrementModOp>(op);
}
IncrementModOpx::~IncrementModOpx() = default;
void IncrementModOpx::grow(poplar::program::Sequence& prog) const {
  const auto& op = getOp<IncrementModOp>();
  const poplar::Tensor in = getInTensor(0);
  const auto expr = incremented(in.elementType(), op.getIncrement(), op.getModulus());
  setOutTensor(0, popops::map(graph(), *expr, {in}, prog, debugContext("increment")));
}
IncrementModInplaceOpx::IncrementModInplaceOpx(Op* op, Devicex* devicex)
    : ElementWiseUnaryOpx(op, devicex) {
  verifyOp<IncrementModInplaceOp>(op);
}
IncrementModInplaceOpx::~IncrementModInplaceOpx() = default;
void IncrementModInplaceOpx::grow(poplar::program::Sequence& prog) const {
  const auto& op = getOp<IncrementModInplaceOp>();
  const poplar::Tensor in = getInTensor(0);
  const auto expr = incremented(in.elementType(), op.getIncrement(), op.getModulus());
  popops::mapInPlace(graph(), *expr, {in}, prog, debugContext("increment"));
  setOutTensor(0, in);
}

PrintTensorOpx::PrintTensorOpx(Op* op, Devicex* devicex) : Opx(op, devicex) {
  verifyOp<PrintTensorOp>(op);
}
PrintTensorOpx::~PrintTensorOpx() = default;
void PrintTensorOpx::grow(poplar::program::Sequence& prog) const {
  const auto& op = getOp<PrintTensorOp>();
  const poplar::Tensor& in = getInTensor(PrintTensorOp::getInIndex());
  if (op.shouldPrint()) {
    const PrintTensorFmt& f = op.getFmt();
    const poplar::PrintTensorFmt format(
        f.summariseThreshold, f.edgeItems, f.maxLineWidth, f.digits,
        static_cast<poplar::PrintTensorFmt::FloatFormat>(f.floatFormat), f.separator, f.openBracket,
        f.closeBracket);
    const std::string title = op.getTitle().empty() ? inId(0) : op.getTitle();
    prog.add(poplar::program::PrintTensor(title, in, format, debugContext("print")));
  }
  setOutTensor(0, cloneNcopy(prog, in));
}

TopKOpx::TopKOpx(Op* op, Devicex* devicex) : Opx(op, devicex) { verifyOp<TopKOp>(op); }
TopKOpx::~TopKOpx() = default;
void TopKOpx::grow(poplar::program::Sequence& prog) const {
  const auto& op = getOp<TopKOp>();
  const poplar::Tensor& in = getInTensor(0);
  const unsigned axis = wrapped(op.getAxis(), in.rank()), last = in.rank() - 1;
  const auto order = !op.getSorted()   ? popops::SortOrder::NONE
                     : op.getLargest() ? popops::SortOrder::DESCENDING
                                       : popops::SortOrder::ASCENDING;
  const popops::TopKParams params(static_cast<unsigned>(outShape(0)[axis]), op.getLargest(), order,
                                  op.getStable());
  const auto [values, indices] = popops::topKWithPermutation(graph(), prog, in.dimRoll(axis, last),
                                                             params, debugContext("topK"));
  setOutTensor(TopKOp::getValuesOutIndex(), values.dimRoll(last, axis));
  if (hasOutput(TopKOp::getIndicesOutIndex()))
    setOutTensor(TopKOp::getIndicesOutIndex(), casted(*this, indices.dimRoll(last, axis),
                                                      outInfo(TopKOp::getIndicesOutIndex()), prog));
}

// ---- Softmax, LogSoftmax ----

SoftmaxComputex::~SoftmaxComputex() = default;
poplar::Tensor SoftmaxComputex::outplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                                         const poplar::Tensor& tensor,
                                         const poplar::DebugNameAndId& dnai,
                                         const std::string& name) const {
  return reshape(popir::softmax(graph, coerceTo2D(tensor, axis_), prog, {dnai, name}));
}
void SoftmaxComputex::inplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                              const poplar::Tensor& tensor, const poplar::DebugNameAndId& dnai,
                              const std::string& name) const {
  popir::softmaxInPlace(graph, coerceTo2D(tensor, axis_), prog, {dnai, name});
}
poplar::Tensor SoftmaxComputex::reshape(const poplar::Tensor& tensor) const {
  return tensor.reshape(outShape_);
}
LogSoftmaxComputex::~LogSoftmaxComputex() = default;
poplar::Tensor LogSoftmaxComputex::outplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                                            const poplar::Tensor& tensor,
                                            const poplar::DebugNameAndId& dnai,
                                            const std::string& name) const {
  return reshape(popir::logSoftmax(graph, coerceTo2D(tensor, axis_), prog, {dnai, name}));
}
void LogSoftmaxComputex::inplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                                 const poplar::Tensor& tensor, const poplar::DebugNameAndId& dnai,
                                 const std::string& name) const {
  popir::logSoftmaxInPlace(graph, coerceTo2D(tensor, axis_), prog, {dnai, name});
}
poplar::Tensor LogSoftmaxComputex::reshape(const poplar::Tensor& tensor) const {
  return tensor.reshape(outShape_);
}

namespace {

/// The operator's axis, as one of its input.
template <class OP>
int64_t axisOf(Op* op) {
  const auto* own = dynamic_cast<OP*>(op);
  if (own == nullptr)
    throw error("{}: no operator of the class that its lowering is for", op->str());
  return wrapped(own->getAxis(), static_cast<unsigned>(op->inRank(0)));
}

}  // namespace

SoftmaxOpx::SoftmaxOpx(Op* op, Devicex* devicex)
    : ElementWiseUnaryOutplaceOpx(
          op, devicex,
          SoftmaxComputex::get(axisOf<SoftmaxOp>(op), false, op->inInfo(0).shape_szt())) {}
SoftmaxOpx::~SoftmaxOpx() = default;
SoftmaxInplaceOpx::SoftmaxInplaceOpx(Op* op, Devicex* devicex)
    : ElementWiseUnaryInplaceOpx(
          op, devicex,
          SoftmaxComputex::get(axisOf<SoftmaxInplaceOp>(op), false, op->inInfo(0).shape_szt())) {}
SoftmaxInplaceOpx::~SoftmaxInplaceOpx() = default;
LogSoftmaxOpx::LogSoftmaxOpx(Op* op, Devicex* devicex)
    : ElementWiseUnaryOutplaceOpx(
          op, devicex,
          LogSoftmaxComputex::get(axisOf<LogSoftmaxOp>(op), op->inInfo(0).shape_szt())) {}
LogSoftmaxOpx::~LogSoftmaxOpx() = default;
LogSoftmaxInplaceOpx::LogSoftmaxInplaceOpx(Op* op, Devicex* devicex)
    : ElementWiseUnaryInplaceOpx(
          op, devicex,
          LogSoftmaxComputex::get(axisOf<LogSoftmaxInplaceOp>(op), op->inInfo(0).shape_szt())) {}
LogSoftmaxInplaceOpx::~LogSoftmaxInplaceOpx() = default;

// ---- L1, Tanh, AddBias ----

L1Opx::L1Opx(Op* op, Devicex* devicex) : Opx(op, devicex) { verifyOp<L1Op>(op); }
L1Opx::~L1Opx() = default;
void L1Opx::grow(poplar::program::Sequence& prog) const {
  const auto& op = getOp<L1Op>();
  const poplar::Tensor& in = getInTensor(L1Op::getInIndex());
  const bool isMean = op.getReductionType() == ReductionType::Mean;
  const float scale = op.getLambda() /
                      (isMean ? static_cast<float>(std::max<std::size_t>(1, in.numElements())) : 1);
  const poplar::Tensor each = popops::map(graph(), pe::Mul(pe::Abs(pe::_1), pe::Const(scale)), {in},
                                          prog, debugContext("absolute"));
  if (op.getReductionType() == ReductionType::NoReduction) return setOutTensor(0, each);
  setOutTensor(0, popops::reduce(graph(), each.flatten(), {0}, {popops::Operation::ADD}, prog,
                                 debugContext("sum"))
                      .reshape({}));
}
L1GradOpx::L1GradOpx(Op* op, Devicex* devicex) : Opx(op, devicex) { verifyOp<L1GradOp>(op); }
L1GradOpx::~L1GradOpx() = default;
void L1GradOpx::grow(poplar::program::Sequence& prog) const {
  const auto& op = getOp<L1GradOp>();
  const poplar::Tensor& in = getInTensor(L1GradOp::getFwdActInIndex());
  const bool isMean = op.getReductionType() == ReductionType::Mean;
  const float scale = op.getLambda() /
                      (isMean ? static_cast<float>(std::max<std::size_t>(1, in.numElements())) : 1);
  const poplar::Tensor g = broadcast(inShape(0), getInTensor(L1GradOp::getGradInIndex()));
  setOutTensor(0,
               popops::map(graph(), pe::Mul(pe::Mul(pe::Signum(pe::_1), pe::Const(scale)), pe::_2),
                           {in, g}, prog, debugContext("sign")));
}

TanhOpx::TanhOpx(Op* op, Devicex* devicex) : ElementWiseUnaryOpx(op, devicex) {}
TanhOpx::~TanhOpx() = default;
void TanhOpx::grow(poplar::program::Sequence& prog) const {
  setOutTensor(0, popops::tanh(graph(), getInTensor(0), prog, debugContext("tanh")));
}
TanhGradOpx::TanhGradOpx(Op* op, Devicex* devicex) : ElementWiseUnaryOpx(op, devicex) {}
TanhGradOpx::~TanhGradOpx() = default;
void TanhGradOpx::grow(poplar::program::Sequence& prog) const {
  const poplar::Tensor g = getInTensor(0), y = getInTensor(1);
  setOutTensor(
      0, popops::map(graph(), pe::Mul(pe::_1, pe::Sub(pe::Const(1.0f), pe::Square(pe::_2))), {g, y},
                     prog, debugContext("tanhGradient")));
}

AddBiasOpx::AddBiasOpx(Op* op, Devicex* devicex) : Opx(op, devicex) {}
AddBiasOpx::~AddBiasOpx() = default;
void AddBiasOpx::grow(poplar::program::Sequence& prog) const {
  const poplar::Tensor data = cloneNcopy(prog, getInTensor(AddBiasOp::getDataInIndex()));
  poplin::addBias(graph(), data, getInTensor(AddBiasOp::getBiasInIndex()), prog,
                  debugContext("bias"));
  setOutTensor(0, data);
}
AddBiasInplaceOpx::AddBiasInplaceOpx(Op* op, Devicex* devicex) : AddBiasOpx(op, devicex) {}
AddBiasInplaceOpx::~AddBiasInplaceOpx() = default;
void AddBiasInplaceOpx::grow(poplar::program::Sequence& prog) const {
  const poplar::Tensor& data = getInTensor(AddBiasOp::getDataInIndex());
  poplin::addBias(graph(), data, getInTensor(AddBiasOp::getBiasInIndex()), prog,
                  debugContext("bias"));
  setOutTensor(0, data);
}
AddBiasDataGradOpx::AddBiasDataGradOpx(Op* op, Devicex* devicex) : Opx(op, devicex) {}
AddBiasDataGradOpx::~AddBiasDataGradOpx() = default;
void AddBiasDataGradOpx::grow(poplar::program::Sequence& prog) const {
  setOutTensor(0, cloneNcopy(prog, getInTensor(0)));
}
AddBiasBiasGradOpx::AddBiasBiasGradOpx(Op* op, Devicex* devicex) : ReduceSumOpx(op, devicex) {}
AddBiasBiasGradOpx::~AddBiasBiasGradOpx() = default;

}  // namespace popx
}  // namespace popart
