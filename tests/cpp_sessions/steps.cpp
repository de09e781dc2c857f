// Steps of optimizers in graphs that a program makes: constructed, taken apart and run.
#include <popart/adam.hpp>
#include <popart/adaptive.hpp>
#include <popart/devicemanager.hpp>
#include <popart/ir.hpp>
#include <popart/ndarraywrapper.hpp>
#include <popart/op/add.hpp>
#include <popart/op/cast.hpp>
#include <popart/op/l1.hpp>
#include <popart/op/lossscaleupdate.hpp>
#include <popart/op/mul.hpp>
#include <popart/op/nll.hpp>
#include <popart/op/scaledadd.hpp>
#include <popart/op/sync.hpp>
#include <popart/operators.hpp>
#include <popart/patterns/adamdecompose.hpp>
#include <popart/patterns/adaptivedecompose.hpp>
#include <popart/patterns/removeunnecessarylossgradcastpattern.hpp>
#include <popart/patterns/sgd0decompose.hpp>
#include <popart/patterns/sgd1decompose.hpp>
#include <popart/patterns/sgd2decompose.hpp>
#include <popart/session.hpp>
#include <popart/sgd.hpp>
#include <popart/stepio.hpp>

#include <map>

#include "errors.hpp"

using namespace popart;

namespace {

const TensorInfo four("FLOAT", std::vector<int64_t>{4});

void print(const std::vector<float>& values) {
  for (const float value : values) std::cout << value << " ";
  std::cout << "\n";
}

std::unique_ptr<Optimizer> made(const std::string& kind, bool isConst) {
  const auto v = [&](float value) { return OptimizerValue(value, isConst); };
  const bool isSeparate = kind == "sgd2" || kind == "nesterov2";
  const bool isNesterov = kind == "nesterov1" || kind == "nesterov2";
  if (kind.compare(0, 3, "sgd") == 0 || isNesterov)
    return std::make_unique<SGD>(
        v(0.1f), v(0.02f), kind == "sgd0" ? OptimizerValue(0.0f) : v(0.9f), OptimizerValue(0.0f),
        OptimizerValue(1.0f), v(2.0f), OptimizerValue(isNesterov ? 1.0f : 0.0f),
        std::vector<ClipNormSettings>{},
        isSeparate ? SGDAccumulatorAndMomentum::Separate : SGDAccumulatorAndMomentum::Combined);
  const std::map<std::string, AdaptiveMode> adaptive = {{"adagrad", AdaptiveMode::AdaGrad},
                                                        {"rmsprop", AdaptiveMode::RMSProp},
                                                        {"tensorflow", AdaptiveMode::RMSProp},
                                                        {"centered", AdaptiveMode::CenteredRMSProp},
                                                        {"adadelta", AdaptiveMode::AdaDelta}};
  if (adaptive.count(kind)) {
    const bool hasMomentum = kind == "centered" || kind == "tensorflow";
    return std::make_unique<Adaptive>(
        v(0.1f), v(0.02f), v(0.9f), hasMomentum ? v(0.8f) : OptimizerValue(0.0f), v(1e-4f), v(2.0f),
        adaptive.at(kind),
        kind == "tensorflow" ? WeightDecayMode::Decay : WeightDecayMode::L2Regularization,
        DataType::FLOAT, DataType::FLOAT, DataType::FLOAT, DataType::FLOAT, kind == "tensorflow");
  }
  const AdamMode mode = kind == "adamax"       ? AdamMode::AdaMax
                        : kind == "lamb"       ? AdamMode::Lamb
                        : kind == "adamNoBias" ? AdamMode::AdamNoBias
                                               : AdamMode::Adam;
  const bool decays = kind == "adamw" || kind == "lamb";
  return std::make_unique<Adam>(
      v(0.1f), v(0.02f), v(0.9f), v(0.99f), v(1e-6f), v(2.0f), v(10.0f), mode,
      decays ? WeightDecayMode::Decay : WeightDecayMode::L2Regularization, DataType::FLOAT,
      DataType::FLOAT, DataType::FLOAT, std::vector<ClipNormSettings>{}, kind == "scaled");
}

/// Trains w of the loss |w x| for three steps by an optimizer, and prints its parts and w.
void trained(const std::string& kind, bool isConst) {
  auto ir = std::make_shared<Ir>();
  Graph& graph = ir->getMainGraph();
  const std::vector<float> start = {1, -2, 3, -4};
  graph.addVarInit("w", four, start.data());
  graph.addStream("x", four);
  graph.createConnectedOp<MulOp>({{0, "w"}, {1, "x"}}, {{0, "y"}}, Onnx::Operators::Mul_7,
                                 Op::Settings(graph, "mul"));
  graph.createConnectedOp<L1Op>({{0, "y"}}, {{0, "loss"}}, Onnx::CustomOperators::L1, 1.0f,
                                ReductionType::Sum, Op::Settings(graph, "l1"));
  ir->setDataFlow(DataFlow(1, {{"loss", AnchorReturnType("All")}}));
  fails([&] { ir->constructBackwards(); });
  ir->setFinalLoss("loss");
  ir->setOptimizer(*made(kind, isConst));
  ir->constructBackwards();
  ir->updateVertices();
  const Op* last = graph.getTensor("Gradient___w")->getProducer();
  std::cout << ir->isTraining() << ir->hasConstructedBackwards()
            << (last->fromLoss == PathFromLoss::Yes) << "\n";
  for (const auto& step : graph.getOps())
    if (step.second->isConvertibleTo<VarUpdateWithUpdaterOp>())
      std::cout << step.second->opid.type << " of " << step.second->inId(1) << "\n";
  const SGD0Decompose sgd0;
  const SGD1Decompose sgd1;
  const SGD2Decompose sgd2;
  const AdamDecompose adam;
  const AdaptiveDecompose adaptive;
  bool changed = false;
  for (const PreAliasPattern* pattern :
       std::vector<const PreAliasPattern*>{&sgd0, &sgd1, &sgd2, &adam, &adaptive})
    changed |= ir->applyPreAliasPattern(pattern, graph);
  std::cout << changed << ":";
  bool isAfter = false;
  for (const Op* op : graph.getOpSchedule({}, RequireOptimalSchedule::No)) {
    if (isAfter) std::cout << " " << op->opid.type;
    isAfter |= op->hasOutput(0) && op->outId(0) == "Gradient___w";
  }
  std::cout << "\n";
  auto session =
      InferenceSession::createFromIr(ir, DeviceManager::createDeviceManager().createCpuDevice());
  session->prepareDevice();
  std::vector<float> x = {0.5, 1, -2, 3}, w(4), loss(1);
  NDArrayWrapper<float> in(x.data(), four), out(loss.data(), TensorInfo("FLOAT", Shape{}));
  for (int i = 0; i < 3; ++i) {
    StepIO io({{"x", in}}, {{"loss", out}});
    session->run(io);
    session->weightsToHost();
    WeightsIO weights;
    weights.insert("w", {w.data(), four});
    session->readWeights(weights);
    print(w);
  }
}

/// The gradient of L1 as an operator, and a weighted sum over each of its arguments, which are
/// variables.
void sums() {
  auto ir = std::make_shared<Ir>();
  Graph& graph = ir->getMainGraph();
  const std::vector<float> a = {1, -2, 3, -4}, b = {10, 20, 30, 40};
  graph.addVarInit("a", four, a.data());
  graph.addVarInit("b", four, b.data());
  graph.addStream("x", four);
  graph.addStream("g", TensorInfo("FLOAT", Shape{}));
  auto* loss = graph.createConnectedOp<L1Op>({{0, "x"}}, {{0, "loss"}}, Onnx::CustomOperators::L1,
                                             3.0f, ReductionType::Mean, Op::Settings(graph, "l1"));
  graph.createConnectedOp<L1GradOp>({{0, "x"}, {1, "g"}}, {{0, "slope"}}, *loss);
  auto* sum = graph.createConnectedOp<ScaledAddOp>({{0, "x"}, {1, "slope"}}, {{0, "sum"}},
                                                   Onnx::AiGraphcore::OpSet1::ScaledAdd, 2.0f, 0.5f,
                                                   Op::Settings(graph, "sum"));
  graph.createConnectedOp<ScaledAddLhsInplaceOp>({{0, "a"}, {1, "sum"}}, {{0, "a1"}}, *sum);
  graph.createConnectedOp<ScaledAddRhsInplaceOp>({{0, "a1"}, {1, "b"}}, {{0, "b1"}}, *sum);
  graph.createConnectedOp<AddLhsInplaceOp>({{0, "sum"}, {1, "slope"}}, {{0, "sum1"}},
                                           Onnx::CustomOperators::AddLhsInplace,
                                           Op::Settings(graph, "in place"));
  for (const auto& variant : sum->inplacePriorityDefault())
    std::cout << sum->getInplaceVariant(std::get<0>(variant))->opid.type << " ";
  std::cout << "\n";
  ir->setDataFlow(DataFlow(1, {{"slope", AnchorReturnType("All")},
                               {"sum", AnchorReturnType("All")},
                               {"a1", AnchorReturnType("All")},
                               {"b1", AnchorReturnType("All")},
                               {"sum1", AnchorReturnType("All")}}));
  auto session =
      InferenceSession::createFromIr(ir, DeviceManager::createDeviceManager().createCpuDevice());
  session->prepareDevice();
  std::vector<float> x = {0.5, 0, -2, 3}, g = {4}, outs[5];
  NDArrayWrapper<float> in(x.data(), four), slope(g.data(), TensorInfo("FLOAT", Shape{}));
  std::vector<std::unique_ptr<NDArrayWrapper<float>>> out;
  for (auto& each : outs) {
    each.resize(4);
    out.push_back(std::make_unique<NDArrayWrapper<float>>(each.data(), four));
  }
  for (int i = 0; i < 2; ++i) {
    StepIO io({{"x", in}, {"g", slope}}, {{"slope", *out[0]},
                                          {"sum", *out[1]},
                                          {"a1", *out[2]},
                                          {"b1", *out[3]},
                                          {"sum1", *out[4]}});
    session->run(io);
    for (const auto& each : outs) print(each);
  }
}

/// The gradient of an Nll of logarithms in half, the last of four samples ignored. Its scaling, cast
/// to half, is infinite; the pattern takes the cast away.
void scaledLoss(bool applies) {
  auto ir = std::make_shared<Ir>();
  Graph& graph = ir->getMainGraph();
  const TensorInfo logs("FLOAT16", Shape{4, 2}), labels("INT32", Shape{4});
  graph.addStream("x", TensorInfo("FLOAT", Shape{4, 2}));
  graph.addStream("labels", labels);
  graph.addStream("scaling", TensorInfo("FLOAT", Shape{1}));
  const auto cast = [&](const TensorId& from, const TensorId& to) {
    return graph.createConnectedOp<CastOp>({{0, from}}, {{0, to}}, Onnx::Operators::Cast_9,
                                           DataType::FLOAT16, Op::Settings(graph, to));
  };
  cast("x", "logs");
  Op* scaled = cast("scaling", "narrow");
  auto* gradient = graph.createConnectedOp<NllGradOp>({{NllGradOp::getProbsInIndex(), "logs"},
                                                       {NllGradOp::getLabelInIndex(), "labels"},
                                                       {NllGradOp::getGradInIndex(), "narrow"}},
                                                      {{NllGradOp::getOutIndex(), "slope"}}, "loss",
                                                      nonstd::optional<int>(7), ReductionType::Mean,
                                                      true, Op::Settings(graph, "nll"));
  graph.createConnectedOp<CastOp>({{0, "slope"}}, {{0, "out"}}, Onnx::Operators::Cast_9,
                                  DataType::FLOAT, Op::Settings(graph, "wide"));
  const RemoveUnnecessaryLossGradCast pattern;
  std::cout << pattern.matches(gradient) << pattern.matches(scaled);
  if (applies) std::cout << ir->applyPreAliasPattern(&pattern, graph) << scaled->input->n();
  std::cout << " " << gradient->inId(NllGradOp::getGradInIndex()) << " "
            << graph.getTensor("slope")->info << "\n";
  ir->setDataFlow(DataFlow(1, {{"out", AnchorReturnType("All")}}));
  auto session =
      InferenceSession::createFromIr(ir, DeviceManager::createDeviceManager().createCpuDevice());
  session->prepareDevice();
  std::vector<float> x(8, -0.5f), scaling = {98304}, out(8);
  std::vector<int32_t> classes = {0, 1, 1, 7};
  NDArrayWrapper<float> in(x.data(), Shape{4, 2}), factor(scaling.data(), Shape{1}),
      made(out.data(), Shape{4, 2});
  NDArrayWrapper<int32_t> label(classes.data(), Shape{4});
  StepIO io({{"x", in}, {"labels", label}, {"scaling", factor}}, {{"out", made}});
  session->run(io);
  print(out);
}

/// The factor of automatic loss scaling after each of two steps, by counts of gradients below and above
/// the limit; then all tiles wait for each other.
void lossScale(unsigned below, unsigned above) {
  auto ir = std::make_shared<Ir>();
  Graph& graph = ir->getMainGraph();
  const TensorInfo one("FLOAT", Shape{}), two("UINT32", Shape{2});
  const float start = 8;
  graph.addVarInit("factor", one, &start);
  graph.addStream("counts", two);
  graph.createConnectedOp<LossScaleUpdateOp>({{0, "factor"}, {1, "counts"}}, {{0, "updated"}},
                                             Onnx::CustomOperators::LossScaleUpdate,
                                             DataType::FLOAT, Op::Settings(graph, "update"));
  graph.createConnectedOp<SyncOp>({}, {}, Op::Settings(graph, "sync"), poplar::SyncType::INTERNAL);
  ir->setDataFlow(DataFlow(1, {{"updated", AnchorReturnType("All")}}));
  auto session =
      InferenceSession::createFromIr(ir, DeviceManager::createDeviceManager().createCpuDevice());
  session->prepareDevice();
  session->weightsFromHost();
  unsigned counts[] = {below, above};
  float factor = 0;
  NDArrayWrapper<unsigned> given(counts, two);
  NDArrayWrapper<float> found(&factor, one);
  const std::map<TensorId, IArray&> in{{"counts", given}}, out{{"updated", found}};
  for (int step = 0; step < 2; ++step) {
    StepIO io(in, out);
    session->run(io);
    print({factor});
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argv[1];
  if (what == "sums")
    sums();
  else if (what == "lossScale")
    lossScale(static_cast<unsigned>(std::stoul(argv[2])),
              static_cast<unsigned>(std::stoul(argv[3])));
  else if (what == "scaledLoss")
    scaledLoss(argc > 2);
  else
    trained(what, argc < 3);
}
