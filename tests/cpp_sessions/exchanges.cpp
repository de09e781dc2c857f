// Exchanges in graphs of a program: with the host in the bodies of loops, and with remote buffers.
#include <popart/devicemanager.hpp>
#include <popart/ir.hpp>
#include <popart/ndarraywrapper.hpp>
#include <popart/op/accumulate.hpp>
#include <popart/op/add.hpp>
#include <popart/op/call.hpp>
#include <popart/op/exchange/hostcopy.hpp>
#include <popart/op/exchange/remote.hpp>
#include <popart/op/init.hpp>
#include <popart/op/loop.hpp>
#include <popart/op/mul.hpp>
#include <popart/operators.hpp>
#include <popart/session.hpp>
#include <popart/stepio.hpp>
#include <popart/topocons.hpp>
#include <popart/transforms/mainloops.hpp>
#include <popart/transforms/mergeexchange.hpp>
#include <popart/transforms/remotesetup.hpp>
#include <popart/util.hpp>
#include <pva/pva.hpp>

#include <iostream>
#include <numeric>

#include "errors.hpp"

using namespace popart;

namespace {

const TensorInfo two("FLOAT", std::vector<int64_t>{2});

std::shared_ptr<DeviceInfo> cpu() { return DeviceManager::createDeviceManager().createCpuDevice(); }

void print(const std::vector<float>& values) {
  for (const float value : values) std::cout << value << " ";
  std::cout << "\n";
}

void init(Graph& graph, const TensorId& id) {
  graph.createConnectedOp<InitOp>({}, {{0, id}}, Onnx::CustomOperators::Init_1, two,
                                  TensorType::ActGrad, InitType::Zero, Op::Settings(graph, id));
}

void load(Graph& graph, const TensorId& stream, const TensorId& id) {
  init(graph, id + "_room");
  graph.createConnectedOp<HostLoadOp>({{0, id + "_room"}}, {{0, id}},
                                      Onnx::CustomOperators::HostLoad, Op::Settings(graph, id),
                                      stream);
}

void store(Graph& graph, const TensorId& id, const TensorId& stream) {
  graph.createConnectedOp<HostStoreOp>({{0, id}}, {}, Onnx::CustomOperators::HostStore,
                                       Op::Settings(graph, id + "_store"), stream);
}

/// y = w x and w = w + 0.5 x, where the host sends x and gets y, in the main graph.
std::shared_ptr<Ir> batch(const std::vector<float>& start) {
  auto ir = std::make_shared<Ir>();
  Graph& graph = ir->getMainGraph();
  graph.addStream("x", two);
  graph.addVarInit("w", two, start.data());
  load(graph, "x", "loaded");
  Op* product = graph.createConnectedOp<MulOp>({{0, "w"}, {1, "loaded"}}, {{0, "y"}},
                                               Onnx::Operators::Mul_7, Op::Settings(graph, "y"));
  Op* update = graph.createConnectedOp<AccumulateOp>(
      {{0, "w"}, {1, "loaded"}}, {{0, "w1"}}, AccumulationType::DampenedAdd,
      OptimizerValue(0.5f, true), Op::Settings(graph, "update"));
  graph.topoCons->insert(product, update);
  return ir;
}

/// Trains two steps of `batches` times `micro` batches, whose loops MainLoops makes.
void loops(int batches, int micro) {
  std::shared_ptr<Ir> ir = batch({1, 2});
  SessionOptions& options = ir->getSessionOptions();
  options.enableExplicitMainLoops = options.useHostCopyOps = true;
  options.enableGradientAccumulation = micro > 1;
  options.accumulationFactor = micro;
  ir->setDataFlow(DataFlow(batches, {{"y", AnchorReturnType("All")}}));
  store(ir->getMainGraph(), "y", ir->getAnchorRemap().getRight("y"));
  ir->applyTransform(MainLoops::id(), ir->getMainGraph());
  ir->updateVertices();
  auto session = TrainingSession::createFromIr(ir, cpu());
  failsWithError([&] { static_cast<void>(session->getReport()); });
  session->prepareDevice();
  const int count = batches * micro;
  std::vector<float> x(static_cast<std::size_t>(2 * count)), y(x.size()), w(2);
  std::iota(x.begin(), x.end(), -1.0f);
  const TensorInfo all("FLOAT", std::vector<int64_t>{batches, micro, 2});
  const TensorInfo some("FLOAT", std::vector<int64_t>{count, 2});
  NDArrayWrapper<float> in(x.data(), micro > 1 && batches > 1 ? all : some);
  NDArrayWrapper<float> out(y.data(), micro > 1 && batches > 1 ? all : some);
  for (int step = 0; step < 2; ++step) {
    StepIO io({{"x", in}}, {{"y", out}});
    session->run(io);
    print(y);
  }
  session->weightsToHost();
  WeightsIO weights;
  weights.insert("w", {w.data(), two});
  session->readWeights(weights);
  print(w);
  const pva::Report report = session->getReport();
  std::cout << (report.execution().runs().size() == 2) << (report.compilation().target().numTiles())
            << "\n";
}

/// Two buffers that change their values, by exchanges that are one or several.
void swapped(bool merged) {
  auto ir = std::make_shared<Ir>();
  Graph& graph = ir->getMainGraph();
  std::vector<Op*> loads, stores;
  for (const char* id : {"a", "b"}) init(graph, std::string(id) + "_room");
  for (const int i : {0, 1})
    loads.push_back(graph.createConnectedOp<RemoteLoadInplaceOp>(
        {{0, i == 0 ? "a_room" : "b_room"}}, {{0, i == 0 ? "a" : "b"}},
        Onnx::CustomOperators::RemoteLoadInplace, Op::Settings(graph, "load"), i));
  for (const int i : {0, 1})
    stores.push_back(graph.createConnectedOp<RemoteStoreOp>({{0, i == 0 ? "a" : "b"}}, {},
                                                            Onnx::CustomOperators::RemoteStore,
                                                            Op::Settings(graph, "store"), 1 - i));
  for (Op* first : loads)
    for (Op* then : stores) graph.topoCons->insert(first, then);
  graph.topoCons->insert(loads[0], loads[1]);
  graph.topoCons->insert(stores[0], stores[1]);
  if (merged) ir->applyTransform(MergeExchange::id(), graph);
  ir->applyTransform(RemoteSetup::id(), graph);
  std::cout << ir->opsOfType(Onnx::CustomOperators::MultiExchange).size() << " "
            << ir->getRemoteBufferInfo(1).info << " " << ir->getRemoteBufferInfo(1).repeats << "\n";
  auto session = TrainingSession::createFromIr(ir, cpu());
  std::vector<float> a = {1, 2}, b = {3, 4}, c(2);
  failsWithError([&] { session->copyToRemoteBuffer(a.data(), "RB_0", 0); });
  session->prepareDevice();
  session->copyToRemoteBuffer(a.data(), "RB_0", 0, 0);
  session->copyToRemoteBuffer(b.data(), "RB_1", 0);
  StepIO io({}, {});
  for (int step = 0; step < 3; ++step) session->run(io);
  for (const char* buffer : {"RB_0", "RB_1"}) {
    session->copyFromRemoteBuffer(buffer, c.data(), 0);
    print(c);
  }
  failsWithError([&] { session->copyToRemoteBuffer(a.data(), "RB_2", 0); });
  failsWithError([&] { session->copyToRemoteBuffer(a.data(), "RB_0", 0, 1); });
  failsWithError([&] { session->copyFromRemoteBuffer("RB_0", c.data(), -1); });
  failsWithError([&] { session->copyFromRemoteBuffer("RB_0", c.data(), 1); });
}

/// A loop that adds x to each of three rows of a buffer, in the row that the number of the iteration
/// says, and a row of it that the main graph reads then.
void rows() {
  auto ir = std::make_shared<Ir>();
  Graph& graph = ir->getMainGraph();
  graph.addStream("x", two);
  Graph& body = ir->createGraph(GraphId("body"));
  const auto in = [&](const char* name) { return addScope(body, name); };
  const auto inside = [&](const char* name) { return Op::Settings(body, name); };
  body.addInput(in("i"), TensorInfo(DataType::INT32, {}));
  body.addInput(in("go"), TensorInfo(DataType::BOOL, {}));
  body.addInput(in("x"), two);
  body.markAsOutput(in("go"));
  init(body, in("room"));
  body.createConnectedOp<RemoteLoadOp>({{0, in("room")}, {1, in("i")}}, {{0, in("row")}},
                                       Onnx::CustomOperators::RemoteLoad, inside("load"), 7);
  body.createConnectedOp<AddOp>({{0, in("row")}, {1, in("x")}}, {{0, in("sum")}},
                                Onnx::Operators::Add_7, inside("add"));
  body.createConnectedOp<RemoteStoreOp>({{0, in("sum")}, {1, in("i")}}, {},
                                        Onnx::CustomOperators::RemoteStore, inside("store"), 7);
  body.markAsOutput(in("x"));
  LoopOp* loop =
      graph.createConnectedOp<LoopOp>({{LoopOp::getFirstInputInIndex(), "x"}}, {{0, "same"}},
                                      Onnx::Operators::Loop_11, Op::Settings(graph, "loop"), body);
  loop->setTripCountValue(3);
  loop->setup();
  const int32_t last = 2;
  graph.addConstInit("last", TensorInfo(DataType::INT32, {}), &last);
  init(graph, "room");
  Op* read = graph.createConnectedOp<RemoteLoadOp>({{0, "room"}, {1, "last"}}, {{0, "y"}},
                                                   Onnx::CustomOperators::RemoteLoad,
                                                   Op::Settings(graph, "read"), 7);
  graph.topoCons->insert(loop, read);
  for (Graph* each : {&body, &graph}) ir->applyTransform(RemoteSetup::id(), *each);
  std::cout << ir->getRemoteBufferInfo(7).repeats << "\n";
  ir->setDataFlow(DataFlow(1, {{"y", AnchorReturnType("All")}, {"same", AnchorReturnType("All")}}));
  auto session = InferenceSession::createFromIr(ir, cpu());
  session->prepareDevice();
  std::vector<float> values = {1, 2, 3, 4, 5, 6}, x = {10, 20}, y(2), same(2), found(6);
  for (int row = 0; row < 3; ++row)
    session->copyToRemoteBuffer(values.data() + 2 * row, "RB_7", row);
  NDArrayWrapper<float> given(x.data(), two), out(y.data(), two), other(same.data(), two);
  StepIO io({{"x", given}}, {{"y", out}, {"same", other}});
  for (int step = 0; step < 2; ++step) session->run(io);
  print(y);
  for (int row = 0; row < 3; ++row)
    session->copyFromRemoteBuffer("RB_7", found.data() + 2 * row, row);
  print(found);
}

/// Exchanges that cannot be, and an anchor in the body of a loop, which MainLoops does not take.
void refused() {
  std::shared_ptr<Ir> anchored = batch({1, 2});
  Graph& aside = anchored->createGraph(GraphId("aside"));
  aside.addInput(addScope(aside, "y"), two);
  anchored->setDataFlow(DataFlow(2, {{"y", AnchorReturnType("All")}}));
  anchored->remapAnchor("y", addScope(aside, "y"));
  failsWithError([&] { anchored->applyTransform(MainLoops::id(), anchored->getMainGraph()); });
  // A loop that only the run counts; a stream that two graphs load; no buffer; a buffer of two
  // sizes; a stream that the main graph reads, too.
  for (const int what : {0, 1, 2, 3, 4}) {
    auto ir = std::make_shared<Ir>();
    Graph& graph = ir->getMainGraph();
    graph.addStream("x", two);
    ir->setDataFlow(DataFlow(1, {{"y", AnchorReturnType("All")}}));
    if (what == 3) {
      init(graph, "room");
      const TensorInfo three("FLOAT", std::vector<int64_t>{3});
      graph.addStream("wide", three);
      graph.createConnectedOp<RemoteLoadOp>({{0, "room"}}, {{0, "y"}},
                                            Onnx::CustomOperators::RemoteLoad,
                                            Op::Settings(graph, "load"), 0);
      graph.createConnectedOp<RemoteStoreOp>({{0, "wide"}}, {}, Onnx::CustomOperators::RemoteStore,
                                             Op::Settings(graph, "store"), 0);
      failsWithError([&] { ir->applyTransform(RemoteSetup::id(), graph); });
      failsWithError([&] { InferenceSession::createFromIr(ir, cpu())->prepareDevice(); });
      continue;
    }
    Graph& body = ir->createGraph(GraphId("body"));
    body.addInput(addScope(body, "i"), TensorInfo(DataType::INT32, {}));
    body.addInput(addScope(body, "go"), TensorInfo(DataType::BOOL, {}));
    body.markAsOutput(addScope(body, "go"));
    body.addInput(addScope(body, "given"), two);
    load(body, "x", addScope(body, "a"));
    if (what == 1) load(graph, "x", "outside");
    body.createConnectedOp<AddOp>({{0, addScope(body, "given")}, {1, addScope(body, "a")}},
                                  {{0, addScope(body, "sum")}}, Onnx::Operators::Add_7,
                                  Op::Settings(body, "sum"));
    body.markAsOutput(addScope(body, "sum"));
    const float zeros[] = {0, 0};
    graph.addConstInit("zero", two, zeros);
    graph.addStream("count", TensorInfo(DataType::INT32, {}));
    std::map<InIndex, TensorId> inputs = {{LoopOp::getFirstInputInIndex(), "zero"}};
    if (what == 0) inputs[LoopOp::getMaximumTripCountInIndex()] = "count";
    LoopOp* loop = graph.createConnectedOp<LoopOp>(inputs, {{0, "y"}}, Onnx::Operators::Loop_11,
                                                   Op::Settings(graph, "loop"), body);
    loop->setTripCountValue(what == 0 ? 0 : 2);
    if (what == 2)
      body.createConnectedOp<RemoteStoreOp>({{0, addScope(body, "a")}}, {},
                                            Onnx::CustomOperators::RemoteStore,
                                            Op::Settings(body, "store"));
    if (what == 4) {
      graph.createConnectedOp<AddOp>({{0, "x"}, {1, "y"}}, {{0, "sum"}}, Onnx::Operators::Add_7,
                                     Op::Settings(graph, "sum"));
    }
    if (what == 2) failsWithError([&] { ir->applyTransform(RemoteSetup::id(), body); });
    failsWithError([&] { InferenceSession::createFromIr(ir, cpu()); });
  }
}

}  // namespace

int main(int, char** argv) {
  const std::string what = argv[1];
  if (what == "loops") loops(std::stoi(argv[2]), std::stoi(argv[3]));
  if (what == "swapped") swapped(argv[2] == std::string("merged"));
  if (what == "rows") rows();
  if (what == "refused") refused();
}
