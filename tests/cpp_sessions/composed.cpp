// Operators of PopART's that consist of others, and patterns that take them apart.
#include <popart/op/abs.hpp>
#include <popart/op/addbias.hpp>
#include <popart/op/binaryconstscalar.hpp>
#include <popart/op/conv.hpp>
#include <popart/op/ipucopy.hpp>
#include <popart/op/pad.hpp>
#include <popart/op/padgrad.hpp>
#include <popart/op/randomuniform.hpp>
#include <popart/op/scale.hpp>
#include <popart/op/square.hpp>
#include <popart/op/transpose.hpp>
#include <popart/op/upsample.hpp>
#include <popart/op/zeros.hpp>
#include <popart/operators.hpp>
#include <popart/patterns/contiguateipucopyindices.hpp>
#include <popart/patterns/convflipweightsdoubleflippattern.hpp>
#include <popart/patterns/convflipweightsgradoppattern.hpp>
#include <popart/patterns/decomposebinaryconstscalar.hpp>
#include <popart/patterns/likeopspattern.hpp>
#include <popart/patterns/transposetoidentityorreshape.hpp>
#include <popart/patterns/upsampletoresizepattern.hpp>
#include <popart/transforms/mergeduplicateops.hpp>
#include <popart/typefunctor.hpp>

#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "errors.hpp"
#include "running.hpp"

using namespace popart;

