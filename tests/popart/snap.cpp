// Lowerings in the interface of SDK 2.3 to 3.1: PopOpx, EwuComputex and slice plans of snap's
// tensors.
#include <popart/op.hpp>
#include <popart/op/elementwise.hpp>
#include <popart/op/identity.hpp>
#include <popart/opmanager.hpp>
#include <popart/popx/op/elementwisex.hpp>
#include <popart/popx/op/gatherx.hpp>
#include <popart/popx/op/sliceplanx.hpp>
#include <popart/popx/opxmanager.hpp>
#include <popart/popx/popopx.hpp>
//
#include <popart/popx/op/collectives/collectivesx.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/Zero.hpp>
#include <poputil/TileMapping.hpp>
#include <snap/Graph.hpp>
#include <snap/Program.hpp>
#include <snap/Tensor.hpp>
#include <snap/popops/ElementWise.hpp>

#include <limits>

using namespace popart;
namespace pe = popops::expr;

namespace {

OperatorIdentifier named(const char* type) { return {"test", type, 1}; }

template <class OP>
std::vector<std::unique_ptr<Op>> one(OP* op) {
  std::vector<std::unique_ptr<Op>> ops;
  ops.emplace_back(op);
  return ops;
}

/// What an operator says that does nothing special: its output is as its input.
template <class OP>
class Base : public Op {
 public:
  using Op::Op;
  std::unique_ptr<Op> clone() const override {
    return std::make_unique<OP>(static_cast<const OP&>(*this));
  }
  void setup() override { outInfo(0) = inInfo(0); }
  float getSubgraphValue() const final { return getLowSubgraphValue(); }
};

// Copied: out of getInTensor, a variable that Poplar's graph makes, a Copy. A layout of the output
// goes through to the input.

class Copied : public Base<Copied> {
 public:
  using Base::Base;
  std::vector<std::unique_ptr<Op>> getGradOps() final { return one(new IdentityGradOp(settings)); }
};

class CopiedOpx : public popx::PopOpx {
 public:
  CopiedOpx(Op* op, popx::Devicex* devicex) : PopOpx(op, devicex) {
    verifyOp<Copied>(op, {named("Copied")});
  }
  void grow(snap::program::Sequence& prog) const final {
    poplar::Graph& poplarGraph = graph().getPoplarGraph();
    // A reference that has to live on.
    const poplar::Tensor& in = getInTensor(0).getPoplarTensor();
    const poplar::Tensor made = poplarGraph.addVariable(in.elementType(), inShapeSzt(0));
    poputil::mapTensorLinearly(poplarGraph, made);
    const snap::Tensor out{made, graph()};
    prog.add(snap::program::WriteUndef(out));
    prog.add(snap::program::Copy({in, graph()}, out, false, debugPrefix("copied")));
    setOutTensor(0, out);
    if (hasInViewChangers(0)) throw error("an input has a view");
    setOutViewChangers(0, getInViewChangers(0));
  }
  popx::InputCreatorType getInputCreatorType(InIndex) const final {
    return popx::InputCreatorType::CanUnwind;
  }
  snap::Tensor unwindTensorLayout(snap::Tensor tensor, InIndex, OutIndex) const final {
    return tensor;
  }
};

OpCreator<Copied> copied(OpDefinitions({{named("Copied"), {}}}));
popx::OpxCreator<CopiedOpx> copiedX(named("Copied"));

// Rows: of [entries, size] the rows of some indices, each input laid out for one slice plan, the
// indices first.

class Rows : public Base<Rows> {
 public:
  using Base::Base;
  void setup() final {
    Shape shape = inShape(1);
    shape.push_back(inShape(0).at(1));
    outInfo(0) = {inInfo(0).dataType(), shape};
  }
  std::vector<std::unique_ptr<Op>> getGradOps() final;
};

class RowsGrad : public Base<RowsGrad> {
 public:
  explicit RowsGrad(const Rows& op) : Base(named("RowsGrad"), op.settings), info_(op.inInfo(0)) {}
  void setup() final { outInfo(0) = info_; }
  const std::vector<GradInOutMapper>& gradInputInfo() const final {
    static const std::vector<GradInOutMapper> inputs = {{0, 0, GradOpInType::GradOut},
                                                        {1, 1, GradOpInType::In}};
    return inputs;
  }
  const std::map<int, int>& gradOutToNonGradIn() const final {
    static const std::map<int, int> outputs = {{0, 0}};
    return outputs;
  }

