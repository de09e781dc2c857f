// Patterns that ask operators and graphs what PopART's answer, and operators that use the answers.
#include <popart/graph.hpp>
#include <popart/ir.hpp>
#include <popart/op/loss.hpp>
#include <popart/op/relu.hpp>
#include <popart/op/sum.hpp>
#include <popart/opidentifier.hpp>
#include <popart/opmanager.hpp>
#include <popart/patterns/patterns.hpp>
#include <popart/popx/opx.hpp>
#include <popart/popx/opxmanager.hpp>
#include <popart/region.hpp>
#include <popart/util.hpp>
#include <popops/ElementWise.hpp>

using namespace popart;

namespace {

OperatorIdentifier named(const char* type) { return {"test.queries", type, 1}; }

// Times: a * b, broadcast.

class TimesOp : public Op {
 public:
  using Op::Op;
  std::unique_ptr<Op> clone() const override { return std::make_unique<TimesOp>(*this); }
  void setup() override { outInfo(0) = prettyNpOut(inInfo(0), inInfo(1)); }
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
};

class TimesOpx : public popx::Opx {
 public:
  using Opx::Opx;
  void grow(poplar::program::Sequence& prog) const override {
    setOutTensor(0, popops::mul(graph(), getInTensor(0), getInTensor(1), prog, debugContext("t")));
  }
};

OpCreator<TimesOp> times(OpDefinitions({{named("Times"), {}}}));
popx::OpxCreator<TimesOpx> timesOpx(named("Times"));

// Backwards: a Sum of the built-in class with a lowering of its own, which adds from the last to
// the first; a pattern puts it in the place of every Sum, with the orders that that has.

class BackwardsOp : public SumOp {
 public:
  explicit BackwardsOp(const Op::Settings& settings) : SumOp(named("Backwards"), settings) {}
  std::unique_ptr<Op> clone() const override { return std::make_unique<BackwardsOp>(*this); }
};

class BackwardsOpx : public popx::Opx {
 public:
  using Opx::Opx;
  void grow(poplar::program::Sequence& prog) const override {
    int i = op_p->input->n() - 1;
    poplar::Tensor sum = getInTensor(i);
    while (i-- > 0) sum = popops::add(graph(), sum, getInTensor(i), prog, debugContext("sum"));
    setOutTensor(0, cloneNcopy(prog, sum));
  }
};

popx::OpxCreator<BackwardsOpx> backwardsOpx(named("Backwards"));

class SumBackwards : public PreAliasPattern {
 public:
  bool matches(Op* op) const override {
    return op->isConvertibleTo<SumOp>() && !op->isConvertibleTo<BackwardsOp>();
  }
  std::vector<const popart::Tensor*> touches(Op*) const override { return {}; }
  bool apply(Op* op) const override {
    const auto inputs = op->input->tensorIdMap(), outputs = op->output->tensorIdMap();
    op->disconnectAllInputs();
    op->disconnectAllOutputs();
    Graph& graph = op->getGraph();
    Op* made = graph.createConnectedOp<BackwardsOp>(inputs, outputs, op->settings);
    graph.topoCons->transfer(op, made);
    graph.eraseOp(op->id);
    return true;
  }
};

PatternCreator<SumBackwards> sumBackwards("SumBackwards", false);

/// Puts a constant in the place of the tensor "one".
class OneToTwo : public PreAliasPattern {
 public:
  bool matches(Op* op) const override {
    return op->opid.type == "Times" && op->getIr().containsTensor("one");
  }
  std::vector<const popart::Tensor*> touches(Op*) const override { return {}; }
  bool apply(Op* op) const override {
    Graph& graph = op->getGraph();
    Tensors& tensors = op->getIr().getMainGraphTensors();
    const std::vector<float> two(2, 2.0f);
    tensors.addConstInit("two", TensorInfo("FLOAT", {2}), two.data());
    graph.replaceTensor("one", "two");
    tensors.remove("one");
    return true;
  }
};

PatternCreator<OneToTwo> oneToTwo("OneToTwo", false);

/// Asks, and logs.
class Ask : public PreAliasPattern {
 public:
  bool matches(Op* op) const override { return op->opid.type == "Times"; }
  std::vector<const popart::Tensor*> touches(Op*) const override { return {}; }
  bool apply(Op* op) const override {
    using logging::pattern::info;
    Graph& graph = op->getGraph();
    Ir& ir = op->getIr();
    Op* before = op->getPrecedingOp(0);
    Op* after = op->getFollowingOp<ReluOp>();
    popart::Tensor* in = op->inTensor(0);
    info("neighbours {} {} {} {}", before->opid, op->getFollowingOps<Op>(0).size(),
         op->isParentOf(after), op->isChildOf(after));
    info("indices {} {}", op->inIndex(op->inTensor(1)), op->outIndex(op->outTensor(0)));
    info("kinds {} {} {} {}", after->isElementWiseUnary(), op->isLossOp(), op->isNorm(),
         op->isOptimizerOp());
    info("memory {} {} {} {}", op->modifies(), op->isOutplace(), op->modifiesTensor(in),
         op->overwritesTensor(in));
    info("bytes {} axis {}", op->memOfOutputs(), op->getInBatchAxis(0));
    info("equal {}", op->getSubgraphEquivId());
    info("excluded {}", op->isExcludedFromPattern(this));
    info("stage {} {} {}", op->hasPipelineStage(), op->getPipelineStage(), op->hasExecutionPhase());
    op->setVirtualGraphId(3);
    info("vgraph {} {}", op->hasVirtualGraphId(), op->getVirtualGraphId());
    std::vector<OpId> ids;
    for (auto& idAndOp : graph.getOps()) {
      std::unique_ptr<Op>& each = idAndOp.second;
      if (each->opid.type == "Times") ids.push_back(idAndOp.first);
    }
    info("ops {} {} {}", ids, ir.getAllOps().size(), ir.getMainGraphOps().size());
    info("tensors {} {}", ir.getTensorIds(TensorType::Stream), ir.getTensor("x")->info);
    info("ir {} {} {}", ir.canTrain(), ir.hasConstructedBackwards(), ir.hasDecomposedOptimizers());
    orders(*graph.topoCons, before, op);
    values(*in);
    return false;
  }

