// A program whose input comes by IO tiles while the batch before is computed, and whose anchor leaves
// by them.
#include <popart/builder.hpp>
#include <popart/ir.hpp>
#include <popart/ndarraywrapper.hpp>
#include <popart/op/relu.hpp>
#include <popart/operators.hpp>
#include <popart/session.hpp>
#include <popart/stepio.hpp>

#include <iostream>

#include "errors.hpp"

using namespace popart;

namespace {

const InputSettings settings(TileSet::IO, ExchangeStrategy::OverlapInnerLoop);
const AnchorReturnType returned("All", TileSet::IO, ExchangeStrategy::OverlapInnerLoop);
const TensorInfo info("FLOAT", std::vector<int64_t>{2, 3});

std::shared_ptr<DeviceInfo> model() {
  std::map<std::string, std::string> machine = {{"numIPUs", "1"}, {"tilesPerIPU", "8"}};
  return DeviceManager::createDeviceManager().createIpuModelDevice(machine);
}

void runOn(InferenceSession& session, const TensorId& x, const TensorId& y) {
  session.prepareDevice();
  float input[18], output[18];
  for (int i = 0; i < 18; ++i) input[i] = static_cast<float>(i - 8);
  NDArrayWrapper<float> in(input, {3, 2, 3}), out(output, {3, 2, 3});
  StepIO stepio({{x, in}}, {{y, out}});
  session.run(stepio);
  for (const float each : output) std::cout << each << " ";
  std::cout << "\n" << session.getSummaryReport() << "\n";
}

/// The same of a graph that the program makes.
void ofGraph(int ioTiles, const InputSettings& given) {
  auto ir = std::make_shared<Ir>();
  Graph& graph = ir->getMainGraph();
  graph.getTensors().addStream("x", info, given);
  graph.createConnectedOp<ReluOp>({{0, "x"}}, {{0, "y"}}, Onnx::Operators::Relu_6,
                                  Op::Settings(graph, "relu"));
  SessionOptions options;
  options.numIOTiles = ioTiles;
  ir->setUserOptions(options);
  ir->setDataFlow(ioTiles == 0 ? DataFlow(3, {{"y", AnchorReturnType("All")}})
                               : DataFlow(3, {{"y", returned}}));
  auto session = InferenceSession::createFromIr(ir, model());
  runOn(*session, "x", "y");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) {
    const std::string what = argv[1];
    if (what == "graph") ofGraph(2, settings);
    if (what == "faults") {
      failsWithError([] { ofGraph(0, settings); });
      failsWithError(
          [] { ofGraph(2, InputSettings(TileSet::Undefined, ExchangeStrategy::OverlapLoops)); });
      failsWithError(
          [] { ofGraph(2, InputSettings(TileSet::Compute, ExchangeStrategy::OverlapLoops)); });
    }
    return 0;
  }
  auto builder = Builder::create();
  auto onnx = builder->aiOnnxOpset9();
  const TensorId x = builder->addInputTensor(info, settings, "x");
  const TensorId y = onnx.relu({x});
  builder->addOutputTensor(y);

  SessionOptions options;
  options.numIOTiles = 2;
  auto session = InferenceSession::createFromOnnxModel(
      builder->getModelProto(), DataFlow(3, {{y, returned}}), model(), InputShapeInfo(), options);
  runOn(*session, x, y);
}
