// Loops of a program's graph: how often they run, who gives their data, and wrong exchanges.
#include <popart/devicemanager.hpp>
#include <popart/ir.hpp>
#include <popart/ndarraywrapper.hpp>
#include <popart/op/add.hpp>
#include <popart/op/exchange/hostcopy.hpp>
#include <popart/op/exchange/remote.hpp>
#include <popart/op/init.hpp>
#include <popart/op/loop.hpp>
#include <popart/operators.hpp>
#include <popart/session.hpp>
#include <popart/stepio.hpp>
#include <popart/topocons.hpp>
#include <popart/transforms/remotesetup.hpp>
#include <popart/util.hpp>

#include <iostream>
#include <numeric>

#include "errors.hpp"

using namespace popart;

namespace {

const TensorInfo two("FLOAT", std::vector<int64_t>{2});
const TensorInfo whole("INT32", std::vector<int64_t>{});
const TensorInfo truth("BOOL", std::vector<int64_t>{});

std::unique_ptr<InferenceSession> sessionOf(const std::shared_ptr<Ir>& ir,
                                            const std::vector<TensorId>& anchors) {
  ir->setDataFlow(DataFlow(1, anchors, AnchorReturnType("All")));
  auto session =
      InferenceSession::createFromIr(ir, DeviceManager::createDeviceManager().createCpuDevice());
  session->prepareDevice();
  return session;
}

void print(const std::vector<float>& values) {
  for (const float value : values) std::cout << value << " ";
  std::cout << "\n";
}

void add(Graph& graph, const TensorId& a, const TensorId& b, const TensorId& sum) {
  graph.createConnectedOp<AddOp>({{0, a}, {1, b}}, {{0, sum}}, Onnx::Operators::Add_7,
                                 Op::Settings(graph, sum));
}

/// A body that gets the number of the iteration and the condition.
Graph& bodyIn(Ir& ir) {
  Graph& body = ir.createGraph(GraphId("body"));
  body.addInput("body/i", whole);
  body.addInput("body/go", truth);
  body.markAsOutput("body/go");
  return body;
}

/// One that doubles a value.
Graph& doubling(Ir& ir) {
  Graph& body = bodyIn(ir);
  body.addInput("body/x", two);
  add(body, "body/x", "body/x", "body/y");
  body.markAsOutput("body/y");
  return body;
}

LoopOp* loop(Graph& graph, Graph& body, const std::map<InIndex, TensorId>& in,
             const std::map<OutIndex, TensorId>& out, int trips) {
  LoopOp* made = graph.createConnectedOp<LoopOp>(in, out, Onnx::Operators::Loop_11,
                                                 Op::Settings(graph, "loop"), body);
  made->setTripCountValue(trips);
  made->setup();
  return made;
}

Op* load(Graph& graph, const TensorId& stream, const TensorId& id) {
  graph.createConnectedOp<InitOp>({}, {{0, id + "_room"}}, Onnx::CustomOperators::Init_1, two,
                                  TensorType::ActGrad, InitType::Zero, Op::Settings(graph, id));
  return graph.createConnectedOp<HostLoadOp>({{0, id + "_room"}}, {{0, id}},
                                             Onnx::CustomOperators::HostLoad,
                                             Op::Settings(graph, "load_" + id), stream);
}

void store(Graph& graph, const TensorId& id, const TensorId& anchor) {
  graph.createConnectedOp<HostStoreOp>({{0, id}}, {}, Onnx::CustomOperators::HostStore,
                                       Op::Settings(graph, "store_" + id), anchor);
}

void remote(Graph& graph, const TensorId& row, const TensorId& loaded) {
  std::map<InIndex, TensorId> in = {{0, loaded + "_room"}};
  if (!row.empty()) in[1] = row;
  graph.createConnectedOp<InitOp>({}, {{0, loaded + "_room"}}, Onnx::CustomOperators::Init_1, two,
                                  TensorType::ActGrad, InitType::Zero, Op::Settings(graph, "room"));
  graph.createConnectedOp<RemoteLoadOp>(in, {{0, loaded}}, Onnx::CustomOperators::RemoteLoad,
                                        Op::Settings(graph, "load_row"), 3);
}

/// A stream that is loaded twice in a loop of three iterations, and one three times outside of it.
void again() {
  auto ir = std::make_shared<Ir>();
  Graph& graph = ir->getMainGraph();
  for (const char* id : {"x", "w"}) graph.addStream(id, two);
  Graph& body = bodyIn(*ir);
  body.addInput("body/total", two);
  load(body, "x", "body/a");
  load(body, "x", "body/b");
  add(body, "body/a", "body/total", "body/c");
  add(body, "body/c", "body/c", "body/d");
  add(body, "body/d", "body/b", "body/e");
  body.markAsOutput("body/e");
  for (const char* id : {"p", "q", "r"}) load(graph, "w", id);
  loop(graph, body, {{2, "p"}}, {{0, "looped"}}, 3);
  add(graph, "q", "q", "twice");
  add(graph, "looped", "twice", "some");
  add(graph, "some", "r", "y");
  auto session = sessionOf(ir, {"y"});
  std::vector<float> x(12), w = {0.5, 0, 100, 200, 1000, 2000}, y(2);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
  NDArrayWrapper<float> in(x.data(), {3, 2, 2}), more(w.data(), {3, 2}), out(y.data(), two);
  StepIO io({{"x", in}, {"w", more}}, {{"y", out}});
  for (int step = 0; step < 2; ++step) session->run(io);
  print(y);
}

/// A stream that two loops load: twice in each of three iterations, then once in each of two.
void sequence() {
  auto ir = std::make_shared<Ir>();
  Graph& graph = ir->getMainGraph();
  for (const char* id : {"x", "w"}) graph.addStream(id, two);
  Graph& first = bodyIn(*ir);
  first.addInput("body/total", two);
  load(first, "x", "body/a");
  load(first, "x", "body/b");
  add(first, "body/a", "body/total", "body/c");
  add(first, "body/c", "body/c", "body/d");
  add(first, "body/d", "body/b", "body/e");
  first.markAsOutput("body/e");
  Graph& second = ir->createGraph(GraphId("second"));
  second.addInput("second/i", whole);
  second.addInput("second/go", truth);
  second.markAsOutput("second/go");
  second.addInput("second/total", two);
  load(second, "x", "second/a");
  add(second, "second/total", "second/total", "second/b");
  add(second, "second/b", "second/a", "second/c");
  second.markAsOutput("second/c");
  loop(graph, first, {{2, "w"}}, {{0, "between"}}, 3);
  loop(graph, second, {{2, "between"}}, {{0, "y"}}, 2);
  auto session = sessionOf(ir, {"y"});
  std::vector<float> x(16), w = {0.5, 0}, y(2);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
  NDArrayWrapper<float> in(x.data(), {8, 2}), more(w.data(), two), out(y.data(), two);
  StepIO io({{"x", in}, {"w", more}}, {{"y", out}});
  for (int step = 0; step < 2; ++step) session->run(io);
  print(y);
}

/// A loop of at most three iterations, whose first condition and count the host sends.
void asked() {
  auto ir = std::make_shared<Ir>();
  Graph& graph = ir->getMainGraph();
  graph.addStream("go", truth);
  graph.addStream("count", whole);
  graph.addStream("x", two);
  loop(graph, doubling(*ir), {{0, "count"}, {1, "go"}, {2, "x"}}, {{0, "y"}}, 3);
  auto session = sessionOf(ir, {"y"});
  for (const bool starts : {true, false})
    for (const int32_t often : {0, 2, 4}) {
      bool go = starts;
      int32_t count = often;
      std::vector<float> x = {1, 2}, y(2);
      NDArrayWrapper<bool> conditions(&go, truth);
      NDArrayWrapper<int32_t> counts(&count, whole);
      NDArrayWrapper<float> in(x.data(), two), out(y.data(), two);
      StepIO io({{"go", conditions}, {"count", counts}, {"x", in}}, {{"y", out}});
      session->run(io);
      print(y);
    }
}

/// Two loops with one body, of a first condition alone, and of a constant as count.
void shared() {
  auto ir = std::make_shared<Ir>();
  Graph& graph = ir->getMainGraph();
  graph.addStream("go", truth);
  graph.addStream("x", two);
  const int32_t two_times = 2;
  graph.addConstInit("two", whole, &two_times);
  Graph& body = doubling(*ir);
  loop(graph, body, {{1, "go"}, {2, "x"}}, {{0, "y"}}, 3);
  loop(graph, body, {{0, "two"}, {2, "y"}}, {{0, "z"}}, 0);
  auto session = sessionOf(ir, {"y", "z"});
  for (bool go : {true, false}) {
    std::vector<float> x = {1, 2}, y(2), z(2);
    NDArrayWrapper<bool> conditions(&go, truth);
    NDArrayWrapper<float> in(x.data(), two), out(y.data(), two), last(z.data(), two);
    StepIO io({{"go", conditions}, {"x", in}}, {{"y", out}, {"z", last}});
    session->run(io);
    print(y);
    print(z);
  }
}

/// A loop whose count and first condition are variables, which change between steps.
void variables() {
  auto ir = std::make_shared<Ir>();
  Graph& graph = ir->getMainGraph();
  graph.addStream("x", two);
  int32_t count = 2;
  bool go = true;
  graph.addVarInit("count", whole, &count, "count");
  graph.addVarInit("go", truth, &go, "go");
  loop(graph, doubling(*ir), {{0, "count"}, {1, "go"}, {2, "x"}}, {{0, "y"}}, 0);
  auto session = sessionOf(ir, {"y"});
  session->weightsFromHost();
  const std::vector<std::pair<int32_t, bool>> steps = {{2, true}, {3, true}, {3, false}};
  for (const auto& [often, starts] : steps) {
    count = often, go = starts;
    WeightsIO weights;
    weights.insert("count", {&count, whole});
    weights.insert("go", {&go, truth});
    session->writeWeights(weights);
    session->weightsFromHost();
    std::vector<float> x = {1, 2}, y(2);
    NDArrayWrapper<float> in(x.data(), two), out(y.data(), two);
    StepIO io({{"x", in}}, {{"y", out}});
    session->run(io);
    print(y);
  }
}

/// Callbacks that give and take one iteration's data, counted by a constant.
void callbacks() {
  auto ir = std::make_shared<Ir>();
  Graph& graph = ir->getMainGraph();
  graph.addStream("x", two);
  const int32_t three = 3;
  graph.addConstInit("three", whole, &three);
  Graph& body = bodyIn(*ir);
  load(body, "x", "body/x");
  add(body, "body/x", "body/x", "body/y");
  store(body, "body/y", "y");
  loop(graph, body, {{0, "three"}}, {}, 0);
  auto session = sessionOf(ir, {"y"});
  std::vector<float> x(6), y(6);
  std::iota(x.begin(), x.end(), 1.0f);
  std::size_t given = 0, taken = 0;
  StepIOCallback io([&](TensorId, bool) { return ConstVoidData(x.data() + 2 * given++, two); },
                    [](TensorId) {},
                    [&](TensorId) {
                      return MutableVoidData{y.data() + 2 * taken++, two};
                    },
                    [](TensorId) {});
  session->run(io);
  print(y);
  const TensorInfo all("FLOAT", std::vector<int64_t>{3, 2});
  StepIOCallback wrong([&](TensorId, bool) { return ConstVoidData(x.data(), all); },
                       [](TensorId) {},
                       [&](TensorId) {
                         return MutableVoidData{y.data(), two};
                       },
                       [](TensorId) {});
  failsWithError([&] { session->run(wrong); });
}

/// A loop that only changes the rows of a remote buffer, of which nobody said how many there are.
void rows() {
  auto ir = std::make_shared<Ir>();
  Graph& graph = ir->getMainGraph();
  Graph& body = bodyIn(*ir);
  remote(body, "body/i", "body/x");
  add(body, "body/x", "body/x", "body/y");
  body.createConnectedOp<RemoteStoreOp>({{0, "body/y"}, {1, "body/i"}}, {},
                                        Onnx::CustomOperators::RemoteStore,
                                        Op::Settings(body, "store"), 3);
  loop(graph, body, {}, {}, 4);
  ir->applyTransform(RemoteSetup::id(), body);
  auto session = sessionOf(ir, {});
  std::vector<float> x(8), y(8);
  std::iota(x.begin(), x.end(), 1.0f);
  for (int i = 0; i < 4; ++i) session->copyToRemoteBuffer(x.data() + 2 * i, "RB_3", i);
  StepIO io({}, {});
  for (int step = 0; step < 2; ++step) session->run(io);
  for (int i = 0; i < 4; ++i) session->copyFromRemoteBuffer("RB_3", y.data() + 2 * i, i);
  print(y);
}

void refused() {
  // Two loads of a stream, two stores of an anchor, rows that are no number or several, rows of
  // another size than the Ir was told.
  for (const int what : {0, 1, 2, 3, 4}) {
    auto ir = std::make_shared<Ir>();
    Graph& graph = ir->getMainGraph();
    graph.addStream("x", two);
    graph.addStream("ints", TensorInfo("INT32", std::vector<int64_t>{2}));
    graph.addStream("number", TensorInfo("FLOAT", std::vector<int64_t>{}));
    load(graph, "x", "y");
    if (what == 0) {
      Graph& body = bodyIn(*ir);
      body.addInput("body/y", two);
      load(body, "x", "body/x");
      add(body, "body/x", "body/y", "body/sum");
      body.markAsOutput("body/sum");
      loop(graph, body, {{2, "y"}}, {{0, "sum"}}, 2);
    }
    if (what == 1)
      for (const char* id : {"y", "y_room"}) store(graph, id, "out");
    if (what == 2) remote(graph, "number", "row");
    if (what == 3) remote(graph, "ints", "row");
    if (what == 4) remote(graph, "", "row");
    if (what == 4) ir->setRemoteBufferInfo(3, {TensorInfo("FLOAT", std::vector<int64_t>{3}), 1});
    const std::map<int, TensorId> anchors = {{0, "sum"}, {1, "out"}};
    failsWithError([&] { sessionOf(ir, {what < 2 ? anchors.at(what) : "row"}); });
  }
  auto endless = std::make_shared<Ir>();
  endless->getMainGraph().addStream("x", two);
  loop(endless->getMainGraph(), doubling(*endless), {{2, "x"}}, {{0, "y"}}, 0);
  failsWithError([&] { sessionOf(endless, {"y"}); });
}

}  // namespace

int main(int, char** argv) {
  const std::string what = argv[1];
  if (what == "again") again();
  if (what == "sequence") sequence();
  if (what == "asked") asked();
  if (what == "shared") shared();
  if (what == "variables") variables();
  if (what == "callbacks") callbacks();
  if (what == "rows") rows();
  if (what == "refused") refused();
}