namespace {

namespace O = Onnx::Operators;
namespace C = Onnx::CustomOperators;

std::vector<TensorId> results;

template <class OP, class... Args>
Op* add(Graph& graph, const TensorId& out, const std::vector<TensorId>& in, Args&&... args) {
  std::map<InIndex, TensorId> inputs;
  for (std::size_t i = 0; i < in.size(); ++i) inputs[static_cast<InIndex>(i)] = in[i];
  results.push_back(out);
  return graph.createConnectedOp<OP>(inputs, {{0, out}}, std::forward<Args>(args)...);
}

void addGradients(Graph& graph, Op* op, const TensorId& gradient) {
  for (std::unique_ptr<Op>& each : op->getGradOps()) {
    Op* made = each.get();
    graph.moveIntoGraph(std::move(each));
    made->connectInTensor(0, gradient);
    results.push_back(op->outId(0) + std::to_string(made->gradOutToNonGradIn().at(0)));
    made->createAndConnectOutTensor(0, results.back());
    made->setup();
  }
}

void print(const Ir& ir) {
  std::map<std::string, int> types;
  for (const Op* op : ir.getAllOps()) ++types[op->opid.type];
  for (const auto& type : types) std::cout << type.first << type.second << " ";
  std::cout << std::endl;
}

void lower(bool patterns) {
  using Scalar = BinaryConstScalarOp;
  auto ir = std::make_shared<Ir>();
  Graph& g = ir->getMainGraph();
  const auto settings = [&](const std::string& name) { return Op::Settings(g, name); };
  g.addStream("x", TensorInfo("FLOAT", std::vector<int64_t>{1, 2, 3}));
  g.addStream("bias", TensorInfo("FLOAT", std::vector<int64_t>{2}));
  add<SquareOp>(g, "square", {"x"}, C::Square, settings("square"));
  add<ZerosLikeOp>(g, "like", {"x"}, C::ZerosLike_1, settings("like"));
  add<ZerosOp>(g, "zeros", {}, C::Zeros_1, Shape{2}, OptionalDataType(), settings("zeros"));
  for (int type = 0; type < 5; ++type)
    for (const int64_t index : {0, 1}) {
      const std::string name = "scalar" + std::to_string(type) + std::to_string(index);
      add<Scalar>(g, name, {"x"}, C::BinaryConstScalar, 2.5f, static_cast<Scalar::Type>(type),
                  index, settings(name));
    }
  Op* bias = add<AddBiasOp>(g, "biased", {"x", "bias"}, C::AddBias, settings("biased"));
  addGradients(g, bias, "x");
  Op* pad = add<PadOp>(g, "pad", {"x"}, O::Pad_2, std::vector<int64_t>{0, 1, 2, 0, 0, 1},
                       std::vector<unsigned>(), 1.0f, "constant", settings("pad"));
  addGradients(g, pad, "pad");
  add<TransposeOp>(g, "same", {"x"}, O::Transpose_1, Shape{0, 1, 2}, settings("same"));
  add<TransposeOp>(g, "moved", {"x"}, O::Transpose_1, Shape{1, 0, 2}, settings("moved"));
  add<TransposeOp>(g, "transposed", {"x"}, O::Transpose_1, Shape{0, 2, 1}, settings("transposed"));
  add<UpsampleOp>(g, "up", {"x"}, O::Upsample_9, settings("up"), UpsampleMode::Nearest,
                  std::vector<float>{1, 1, 2});
  print(*ir);
  if (patterns) {
    const DecomposeBinaryConstScalar scalars;
    const LikeOpsPattern<ZerosLikeOp> like;
    const TransposeToIdentityOrReshapePattern transposes;
    const UpsampleToResizePattern upsample;
    for (const PreAliasPattern* each :
         std::vector<const PreAliasPattern*>{&scalars, &like, &transposes, &upsample})
      std::cout << each->getPatternName() << ir->applyPreAliasPattern(each, g) << " ";
    print(*ir);
  }
  for (const TensorId& id : results) std::cout << id << " ";
  std::cout << std::endl;
  run(ir, {{"x", {0.5f, -1.25f, 2, 0.75f, 1.5f, 3}}, {"bias", {10, 20}}}, false, results);
}

/// Graphs that are not run: copies between IPUs, and flipped weights.
void structures() {
  Ir ir;
  Graph& g = ir.getMainGraph();
  g.addStream("x", TensorInfo("FLOAT", std::vector<int64_t>{2}));
  g.addStream("w", TensorInfo("FLOAT", std::vector<int64_t>{4, 3, 1, 1}));
  const Op::Settings settings(g, "s");
  const auto copy = [&](const TensorId& in, VGraphId from, VGraphId to, const TensorId& out) {
    auto* op = g.createOp<IpuCopyOp>(C::IpuCopy, to, settings);
    op->connectInTensor(0, in, from);
    op->createAndConnectOutTensor(0, out);
    op->setup();
  };
  copy("x", 0, 3, "there");
  copy("there", 3, 1, "back");
  copy("back", 1, 0, "home");
  const ContiguateIpuCopyIndicesPattern contiguous;
  std::cout << ir.applyPreAliasPattern(&contiguous, g) << ir.applyPreAliasPattern(&contiguous, g)
            << "\n";
  for (const Op* op : ir.opsOfType(C::IpuCopy))
    std::cout << dynamic_cast<const IpuCopyOp*>(op)->getFromToStr() << " ";
  std::cout << g.getTensor("home")->info << "\n";
  Op* flip = g.createConnectedOp<ConvFlipWeightsOp>({{0, "w"}}, {{0, "flipped"}},
                                                    C::ConvFlipWeights, settings);
  for (std::unique_ptr<Op>& each : flip->getGradOps()) {
    Op* made = each.get();
    g.moveIntoGraph(std::move(each));
    made->connectInTensor(0, "flipped");
    made->createAndConnectOutTensor(0, "again");
    made->setup();
  }
  g.createConnectedOp<AbsOp>({{0, "again"}}, {{0, "read"}}, O::Abs_6, settings);
  const ConvFlipWeightsGradOpPattern gradients;
  const ConvFlipWeightsDoubleFlipPattern doubles;
  std::cout << ir.applyPreAliasPattern(&gradients, g) << ir.applyPreAliasPattern(&doubles, g)
            << ir.applyPreAliasPattern(&doubles, g) << " "
            << g.getTensor("read")->getProducer()->inId(0) << "\n";
}

/// Twice the same of a scale, and of what reads it; other factors, random numbers and what the host
/// gets stay.
void merged() {
  auto ir = std::make_shared<Ir>();
  Graph& g = ir->getMainGraph();
  g.addStream("x", TensorInfo("FLOAT", std::vector<int64_t>{2}));
  const auto scale = Onnx::AiGraphcore::OpSet1::Scale;
  for (const std::string name : {"a", "b", "c"}) {
    const Op::Settings settings(g, name);
    add<ScaleOp>(g, name, {"x"}, scale, name == "c" ? 3.0f : 2.0f, settings);
    add<AbsOp>(g, "abs of " + name, {name}, O::Abs_6, settings);
    add<SquareOp>(g, "square of " + name, {"abs of " + name}, C::Square, settings);
    add<RandomUniformLikeOp>(g, "random " + name, {"x"}, O::RandomUniformLike_1, OptionalDataType(),
                             1.0f, 0.0f, settings);
  }
  const std::vector<TensorId> asked = {"square of a", "square of b", "square of c"};
  ir->setDataFlow(DataFlow(1, asked, AnchorReturnType("All")));
  ir->applyTransform(MergeDuplicateOps::id(), g);
  print(*ir);
  std::cout << g.getTensor("square of b")->getProducer()->inId(0) << "\n";
  run(ir, {{"x", {-1, 2}}}, false, asked);
  int16_t number = -7;
  void* data = &number;
  using Number = typefunctor::Int64FromVoid;
  std::cout << typefunctor::get<Number, int64_t>(DataType::INT16, data) << "\n";
  failsWithError([&] { typefunctor::get<Number, int64_t>(DataType::BOOL, data); });
}

void faults() {
  Ir ir;
  Graph& g = ir.getMainGraph();
  const Op::Settings settings(g, "s");
  g.addStream("x", TensorInfo("FLOAT", std::vector<int64_t>{1, 2, 3}));
  const auto scalar = [&](int type, int64_t index) {
    BinaryConstScalarOp(C::BinaryConstScalar, 1, static_cast<BinaryConstScalarOp::Type>(type),
                        index, settings);
  };
  failsWithError([&] { scalar(5, 0); });
  failsWithError([&] { scalar(0, 2); });
  failsWithError([&] { add<AddBiasOp>(g, "b", {"x", "x"}, C::AddBias, settings); });
  failsWithError([&] {
    add<ZerosOp>(g, "z", {}, C::Zeros_1, Shape{2}, OptionalDataType(DataType::DOUBLE), settings);
  });
  Op* pad = add<PadOp>(g, "pad", {"x"}, O::Pad_2, std::vector<int64_t>{0, 1, 2, 0, 0, 1},
                       std::vector<unsigned>(), 1.0f, "edge", settings);
  failsWithError([&] { pad->getGradOps(); });
}

}  // namespace

int main(int, char** argv) {
  const std::string what = argv[1];
  if (what == "plain" || what == "patterns") lower(what == "patterns");
  if (what == "structures") structures();
  if (what == "merged") merged();
  if (what == "faults") faults();
}
