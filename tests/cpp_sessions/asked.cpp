// What an Ir says of its streams and its device, and an operator of itself.
#include <popart/devicemanager.hpp>
#include <popart/graph.hpp>
#include <popart/ir.hpp>
#include <popart/op/elu.hpp>
#include <popart/op/exchange/hostcopy.hpp>
#include <popart/opdebuginfo.hpp>
#include <popart/operators.hpp>
#include <popart/tensor.hpp>

#include <fstream>
#include <iostream>
#include <string>
#include <vector>

using namespace popart;
namespace O = Onnx::Operators;
namespace G = Onnx::CustomOperators;

/// What an Ir says of its streams and its device, and what it removes.
int main() {
  Ir ir;
  Graph& graph = ir.getMainGraph();
  const TensorInfo info("FLOAT", std::vector<int64_t>{6});
  for (const char* name : {"from", "to", "unread"}) graph.addStream(name, info);
  graph.addActGrad("room");
  graph.getTensor("room")->info = info;
  graph.createConnectedOp<HostLoadOp>({{0, "to"}}, {{0, "loaded"}}, G::HostLoad,
                                      Op::Settings(graph, "load"), TensorId("from"));
  graph.createConnectedOp<HostStoreOp>({{0, "loaded"}}, {}, G::HostStore,
                                       Op::Settings(graph, "store"), TensorId("back"));
  for (const auto& each : {ir.getHostLoadTensors(), ir.getHostStoreTensors()})
    for (const auto& stream : each)
      std::cout << stream.first << " " << stream.second.size() << " " << stream.second.at(0)->id
                << "\n";
  std::cout << ir.containsTensor("unread") << ir.containsTensor("room");
  ir.removeIsolatedTensors();
  std::cout << ir.containsTensor("unread") << ir.containsTensor("room") << "\n";
  const auto device = DeviceManager::createDeviceManager().createCpuDevice();
  std::cout << (ir.getDeviceInfo() == nullptr);
  ir.setDeviceInfo(*device);
  std::cout << (ir.getDeviceInfo() == device.get()) << "\n";

  poplar::DebugInfo::initializeStreamer("debug.json", poplar::DebugSerializationFormat::JSON);
  Op* elu = graph.createConnectedOp<EluOp>({{0, "loaded"}}, {{0, "y"}}, O::Elu_6, 0.5f,
                                           Op::Settings(graph, "elu"));
  {
    OpDebugInfo info(DebugContext("whole"), *elu), left(DebugContext("left"), *elu);
    info.finalize();
  }
  poplar::DebugInfo::closeStreamer();
  std::cout << std::ifstream("debug.json").rdbuf() << "\n";
}
