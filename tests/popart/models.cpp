// Sorts, pools, movements, random numbers and losses by class: what a pattern makes of an operator,
// and what it sees.
#include <popart/graph.hpp>
#include <popart/ir.hpp>
#include <popart/op/argmax.hpp>
#include <popart/op/argmin.hpp>
#include <popart/op/averagepool.hpp>
#include <popart/op/bitwise.hpp>
#include <popart/op/bucketize.hpp>
#include <popart/op/ctc.hpp>
#include <popart/op/cumsum.hpp>
#include <popart/op/expand.hpp>
#include <popart/op/globalaveragepool.hpp>
#include <popart/op/globalmaxpool.hpp>
#include <popart/op/instancenorm.hpp>
#include <popart/op/logsoftmax.hpp>
#include <popart/op/maxpool.hpp>
#include <popart/op/nop.hpp>
#include <popart/op/prelu.hpp>
#include <popart/op/randomnormal.hpp>
#include <popart/op/randomuniform.hpp>
#include <popart/op/reducemedian.hpp>
#include <popart/op/reverse.hpp>
#include <popart/op/roialign.hpp>
#include <popart/op/scatter.hpp>
#include <popart/op/sort.hpp>
#include <popart/op/split.hpp>
#include <popart/op/subsample.hpp>
#include <popart/op/tensorremap.hpp>
#include <popart/op/tile.hpp>
#include <popart/op/topk.hpp>
#include <popart/op/upsample.hpp>
#include <popart/operators.hpp>
#include <popart/opmanager.hpp>
#include <popart/patterns/patterns.hpp>

using namespace popart;

namespace {

const OperatorIdentifier made = {"test", "Made", 1};

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
      const auto type = info.attributes.getAttribute<Attributes::String>("type");
      return std::make_unique<Made>(
          info.opid, info.attributes.getAttribute<Attributes::String>("kind"),
          TensorInfo(dataTypeFromString(type),
                     info.attributes.getAttribute<Attributes::Ints>("shape")),
          info.settings);
    },
    true);

HasReceptiveFieldOp::ReceptiveOpAttributes windows(std::vector<int64_t> strides,
                                                   std::vector<int64_t> pads) {
  HasReceptiveFieldOp::ReceptiveOpAttributes given;
  given.strides = strides;
  given.pads = pads;
  return given;
}

