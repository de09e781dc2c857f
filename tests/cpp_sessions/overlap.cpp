// A program whose input comes by IO tiles while the batch before is computed, and whose anchor leaves
// by them.
#include <popart/builder.hpp>
#include <popart/ndarraywrapper.hpp>
#include <popart/session.hpp>
#include <popart/stepio.hpp>

#include <iostream>

using namespace popart;

int main() {
  auto builder = Builder::create();
  auto onnx = builder->aiOnnxOpset9();
  const InputSettings settings(TileSet::IO, ExchangeStrategy::OverlapInnerLoop);
  const TensorInfo info("FLOAT", std::vector<int64_t>{2, 3});
  const TensorId x = builder->addInputTensor(info, settings, "x");
  const TensorId y = onnx.relu({x});
  builder->addOutputTensor(y);

  SessionOptions options;
  options.numIOTiles = 2;
  std::map<std::string, std::string> machine = {{"numIPUs", "1"}, {"tilesPerIPU", "8"}};
  auto device = DeviceManager::createDeviceManager().createIpuModelDevice(machine);
  const AnchorReturnType returned("All", TileSet::IO, ExchangeStrategy::OverlapInnerLoop);
  auto session = InferenceSession::createFromOnnxModel(
      builder->getModelProto(), DataFlow(3, {{y, returned}}), device, InputShapeInfo(), options);
  session->prepareDevice();

  float input[18], output[18];
  for (int i = 0; i < 18; ++i) input[i] = static_cast<float>(i - 8);
  NDArrayWrapper<float> in(input, {3, 2, 3}), out(output, {3, 2, 3});
  StepIO stepio({{x, in}}, {{y, out}});
  session->run(stepio);
  for (const float each : output) std::cout << each << " ";
  std::cout << "\n" << session->getSummaryReport() << "\n";
}
