// What limits traffic between IPUs: the links of a ladder, or what a model states.
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>

#include <functional>
#include <iostream>
#include <sstream>

using namespace poplar;

namespace {

/// 100,000 floats go from IPU 0 to 1 and, in the same exchange, as many from 2 to 3.
program::Sequence copies(Graph& graph) {
  const unsigned tiles = graph.getTarget().getTilesPerIPU();
  Tensor from, to;
  for (unsigned ipu = 0; ipu < 4; ++ipu) {
    const Tensor part = graph.addVariable(FLOAT, {100000}, "part");
    graph.setTileMapping(part, ipu * tiles);
    Tensor& side = ipu % 2 == 0 ? from : to;
    side = side.valid() ? concat(side, part) : part;
  }
  return program::Sequence({program::Copy(from, to)});
}

void failing(const std::function<void()>& f) {
  try {
    f();
  } catch (const poplar_error& error) {
    std::cout << error.what() << "\n";
  }
}

}  // namespace

int main() {
  IPUModel model("ipu2");
  model.numIPUs = 4;
  model.tilesPerIPU = 4;
  for (const GlobalExchangeConstraint& each :
       model.createDevice().getTarget().getGlobalExchangeConstraints()) {
    std::cout << each.bandwidth;
    for (const GlobalExchangeFlow& flow : each.flows) std::cout << " " << flow.src << flow.dst;
    std::cout << "\n";
  }
  std::cout << "--\n";

  // Both flows share a billion bits a second, and the first one has half of that.
  model.globalExchangeConstraints.push_back(GlobalExchangeConstraint(1e9, {{0, 1}, {2, 3}}));
  model.globalExchangeConstraints.push_back(GlobalExchangeConstraint(5e8, {{0, 1}}));
  std::cout << model.createDevice().getTarget().getGlobalExchangeConstraints().size() << "\n";
  for (const double second : {5e8, 2.5e8}) {
    model.globalExchangeConstraints.back().bandwidth = second;
    const Device device = model.createDevice();
    Graph graph(device);
    Engine engine(graph, copies(graph), {{"debug.allowOutOfMemory", "true"}});
    std::ostringstream summary;
    engine.printProfileSummary(summary);
    std::cout << summary.str() << "--\n";
    if (second == 5e8)
      failing([&] {
        std::ostringstream bytes;
        compileGraph(graph, {copies(graph)}, {{"debug.allowOutOfMemory", "true"}}).serialize(bytes);
      });
  }
  model.globalExchangeConstraints = {GlobalExchangeConstraint(0, {{0, 1}})};
  failing([&] { model.createDevice(); });
  model.globalExchangeConstraints = {GlobalExchangeConstraint(1e9, {{0, 4}})};
  failing([&] { model.createDevice(); });
  model.globalExchangeConstraints = {GlobalExchangeConstraint(1e9, {{2, 2}})};
  failing([&] { model.createDevice(); });
}
