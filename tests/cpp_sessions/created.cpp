// Sessions of graphs: createFromIr, of a model that Ir::prepare has compiled, and of operators.
#include <popart/builder.hpp>
#include <popart/devicemanager.hpp>
#include <popart/filereader.hpp>
#include <popart/ir.hpp>
#include <popart/ndarraywrapper.hpp>
#include <popart/op/accumulate.hpp>
#include <popart/op/add.hpp>
#include <popart/op/call.hpp>
#include <popart/op/cast.hpp>
#include <popart/op/exchange/hostcopy.hpp>
#include <popart/op/identity.hpp>
#include <popart/op/init.hpp>
#include <popart/op/loop.hpp>
#include <popart/op/relu.hpp>
#include <popart/op/scale.hpp>
#include <popart/operators.hpp>
#include <popart/session.hpp>
#include <popart/sgd.hpp>
#include <popart/stepio.hpp>
#include <popart/util.hpp>

#include <functional>
#include <iostream>

#include "errors.hpp"

using namespace popart;

namespace {

using Inputs = std::map<TensorId, IArray&>;
const TensorInfo four("FLOAT", std::vector<int64_t>{4});

std::shared_ptr<DeviceInfo> cpu() { return DeviceManager::createDeviceManager().createCpuDevice(); }

void print(const std::vector<float>& values) {
  for (const float value : values) std::cout << value << " ";
  std::cout << "\n";
}

/// y = relu(w + x), where the host sends x by a HostLoad and gets y by a HostStore. w becomes
/// w accumulated with x first. `count` steps, whose y are printed, and then w.
void accumulated(AccumulationType type, float factor) {
  auto ir = std::make_shared<Ir>();
  Graph& graph = ir->getMainGraph();
  const std::vector<float> start = {1, -2, 3, -4};
  graph.addStream("x", four);
  graph.addVarInit("w", four, start.data());
  graph.createConnectedOp<InitOp>({}, {{0, "room"}}, Onnx::CustomOperators::Init_1, four,
                                  TensorType::ActGrad, InitType::Zero, Op::Settings(graph, "room"));
  graph.createConnectedOp<HostLoadOp>({{0, "room"}}, {{0, "loaded"}},
                                      Onnx::CustomOperators::HostLoad, Op::Settings(graph, "load"),
                                      "x");
  graph.createConnectedOp<AccumulateOp>({{0, "w"}, {1, "loaded"}}, {{0, "w1"}}, type,
                                        OptimizerValue(factor, true), Op::Settings(graph, "acc"));
  Graph& body = ir->createGraph(GraphId("body"));
  const TensorId a = addScope(body, "a"), b = addScope(body, "b");
  body.addInput(a, four);
  body.createConnectedOp<ReluOp>({{0, a}}, {{0, b}}, Onnx::Operators::Relu_6,
                                 Op::Settings(body, "act"));
  body.markAsOutput(b);
  graph.createConnectedOp<AddOp>({{0, "w1"}, {1, "loaded"}}, {{0, "sum"}}, Onnx::Operators::Add_7,
                                 Op::Settings(graph, "add"));
  graph.createConnectedOp<CallOp>({{0, "sum"}}, {{0, "y"}}, Onnx::AiGraphcore::OpSet1::Call, body,
                                  Op::Settings(graph, "call"));
  ir->setDataFlow(DataFlow(1, {{"y", AnchorReturnType("All")}}));
  graph.createConnectedOp<HostStoreOp>({{0, "y"}}, {}, Onnx::CustomOperators::HostStore,
                                       Op::Settings(graph, "store"),
                                       ir->getAnchorRemap().getRight("y"));
  ir->getSessionOptions().useHostCopyOps = true;
  ir->updateVertices();
  ir->setIsPrepared();
  auto session = InferenceSession::createFromIr(ir, cpu());
  session->prepareDevice();
  std::vector<float> x = {0.5, 1, -2, 3}, y(4), w(4);
  NDArrayWrapper<float> in(x.data(), four), out(y.data(), four);
  for (int step = 0; step < 2; ++step) {
    StepIO io({{"x", in}}, {{"y", out}});
    session->run(io);
    print(y);
  }
  session->weightsToHost();
  WeightsIO weights;
  weights.insert("w", {w.data(), four});
  session->readWeights(weights);
  print(w);
}

/// y = (x + i) * 2 in three iterations i, where the product overwrites the sum, and what follows it
/// in the body, or is its output, gets the product: z = product + sum. With `asks` each
/// iteration says whether there is another one.
void looped(bool asks) {
  auto ir = std::make_shared<Ir>();
  Graph& graph = ir->getMainGraph();
  Graph& body = ir->createGraph(GraphId("body"));
  const auto in = [&](const char* name) { return addScope(body, name); };
  const auto inside = [&](const char* name) { return Op::Settings(body, name); };
  graph.addStream("x", four);
  body.addInput(in("i"), TensorInfo(DataType::INT32, {}));
  body.addInput(in("go"), TensorInfo(DataType::BOOL, {}));
  body.addInput(in("a"), four);
  body.addInput(in("b"), four);
  body.createConnectedOp<CastOp>({{0, in("i")}}, {{0, in("f")}}, Onnx::Operators::Cast_9,
                                 DataType::FLOAT, inside("cast"));
  body.createConnectedOp<AddOp>({{0, in("a")}, {1, in("f")}}, {{0, in("sum")}},
                                Onnx::Operators::Add_7, inside("sum"));
  body.createConnectedOp<ScaleInplaceOp>({{0, in("sum")}}, {{0, in("product")}},
                                         Onnx::CustomOperators::ScaleInplace, 2.0f,
                                         inside("scale"));
  body.createConnectedOp<AddOp>({{0, in("product")}, {1, in("sum")}}, {{0, in("both")}},
                                Onnx::Operators::Add_7, inside("both"));
  if (asks)
    body.createConnectedOp<IdentityOp>({{0, in("go")}}, {{0, in("next")}},
                                       Onnx::Operators::Identity_1, inside("next"));
  body.markAsOutput(in(asks ? "next" : "go"));
  body.markAsOutput(in("sum"));
  body.markAsOutput(in("both"));
  LoopOp* loop = graph.createConnectedOp<LoopOp>(
      {{LoopOp::getFirstInputInIndex(), "x"}, {LoopOp::getFirstInputInIndex() + 1, "x"}},
      {{0, "y"}, {1, "z"}}, Onnx::Operators::Loop_11, Op::Settings(graph, "loop"), body);
  loop->setTripCountValue(3);
  loop->setup();
  ir->setDataFlow(DataFlow(1, {{"y", AnchorReturnType("All")}, {"z", AnchorReturnType("All")}}));
  auto session = InferenceSession::createFromIr(ir, cpu());
  session->prepareDevice();
  std::vector<float> x = {0.5, 1, -2, 3}, y(4), z(4);
  NDArrayWrapper<float> given(x.data(), four), first(y.data(), four), second(z.data(), four);
  StepIO io({{"x", given}}, {{"y", first}, {"z", second}});
  session->run(io);
  print(y);
  print(z);
}

/// Trains a model that was prepared, and asks for what cannot be.
void prepared() {
  auto builder = Builder::create();
  const TensorInfo info("FLOAT", std::vector<int64_t>{2, 2});
  std::vector<float> values = {1, 2, 3, 4};
  const TensorId x = builder->addInputTensor(info, "x");
  const TensorId w = builder->addInitializedInputTensor({values.data(), info}, "w");
  const TensorId y = builder->aiOnnxOpset9().matmul({x, w});
  const TensorId loss = builder->aiGraphcoreOpset1().l1loss({y}, 1.0f, ReductionType::Sum, "loss");
  const SGD optimizer({{"defaultLearningRate", {0.5f, false}}});
  auto ir = std::make_shared<Ir>();
  ir->prepare({io::getModelFromString(builder->getModelProto()), InputShapeInfo(),
               DataFlow(1, {{y, AnchorReturnType("All")}}), loss, &optimizer, *cpu(),
               SessionOptions(), Patterns()});
  failsWithError([&] { TrainingSession::createFromIr(ir, nullptr); });
  failsWithError([&] { TrainingSession::createFromIr(nullptr, cpu()); });
  failsWithError([&] { InferenceSession::createFromIr(std::make_shared<Ir>(), cpu()); });
  auto session = TrainingSession::createFromIr(ir, cpu(), "again");
  std::cout << (&session->getIr() == ir.get()) << "\n";
  failsWithError([&] { TrainingSession::createFromIr(ir, cpu()); });
  session->prepareDevice();
  std::vector<float> ones = {1, 0, 0, 1}, out(4), now(4);
  NDArrayWrapper<float> in(ones.data(), info), result(out.data(), info);
  const SGD slower({{"defaultLearningRate", {0.25f, false}}});
  for (int step = 0; step < 2; ++step) {
    StepIO io({{x, in}}, {{y, result}});
    session->run(io);
    print(out);
    session->updateOptimizerFromHost(&slower);
  }
  session->weightsToHost();
  WeightsIO weights;
  weights.insert(w, {now.data(), info});
  session->readWeights(weights);
  print(now);
}

/// Graphs that cannot be lowered.
void refused() {
  const auto make = [](const std::function<void(Ir&)>& fill) {
    auto ir = std::make_shared<Ir>();
    ir->getMainGraph().addStream("x", four);
    ir->getMainGraph().createConnectedOp<ReluOp>({{0, "x"}}, {{0, "y"}}, Onnx::Operators::Relu_6,
                                                 Op::Settings(ir->getMainGraph(), "act"));
    ir->setDataFlow(DataFlow(1, {{"y", AnchorReturnType("All")}}));
    fill(*ir);
    return InferenceSession::createFromIr(ir, cpu());
  };
  const auto load = [](Graph& graph, const TensorId& from, const TensorId& id) {
    graph.createConnectedOp<HostLoadOp>({{0, from}}, {{0, "loaded"}},
                                        Onnx::CustomOperators::HostLoad,
                                        Op::Settings(graph, "load"), id);
  };
  failsWithError([&] { make([&](Ir& ir) { load(ir.getMainGraph(), "y", "z"); }); });
  failsWithError([&] {
    make([&](Ir& ir) {
      Graph& body = ir.createGraph(GraphId("body"));
      body.addInput("body/a", four);
      load(body, "body/a", "x");
      body.markAsOutput("loaded");
      ir.getMainGraph().createConnectedOp<CallOp>({{0, "y"}}, {{0, "called"}},
                                                  Onnx::CustomOperators::Call_1, body,
                                                  Op::Settings(ir.getMainGraph(), "call"));
    });
  });
  failsWithError([&] {
    make([&](Ir& ir) {
      ir.getMainGraph().createConnectedOp<HostStoreOp>(
          {{0, "x"}}, {}, Onnx::CustomOperators::HostStore,
          Op::Settings(ir.getMainGraph(), "store"), "x");
    });
  });
  failsWithError(
      [&] { make([&](Ir& ir) { ir.getSessionOptions().enableGradientAccumulation = true; }); });
  failsWithError([&] {
    make([&](Ir& ir) { ir.setDataFlow(DataFlow(1, {{"z", AnchorReturnType("All")}})); });
  });
  failsWithError([&] { make([](Ir&) {})->modelToHost("model.onnx"); });
  const SGD optimizer({{"defaultLearningRate", {0.5f, false}}});
  auto ir = std::make_shared<Ir>();
  ir->getMainGraph().addStream("x", four);
  ir->setDataFlow(DataFlow(1, {{"x", AnchorReturnType("All")}}));
  failsWithError(
      [&] { TrainingSession::createFromIr(ir, cpu())->updateOptimizerFromHost(&optimizer); });
}

}  // namespace

int main(int, char** argv) {
  const std::string what = argv[1];
  if (what == "prepared") prepared();
  if (what == "refused") refused();
  if (what == "looped") looped(argv[2] == std::string("asks"));
  if (what == "accumulated")
    accumulated(static_cast<AccumulationType>(std::stoi(argv[2])), std::stof(argv[3]));
}
