// Functions, comparisons, reductions, Gemm and recurrent layers by class: what a pattern makes of
// an operator, what it sees, what derives from a class, and what lies beside a graph.
#include <popart/builder.hpp>
#include <popart/graph.hpp>
#include <popart/ir.hpp>
#include <popart/op/and.hpp>
#include <popart/op/asin.hpp>
#include <popart/op/atan2.hpp>
#include <popart/op/elu.hpp>
#include <popart/op/equal.hpp>
#include <popart/op/fmod.hpp>
#include <popart/op/gemm.hpp>
#include <popart/op/greater.hpp>
#include <popart/op/gru.hpp>
#include <popart/op/hardsigmoid.hpp>
#include <popart/op/incrementmod.hpp>
#include <popart/op/leakyrelu.hpp>
#include <popart/op/less.hpp>
#include <popart/op/lrn.hpp>
#include <popart/op/lstm.hpp>
#include <popart/op/max.hpp>
#include <popart/op/pow.hpp>
#include <popart/op/reducel2.hpp>
#include <popart/op/reducemax.hpp>
#include <popart/op/reducemean.hpp>
#include <popart/op/reducesum.hpp>
#include <popart/op/reducesumsquare.hpp>
#include <popart/op/rnn.hpp>
#include <popart/op/shrink.hpp>
#include <popart/op/swish.hpp>
#include <popart/operators.hpp>
#include <popart/opmanager.hpp>
#include <popart/patterns/patterns.hpp>
#include <popart/popx/opx.hpp>
#include <popart/popx/opxmanager.hpp>
#include <popart/transforms/prune.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>

using namespace popart;

namespace {

const OperatorIdentifier average = {"test", "Average", 1}, squares = {"test", "Squares", 1};
const OperatorIdentifier made = {"test", "Made", 1}, total = {"test", "Total", 1},
                         totalGrad = {"test", "TotalGrad", 1};

/// A pattern makes it the operator whose name `kind` is.
class Made : public Op {
 public:
  Made(const OperatorIdentifier& opid, const std::string& kind, const TensorInfo& info,
       const Op::Settings& settings)
      : Op(opid, settings), kind(kind), info_(info) {}
  std::unique_ptr<Op> clone() const final { return std::make_unique<Made>(*this); }
  void setup() final { outInfo(0) = info_; }
  float getSubgraphValue() const final { return getLowSubgraphValue(); }
  std::string kind;