 private:
  TensorInfo info_;
};

std::vector<std::unique_ptr<Op>> Rows::getGradOps() { return one(new RowsGrad(*this)); }

class RowsOpx : public popx::PopOpx {
 public:
  RowsOpx(Op* op, popx::Devicex* devicex) : PopOpx(op, devicex) {
    inputCreatorPriority = std::numeric_limits<double>::max();
    const auto options = popx::createSlicePlanOptions(popx::SlicePlanUsedFor::Slice);
    plan_ = popx::createSlicePlan(graph(), inInfo(0), inInfo(1), options, 0);
  }
  popx::InputCreatorType getInputCreatorType(InIndex) const final {
    return popx::InputCreatorType::CanCreate;
  }
  std::set<TensorId> mustExistBeforeCreate(int index) const final {
    return index == 0 ? std::set<TensorId>{inId(1)} : std::set<TensorId>{};
  }
  snap::Tensor createInputTensor(InIndex index, const poplar::DebugNameAndId& dnai) const final {
    if (index == 1) return popx::createIndicesTensor(graph(), inInfo(1), plan_, 0, dnai);
    // Each row of the data on the tile that the first index lies on, and the plan's shape.
    const snap::Tensor planned = popx::createDataTensor(graph(), inInfo(0), plan_, 0, dnai);
    const snap::Tensor made = graph().addVariable(planned.elementType(), planned.shape(), dnai);
    const auto tiles =
        graph().getPoplarGraph().getTileMapping(getInTensor(1).flatten()[0].getPoplarTensor());
    for (unsigned tile = 0; tile < tiles.size(); ++tile)
      if (!tiles[tile].empty())
        graph().getPoplarGraph().setTileMapping(made.getPoplarTensor(), tile);
    return made;
  }
  void grow(snap::program::Sequence& prog) const final {
    const snap::Tensor indices = getInTensor(1).reinterpret(poplar::UNSIGNED_INT).flatten();
    const poplar::Tensor rows = popops::multiSlice(
        srcVirtualGraph(0).getPoplarGraph(), getInTensor(0).getPoplarTensor(),
        indices.expand({1}).getPoplarTensor(), {0}, {1}, prog.getPoplarSequence(), plan_, {});
    setOutTensor(0, snap::Tensor(rows, graph()).squeeze({1}).reshape(outShapeSzt(0)));
  }

