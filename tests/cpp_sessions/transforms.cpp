// Transforms of a program, which a session applies to the graph that it compiles.
#include <popart/builder.hpp>
#include <popart/devicemanager.hpp>
#include <popart/ndarraywrapper.hpp>
#include <popart/op/add.hpp>
#include <popart/operators.hpp>
#include <popart/session.hpp>
#include <popart/sgd.hpp>
#include <popart/stepio.hpp>

#include <iostream>
#include <map>
#include <string>
#include <vector>

using namespace popart;

namespace {

/// Everything that reads x reads x + x; what is found in the graph is counted.
class Doubled : public Transform {
 public:
  static std::size_t id() { return typeid(Doubled).hash_code(); }
  bool apply(Graph& graph) const final {
    std::cout << "ops " << graph.getOps().size() << " trains " << graph.getIr().isTraining()
              << " gradients " << graph.getIr().hasConstructedBackwards() << " anchors "
              << graph.getIr().getAnchors().size() << " batches "
              << graph.getIr().getDataFlow().batchesPerStep() << " loss "
              << graph.getIr().getFinalLossId() << " backward ";
    std::size_t backward = 0;
    for (const auto& each : graph.getOps())
      backward += each.second->fromLoss == PathFromLoss::Yes ? 1 : 0;
    std::cout << (backward > 0) << "\n";
    if (graph.getTensors().contains("xx")) return false;
    const std::vector<Op*> readers = graph.getTensors().get("x")->consumers.getOps();
    graph.createConnectedOp<AddOp>({{0, "x"}, {1, "x"}}, {{0, "xx"}}, Onnx::Operators::Add_7,
                                   Op::Settings(graph, "doubled"));
    for (Op* reader : readers)
      for (const InIndex in : reader->input->indices(graph.getTensors().get("x"))) {
        reader->disconnectInTensor(in);
        reader->connectInTensor(in, "xx");
      }
    return true;
  }
  std::size_t getId() const final { return id(); }
  std::string getName() const final { return "Doubled"; }
};

/// Leaves a tensor without its producer.
class Broken : public Transform {
 public:
  bool apply(Graph& graph) const final {
    graph.getTensors().get("x")->consumers.getOps().at(0)->disconnectAllOutputs();
    return true;
  }
  std::size_t getId() const final { return typeid(Broken).hash_code(); }
  std::string getName() const final { return "Broken"; }
};

const bool registered =
    Transform::registerTransform(new Doubled) && Transform::registerTransform(new Broken);

void run(const std::string& stage, const std::vector<std::string>& names, bool trains) {
  auto builder = Builder::create();
  auto onnx = builder->aiOnnxOpset9();
  const TensorInfo info(DataType::FLOAT, {2});
  const std::vector<float> weights = {1, -1};
  builder->addInputTensor(info, "x");
  const TensorId w = builder->addInitializedInputTensor(ConstVoidData{weights.data(), info}, "w");
  const TensorId y = onnx.mul({"x", w});
  onnx.relu({"x"});  // Unused.
  TensorId loss;
  if (trains) loss = builder->aiGraphcoreOpset1().l1loss({y}, 1.0f);
  SessionOptions options;
  options.experimentalSettings.customTransformApplierSettings = {{stage, names}};
  auto device = DeviceManager::createDeviceManager().createCpuDevice();
  const DataFlow flow(1, {{y, AnchorReturnType("All")}});
  std::unique_ptr<Session> session;
  if (trains)
    session = TrainingSession::createFromOnnxModel(builder->getModelProto(), flow, loss,
                                                   ConstSGD(0.5f), device, {}, options);
  else
    session =
        InferenceSession::createFromOnnxModel(builder->getModelProto(), flow, device, {}, options);
  session->prepareDevice();
  std::vector<float> in = {2, 4}, out(2);
  NDArrayWrapper<float> given(in.data(), info), got(out.data(), info);
  StepIO stepio({{"x", given}}, {{y, got}});
  session->run(stepio);
  std::cout << out[0] << " " << out[1] << "\n";
  if (!trains) return;
  session->weightsToHost();
  std::vector<float> now(2);
  WeightsIO io;
  io.insert(w, {now.data(), info});
  session->readWeights(io);
  std::cout << now[0] << " " << now[1] << "\n";
}

}  // namespace

int main(int argc, char** argv) {
  const std::string stage = argv[1];
  std::vector<std::string> names;
  for (int i = 3; i < argc; ++i) names.push_back(argv[i]);
  try {
    run(stage, names, std::string(argv[2]) == "train");
  } catch (const error& e) {
    std::cout << "error: " << e.what() << "\n";
  }
}
