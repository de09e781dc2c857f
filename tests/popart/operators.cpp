// Patterns that see built-in operators by class, and that put them in the place of an operator.
#include <popart/graph.hpp>
#include <popart/graphutils.hpp>
#include <popart/op/clip.hpp>
#include <popart/op/conv.hpp>
#include <popart/op/detach.hpp>
#include <popart/op/histogram.hpp>
#include <popart/op/lamb.hpp>
#include <popart/op/loop.hpp>
#include <popart/op/matmul.hpp>
#include <popart/op/nll.hpp>
#include <popart/op/pad.hpp>
#include <popart/op/slice.hpp>
#include <popart/op/softmax.hpp>
#include <popart/op/transpose.hpp>
#include <popart/operators.hpp>
#include <popart/opmanager.hpp>
#include <popart/patterns/patterns.hpp>

using namespace popart;

namespace {

const OperatorIdentifier identifier = {"test", "Chosen", 1};

/// A pattern makes it the operator whose name `kind` is.
class Chosen : public Op {
 public:
  Chosen(const OperatorIdentifier& opid, const std::string& kind, const TensorInfo& info,
         const Op::Settings& settings)
      : Op(opid, settings), kind(kind), info_(info) {}
  std::unique_ptr<Op> clone() const final { return std::make_unique<Chosen>(*this); }
  void setup() final { outInfo(0) = info_; }
  float getSubgraphValue() const final { return getLowSubgraphValue(); }
  std::string kind;

