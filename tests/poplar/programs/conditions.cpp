// Programs that depend on a condition: one that ends the run, one that replicas are said to share.
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/exceptions.hpp>

#include <iostream>

using namespace poplar;
using namespace poplar::program;

int main() {
  Device device = Device::createCPUDevice();
  Graph graph(device);
  Tensor stop = graph.addVariable(BOOL, {}, "stop");
  Tensor value = graph.addVariable(INT, {1}, "value");
  graph.setTileMapping(stop, 0);
  graph.setTileMapping(value, 0);
  graph.createHostWrite("stop", stop);
  graph.createHostRead("value", value);
  const auto set = [&](int number) {
    Tensor constant = graph.addConstant<int>(INT, {1}, {number});
    graph.setTileMapping(constant, 0);
    return Copy(constant, value);
  };
  Sequence prog({set(1), AssumeEqualAcrossReplicas(stop, "equal"), If(stop, set(2), Sequence()),
                 AbortOnCondition(stop, DebugContext("guard")), set(3)});
  Engine engine(graph, prog);
  engine.load(device);
  for (const bool given : {false, true}) {
    int read = 0;
    engine.writeTensor("stop", &given, &given + 1);
    try {
      engine.run();
      std::cout << "ran ";
    } catch (const application_runtime_error& e) {
      std::cout << e.what() << "\n";
    }
    engine.readTensor("value", &read, &read + 1);
    std::cout << read << "\n";
  }
  try {
    AssumeEqualAcrossReplicas none{Tensor()};
  } catch (const control_program_error& e) {
    std::cout << e.what() << "\n";
  }
}