 private:
  void orders(TopoCons& orders, Op* before, Op* op) const {
    using logging::pattern::info;
    orders.insert(before, op);
    info("orders {} {} {} {}", orders.contains(before, op), orders.contains(op, before),
         orders.getAfters(before).size(), orders.getBefores(op).size());
    orders.remove(op);
    info("orders {} {}", orders.hasConstraint(op), orders.hasConstraint(before));
  }
  void values(const popart::Tensor& tensor) const {
    using logging::pattern::info;
    const DataTypeInfo* type = tensor.info.getDataTypeInfo();
    info("type {} {} {} {} {}", type->nbytes(), type->name(), type->lcasename(),
         type->isFixedPoint(), getDataTypeInfoMap().at(DataType::BOOL).isFixedPoint());
    const view::Region box({2, 1, 0}, {4, 3, 7});
    info("box {}; {}; {} {}", box.transpose({1, 0, 2}), box.reverse({9, 9, 9}, {2, 1}),
         box.flatIndex({3, 1, 0}), box.dimIndex(7));
    info("bounds {}", view::regionBounds({{{2, 3}, {4, 5}}, {{0, 5}, {8, 6}}}));
    info("numbers {}", vBooltoY<int>({true, false}));
    validateReduceAxes({-2, 1}, 2, "two");
  }
};

PatternCreator<Ask> ask("Ask", false);

/// Asks for what is not there: what the operator's name says.
class AskWrong : public PreAliasPattern {
 public:
  bool matches(Op* op) const override { return op->opid.type == "Times"; }
  std::vector<const popart::Tensor*> touches(Op*) const override { return {}; }
  bool apply(Op* op) const override {
    if (op->name() == "vgraph") op->getVirtualGraphId();
    if (op->name() == "preceding") op->getPrecedingOp(1);
    if (op->name() == "class") op->getPrecedingOp<LossOp>(0);
    if (op->name() == "following") op->getPrecedingOp(0)->getFollowingOp();
    if (op->name() == "index") op->inIndex(op->outTensor(0));
    if (op->name() == "disconnect") op->disconnectInTensor(0, op->inTensor(1));
    const view::Region box({0, 0}, {2, 3});
    if (op->name() == "transpose") box.transpose({1, 1});
    if (op->name() == "reverse") box.reverse({2, 3}, {2});
    if (op->name() == "element") box.flatIndex({2, 0});
    if (op->name() == "number") box.dimIndex(6);
    if (op->name() == "bounds") view::regionBounds({box, {{0}, {1}}});
    if (op->name() == "axes") validateReduceAxes({0, 2}, 2, "Mean");
    if (op->name() == "broadcast") op->prettyNpOut(Shape{2}, Shape{3});
    return false;
  }
};

PatternCreator<AskWrong> askWrong("AskWrong", false);

}  // namespace
