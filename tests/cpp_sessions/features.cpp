// Programs with a session each, by name. What is printed, test_features.py compares.
#include <popart/adam.hpp>
#include <popart/adaptive.hpp>
#include <popart/builder.hpp>
#include <popart/filereader.hpp>
#include <popart/half.hpp>
#include <popart/ndarraywrapper.hpp>
#include <popart/session.hpp>
#include <popart/sgd.hpp>
#include <popart/stepio.hpp>
#include <poplar/exceptions.hpp>

#include <cstring>
#include <functional>
#include <iostream>
#include <map>
#include <thread>

using namespace popart;

namespace {

const TensorInfo pair("FLOAT", std::vector<int64_t>{2});

std::shared_ptr<DeviceInfo> cpu() { return DeviceManager::createDeviceManager().createCpuDevice(); }

/// A model that adds a weight {1, 2} to an input, and a session that runs it.
struct Sum {
  explicit Sum(int batches = 1, const SessionOptions& options = SessionOptions(),
               std::shared_ptr<DeviceInfo> device = cpu()) {
    builder = Builder::create();
    x = builder->addInputTensor(pair, "x");
    w = builder->addInitializedInputTensor(ConstVoidData(start, pair), "w");
    y = builder->aiOnnxOpset9().add({x, w}, "sum");
    builder->addOutputTensor(y);
    session = InferenceSession::createFromOnnxModel(
        builder->getModelProto(), DataFlow(batches, {{y, AnchorReturnType("All")}}), device,
        InputShapeInfo(), options);
    session->prepareDevice();
  }

