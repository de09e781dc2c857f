// Operators that derive from popart::GatherOp, or make objects of it, with several groups.
#include <popart/graph.hpp>
#include <popart/op/gather.hpp>
#include <popart/operators.hpp>
#include <popart/opmanager.hpp>
#include <popart/patterns/patterns.hpp>
#include <popart/popx/op/gatherx.hpp>
#include <popart/popx/opxmanager.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/Zero.hpp>

using namespace popart;

namespace {

OperatorIdentifier named(const char* type) { return {"test", type, 1}; }

template <class OP>
std::unique_ptr<Op> made(const OpCreatorInfo& info) {
  const Attributes& a = info.attributes;
  return std::unique_ptr<Op>(new OP(info.opid, a.getAttribute<Attributes::Int>("axis"),
                                    a.getAttribute<Attributes::Int>("groups", 1), info.settings,
                                    nonstd::nullopt, a.getAttribute<Attributes::Int>("zeros", 0)));
}

// Rows: the lowering is the library's, the gradient popart::GatherGradOp.

class Rows : public GatherOp {
 public:
  using GatherOp::GatherOp;
  std::unique_ptr<Op> clone() const override { return std::make_unique<Rows>(*this); }
};

class RowsOpx : public popx::Opx {
 public:
  using Opx::Opx;
  void grow(poplar::program::Sequence& prog) const final {
    const auto& op = getOp<Rows>();
    const unsigned axis = unsigned(op.getAxis()), groups = unsigned(op.getGroupSize());
    const unsigned lead = groups > 1 ? 1 : 0;
    const auto data = getInTensor(0);
    auto at = getInTensor(1).reinterpret(poplar::UNSIGNED_INT).flatten().expand({1});
    if (lead > 0) at = at.reshape({groups, at.dim(0) / groups, 1});
    const auto slices =
        lead > 0 ? popops::groupedMultiSlice(graph(), data, at, {axis - 1}, {1}, prog, {}, {})
                 : popops::multiSlice(graph(), data, at, {axis}, {1}, prog, {}, {});
    const auto placed = slices.squeeze({axis + 1}).dimRoll(lead, axis);
    setOutTensor(0, placed.reshape(outInfo(0).shape_szt()));
  }
};

OpCreator<Rows> rows(OpDefinitions({{named("Rows"), {}}}), made<Rows>, true);
popx::OpxCreator<RowsOpx> rowsX(named("Rows"));

// RowsOwn: the gradient's lowering is the library's too.

class RowsOwn : public Rows {
 public:
  using Rows::Rows;
  std::unique_ptr<Op> clone() const final { return std::make_unique<RowsOwn>(*this); }
  std::vector<std::unique_ptr<Op>> getGradOps() final;
};

class RowsGrad : public GatherGradOp {
 public:
  explicit RowsGrad(const RowsOwn& op) : GatherGradOp(op, op.getAxis(), op.getGroupSize()) {
    opid = named("RowsGrad");
  }
  std::unique_ptr<Op> clone() const final { return std::make_unique<RowsGrad>(*this); }
};

std::vector<std::unique_ptr<Op>> RowsOwn::getGradOps() {
  std::vector<std::unique_ptr<Op>> ops;
  ops.emplace_back(new RowsGrad(*this));
  return ops;
}

class RowsGradOpx : public popx::Opx {
 public:
  using Opx::Opx;
  void grow(poplar::program::Sequence& prog) const final {
    const auto& op = getOp<RowsGrad>();
    const auto g = getInTensor(RowsGrad::gradInIndex());
    const auto out = graph().addVariable(g.elementType(), outInfo(0).shape_szt(),
                                         poplar::VariableMappingMethod::LINEAR, "gradient");
    popops::zero(graph(), out, prog, debugContext("zero"));
    setOutTensor(RowsGrad::gradOutIndex(), out);
    const auto parts = popx::GatherGradOpx::handleNDMultiUpdate(
        out, g, getInTensor(RowsGrad::indicesInIndex()), op.getAxis(), op.getGroupSize());
    const auto add =
        op.getGroupSize() > 1
            ? popops::groupedMultiUpdateAdd
            : static_cast<decltype(&popops::groupedMultiUpdateAdd)>(popops::multiUpdateAdd);
    add(graph(), std::get<0>(parts), std::get<1>(parts), std::get<2>(parts),
        getConst(g.elementType(), {}, 1.0, "one"), {0}, {1}, prog, {}, {}, debugContext("add"));
  }
};

OpCreator<RowsOwn> rowsOwn(OpDefinitions({{named("RowsOwn"), {}}}), made<RowsOwn>, true);
popx::OpxCreator<RowsOpx> rowsOwnX(named("RowsOwn"));
popx::OpxCreator<RowsGradOpx> rowsGradX(named("RowsGrad"));

// Marked: a pattern makes the compiler's own gather of it.

class Marked : public GatherOp {
 public:
  using GatherOp::GatherOp;
  std::unique_ptr<Op> clone() const final { return std::make_unique<Marked>(*this); }
};

class MarkedToGather : public PreAliasPattern {
 public:
  bool matches(Op* op) const final { return op->isConvertibleTo<Marked>(); }
  std::vector<const popart::Tensor*> touches(Op*) const final { return {}; }
  bool apply(Op* op) const final {
    const auto* marked = dynamic_cast<const Marked*>(op);
    const auto in = op->input->tensorIdMap(), out = op->output->tensorIdMap();
    Graph& graph = op->getGraph();
    op->disconnectAllInputs();
    op->disconnectAllOutputs();
    const OperatorIdentifier opid = marked->zeroOutOfRangeIndices()
                                        ? OperatorIdentifier(Onnx::Operators::Gather_11)
                                        : OperatorIdentifier(Onnx::CustomOperators::GroupedGather);
    graph.createConnectedOp<GatherOp>(in, out, opid, marked->getAxis(), marked->getGroupSize(),
                                      Op::Settings(graph, "gather"), nonstd::nullopt,
                                      marked->zeroOutOfRangeIndices());
    graph.eraseOp(op->id);
    return true;
  }
};

OpCreator<Marked> marked(OpDefinitions({{named("Marked"), {}}}), made<Marked>, true);
PatternCreator<MarkedToGather> markedToGather("MarkedToGather", true);

class SeenGather : public PreAliasPattern {
 public:
  bool matches(Op* op) const final {
    if (const auto* gather = dynamic_cast<const GatherOp*>(op))
      logging::pattern::info("{} groups along {} of {}", gather->getGroupSize(), gather->getAxis(),
                             gather->opid.type);
    return false;
  }
  std::vector<const popart::Tensor*> touches(Op*) const final { return {}; }
  bool apply(Op*) const final { return false; }
};

PatternCreator<SeenGather> seenGather("SeenGather", true);

// Split: what handleNDMultiUpdate says of tensors that are not in groups.

class SplitOpx : public popx::Opx {
 public:
  using Opx::Opx;
  void grow(poplar::program::Sequence&) const final {
    const auto& op = getOp<Rows>();
    popx::GatherGradOpx::handleNDMultiUpdate(getInTensor(0), getInTensor(0), getInTensor(1),
                                             op.getAxis(), 5);
  }
};

OpCreator<Rows> split(OpDefinitions({{named("Split"), {}}}), made<Rows>, true);
popx::OpxCreator<SplitOpx> splitX(named("Split"));

// GatherToRows: a pattern puts an operator of the library in the place of ONNX's.

class GatherToRows : public PreAliasPattern {
 public:
  bool matches(Op* op) const final {
    return op->isConvertibleTo<GatherOp>() && op->name() == "to rows";
  }
  std::vector<const popart::Tensor*> touches(Op*) const final { return {}; }
  bool apply(Op* op) const final {
    const auto axis = dynamic_cast<const GatherOp*>(op)->getAxis();
    const auto in = op->input->tensorIdMap(), out = op->output->tensorIdMap();
    Graph& graph = op->getGraph();
    op->disconnectAllInputs();
    op->disconnectAllOutputs();
    graph.createConnectedOp<Rows>(in, out, named("Rows"), axis, 1, Op::Settings(graph, "rows"));
    graph.eraseOp(op->id);
    return true;
  }
};

PatternCreator<GatherToRows> gatherToRows("GatherToRows", true);

// Spread: the slices of a tensor that is made for a slice lie where that does.

class SpreadOpx : public popx::Opx {
 public:
  using Opx::Opx;
  void grow(poplar::program::Sequence&) const final {
    const auto slice = graph().addVariable(poplar::FLOAT, {2, 3}, "slice");
    graph().setTileMapping(slice[0], 1);
    graph().setTileMapping(slice[1], 3);
    const auto all = popops::createSliceableTensorFromSlice(graph(), slice, {0, 1}, {2, 4});
    if (all.shape() != std::vector<std::size_t>{4, 12}) throw error("wrong shape");
    const auto mapping = graph().getTileMapping(slice);
    for (std::size_t i = 0; i < 4; i += 2)
      for (std::size_t j = 0; j < 12; j += 3)
        if (graph().getTileMapping(all.slice({i, j}, {i + 2, j + 3})) != mapping)
          throw error("slice {} {} lies elsewhere", i, j);
    setOutTensor(0, getInTensor(0));
  }
};

OpCreator<Rows> spread(OpDefinitions({{named("Spread"), {}}}), made<Rows>, true);
popx::OpxCreator<SpreadOpx> spreadX(named("Spread"));

}  // namespace
