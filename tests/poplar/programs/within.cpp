// A reduction over the IPUs of a replica: where its rows lie, and what they are.
#include <gcl/Collectives.hpp>
#include <iostream>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <popops/ElementWise.hpp>

using namespace poplar;

int main() {
  IPUModel model("ipu2");
  model.numIPUs = 3;
  model.tilesPerIPU = 4;
  const Device device = model.createDevice();
  Graph graph(device);
  const Tensor t = graph.addVariable(FLOAT, {3, 2}, "t");
  for (unsigned ipu = 0; ipu < 3; ++ipu) graph.setTileMapping(t[ipu], 4 * ipu + 1);
  program::Sequence prog;
  const Tensor sum =
      gcl::allReduceWithinReplica(graph, t, gcl::CollectiveOperator::ADD, prog, "sum");
  // Each row is a tensor of its own.
  popops::addInPlace(graph, sum[1], sum[1], prog, "twice");
  for (unsigned ipu = 0; ipu < 3; ++ipu) {
    const auto mapping = graph.getTileMapping(sum[ipu]);
    for (std::size_t tile = 0; tile < mapping.size(); ++tile)
      if (!mapping[tile].empty()) std::cout << tile << " ";
  }
  graph.createHostWrite("t", t);
  graph.createHostRead("sum", sum);
  Engine engine(graph, prog);
  engine.load(device);
  float values[] = {1, 2, 3, 4, 5, 6};
  engine.writeTensor("t", values, values + 6);
  engine.run(0);
  engine.readTensor("sum", values, values + 6);
  for (const float each : values) std::cout << each << " ";
  std::cout << "\n";
}