 private:
  TensorInfo info_;
};

OpCreator<Chosen> chosen(
    OpDefinitions({{identifier, {}}}),
    [](const OpCreatorInfo& info) -> std::unique_ptr<Op> {
      const auto kind = info.attributes.getAttribute<Attributes::String>("kind");
      const auto shape = info.attributes.getAttribute<Attributes::Ints>("shape");
      const auto type = kind == "histogram" ? DataType::UINT32 : DataType::FLOAT;
      return std::make_unique<Chosen>(info.opid, kind, TensorInfo(type, shape), info.settings);
    },
    true);

class Choose : public PreAliasPattern {
 public:
  bool matches(Op* op) const final { return op->isConvertibleTo<Chosen>(); }
  std::vector<const popart::Tensor*> touches(Op*) const final { return {}; }
  bool apply(Op* op) const final {
    const auto kind = dynamic_cast<Chosen*>(op)->kind;
    const auto in = op->input->tensorIdMap(), out = op->output->tensorIdMap();
    Graph& graph = op->getGraph();
    const Op::Settings settings(graph, kind);
    op->disconnectAllInputs();
    op->disconnectAllOutputs();
    if (kind == "matmul") {
      graph.createConnectedOp<MatMulOp>(in, out, Onnx::Operators::MatMul_9, settings,
                                        nonstd::optional<float>(),
                                        MatMulBaseOp::SerialiseSettings(), OptionalDataType());
    } else if (kind == "transpose") {
      graph.createConnectedOp<TransposeOp>(in, out, Onnx::Operators::Transpose_1, Shape{1, 2, 0},
                                           settings);
    } else if (kind == "softmax") {
      graph.createConnectedOp<SoftmaxOp>(in, out, Onnx::Operators::Softmax_13, 1, settings);
    } else if (kind == "slice") {
      graph.createConnectedOp<SliceOp>(in, out, Onnx::CustomOperators::Slice_1, Shape{1, 0},
                                       Shape{3, -1}, Shape{0, 2}, settings);
    } else if (kind == "clip") {
      graph.createConnectedOp<ClipOp>(in, out, Onnx::Operators::Clip_6, -0.5f, 0.25f, settings);
    } else if (kind == "detach") {
      graph.createConnectedOp<DetachOp>(in, out, Onnx::CustomOperators::Detach_1, settings);
    } else if (kind == "conv" || kind == "conv same") {
      const bool same = kind == "conv same";
      graph.createConnectedOp<ConvOp>(
          in, out, Onnx::Operators::Conv_11, settings, Shape{2, 1},
          same ? Shape{} : Shape{1, 0, 0, 2}, same ? Shape{} : Shape{1, 2}, 2,
          same ? AutoPad::SAME_UPPER : AutoPad::NOTSET, MultiConvOptions({}, Attributes()));
    } else if (kind == "conv restored") {
      auto* conv = graph.createConnectedOp<ConvOp>(
          in, out, Onnx::Operators::Conv_11, settings, Shape{2, 1}, Shape{1, 0, 0, 2}, Shape{1, 2},
          2, AutoPad::NOTSET, MultiConvOptions({}, Attributes()));
      ConvParameters other = conv->getParameters();
      other.outputTransformation.stride = {1, 3};
      other.inputTransformation.upperPadding = {2, 1};
      conv->restoreAttributesFromParams({other});
      conv->setup();
    } else if (kind == "conv cut") {
      auto* conv = graph.createConnectedOp<ConvOp>(in, out, Onnx::Operators::Conv_11, settings,
                                                   Shape{}, Shape{}, Shape{}, 2, AutoPad::NOTSET,
                                                   MultiConvOptions({}, Attributes()));
      ConvParameters other = conv->getParameters();
      other.outputTransformation.lowerTruncation = {1, 0};
      conv->restoreAttributesFromParams({other});
      conv->setup();
    } else if (kind == "pad") {
      graph.createConnectedOp<PadOp>(in, out, Onnx::Operators::Pad_2, Shape{1, 0, 0, -1, 2, 0},
                                     std::vector<unsigned>{}, 0.5f, "constant", settings);
    } else if (kind == "slice set") {
      auto* slice = graph.createConnectedOp<SliceOp>(
          in, out, Onnx::CustomOperators::Slice_1, Shape{0, 0}, Shape{1, 1}, Shape{0, 1}, settings);
      slice->setStarts({1, 0});
      slice->setEnds({3, -1});
      slice->setAxes({0, 2});
      slice->setup();
    } else if (kind == "transpose set") {
      auto* transpose = graph.createConnectedOp<TransposeOp>(in, out, Onnx::Operators::Transpose_1,
                                                             Shape{0, 1, 2}, settings);
      transpose->setPerm({1, 2, 0});
      transpose->setup();
    } else if (kind == "clip set") {
      auto* clip =
          graph.createConnectedOp<ClipOp>(in, out, Onnx::Operators::Clip_6, 0.0f, 0.0f, settings);
      clip->setClipMin(-0.5f);
      clip->setClipMax(0.25f);
    } else if (kind == "square") {
      graph.createConnectedOp<LambSquareOp>(in, out, settings);
    } else {
      graph.createConnectedOp<HistogramOp>(in, out, Onnx::CustomOperators::Histogram,
                                           std::vector<float>{0.25f, 0.5f, 1.0f}, true, settings);
    }
    graph.eraseOp(op->id);
    return true;
  }
};

PatternCreator<Choose> choose("Choose", true);

class SeenByClass : public PreAliasPattern {
 public:
  bool matches(Op* op) const final {
    if (const auto* product = dynamic_cast<const MatMulOp*>(op)) {
      const auto& cut = product->getSerialiseSettings();
      logging::pattern::info("matmul mode {} of {}", static_cast<int>(cut.mode), cut.factor);
      std::string roots;
      for (const auto* root : graphutils::rootTensors(op->outTensor(0))) roots += root->id + " ";
      logging::pattern::info("roots {}", roots);
      graphutils::traverseBreadthFirst({op->inTensor(0)}, [](popart::Tensor* tensor) {
        logging::pattern::info("after {}", tensor->id);
        return true;
      });
    }
    if (const auto* transpose = dynamic_cast<const TransposeOp*>(op))
      logging::pattern::info("transpose back {}", transpose->generateReversePermutation());
    if (const auto* softmax = dynamic_cast<const SoftmaxOp*>(op))
      logging::pattern::info("softmax {}", softmax->getAxis());
    if (const auto* slice = dynamic_cast<const SliceOp*>(op))
      logging::pattern::info("slice {} {} {}", slice->getStarts(), slice->getEnds(),
                             slice->getAxes());
    if (const auto* clip = dynamic_cast<const ClipOp*>(op))
      logging::pattern::info("clip {} {}", clip->getClipMin(), clip->getClipMax());
    if (const auto* conv = dynamic_cast<const ConvOp*>(op)) {
      const auto in = conv->getParameters().inputTransformation;
      logging::pattern::info("conv pads {} {} stride {} groups {}", in.lowerPadding,
                             in.upperPadding, conv->getStrides(0), conv->getGroups());
    }
    if (const auto* pad = dynamic_cast<const PadOp*>(op))
      logging::pattern::info("pad {} of dimensions {} shows {}", pad->getPads(),
                             pad->padDimensions(), pad->valueRegion());
    if (const auto* loss = dynamic_cast<const NllOp*>(op))
      logging::pattern::info("nll ignores {}", loss->getIgnoreIndex());
    if (op->isConvertibleTo<DetachOp>()) logging::pattern::info("detach");
    return false;
  }
  std::vector<const popart::Tensor*> touches(Op*) const final { return {}; }
  bool apply(Op*) const final { return false; }
};

/// Loops of 7 iterations stop after 3.
class FewerTrips : public PreAliasPattern {
 public:
  bool matches(Op* op) const final {
    const auto* loop = dynamic_cast<const LoopOp*>(op);
    return loop != nullptr && loop->getTripCountValue() == 7;
  }
  std::vector<const popart::Tensor*> touches(Op*) const final { return {}; }
  bool apply(Op* op) const final {
    dynamic_cast<LoopOp*>(op)->setTripCountValue(3);
    return true;
  }
};

PatternCreator<FewerTrips> fewerTrips("FewerTrips", true);

PatternCreator<SeenByClass> seenByClass("SeenByClass", true);

}  // namespace