 private:
  popops::SlicePlan plan_;
};

class RowsGradOpx : public popx::PopOpx {
 public:
  using PopOpx::PopOpx;
  void grow(snap::program::Sequence& prog) const final {
    poplar::program::Sequence& poplarProg = prog.getPoplarSequence();
    poplar::Graph& poplarGraph = outGraph(0).getPoplarGraph();
    const snap::Tensor out = graph().addVariable(popx::popType(outInfo(0)), outShapeSzt(0),
                                                 poplar::VariableMappingMethod::LINEAR, "rows");
    popops::zero(poplarGraph, out.getPoplarTensor(), poplarProg, debugContext("zero"));
    const auto parts = popx::GatherGradOpx::handleNDMultiUpdate(
        out.getPoplarTensor(), getInTensor(0).getPoplarTensor(), getInTensor(1).getPoplarTensor(),
        0);
    popops::multiUpdateAdd(poplarGraph, std::get<0>(parts), std::get<1>(parts), std::get<2>(parts),
                           getConst(poplar::FLOAT, {}, 1.0, "one").getPoplarTensor(), {0}, {1},
                           poplarProg, {}, {});
    setOutTensor(0, out);
  }
};

OpCreator<Rows> rows(OpDefinitions({{named("Rows"), {}}}));
popx::OpxCreator<RowsOpx> rowsX(named("Rows"), [](Op* op, popx::Devicex* devicex) {
  return std::unique_ptr<popx::PopOpx>(new RowsOpx(op, devicex));
});
popx::OpxCreator<RowsGradOpx> rowsGradX(named("RowsGrad"));

// Soft: softsign, of an EwuComputex; its gradient takes what a PopOpx offers beside inputs.

class Soft : public ElementWiseUnaryOp {
 public:
  using ElementWiseUnaryOp::ElementWiseUnaryOp;
  std::unique_ptr<Op> clone() const final { return std::make_unique<Soft>(*this); }
  std::vector<std::unique_ptr<Op>> getGradOps() final;
};

class SoftGrad : public ElementWiseNonLinearUnaryGradOp {
 public:
  explicit SoftGrad(const Soft& op) : ElementWiseNonLinearUnaryGradOp(named("SoftGrad"), op) {}
  std::unique_ptr<Op> clone() const final { return std::make_unique<SoftGrad>(*this); }
};

std::vector<std::unique_ptr<Op>> Soft::getGradOps() { return one(new SoftGrad(*this)); }

class SoftComputex : public popx::EwuComputex {
 public:
  void inplace(snap::program::Sequence& prog, snap::Graph& graph, const snap::Tensor& tensor,
               const poplar::DebugNameAndId& dnai, const std::string&) const final {
    snap::popops::mapInPlace(graph, pe::Divide(pe::_1, pe::Add(pe::Const(1), pe::Abs(pe::_1))),
                             {tensor}, prog, {dnai, "soft"});
  }
  snap::Tensor reshape(const snap::Tensor& tensor) const final {
    return coerceTo2D(tensor, 1).reshape(tensor.shape());
  }
};

class SoftOpx : public popx::ElementWiseUnaryOutplaceOpx {
 public:
  SoftOpx(Op* op, popx::Devicex* devicex)
      : ElementWiseUnaryOutplaceOpx(op, devicex, std::make_unique<SoftComputex>()) {}
};

class SoftGradOpx : public popx::PopOpx {
 public:
  using PopOpx::PopOpx;
  void grow(snap::program::Sequence& prog) const final {
    const snap::Tensor gradient = getInTensor(SoftGrad::getGradInIndex());
    const snap::Tensor x = getInTensor(SoftGrad::getFwdArgInIndex());
    // 1 + |x|, in two steps, to a copy of zeros of which one element is stored.
    const snap::Tensor sum = cloneNcopy(prog, getZerosTensor(x.shape(), x.elementType(), "zeros"));
    const snap::Tensor scalar = getScalarVariable(x.elementType(), "one");
    prog.add(snap::program::Copy(getConst(x.elementType(), {}, 1.0, "constant"), scalar));
    snap::popops::addInPlace(graph(), sum, scalar, prog, debugContext("one"));
    snap::popops::mapInPlace(graph(), pe::Add(pe::_1, pe::Abs(pe::_2)), {sum, x}, prog);
    setOutTensor(0, snap::popops::map(graph(), pe::Divide(pe::_1, pe::Square(pe::_2)),
                                      {gradient, sum}, prog, debugContext("gradient")));
  }
};

OpCreator<Soft> soft(OpDefinitions({{named("Soft"), {}}}));
popx::OpxCreator<SoftOpx> softX(named("Soft"));
popx::OpxCreator<SoftGradOpx> softGradX(named("SoftGrad"));

// Mixed: a * b + a, of an EwbComputex.

class Mixed : public ElementWiseBinaryOp {
 public:
  using ElementWiseBinaryOp::ElementWiseBinaryOp;
  std::unique_ptr<Op> clone() const final { return std::make_unique<Mixed>(*this); }
};

class MixedComputex : public popx::EwbComputex {
 public:
  snap::Tensor outplace(snap::program::Sequence& prog, snap::Graph& graph, const snap::Tensor& a,
                        const snap::Tensor& b, const poplar::DebugNameAndId& dnai,
                        const std::string&) const final {
    const snap::Tensor product =
        snap::popops::map(graph, pe::BinaryOpType::MULTIPLY, a, b, prog, {dnai});
    snap::popops::mapInPlace(graph, pe::BinaryOpType::ADD, product, a, prog, {dnai});
    return product;
  }
  snap::Tensor maybeInplace(snap::program::Sequence& prog, snap::Graph& graph,
                            const snap::Tensor& a, const snap::Tensor& b,
                            const poplar::DebugNameAndId& dnai,
                            const std::string& name) const final {
    return outplace(prog, graph, a, b, dnai, name);
  }
};

class MixedOpx : public popx::ElementWiseBinaryOutplaceOpx {
 public:
  MixedOpx(Op* op, popx::Devicex* devicex)
      : ElementWiseBinaryOutplaceOpx(op, devicex, std::make_unique<MixedComputex>()) {}
};

OpCreator<Mixed> mixed(OpDefinitions({{named("Mixed"), {}}}));
popx::OpxCreator<MixedOpx> mixedX(named("Mixed"));

// View: the input [4, 6] under one of the views of snap's tensors, as a copy; its output has the
// shape of the attribute "shape".

class View : public Base<View> {
 public:
  View(const OperatorIdentifier& opid, const Settings& settings, std::string what_, Shape shape)
      : Base(opid, settings), what(std::move(what_)), shape_(std::move(shape)) {}
  void setup() final { outInfo(0) = {inInfo(0).dataType(), shape_}; }
  const std::string what;

