// Remote buffers, switches, cycle counts, regions in memory order, profiles as JSON, trace marks.
#include <poplar/CycleCount.hpp>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <popops/ElementWise.hpp>
#include <pvti/pvti.hpp>

#include <fstream>

using namespace poplar;
using namespace poplar::program;

template <class F>
void refused(F f) {
  try {
    f();
    std::cout << "nothing\n";
  } catch (const poplar_error& e) {
    std::cout << e.what() << "\n";
  }
}

int main() {
  pvti::TraceChannel channel = {"test"};
  pvti::Metadata data;
  data.set("n", 3);
  pvti::Tracepoint whole(&channel, "whole", &data);
  pvti::Graph picture("speed", "m/s");
  picture.addSeries("car") = 2.5;

  Device device = IPUModel("ipu2").createDevice();
  Graph graph(device);
  std::cout << versionString() << " " << device.supportsRemoteBuffers() << "\n";
  Type& type = FLOAT;
  RemoteBuffer buffer = graph.addRemoteBuffer("rows", type, 4, 3);
  refused([&] { graph.addRemoteBuffer("rows", FLOAT, 4, 3); });
  Tensor t = graph.addVariable(FLOAT, {2, 4}, VariableMappingMethod::LINEAR, "t");
  Tensor rows = graph.addVariable(UNSIGNED_INT, {2}, VariableMappingMethod::LINEAR, "rows");
  Tensor step = graph.addVariable(INT, {}, VariableMappingMethod::LINEAR, "step");
  graph.createHostWrite("rows", rows);
  graph.createHostWrite("step", step);
  refused([&] { Copy(buffer, t); });

  Sequence twice;
  popops::addInPlace(graph, t, t, twice, "double");
  Sequence negative;
  popops::mapInPlace(graph, popops::expr::UnaryOpType::NEGATE, t, negative, "negative");
  Switch choice(step, {{-3, negative}, {7, twice}}, "choice");
  choice.add(1, Sequence({twice, negative}));
  refused([&] { choice.add(7, twice); });

  Sequence prog;
  prog.add(Copy(buffer, t, rows));
  prog.add(choice);
  prog.add(Copy(t, buffer, rows));
  Tensor cycles = cycleCount(graph, prog, 0, SyncType::INTERNAL, "timer");
  graph.createHostRead("cycles", cycles);
  graph.createHostRead("replica", graph.addReplicationIndexConstant());

  // Elements 0..7 of t in another order: two lists, since 3 is left out
  const auto turned = t.reshape({8}).reverse(0);
  for (const auto& list : graph.getSortedContiguousRegions(turned, {Interval(0, 4), {5, 8}})) {
    for (const auto& interval : list) std::cout << interval.begin() << "-" << interval.end() << " ";
    std::cout << "; ";
  }
  std::cout << "\n";
  std::ostringstream vertices, steps;
  graph.outputVertexGraph(vertices, {prog});
  graph.outputComputeGraph(steps, {prog});
  std::cout << vertices.str().substr(0, 18) << " "
            << (steps.str().find("HostCall") != std::string::npos) << "\n";
  std::ofstream text("program.json");
  dumpProgram(graph, prog, text);
  std::ostringstream shown;
  t.output(shown);
  text << shown.str();
  std::ofstream saved("graph.bin", std::ios::binary);
  graph.serialize(saved, SerializationFormat::Binary);

  const auto start = std::chrono::steady_clock::now();
  std::ostringstream bytes;
  compileGraph(graph, {prog}).serialize(bytes);
  std::istringstream again(bytes.str());
  Engine engine(Executable::deserialize(again));  // a saved program has its remote buffers too
  engine.load(device);
  const std::vector<float> first = {1, 2, 3, 4}, second = {5, 6, 7, 8};
  engine.copyToRemoteBuffer(first, "rows", 0);
  engine.copyToRemoteBuffer(second.data(), "rows", 2);
  const unsigned order[] = {2, 0};
  engine.writeTensor("rows", order);
  std::vector<float> out(4);
  for (const int value : {7, -3, 1, 0}) {
    engine.writeTensor("step", &value);
    engine.run(0);
    for (const unsigned row : {0u, 1u, 2u}) {
      engine.copyFromRemoteBuffer("rows", out, row);
      for (const float x : out) std::cout << x << " ";
    }
    std::cout << "\n";
  }
  unsigned counted[2] = {0, 1}, replica = 1;
  engine.readTensor("cycles", counted);
  engine.readTensor("replica", &replica);
  std::cout << (counted[0] > 100) << counted[1] << replica << "\n";
  refused([&] { engine.copyToRemoteBuffer(first, "columns", 0); });
  refused([&] { engine.copyToRemoteBuffer(first, "rows", 3); });
  refused([&] { engine.copyToRemoteBuffer(std::vector<float>{1}, "rows", 0); });
  const unsigned beyond[] = {3, 0};
  engine.writeTensor("rows", beyond);
  refused([&] { engine.run(0); });
  std::cout << (Engine::reportTiming(start, engine.getTimeStamp()).find(" s") != std::string::npos)
            << "\n";
  serializeToJSON(std::cout, engine.getExecutionProfile(), false);
  std::cout << "\n";
  serializeToJSON(std::cout, engine.getGraphProfile(), true);
}
