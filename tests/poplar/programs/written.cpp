// Devices by their ids, a virtual graph of the first tiles, and an engine that writes its executable.
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/exceptions.hpp>
#include <popops/ElementWise.hpp>

#include <iostream>
#include <sstream>

using namespace poplar;
using namespace poplar::program;

int main() {
  const auto manager = DeviceManager::createDeviceManager();
  for (unsigned id = 0; id < manager.getNumDevices(); ++id)
    std::cout << manager.getDevice(id).getId() << " "
              << manager.getDevice(id).getTarget().getNumTiles() << "\n";
  try {
    manager.getDevice(static_cast<unsigned>(manager.getNumDevices()));
  } catch (const poplar_error& e) {
    std::cout << e.what() << "\n";
  }

  const Device device = manager.getDevices(TargetType::IPU, 2)[0];
  Graph graph(device.getTarget());
  Graph part = graph.createVirtualGraph(3);
  Tensor x = part.addVariable(FLOAT, {6}, "x");
  for (unsigned i = 0; i < 6; ++i) part.setTileMapping(x[i], i);
  const auto mapping = graph.getTileMapping(x);
  for (std::size_t tile = 0; tile < mapping.size(); ++tile)
    if (!mapping[tile].empty()) std::cout << tile << " ";
  std::cout << "\n";
  try {
    graph.createVirtualGraph(graph.getTarget().getTilesPerIPU() + 7);
  } catch (const invalid_tile_mapping& e) {
    std::cout << e.what() << "\n";
  }

  Sequence twice;
  popops::addInPlace(part, x, x, twice);
  graph.createHostWrite("x", x);
  graph.createHostRead("y", x);
  Engine engine(graph, {twice, Repeat(3, twice)}, {{"debug.checkBounds", "true"}});
  const float given[] = {1, 2, 3, 4, 5, 6};
  float got[6];
  engine.load(device);
  engine.writeTensor("x", given, given + 6);
  engine.run(1);
  engine.readTensor("y", got, got + 6);
  std::cout << got[0] << " " << got[5] << "\n";

  // What is written is the graph with its programs, and not the values of a run.
  std::stringstream bytes;
  engine.serializeExecutable(bytes);
  Engine again(Executable::deserialize(bytes));
  again.load(device);
  again.readTensor("y", got, got + 6);
  std::cout << got[0] << " ";
  again.writeTensor("x", given, given + 6);
  again.run(0);
  again.readTensor("y", got, got + 6);
  std::cout << got[0] << " " << got[5] << "\n";
}