class Make : public PreAliasPattern {
 public:
  bool matches(Op* op) const final { return op->isConvertibleTo<Made>(); }
  std::vector<const popart::Tensor*> touches(Op*) const final { return {}; }
  bool apply(Op* op) const final {
    const auto kind = dynamic_cast<Made*>(op)->kind;
    const auto in = op->input->tensorIdMap(), out = op->output->tensorIdMap();
    Graph& g = op->getGraph();
    const Op::Settings s(g, kind);
    op->disconnectAllInputs();
    op->disconnectAllOutputs();
    namespace O = Onnx::Operators;
    const auto graphcore = [](const char* type) {
      return OperatorIdentifier{"ai.graphcore", type, 1};
    };
    if (kind == "topk")
      g.createConnectedOp<TopKOp>(in, out, O::TopK_1, 2, -1, true, true, s);
    else if (kind == "smallest")
      g.createConnectedOp<TopKOp>(in, out, O::TopK_11, 2, 1, false, true, s);
    else if (kind == "sort")
      g.createConnectedOp<SortOp>(in, out, graphcore("Sort"), 1, 0, true, false, s);
    else if (kind == "argmax")
      g.createConnectedOp<ArgMaxOp>(in, out, O::ArgMax_11, 1, 0, s);
    else if (kind == "argmin")
      g.createConnectedOp<ArgMinOp>(in, out, O::ArgMin_11, 0, 1, s);
    else if (kind == "average")
      g.createConnectedOp<AveragePoolOp>(in, out, O::AveragePool_11, 1, std::vector<int64_t>{3, 2},
                                         windows({2, 1}, {1, 0, 1, 1}), s);
    else if (kind == "largest")
      g.createConnectedOp<MaxPoolOp>(in, out, O::MaxPool_11, std::vector<int64_t>{3, 2}, 0,
                                     windows({2, 1}, {1, 0, 1, 1}), s);
    else if (kind == "channel averages")
      g.createConnectedOp<GlobalAveragePoolOp>(in, out, O::GlobalAveragePool_1, s);
    else if (kind == "channel maxima")
      g.createConnectedOp<GlobalMaxPoolOp>(in, out, O::GlobalMaxPool_1, s);
    else if (kind == "instance norm")
      g.createConnectedOp<InstanceNormOp>(in, out, O::InstanceNormalization_6, 0.25f, s);
    else if (kind == "log softmax")
      g.createConnectedOp<LogSoftmaxOp>(in, out, O::LogSoftmax_11, 2, s);
    else if (kind == "prelu")
      g.createConnectedOp<PReluOp>(in, out, O::PRelu_9, s);
    else if (kind == "scatter")
      g.createConnectedOp<ScatterOp>(in, out, O::ScatterElements_11, 1, s);
    else if (kind == "reverse")
      g.createConnectedOp<ReverseOp>(in, out, graphcore("Reverse"), s, std::vector<int64_t>{0, 2});
    else if (kind == "subsample")
      g.createConnectedOp<SubsampleOp>(in, out, graphcore("Subsample"),
                                       std::vector<int64_t>{1, 2, 2}, s);
    else if (kind == "upsample")
      g.createConnectedOp<UpsampleOp>(in, out, O::Upsample_7, s, UpsampleMode::Nearest,
                                      std::vector<float>{1, 1, 2, 3});
    else if (kind == "nop")
      g.createConnectedOp<NopOp>(in, out, graphcore("Nop"), s);
    else if (kind == "remap")
      g.createConnectedOp<TensorRemapOp>(in, out, graphcore("TensorRemap"), TensorRemapType::FwdBwd,
                                         s);
    else if (kind == "xor")
      g.createConnectedOp<BitwiseBinaryOp>(in, out, graphcore("BitwiseXor"), s);
    else if (kind == "not")
      g.createConnectedOp<BitwiseNotOp>(in, out, graphcore("BitwiseNot"), s);
    else if (kind == "bucketize")
      g.createConnectedOp<BucketizeOp>(in, out, graphcore("Bucketize"), true, s);
    else if (kind == "median")
      g.createConnectedOp<ReduceMedianOp>(in, out, graphcore("ReduceMedian"),
                                          std::vector<int64_t>{1}, 0, s);
    else if (kind == "roi align")
      g.createConnectedOp<RoiAlignOp>(in, out, O::RoiAlign_10, s, 0.5f, 2, 3, 2);
    else if (kind == "ctc")
      g.createConnectedOp<CtcOp>(in, out, graphcore("Ctc"), ReductionType::Sum, 0, false, s);
    else if (kind == "ctc reduced")
      g.createConnectedOp<CtcOp>(in, out, graphcore("Ctc"), ReductionType::Sum, 0, false, s, true);
    else if (kind == "normal")
      g.createConnectedOp<RandomNormalLikeOp>(in, out, O::RandomNormalLike_1,
                                              OptionalDataType(DataType::FLOAT), 5.0f, 0.5f, s);
    else if (kind == "uniform")
      g.createConnectedOp<RandomUniformLikeOp>(in, out, O::RandomUniformLike_1, OptionalDataType(),
                                               7.0f, 6.0f, s);
    else if (kind == "split")
      g.createConnectedOp<SplitOp>(in, out, O::Split_11, 1, std::vector<int64_t>{4}, s);
    else
      throw error("{} is nothing", kind);
    g.eraseOp(op->id);
    return true;
  }
};

PatternCreator<Make> make("Make", true);

/// Tells what it sees.
class Seen : public PreAliasPattern {
 public:
  bool matches(Op* op) const final {
    using logging::pattern::info;
    if (const auto* x = dynamic_cast<const TopKOp*>(op))
      info("topk {} along {}, {}, {}, {}", x->getK(), x->getAxis(), x->getLargest(), x->getSorted(),
           x->getStable());
    if (const auto* x = dynamic_cast<const ArgExtremaOp*>(op))
      info("{} along {} keeps {}", x->opid.type, x->getAxis(), x->getKeepDims());
    if (const auto* x = dynamic_cast<const MaxPoolOp*>(op))
      info("windows {} at {} pads {} {} of {} channels", x->getSpatialK(), x->getStrides(),
           x->getLowerPads(), x->getUpperPads(), x->getNOutChans());
    if (const auto* x = dynamic_cast<const GlobalAveragePoolOp*>(op))
      info("all of {} {}", x->getSpatialK(), x->getLowerPads());
    if (const auto* x = dynamic_cast<TileOp*>(op))
      info("tile {} {} {}", x->getRepeats(), x->canBeReplacedByIdentity(), x->outShape(0));
    if (const auto* x = dynamic_cast<const ExpandOp*>(op)) info("expand {}", x->getOutShape());
    if (const auto* x = dynamic_cast<const SplitOp*>(op))
      info("split {} along {}", x->getSplitSizes(), x->getAxis());
    if (const auto* x = dynamic_cast<const CumSumOp*>(op))
      info("cumsum along {} {} {}", x->getAxis(), x->getExclusive(), x->getReverse());
    if (const auto* x = dynamic_cast<const RandomNormalOp*>(op))
      info("normal {} {} {}", x->getShape(), x->getMean(), x->getScale());
    return false;
  }
  std::vector<const popart::Tensor*> touches(Op*) const final { return {}; }
  bool apply(Op*) const final { return false; }
};

PatternCreator<Seen> seen("Seen", true);

}  // namespace
