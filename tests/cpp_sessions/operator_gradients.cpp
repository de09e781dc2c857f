// Gradients and variants in place of the compiler's operators, by PopART's classes.
#include <popart/op/asin.hpp>
#include <popart/op/atan.hpp>
#include <popart/op/atan2.hpp>
#include <popart/op/averagepool.hpp>
#include <popart/op/batchnorm.hpp>
#include <popart/op/cast.hpp>
#include <popart/op/ceil.hpp>
#include <popart/op/clip.hpp>
#include <popart/op/concat.hpp>
#include <popart/op/cumsum.hpp>
#include <popart/op/elu.hpp>
#include <popart/op/erf.hpp>
#include <popart/op/exp.hpp>
#include <popart/op/expand.hpp>
#include <popart/op/gelu.hpp>
#include <popart/op/geluerf.hpp>
#include <popart/op/globalaveragepool.hpp>
#include <popart/op/globalmaxpool.hpp>
#include <popart/op/groupnorm.hpp>
#include <popart/op/hardsigmoid.hpp>
#include <popart/op/identity.hpp>
#include <popart/op/instancenorm.hpp>
#include <popart/op/leakyrelu.hpp>
#include <popart/op/logsoftmax.hpp>
#include <popart/op/lrn.hpp>
#include <popart/op/max.hpp>
#include <popart/op/maxpool.hpp>
#include <popart/op/mean.hpp>
#include <popart/op/min.hpp>
#include <popart/op/mul.hpp>
#include <popart/op/negate.hpp>
#include <popart/op/onehot.hpp>
#include <popart/op/pow.hpp>
#include <popart/op/relu.hpp>
#include <popart/op/reshape.hpp>
#include <popart/op/reverse.hpp>
#include <popart/op/roialign.hpp>
#include <popart/op/round.hpp>
#include <popart/op/scale.hpp>
#include <popart/op/scatter.hpp>
#include <popart/op/selu.hpp>
#include <popart/op/shrink.hpp>
#include <popart/op/sigmoid.hpp>
#include <popart/op/sinh.hpp>
#include <popart/op/softmax.hpp>
#include <popart/op/softplus.hpp>
#include <popart/op/softsign.hpp>
#include <popart/op/split.hpp>
#include <popart/op/subsample.hpp>
#include <popart/op/sum.hpp>
#include <popart/op/swish.hpp>
#include <popart/op/tanh.hpp>
#include <popart/op/thresholdedrelu.hpp>
#include <popart/op/tile.hpp>
#include <popart/op/topk.hpp>
#include <popart/op/transpose.hpp>
#include <popart/op/where.hpp>
#include <popart/operators.hpp>

#include <iostream>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "errors.hpp"
#include "running.hpp"

using namespace popart;

namespace {

namespace O = Onnx::Operators;
namespace C = Onnx::CustomOperators;
using Ids = std::vector<TensorId>;
using Values = std::vector<float>;

struct Graphs {
  Graphs() : ir(std::make_shared<Ir>()), graph(ir->getMainGraph()) {}

  /// An input of the graph, with values that follow from its name.
  TensorId in(const TensorId& id, const Shape& shape) {
    if (given.count(id) != 0) return id;
    const TensorInfo info("FLOAT", shape);
    graph.addStream(id, info);
    Values values(static_cast<std::size_t>(info.nelms()));
    // Between -1.9 and 1.9, in no order, none twice, none of them a corner of a function.
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = 0.037f * static_cast<float>((i * 37 + id.size() * 11) % 101) - 1.86f;
    given[id] = values;
    return id;
  }
  template <class T>
  TensorId constant(const TensorId& id, const std::string& type, const Shape& shape,
                    const std::vector<T>& values) {
    graph.addConstInit(id, TensorInfo(type, shape), values.data());
    return id;
  }

