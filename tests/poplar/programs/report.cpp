// What libpva says of an engine, from the engine and from the file that it writes.
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <popops/ElementWise.hpp>
#include <pva/pva.hpp>

#include <fstream>

using namespace poplar;
using namespace poplar::program;

void say(const pva::Report& report) {
  const auto compilation = report.compilation();
  const auto tiles = compilation.tiles();
  std::cout << report.poplarVersion().string() << "; " << compilation.target().architecture() << " "
            << compilation.target().numTiles() << " " << compilation.target().numIPUs() << "; "
            << compilation.graph().numComputeSets() << " " << compilation.graph().numVertices()
            << " " << compilation.graph().numVars() << "; " << tiles.size() << " "
            << (tiles[3].memory().total().includingGaps() -
                    tiles[900].memory().total().includingGaps() >=
                4000)
            << "; " << report.execution().runs().size() << "\n";
  for (const auto& each : report.execution().runs())
    std::cout << "run " << each.cyclesTo() - each.cyclesFrom() << "\n";
  for (const auto& block : report.execution().blocks(3))
    std::cout << block.program()->name() << " " << block.isStreamCopy() << block.isCommon() << " "
              << block.cyclesFrom() << " " << block.cyclesTo() << "\n";
}

int main(int argc, char** argv) {
  if (argc == 2) {
    try {
      say(pva::openReport(argv[1]));
    } catch (const std::runtime_error& e) {
      std::cout << e.what() << std::endl;
    }
    return 0;
  }
  Device device = IPUModel("ipu21").createDevice();
  Graph graph(device);
  Tensor t = graph.addVariable(FLOAT, {1000}, "t");
  graph.setTileMapping(t, 3);
  Sequence add;
  popops::addInPlace(graph, t, t, add, "double");
  const Copy stream(graph.addHostToDeviceFIFO("in", FLOAT, 1000), t);
  const Copy back(t, graph.addDeviceToHostFIFO("out", FLOAT, 1000));
  // Of a condition the dearer branch is counted.
  Sequence twice({add, add});
  Tensor condition = graph.addVariable(BOOL, {}, "condition");
  graph.setTileMapping(condition, 3);
  Sequence prog({stream, stream, Repeat(2, Block(add, "stage")), Block(add, "other"),
                 If(condition, add, twice), back});
  Engine engine(graph, prog,
                {{"profiler.blocks.filter", "sta.*"},
                 {"debug.instrumentExternalExchange", "true"},
                 {"autoReport.all", "true"},
                 {"autoReport.directory", "reports/here"}});
  engine.load(device);
  std::vector<float> in(1000, 1);
  engine.connectStream("in", in.data());
  engine.connectStream("out", in.data());
  engine.run();
  const auto profile = engine.getExecutionProfile();
  const auto& program = profile.asMap().at("programs").asVector()[0];
  std::ofstream("cycles") << program.asMap().at("cycles").asInt();
  say(engine.getReport());
}