  const float start[2] = {1, 2};
  std::unique_ptr<Builder> builder;
  TensorId x, w, y;
  std::unique_ptr<InferenceSession> session;
};

template <class T>
void print(const T& values) {
  const char* between = "";
  for (const auto& each : values) {
    std::cout << between << each;
    between = " ";
  }
  std::cout << "\n";
}

void run(Sum& sum, float* in, float* out, std::vector<int64_t> shape = {2}) {
  NDArrayWrapper<float> x(in, shape), y(out, shape);
  StepIO stepio({{sum.x, x}}, {{sum.y, y}});
  sum.session->run(stepio);
}

/// Prints what `body` throws.
template <class Error = error>
void expect(const std::function<void()>& body) {
  try {
    body();
    std::cout << "nothing was thrown\n";
  } catch (const Error& e) {
    std::cout << e.what() << "\n";
  }
}

// ---- Running ----

void callbacks() {
  Sum sum(2);
  float in[4] = {10, 20, 30, 40}, out[4];
  int read = 0, written = 0;
  StepIOCallback stepio([&](TensorId, bool) { return ConstVoidData(in + 2 * read++, pair); },
                        [](TensorId id) { std::cout << id << " read\n"; },
                        [&](TensorId) {
                          return MutableVoidData{out + 2 * written++, pair};
                        },
                        [](TensorId id) { std::cout << id << " written\n"; });
  sum.session->run(stepio);
  print(out);
}

/// An IStepIO that is neither of popart's.
struct Ones : IStepIO {
  ConstVoidData in(TensorId, int64_t count, bool, const bool) override {
    std::cout << "in " << count << "\n";
    return ConstVoidData(data.data(), pair);
  }
  void inComplete(TensorId, int64_t count, const bool) override {
    std::cout << "inComplete " << count << "\n";
  }
  MutableVoidData out(TensorId, int64_t count) override {
    std::cout << "out " << count << "\n";
    return {data.data(), pair};
  }
  void assertNumElements(const popx::Executablex&) const override {}
  std::vector<float> data = {1, 1};
};

void interface() {
  Sum sum;
  Ones ones;
  sum.session->run(ones);
  print(ones.data);
}

/// An IStepIO up to SDK 2.2.
struct FormerOnes : IStepIO {
  ConstVoidData in(TensorId, int64_t count, bool prefetch) override {
    std::cout << "in " << count << prefetch << "\n";
    return ConstVoidData(data.data(), pair);
  }
  void inComplete(TensorId, int64_t count) override { std::cout << "inComplete " << count << "\n"; }
  MutableVoidData out(TensorId, int64_t) override { return {data.data(), pair}; }
  void assertNumElements(const popx::Executablex&) const override {}
  std::vector<float> data = {1, 1};
};

/// An IStepIO that gives nothing.
struct Nothing : IStepIO {
  MutableVoidData out(TensorId, int64_t) override { return {}; }
  void assertNumElements(const popx::Executablex&) const override {}
};

void former() {
  Sum sum;
  FormerOnes ones;
  sum.session->run(ones);
  print(ones.data);
  // Each asks for the other one.
  IStepIO& of = ones;
  of.in("x", 7, true, true);
  of.inComplete("x", 8, true);
  Ones now;
  IStepIO& asked = now;
  asked.in("x", 5, true);
  asked.inComplete("x", 6);
  Nothing nothing;
  for (int time = 0; time < 2; ++time) expect([&] { nothing.in("x", 1, false); });
  expect([&] { nothing.in("x", 1, false, false); });
  expect([&] { nothing.inComplete("x", 1); });
  expect([&] { nothing.inComplete("x", 1, false); });
  expect([&] { sum.session->run(nothing); });
}

struct Custom {
  int code;
};

void thrown() {
  Sum sum;
  float memory[2] = {1, 1};
  bool isGood = false;
  StepIOCallback stepio(
      [&](TensorId, bool) {
        if (!isGood) throw Custom{42};
        return ConstVoidData(memory, pair);
      },
      [](TensorId) {},
      [&](TensorId) {
        return MutableVoidData{memory, pair};
      },
      [](TensorId) {});
  try {
    sum.session->run(stepio);
  } catch (const Custom& custom) {
    std::cout << "custom " << custom.code << "\n";
  }
  isGood = true;  // The session can go on.
  sum.session->run(stepio);
  print(memory);
  StepIOCallback own(
      [&](TensorId, bool) -> ConstVoidData {
        sum.session->weightsToHost();
        return {};
      },
      [](TensorId) {}, [](TensorId) { return MutableVoidData(); }, [](TensorId) {});
  expect<runtime_error>([&] { sum.session->run(own); });
}

void weights() {
  Sum sum;
  float in[2] = {0, 0}, out[2], value[2] = {5, 6}, back[2] = {0, 0};
  WeightsIO write, read;
  write.insert(sum.w, {value, pair});
  read.insert(sum.w, {back, pair});
  sum.session->writeWeights(write);
  sum.session->weightsFromHost();
  run(sum, in, out);
  print(out);
  sum.session->weightsToHost();
  sum.session->readWeights(read);
  print(back);
  sum.session->modelToHost("saved.onnx");
  sum.session->resetHostWeights(sum.builder->getModelProto());
  sum.session->weightsFromHost();
  run(sum, in, out);
  print(out);
}

void threads() {
  std::vector<std::thread> pool;
  std::vector<float> results(8);
  for (int i = 0; i < 4; ++i)
    pool.emplace_back([&, i] {
      Sum sum;
      float in[2] = {float(i), 10.0f * i};
      for (int n = 0; n < 10; ++n) run(sum, in, &results[2 * i]);
    });
  for (std::thread& each : pool) each.join();
  print(results);
}

// ---- The model ----

void attributes() {
  auto builder = Builder::create();
  const TensorId x = builder->addInputTensor("FLOAT", {2, 2}, "x");
  auto onnx = builder->aiOnnxOpset9();
  builder->pushNameScope("scope");
  const TensorId y = onnx.relu({x}, "y");
  builder->popNameScope();
  builder->addNodeAttribute("list", std::vector<int64_t>{1, 2}, {y});
  builder->addNodeAttribute("text", "words", {y});
  builder->addNodeAttribute("number", 1.5f, {y});
  builder->addNodeAttribute("truth", true, {y});
  builder->virtualGraph(y, 1);
  print(builder->getInt64VectorNodeAttribute("list", {y}));
  std::cout << builder->getStringNodeAttribute("text", {y}) << " "
            << builder->getFloatNodeAttribute("number", {y}) << " "
            << builder->getBoolNodeAttribute("truth", {y}) << " " << builder->getVirtualGraph(y)
            << "\n";
  for (const char* name : {"list", "text", "number", "truth"})
    builder->removeNodeAttribute(name, {y});
  print(builder->getAllNodeAttributeNames({y}));
  builder->setAttribute(sPipelineStageAttribute, int64_t{3});
  const TensorId z = onnx.relu({y});
  std::cout << builder->getPipelineStage()
            << builder->nodeHasAttribute(sPipelineStageAttribute, {z}) << "\n";
  builder->clearAttribute(sPipelineStageAttribute);
  std::cout << builder->hasAttribute(sPipelineStageAttribute)
            << builder->nodeHasAttribute(sPipelineStageAttribute, {onnx.relu({z})}) << "\n";
  print(builder->getTensorShape(y));
  std::cout << y << " " << builder->getTensorDtypeString(y) << " " << builder->getTensorDataType(y)
            << " " << builder->hasValueInfo("no such") << "\n";
}

/// A loop that doubles {1, 2} three times, in a subgraph.
void loop() {
  auto builder = Builder::create();
  auto onnx = builder->aiOnnxOpset11();
  const int64_t count[1] = {3};
  const bool on[1] = {true};
  const float start[2] = {1, 2};
  const TensorId trips =
      onnx.constant(ConstVoidData(count, TensorInfo("INT64", std::vector<int64_t>{})));
  const TensorId cond =
      onnx.constant(ConstVoidData(on, TensorInfo("BOOL", std::vector<int64_t>{})));
  const TensorId first = builder->addInputTensor(pair, "first");
  Builder& body = builder->createSubgraphBuilder();
  body.addInputTensor(TensorInfo("INT64", std::vector<int64_t>{}), "i");
  const TensorId go = body.addInputTensor(TensorInfo("BOOL", std::vector<int64_t>{}), "go");
  const TensorId v = body.addInputTensor(pair, "v");
  const TensorId twice = body.aiOnnxOpset11().add({v, v});
  body.addOutputTensor(go);
  body.addOutputTensor(twice);
  const TensorId last = onnx.loop({trips, cond, first}, 1, body)[0];
  auto session = InferenceSession::createFromOnnxModel(
      builder->getModelProto(), DataFlow(1, std::vector<TensorId>{last}), cpu());
  session->prepareDevice();
  float out[2];
  NDArrayWrapper<float> in(const_cast<float*>(start), {2}), result(out, {2});
  StepIO stepio({{first, in}}, {{last, result}});
  session->run(stepio);
  print(out);
}

void optimizers() {
  const SGD sgd({{"defaultLearningRate", {0.5f, false}}, {"lossScaling", {2, true}}});
  const SGD momentum(OptimizerValue(0.5f), 0.0f, OptimizerValue(0.9f, false), 0.0f, 1.0f, 1.0f,
                     {ClipNormSettings::clipAllWeights(1)}, SGDAccumulatorAndMomentum::Separate);
  const Adam adam({{"defaultLearningRate", {0.25f, false}}}, AdamMode::Adam, WeightDecayMode::Decay,
                  DataType::FLOAT, DataType::FLOAT, DataType::FLOAT);
  const Adaptive adaptive({{"defaultLearningRate", {0.25f, false}}}, AdaptiveMode::RMSProp,
                          WeightDecayMode::Decay, DataType::FLOAT, DataType::FLOAT, DataType::FLOAT,
                          DataType::FLOAT);
  SGD specific(sgd);
  specific.insertSpecific("w", {{"learningRate", {0.125f, false}}});
  for (const Optimizer* each :
       std::vector<const Optimizer*>{&sgd, &momentum, &adam, &adaptive, &specific}) {
    auto builder = Builder::create();
    const float start[2] = {4, -4};
    const TensorId w = builder->addInitializedInputTensor(ConstVoidData(start, pair), "w");
    const TensorId loss = builder->aiGraphcoreOpset1().l1loss({builder->aiOnnxOpset9().mul({w, w})},
                                                              1.0f, ReductionType::Sum);
    auto session = TrainingSession::createFromOnnxModel(builder->getModelProto(), DataFlow(1), loss,
                                                        *each, cpu());
    session->prepareDevice();
    StepIO stepio({}, {});
    session->run(stepio);
    float value[2];
    WeightsIO weights;
    weights.insert(w, {value, pair});
    session->weightsToHost();
    session->readWeights(weights);
    print(value);
    if (each != &sgd) continue;
    session->updateOptimizerFromHost(std::make_unique<SGD>(SGD({{"defaultLearningRate", {0, false}},
                                                                {"lossScaling", {2, true}}}))
                                         .get());
    session->run(stepio);
    session->weightsToHost();
    session->readWeights(weights);
    print(value);
    expect([&] { session->updateOptimizerFromHost(nullptr); });
  }
}

void options() {
  SessionOptions options;
  options.enableEngineCaching = true;
  options.cachePath = "cache";
  options.engineOptions["debug.poisonMemory"] = "true";
  options.hardwareInstrumentations = {Instrumentation::Outer};
  options.activationTensorLocationSettings.minElementsForOffChip = 4;
  int heard = 0;
  options.compilationProgressLogger = [&](int done, int total) { heard = done * 1000 + total; };
  Sum sum(1, options);
  std::cout << heard << "\n";
  SessionOptions refused;
  refused.decomposeGradSum = true;
  expect([&] { Sum(1, refused); });
  SessionOptions unknown;
  unknown.enableSerializedMatmuls = false;
  expect([&] { Sum(1, unknown); });
  SessionOptions grouped;
  grouped.enableGroupedMatmuls = true;
  expect([&] { Sum(1, grouped); });
  SessionOptions sharded;
  sharded.enableReplicatedGraphs = true;
  sharded.replicatedGraphCount = 4;
  sharded.weightTensorLocationSettings.minElementsForReplicatedTensorSharding = 2;
  sharded.weightTensorLocationSettings.location = {
      TensorStorage::OnChip, ReplicatedTensorSharding::On, {CommGroupType::Consecutive, 3}};
  expect([&] { Sum(1, sharded); });
}

void devices() {
  auto& manager = DeviceManager::createDeviceManager();
  auto ipu = manager.createIpuModelDevice({{"numIPUs", "2"}, {"tilesPerIPU", "4"}});
  std::cout << ipu->getNumIpus() << " " << ipu->getTilesPerIPU() << " " << ipu->getIpuVersion()
            << " " << ipu->getTarget().getNumTiles() << " " << ipu->getType() << "\n";
  std::cout << manager.acquireAvailableDevice(1, 4)->isAttached() << " "
            << (manager.tryAcquireAvailableDevice(128) == nullptr) << "\n";
  expect([&] { manager.acquireAvailableDevice(3); });
  expect([&] { manager.createIpuModelDevice({{"tiles", "4"}}); });
  Sum sum(1, SessionOptions(), manager.createIpuModelDevice({{"tilesPerIPU", "4"}}));
  std::cout << (sum.session->getCycleCount() > 0)
            << (sum.session->getSummaryReport().find("Cycles") != std::string::npos) << "\n";
}

void information() {
  Sum sum;
  std::cout << sum.session->getInfo(sum.y) << " " << sum.session->hasInfo(sum.y)
            << sum.session->hasInfo("no such") << "\n";
  sum.session->setRandomSeed(7);
  std::cout << sum.session->getRandomSeed() << "\n";
  std::cout << sum.session->serializeIr(IrSerializationFormat::JSON).find("Add") << "\n";
  const Ir& ir = sum.session->getIr();
  for (const Op* op : ir.getAllOps()) std::cout << op->opid.type << " " << op->inShape(0).size();
  std::cout << " " << ir.getTensor(sum.y)->info << "\n";
}

void models() {
  Sum sum;
  const onnx::ModelProto model = io::getModelFromString(sum.builder->getModelProto());
  const onnx::GraphProto& graph = model.graph();
  float values[2];
  std::memcpy(values, graph.initializer(0).raw_data().data(), sizeof values);
  std::cout << graph.node(0).op_type() << " " << graph.input(0).name() << " "
            << graph.initializer(0).name() << " " << model.opset_import(0).version() << "\n";
  print(values);
  expect([] { io::getModelFromString("\x3a\x7f too short"); });
  expect([] { io::getModelFromFile("missing.onnx"); });
  expect([] { io::getCanonicalDirName("missing"); });
  sum.builder->saveModelProto("kept.onnx");
  const std::string kept = io::appendDirFn("./.", "kept.onnx");
  std::cout << (kept[0] == '/') << io::getModelFromFile(kept).graph().node_size() << "\n";
}

/// Adds halves.
void halves() {
  auto builder = Builder::create();
  const TensorInfo info(getDataType<float16_t>(), {2});
  const TensorId x = builder->addInputTensor(info, "x");
  const TensorId y = builder->aiOnnxOpset9().add({x, x});
  auto session = InferenceSession::createFromOnnxModel(
      builder->getModelProto(), DataFlow(1, std::vector<TensorId>{y}), cpu());
  session->prepareDevice();
  float16_t in[2] = {1.5f, 2049.0f}, out[2];  // the second is rounded to even
  NDArrayWrapper<float16_t> input(in, info), output(out, info);
  StepIO stepio({{x, input}}, {{y, output}});
  session->run(stepio);
  print(out);
}

/// Two operators in the order in which they run, whatever the order of their making.
void schedule() {
  auto builder = Builder::create();
  auto onnx = builder->aiOnnxOpset9();
  const TensorId x = builder->addInputTensor(pair, "x");
  const TensorId y = onnx.exp({onnx.abs({x})});
  auto session = InferenceSession::createFromOnnxModel(
      builder->getModelProto(), DataFlow(1, std::vector<TensorId>{y}), cpu());
  const Ir& ir = session->getIr();
  for (const Op* op : ir.getOpSchedule({}, RequireOptimalSchedule::Yes))
    std::cout << op->opid.type << "\n";
  const std::vector<Op*> ops =
      ir.getOpSchedule({{ir.getAllOps()[0], {}}}, RequireOptimalSchedule::No);
  expect([&] { ir.getOpSchedule({{ops[0], {ops[1]}}}, RequireOptimalSchedule::No); });
}

// ---- Faults ----

void faults() {
  auto builder = Builder::create();
  auto onnx = builder->aiOnnxOpset9();
  expect([&] { onnx.relu({"no such"}); });
  expect([&] { builder->aiOnnxOpset10(); });
  expect([&] { builder->customOp({"com.acme", "Nobodys", 1}, 1, {}, 1, {{"a", Custom{1}}}); });
  expect([&] { builder->getModelProto(true); });
  expect([&] { builder->addInitializedInputTensor(ConstVoidData(nullptr, pair)); });
  expect([&] { InferenceSession::createFromOnnxModel("missing.onnx", DataFlow(1), cpu()); });
  expect([&] { InferenceSession::createFromOnnxModel("\x01 no model", DataFlow(1), cpu()); });
  expect([&] {
    InferenceSession::createFromOnnxModel(builder->getModelProto(), DataFlow(1), nullptr);
  });
  expect([&] { AnchorReturnType("Some"); });
  expect([&] { SGD({{"learningRate", {0.5f, true}}}); });
  Sum sum;
  float two[2] = {1, 2}, three[3];
  expect([&] { run(sum, two, three, {3}); });
  NDArrayWrapper<float> x(two, {2});
  StepIO lacking({{sum.x, x}}, {});
  expect([&] { sum.session->run(lacking, "my step"); });
  WeightsIO other;
  other.insert("no weight", {two, pair});
  expect([&] { sum.session->readWeights(other); });
  WeightsIO wrong;
  wrong.insert(sum.w, {two, TensorInfo("FLOAT", std::vector<int64_t>{1})});
  expect([&] { sum.session->writeWeights(wrong); });
  expect([&] { sum.session->getInfo("no such"); });
  expect([&] { sum.session->loadExecutableFromFile("missing.popir"); });
  // A builder that is gone takes nothing with it.
  builder.reset();
  expect([&] { onnx.relu({"x"}); });
}

/// Objects that outlive main().
std::unique_ptr<Sum> last;

void outlives() {
  last.reset(new Sum);
  std::cout << "kept\n";
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string, std::function<void()>> programs = {
      {"callbacks", callbacks},   {"interface", interface}, {"former", former},
      {"thrown", thrown},         {"weights", weights},     {"threads", threads},
      {"attributes", attributes}, {"loop", loop},           {"optimizers", optimizers},
      {"options", options},       {"devices", devices},     {"information", information},
      {"faults", faults},         {"outlives", outlives},   {"models", models},
      {"halves", halves},         {"schedule", schedule}};
  for (int i = 1; i < argc; ++i) {
    try {
      programs.at(argv[i])();
    } catch (const std::exception& e) {
      std::cout << "ended by: " << e.what() << std::endl;
      return 1;
    }
  }
}