  /// Adds an operator and its gradients, of the gradients "g..." of its results.
  template <class OP, class... Args>
  void add(const std::string& name, const Ids& inputs, const OperatorIdentifier& opid,
           std::size_t outputs, Args... args) {
    std::map<InIndex, TensorId> in;
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (!inputs[i].empty()) in[static_cast<InIndex>(i)] = inputs[i];
    std::map<OutIndex, TensorId> out;
    for (std::size_t i = 0; i < outputs; ++i)
      out[static_cast<OutIndex>(i)] = name + "/" + std::to_string(i);
    Op* op = graph.createConnectedOp<OP>(in, out, opid, args..., Op::Settings(graph, name));
    gradientsOf(op, name);
  }
  void gradientsOf(Op* op, const std::string& name) {
    for (std::unique_ptr<Op>& each : op->getGradOps()) {
      Op* made = each.get();
      graph.moveIntoGraph(std::move(each));
      for (const GradInOutMapper& from : made->gradInputInfo()) {
        if (from.type == GradOpInType::In) {
          made->connectInTensor(from.iGrad, op->inId(from.iNonGrad));
        } else if (from.type == GradOpInType::Out) {
          made->connectInTensor(from.iGrad, op->outId(from.iNonGrad));
        } else {
          const TensorId g = name + "/g" + std::to_string(from.iNonGrad);
          made->connectInTensor(from.iGrad, this->in(g, op->outShape(from.iNonGrad)));
        }
      }
      for (const auto& gives : made->gradOutToNonGradIn()) {
        gradients.push_back(name + ":" + std::to_string(gives.second));
        made->createAndConnectOutTensor(gives.first, gradients.back());
      }
      made->setup();
      std::cout << made->opid.type << " ";
    }
  }

