// Cycles and rounding by the library popsys of SDK 1, and a profile of an engine's later runs.
#include <iostream>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <popops/ElementWise.hpp>
#include <popsys/CSRFunctions.hpp>
#include <popsys/CycleCount.hpp>
#include <popsys/CycleStamp.hpp>
#include <popsys/codelets.hpp>
#include <pva/pva.hpp>

using namespace poplar;
using namespace poplar::program;

int main() {
  const Device device = IPUModel("ipu2").createDevice();
  Graph graph(device);
  popsys::addCodelets(graph);
  const Tensor t = graph.addVariable(FLOAT, {1000}, "t");
  graph.setTileMapping(t, 0);
  Sequence prog;
  popsys::FloatingPointBehaviour behaviour;
  behaviour.esr = false;
  popsys::setFloatingPointBehaviour(graph, prog, behaviour);
  popsys::setStochasticRounding(graph, prog, false);
  popops::addInPlace(graph, t, t, prog, "twice");
  graph.createHostRead("stamp", popsys::cycleStamp(graph, prog, 0));
  graph.createHostRead("count", popsys::cycleCount(graph, prog, 0));
  graph.createHostWrite("t", t);
  graph.createHostRead("t", t);
  Engine engine(graph, prog);
  engine.load(device);
  std::vector<float> values(1000, 1);
  engine.writeTensor("t", values.data(), values.data() + 1000);
  for (const bool isReset : {false, true}) {
    if (isReset) engine.resetExecutionProfile();
    engine.run();
    engine.run();
    std::cout << engine.getReport().execution().runs().size() << " ";
  }
  engine.readTensor("t", values.data(), values.data() + 1000);
  for (const char* name : {"stamp", "count"}) {
    unsigned cycles[2];
    engine.readTensor(name, cycles, cycles + 2);
    std::cout << cycles[0] << " " << cycles[1] << " ";
  }
  std::cout << values[0] << "\n";
}