 private:
  TensorInfo info_;
};

OpCreator<Made> madeCreator(
    OpDefinitions({{made, {}}}),
    [](const OpCreatorInfo& info) -> std::unique_ptr<Op> {
      const auto kind = info.attributes.getAttribute<Attributes::String>("kind");
      const auto shape = info.attributes.getAttribute<Attributes::Ints>("shape");
      const bool compares = kind == "equal" || kind == "less" || kind == "greater";
      return std::make_unique<Made>(info.opid, kind,
                                    TensorInfo(compares ? DataType::BOOL : DataType::FLOAT, shape),
                                    info.settings);
    },
    true);

using Axes = nonstd::optional<std::vector<int64_t>>;
Axes over(std::vector<int64_t> axes) { return axes; }

class Make : public PreAliasPattern {
 public:
  bool matches(Op* op) const final { return op->isConvertibleTo<Made>(); }
  std::vector<const popart::Tensor*> touches(Op*) const final { return {}; }
  bool apply(Op* op) const final {
    const auto kind = dynamic_cast<Made*>(op)->kind;
    const auto in = op->input->tensorIdMap(), out = op->output->tensorIdMap();
    Graph& g = op->getGraph();
    const Op::Settings s(g, kind, DebugInfo({kind}, "popartbuilder").getId());
    op->disconnectAllInputs();
    op->disconnectAllOutputs();
    namespace O = Onnx::Operators;
    if (kind == "sum")
      g.createConnectedOp<ReduceSumOp>(in, out, O::ReduceSum_11, over({-1, 0}), 1, s);
    else if (kind == "mean")
      g.createConnectedOp<ReduceMeanOp>(in, out, O::ReduceMean_11, over({1}), 0, s);
    else if (kind == "max")
      g.createConnectedOp<ReduceMaxOp>(in, out, O::ReduceMax_11, Axes(), 0, s);
    else if (kind == "l2 set") {
      auto* l2 = g.createConnectedOp<ReduceL2Op>(in, out, O::ReduceL2_11, Axes(), 0, s);
      l2->setAxes({2});
      l2->setKeepDims(1);
      l2->setup();
    } else if (kind == "equal")
      g.createConnectedOp<EqualOp>(in, out, O::Equal_11, s);
    else if (kind == "less")
      g.createConnectedOp<LessOp>(in, out, O::Less_9, s);
    else if (kind == "greater")
      g.createConnectedOp<GreaterOp>(in, out, O::Greater_9, s);
    else if (kind == "pow")
      g.createConnectedOp<PowOp>(in, out, O::Pow_7, s);
    else if (kind == "fmod")
      g.createConnectedOp<FmodOp>(in, out, Onnx::CustomOperators::Fmod, s);
    else if (kind == "atan2")
      g.createConnectedOp<Atan2Op>(in, out, Onnx::CustomOperators::Atan2_1, s);
    else if (kind == "largest")
      g.createConnectedOp<MaxOp>(in, out, O::Max_8, s);
    else if (kind == "asin")
      g.createConnectedOp<AsinOp>(in, out, O::Asin_7, s);
    else if (kind == "swish")
      g.createConnectedOp<SwishOp>(in, out, Onnx::CustomOperators::Swish, s);
    else if (kind == "elu")
      g.createConnectedOp<EluOp>(in, out, O::Elu_6, 0.5f, s);
    else if (kind == "leaky")
      g.createConnectedOp<LeakyReluOp>(in, out, O::LeakyRelu_6, 0.25f, s);
    else if (kind == "hard")
      g.createConnectedOp<HardSigmoidOp>(in, out, O::HardSigmoid_6, 0.25f, 0.375f, s);
    else if (kind == "shrink")
      g.createConnectedOp<ShrinkOp>(in, out, O::Shrink_9, 0.25f, 0.125f, s);
    else if (kind == "lrn")
      g.createConnectedOp<LRNOp>(in, out, O::LRN_1, 0.5f, 0.75f, 2.0f, 3, s);
    else if (kind == "increment")
      g.createConnectedOp<IncrementModOp>(in, out, Onnx::CustomOperators::IncrementMod_1, 0.25, 0.5,
                                          s);
    else if (kind == "gemm")
      g.createConnectedOp<GemmOp>(in, out, O::Gemm_11, 0.5f, 2.0f, true, false, s);
    else if (kind == "rnn")
      g.createConnectedOp<RNNOp>(in, out, O::RNN_7, ActivationFunction::Relu,
                                 nonstd::optional<int64_t>(), s);
    else if (kind == "gru")
      g.createConnectedOp<GRUOp>(in, out, O::GRU_7, nonstd::optional<int64_t>(4), "forward", true,
                                 s);
    else if (kind == "lstm")
      g.createConnectedOp<LSTMOp>(in, out, O::LSTM_7, nonstd::optional<int64_t>(4),
                                  ActivationFunction::Tanh, ActivationFunction::Sigmoid, s,
                                  nonstd::optional<float>());
    else
      g.createConnectedOp<PopartLSTMOp>(in, out, Onnx::CustomOperators::LSTM_1, false, s);
    g.eraseOp(op->id);
    return true;
  }
};

PatternCreator<Make> make("Make", true);

/// Tells what it sees, and asks the classes for shapes beside the graph.
class Seen : public PreAliasPattern {
 public:
  bool matches(Op* op) const final {
    using logging::pattern::info;
    if (const auto* reduce = dynamic_cast<const ReduceOp*>(op))
      info("{} over {} keeps {} back {}", reduce->opid.type, reduce->getAxes(),
           reduce->getKeepDims(), reduce->backwardShape());
    if (const auto* gemm = dynamic_cast<const GemmOp*>(op))
      info("gemm {} {} {} {}", gemm->getAlpha(), gemm->getBeta(), gemm->getTransA(),
           gemm->getTransB());
    if (const auto* lstm = dynamic_cast<const LSTMOp*>(op))
      info("lstm of {} steps, {} inputs, {} hidden, {}", lstm->getMaxSeqLength(),
           lstm->getInputSize(), lstm->getHiddenSize(), lstm->hasBiasesInput());
    if (const auto* leaky = dynamic_cast<const LeakyReluOp*>(op))
      info("leaky {}", leaky->getAlpha());
    if (dynamic_cast<const LessOp*>(op) != nullptr) info("less");
    if (dynamic_cast<const AndOp*>(op) != nullptr) info("and");
    return false;
  }
  std::vector<const popart::Tensor*> touches(Op*) const final { return {}; }
  bool apply(Op*) const final { return false; }
};

PatternCreator<Seen> seen("Seen", true);

/// A sum over dimensions with a gradient of its own: setup() is the base's.
class Total : public ReduceOp {
 public:
  using ReduceOp::ReduceOp;
  std::unique_ptr<Op> clone() const final { return std::make_unique<Total>(*this); }
  std::vector<std::unique_ptr<Op>> getGradOps() final;
};

class TotalGrad : public ReduceGradOp {
 public:
  explicit TotalGrad(const Total& op) : ReduceGradOp(totalGrad, op, op.backwardShape()) {}
  std::unique_ptr<Op> clone() const final { return std::make_unique<TotalGrad>(*this); }
};

std::vector<std::unique_ptr<Op>> Total::getGradOps() {
  std::vector<std::unique_ptr<Op>> ops;
  ops.emplace_back(new TotalGrad(*this));
  return ops;
}

OpCreator<Total> totalCreator(
    OpDefinitions({{total, {}}}),
    [](const OpCreatorInfo& info) -> std::unique_ptr<Op> {
      return std::make_unique<Total>(
          info.opid, info.attributes.getAttribute<Attributes::Ints>("axes"), 0, info.settings);
    },
    true);

struct TotalOpx : popx::Opx {
  using popx::Opx::Opx;
  void grow(poplar::program::Sequence& prog) const final {
    const auto& axes = dynamic_cast<Total*>(op_p)->getAxes();
    setOutTensor(0, popops::reduce(graph(), getInTensor(0), {axes.begin(), axes.end()},
                                   {popops::Operation::ADD}, prog, debugContext("sum")));
  }
};

struct TotalGradOpx : popx::Opx {
  using popx::Opx::Opx;
  void grow(poplar::program::Sequence& prog) const final {
    const auto& op = *dynamic_cast<TotalGrad*>(op_p);
    const auto& back = op.backwardShape();
    auto gradient = getInTensor(0).reshape(std::vector<std::size_t>(back.begin(), back.end()));
    for (const auto axis : op.getAxes())
      gradient = gradient.broadcast(static_cast<unsigned>(op.outShape(0)[axis]),
                                    static_cast<unsigned>(axis));
    setOutTensor(0, cloneNcopy(prog, gradient, "gradient"));
  }
};

/// PopART's reductions under other names, with the gradients that PopART's classes give.
template <class OP>
OpCreator<OP> ofPopart(const OperatorIdentifier& id) {
  return OpCreator<OP>(
      OpDefinitions({{id, {}}}),
      [](const OpCreatorInfo& info) -> std::unique_ptr<Op> {
        return std::make_unique<OP>(
            info.opid, info.attributes.getAttribute<Attributes::Ints>("axes"),
            info.attributes.getAttribute<Attributes::Int>("keepdims", 0), info.settings);
      },
      true);
}

const OpCreator<ReduceMeanOp> averageCreator = ofPopart<ReduceMeanOp>(average);
const OpCreator<ReduceSumSquareOp> squaresCreator = ofPopart<ReduceSumSquareOp>(squares);

struct ReducedOpx : popx::Opx {
  using popx::Opx::Opx;
  void grow(poplar::program::Sequence& prog) const final {
    const auto& axes = dynamic_cast<ReduceOp*>(op_p)->getAxes();
    const bool isMean = op_p->opid.type == average.type;
    auto out = popops::reduce(graph(), getInTensor(0), {axes.begin(), axes.end()},
                              {isMean ? popops::Operation::ADD : popops::Operation::SQUARE_ADD},
                              prog, debugContext("r"));
    if (isMean) {
      const float n =
          static_cast<float>(inInfo(0).nelms()) / static_cast<float>(outInfo(0).nelms());
      out = popops::div(graph(), out, n, prog, debugContext("n"));
    }
    const Shape shape = outShape(0);
    setOutTensor(0, out.reshape(std::vector<std::size_t>(shape.begin(), shape.end())));
  }
};

popx::OpxCreator<ReducedOpx> reducedOpx({average, squares});
popx::OpxCreator<TotalOpx> totalOpx(total);
popx::OpxCreator<TotalGradOpx> totalGradOpx(totalGrad);

}  // namespace