 private:
  Shape shape_;
};

class ViewOpx : public popx::PopOpx {
 public:
  using PopOpx::PopOpx;
  void grow(snap::program::Sequence& prog) const final {
    setOutTensor(0, cloneNcopy(prog, view(getInView(0), prog), "view"));
  }

 private:
  snap::Tensor view(const snap::Tensor& x, snap::program::Sequence& prog) const {
    const std::string& what = getOp<View>().what;
    if (what == "index") return x[1];
    if (what == "slice") return x.slice(1, 3, 1);
    if (what == "interval") return x.slice(poplar::Interval(1, 3));
    if (what == "box") return x.slice({1, 2}, {3, 6});
    if (what == "subSample") return x.subSample(2, 1);
    if (what == "reverse") return x.reverse(1);
    if (what == "flatten") return x.expand({0}).flatten(0, 2);
    if (what == "reshapePartial") return x.reshapePartial(1, 2, {2, 3});
    if (what == "dimShuffle") return x.dimShuffle({1, 0});
    if (what == "dimShufflePartial") return x.dimShufflePartial({1}, {0});
    if (what == "dimRoll") return x.dimRoll(1);
    if (what == "transpose") return x.transpose();
    if (what == "broadcast") return x.broadcast(2, 0);
    if (what == "upsample") return x.upsample(2, 1);
    if (what == "squeeze") return x.expand({0, 1}).squeeze();
    if (what == "concat") return snap::concat({x, x.reverse(0)}, 1);
    if (what == "two") return snap::concat(x, x);
    if (what == "clone") return cloneNcopy(prog, inId(0));
    if (what == "repeat") {
      const snap::Tensor sum = cloneNcopy(prog, x);
      snap::program::Sequence body(debugContext("body"), graph());
      snap::popops::addInPlace(graph(), sum, x, body);
      prog.add(snap::program::Repeat(3, body));
      return sum;
    }
    if (what == "if") {
      const snap::Tensor out = graph().clone(x);
      snap::program::Sequence yes(graph()), no, all;
      yes.add(snap::program::Copy(x, out));
      no.add(snap::program::Copy(x.reverse(0), out));
      const snap::Tensor never = graph().addConstant(poplar::BOOL, {}, false);
      graph().getPoplarGraph().setTileMapping(never.getPoplarTensor(), 0);
      all.add(snap::program::If(never, yes, no));
      prog.add(all);
      return out;
    }
    if (what == "facts" && x.valid() && x.rank() == 2 && x.dim(1) == 6 && x.numElements() == 24 &&
        x.isContiguous() && !x.containsConstant() && x.isParallelWriteable() &&
        x.broadcast(2, 0).containsAliases() && x.intersectsWith(x[0]) && x == getView(inId(0)) &&
        x[0] != x[1] && x.graph() == &graph() && &inGraph(0) == &dstVirtualGraph(0) &&
        &topLevelGraph().getTarget() == &graph().getPoplarGraph().getTarget()) {
      insert(outId(0), x);
      return getOutView(0);
    }
    throw error("no view {}", what);
  }
};

OpCreator<View> views(
    OpDefinitions({{named("View"), {}}}),
    [](const OpCreatorInfo& info) -> std::unique_ptr<Op> {
      return std::make_unique<View>(info.opid, info.settings,
                                    info.attributes.getAttribute<Attributes::String>("what"),
                                    info.attributes.getAttribute<Attributes::Ints>("shape"));
    },
    true);
popx::OpxCreator<ViewOpx> viewsX(named("View"));

// Longer: a lowering that derives from the base of collectives, and makes its input with two elements
// more than the model has, on the last tile.

/// What is left of a tensor without its last elements, as a view of snap's.
class Shorter : public popx::ViewChanger {
 public:
  using ViewChanger::apply;
  snap::Tensor apply(snap::Tensor tensor) const final {
    return tensor.slice(0, tensor.dim(0) - 2, 0);
  }
};

struct Longer : Base<Longer> {
  using Base::Base;
};

class LongerOpx : public popx::CollectivesBaseOpx {
 public:
  LongerOpx(Op* op, popx::Devicex* devicex) : CollectivesBaseOpx(op, devicex) {
    inputCreatorPriority = -1.0;
  }
  void grow(snap::program::Sequence& prog) const override {
    setOutTensor(0, cloneNcopy(prog, getInTensor(0)));
  }
  popx::InputCreatorType getInputCreatorType(InIndex index) const override {
    return index == 0 ? popx::InputCreatorType::CanCreate : PopOpx::getInputCreatorType(index);
  }
  snap::Tensor createInputTensor(InIndex index, const poplar::DebugNameAndId& dnai) const override {
    const auto given = inShapeSzt(index);
    const snap::Tensor made =
        graph().addVariable(popx::popType(inInfo(index)), {given.at(0) + 2}, dnai);
    auto& reorder = *createCollectiveBalancedReorder(made, 0);
    if (getCollectiveBalancedReorder(0) != &reorder || getCollectiveLinkedGroup(0).id != op_p->id)
      throw error("another order");
    poplar::Graph& inner = graph().getPoplarGraph();
    inner.setTileMapping(made.getPoplarTensor(), inner.getTarget().getNumTiles() - 1);
    return made;
  }
  bool hasCreatorViewChangers(InIndex) const override { return true; }
  popx::ViewChangers getCreatorViewChangers(InIndex) const override {
    const popx::ViewChangers views({std::make_shared<Shorter>()});
    const snap::Tensor four = graph().addVariable(poplar::FLOAT, {4});
    if (views.apply(four).dim(0) != 2 || views.apply(four).graph() != &graph())
      throw error("a view of another graph");
    dv_p->lowering().getLinearMapper().mapTensor(graph(), four);
    return views;
  }
};

OpCreator<Longer> longer(OpDefinitions({{named("Longer"), {}}}));
popx::OpxCreator<LongerOpx> longerX(named("Longer"));

// Bare: a PopOpx that overrides nothing, and an EwuComputex that does not.

struct Bare : Base<Bare> {
  using Base::Base;
};
struct Empty : Base<Empty> {
  using Base::Base;
};
struct EmptyComputex : popx::EwuComputex {};
struct EmptyOpx : popx::ElementWiseUnaryOutplaceOpx {
  EmptyOpx(Op* op, popx::Devicex* devicex)
      : ElementWiseUnaryOutplaceOpx(op, devicex, std::make_unique<EmptyComputex>()) {}
};

OpCreator<Bare> bare(OpDefinitions({{named("Bare"), {}}}));
OpCreator<Empty> empty(OpDefinitions({{named("Empty"), {}}}));
popx::OpxCreator<popx::PopOpx> bareX(named("Bare"));
popx::OpxCreator<EmptyOpx> emptyX(named("Empty"));

}  // namespace