  std::shared_ptr<Ir> ir;
  Graph& graph;
  std::map<TensorId, Values> given;
  Ids gradients;
};

HasReceptiveFieldOp::ReceptiveOpAttributes window(int64_t stride) {
  HasReceptiveFieldOp::ReceptiveOpAttributes attributes;
  attributes.strides = {stride, stride};
  attributes.pads = {0, 0, 0, 0};
  attributes.dilations = {1, 1};
  return attributes;
}

const float regions[] = {0.3f, 0.2f, 2.1f, 2.6f, 1.0f, 0.5f, 3.2f, 2.9f};

void addAll(Graphs& all) {
  const TensorId x = all.in("x", {2, 3}), row = all.in("row", {3}), small = all.in("small", {2, 3});
  for (float& value : all.given["small"]) value *= 0.4f;
  all.add<AsinOp>("asin", {small}, O::Asin_7, 1);
  all.add<AtanOp>("atan", {x}, O::Atan_7, 1);
  all.add<ErfOp>("erf", {x}, O::Erf_9, 1);
  all.add<GeluOp>("gelu", {x}, C::Gelu_1, 1);
  all.add<GeluErfOp>("geluerf", {x}, C::GeluErf_1, 1);
  all.add<SinhOp>("sinh", {x}, O::Sinh_9, 1);
  all.add<SoftPlusOp>("softplus", {x}, O::Softplus_1, 1);
  all.add<SoftSignOp>("softsign", {x}, O::Softsign_1, 1);
  all.add<SwishOp>("swish", {x}, C::Swish, 1);
  all.add<EluOp>("elu", {x}, O::Elu_6, 1, 0.7f);
  all.add<HardSigmoidOp>("hardsigmoid", {x}, O::HardSigmoid_6, 1, 0.4f, 0.5f);
  all.add<SeluOp>("selu", {x}, O::Selu_6, 1, 1.6f, 1.1f);
  all.add<ShrinkOp>("shrink", {x}, O::Shrink_9, 1, 0.6f, 0.1f);
  all.add<ThresholdedReluOp>("thresholdedrelu", {x}, O::ThresholdedRelu_10, 1, 0.6f);
  all.add<TanhOp>("tanh", {x}, O::Tanh_6, 1);
  all.add<SigmoidOp>("sigmoid", {x}, O::Sigmoid_6, 1);
  all.add<ReluOp>("relu", {x}, O::Relu_6, 1);
  all.add<LeakyReluOp>("leakyrelu", {x}, O::LeakyRelu_6, 1, 0.2f);
  all.add<ClipOp>("clip", {x}, O::Clip_6, 1, -0.8f, 0.5f);
  all.add<LogSoftmaxOp>("logsoftmax", {x}, O::LogSoftmax_1, 1, int64_t{1});
  all.add<NegateOp>("negate", {x}, O::Neg_6, 1);
  all.add<CastOp>("cast", {x}, O::Cast_9, 1, DataType::FLOAT);
  all.add<ScaleOp>("scale", {x}, C::Scale_1, 1, 2.5f);
  all.add<ReshapeOp>("reshape", {x}, C::Reshape_1, 1, Shape{3, 2});
  all.add<TransposeOp>("transpose", {x}, O::Transpose_1, 1, Shape{1, 0});
  all.add<IdentityLossOp>("identityloss", {x}, C::IdentityLoss, 1, ReductionType::Mean);
  for (const char* name : {"reverse", "subsample"}) {
    std::unique_ptr<Op> made;
    const Op::Settings settings(all.graph, name);
    if (name[0] == 'r')
      made = std::make_unique<ReverseOp>(C::Reverse, settings, std::vector<int64_t>{1});
    else
      made = std::make_unique<SubsampleOp>(C::Subsample_1, std::vector<int64_t>{1, 2}, settings);
    Op* op = made.get();
    all.graph.moveIntoGraph(std::move(made));
    op->connectInTensor(0, x);
    op->createAndConnectOutTensor(0, std::string(name) + "/0");
    op->setup();
    all.gradientsOf(op, name);
  }
  all.add<TileOp>("tile", {x, all.constant<int64_t>("repeats", "INT64", {2}, {2, 3})}, O::Tile_6,
                  1);
  all.add<ExpandOp>("expand", {row, all.constant<int64_t>("to", "INT64", {2}, {4, 3})}, O::Expand_8,
                    1);
  bool chosen[] = {true, false, true, true, false, false};
  all.graph.addConstInit("chosen", TensorInfo(DataType::BOOL, {2, 3}), chosen);
  all.add<WhereOp>("where", {"chosen", x, row}, O::Where_9, 1);
  all.add<CumSumOp>("cumsum", {x, all.constant<int32_t>("axis", "INT32", {}, {1})}, O::CumSum_11, 1,
                    true, false);
  all.add<TopKOp>("topk", {x}, O::TopK_1, 2, int64_t{2}, int64_t{1}, true, true);
  all.add<ScatterOp>(
      "scatter",
      {x, all.constant<int32_t>("at", "INT32", {1, 3}, {1, 0, 1}), all.in("updates", {1, 3})},
      O::ScatterElements_11, 1, int64_t{0});
  all.add<ConcatOp>("concat", {x, all.in("beside", {2, 2})}, O::Concat_4, 1, int64_t{-1});
  all.add<SplitOp>("split", {x}, O::Split_2, 2, int64_t{1}, std::vector<int64_t>{1, 2});
  all.add<SumOp>("sum", {x, row}, O::Sum_8, 1);
  all.add<MeanOp>("mean", {x, row}, O::Mean_8, 1);
  all.add<MaxOp>("max", {x, row}, O::Max_8, 1);
  all.add<MinOp>("min", {x, row}, O::Min_8, 1);

  const TensorId image = all.in("image", {2, 4, 4, 4});
  const TensorId scale = all.in("scales", {4}), bias = all.in("biases", {4});
  all.add<GroupNormOp>("groupnorm", {image, scale, bias}, C::GroupNormalization_1, 3, int64_t{2},
                       1e-3f);
  all.add<InstanceNormOp>("instancenorm", {image, scale, bias}, O::InstanceNormalization_6, 1,
                          1e-3f);
  const TensorId mean = all.in("means", {4}), var = all.in("variances", {4});
  for (float& value : all.given["variances"]) value = value * value + 0.1f;
  all.add<BatchNormOp>("batchnorm", {image, scale, bias, mean, var}, O::BatchNormalization_9, 5,
                       1e-3f, 0.9f, int64_t{1}, false);
  all.add<OnehotOp>("onehot",
                    {all.constant<int32_t>("which", "INT32", {4}, {2, 0, 1, 2}),
                     all.constant<int32_t>("depth", "INT32", {1}, {3}), all.in("pair", {2})},
                    O::OneHot_9, 1, int64_t{-1});
  all.graph.addConstInit("regions", TensorInfo("FLOAT", Shape{2, 4}), regions);
  Op* align = all.graph.createConnectedOp<RoiAlignOp>(
      {{0, image}, {1, "regions"}, {2, all.constant<int64_t>("images", "INT64", {2}, {1, 0})}},
      {{0, "roialign/0"}}, O::RoiAlign_10, Op::Settings(all.graph, "roialign"), 1.0f, 2u, 2u, 2u);
  all.gradientsOf(align, "roialign");
  all.add<LRNOp>("lrn", {image}, O::LRN_1, 1, 0.3f, 0.75f, 1.5f, int64_t{3});
  all.add<AveragePoolOp>("averagepool", {image}, O::AveragePool_7, 1, int64_t{0},
                         std::vector<int64_t>{2, 2}, window(1));
  all.add<MaxPoolOp>("maxpool", {image}, O::MaxPool_8, 1, std::vector<int64_t>{2, 2}, int64_t{0},
                     window(2));
  all.add<GlobalAveragePoolOp>("globalaveragepool", {image}, O::GlobalAveragePool_1, 1);
  all.add<GlobalMaxPoolOp>("globalmaxpool", {image}, O::GlobalMaxPool_1, 1);
}

void gradients() {
  Graphs all;
  addAll(all);
  std::cout << "\n";
  for (const TensorId& id : all.gradients) std::cout << id << " ";
  std::cout << "\n";
  for (const auto& each : all.given) {
    std::cout << each.first << " " << all.ir->getTensor(each.first)->info.shape();
    for (const float value : each.second) std::cout << " " << value;
    std::cout << "\n";
  }
  std::cout << std::endl;
  run(all.ir, all.given, false, all.gradients);
}

/// Each variant overwrites a copy of x; what reads that copy later gets the result.
void variants() {
  Graphs all;
  const TensorId x = all.in("x", {2, 3});
  Ids shown;
  const auto overwrite = [&](std::unique_ptr<Op> op, const std::string& name) {
    const TensorId copy = name + "/copy", out = name + "/out", later = name + "/later";
    all.graph.createConnectedOp<ScaleOp>({{0, x}}, {{0, copy}}, C::Scale_1, 1.5f,
                                         Op::Settings(all.graph, copy));
    Op* made = op.get();
    all.graph.moveIntoGraph(std::move(op));
    made->connectInTensor(0, copy);
    if (made->opid.type == "MulLhsInplace" || made->opid.type == "PowLhsInplace" ||
        made->opid.type == "Atan2Inplace")
      made->connectInTensor(1, x);
    made->createAndConnectOutTensor(0, out);
    made->setup();
    std::cout << made->opid.type << made->modifies(0).size() << " ";
    Op* reader = all.graph.createConnectedOp<NegateOp>({{0, copy}}, {{0, later}}, O::Neg_6,
                                                       Op::Settings(all.graph, later));
    all.graph.topoCons->insert(made, reader);
    shown.push_back(out);
    shown.push_back(later);
  };
  const Op::Settings settings(all.graph, "");
  const auto of = [&](auto* made, const auto& plain) {
    using Variant = std::remove_pointer_t<decltype(made)>;
    return std::unique_ptr<Op>(new Variant(plain));
  };
#define OVERWRITE(STEM, ...) \
  overwrite(of(static_cast<STEM##InplaceOp*>(nullptr), STEM##Op(__VA_ARGS__)), #STEM)
  OVERWRITE(Elu, O::Elu_6, 0.7f, settings);
  OVERWRITE(LeakyRelu, O::LeakyRelu_6, 0.2f, settings);
  OVERWRITE(HardSigmoid, O::HardSigmoid_6, 0.4f, 0.5f, settings);
  OVERWRITE(Sigmoid, O::Sigmoid_6, settings);
  OVERWRITE(SoftPlus, O::Softplus_1, settings);
  OVERWRITE(Gelu, C::Gelu_1, settings);
  OVERWRITE(Clip, O::Clip_6, -0.8f, 0.5f, settings);
  OVERWRITE(Ceil, O::Ceil_6, settings);
  OVERWRITE(Round, C::Round_1, settings);
  OVERWRITE(Exp, O::Exp_6, settings);
  OVERWRITE(Softmax, O::Softmax_1, int64_t{1}, settings);
#undef OVERWRITE
  overwrite(std::make_unique<MulLhsInplaceOp>(settings), "Mul");
  overwrite(std::make_unique<Atan2LhsInplaceOp>(settings), "Atan2");
  std::cout << "\n";
  for (const TensorId& id : shown) std::cout << id << " ";
  std::cout << std::endl;
  run(all.ir, all.given, false, shown);
}

/// The pattern puts a variant where nothing reads the input later; of a class that derives from
/// PopART's it offers none.
class Own : public SigmoidOp {
 public:
  using SigmoidOp::SigmoidOp;
  std::unique_ptr<Op> clone() const override { return std::make_unique<Own>(*this); }
};

void offered() {
  Graphs all;
  const Op::Settings settings(all.graph, "");
  const SigmoidOp plain(O::Sigmoid_6, settings);
  const Own own(O::Sigmoid_6, settings);
  std::cout << plain.inplacePriorityDefault().size() << own.inplacePriorityDefault().size() << " ";
  std::cout << plain.getInplaceVariant(C::SigmoidInplace)->opid.type << "\n";
  // Values of members.
  all.in("x", {2, 3});
  all.add<EluOp>("elu", {"x"}, O::Elu_6, 1, 0.7f);
  const auto* elu =
      dynamic_cast<const EluGradOp*>(all.graph.getTensors().get("elu:0")->getProducer());
  std::cout << " " << elu->alpha() << " " << elu->forwardId().type << "\n";
}

}  // namespace

int main(int, char** argv) {
  const std::string what = argv[1];
  if (what == "gradients") gradients();
  if (what == "variants") variants();
  if (what == "offered") offered();
}
