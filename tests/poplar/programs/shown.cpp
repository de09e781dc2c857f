// What a graph shows of itself: regions, tensors on streams, profiles, debug information, errors.
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/ConvParams.hpp>
#include <popops/ElementWise.hpp>
#include <popops/codelets.hpp>
#include <poputil/DebugInfo.hpp>
#include <pva/pva.hpp>

#include <fstream>
#include <iostream>
#include <sstream>

using namespace poplar;
using namespace poplar::program;

int main() {
  Device device = IPUModel("ipu2").createDevice();
  Graph graph(device);
  Tensor t = graph.addVariable(FLOAT, {2, 6}, "t");
  graph.setTileMapping(t[0], 3);
  graph.setTileMapping(t[1], 7);
  const Tensor odd = concat(t.slice(1, 3, 1).flatten(), t[1].slice(4, 6));
  for (const auto& region : odd.getVarRegions())
    std::cout << (region.var == t.getVarRegions()[0].var) << region.interval << " ";
  for (const auto& region : odd.getContiguousRegions()) std::cout << region << " ";
  std::cout << "\n";

  std::stringstream binary, json;
  graph.serializeTensors(binary, {odd, t}, SerializationFormat::Binary);
  graph.serializeTensors(json, {odd}, SerializationFormat::JSON);
  Graph other(device);
  const auto read = other.deserializeTensors(binary, SerializationFormat::Binary);
  std::cout << read[0].shapeToString() << read[1].shapeToString() << " "
            << read[0].intersectsWith(read[1]) << " " << other.getTileMapping(read[0])[7].size()
            << " " << (json.str().find("\"regions\"") != std::string::npos) << "\n";
  std::ofstream("graph.json").flush();
  std::ofstream out("graph.json");
  graph.serialize(out, SerializationFormat::JSON);
  out.close();

  Sequence add;
  popops::addInPlace(graph, t, t, add, "twice");
  Engine engine(graph, Sequence({add, add}));
  engine.load(device);
  engine.run();
  const auto report = engine.getReport();
  unsigned vertices = 0;
  for (const auto& tile : report.compilation().tiles())
    for (const auto& v : tile.memory().vertices()) vertices += v.count();
  const auto steps = report.execution().steps();
  const auto cycles = steps.at(0).computeSets().at(0).cyclesByTile();
  std::cout << vertices << " " << steps.size() << " " << (cycles[3] > 0) << (cycles[7] > 0)
            << (cycles[4] > 0) << " " << steps[1].computeSets()[0].name() << "\n";

  Tensor big = graph.addVariable(FLOAT, {1u << 20}, "big");
  graph.setTileMapping(big, 0);
  popops::addInPlace(graph, big, big, add);
  try {
    Engine tooLarge(graph, add, {{"autoReport.all", "true"}});
  } catch (const graph_memory_allocation_error& e) {
    std::stringstream text;
    printGraphSummary(text, e.profilePath);
    std::cout << e.profilePath << " " << text.str().substr(0, 12) << "\n";
  }

  std::istringstream params(
      "{\"dataType\": \"half\", \"batchSize\": 2, \"numConvGroups\": 1, \"inputFieldShape\": [8, "
      "9],"
      "\"kernelShape\": [3, 3], \"inputChannelsPerConvGroup\": 4, \"outputChannelsPerConvGroup\": "
      "5,"
      "\"inputTransform\": {\"paddingLower\": [1, 1], \"flip\": [false, true]}}");
  poplin::ConvParams conv;
  params >> conv;
  std::cout << conv << "\n";

  for (const auto format : {DebugSerializationFormat::JSON, DebugSerializationFormat::CBOR}) {
    DebugInfo::initializeStreamer(
        format == DebugSerializationFormat::JSON ? "debug.json" : "debug.cbor", format);
    { poputil::PoplibsOpDebugInfo info("here", {}, "aFunction"); }
    DebugInfo::closeStreamer();
  }

  Graph last(Device::createCPUDevice());
  Tensor two = last.addVariable(INT, {2}, VariableMappingMethod::LINEAR);
  Engine fails(last, ErrorProgram("it is wrong", two));
  fails.load(Device::createCPUDevice());
  try {
    fails.run();
  } catch (const application_runtime_error& e) {
    std::cout << e.what() << "\n";
  }
}
