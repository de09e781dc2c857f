// Programs that print what they would cost.
#include <iostream>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <popops/Fill.hpp>

using namespace poplar;

int main() {
  Graph graph(IPUModel().createDevice());
  Tensor a = graph.addVariable(FLOAT, {1200}, "a");
  Tensor b = graph.addVariable(FLOAT, {1200}, "b");
  Tensor c = graph.addVariable(FLOAT, {1200}, "c");
  graph.setTileMapping(a, 5);
  graph.setTileMapping(b, 5);
  graph.setTileMapping(c, 6);
  const program::Copy copy(a, b);

  // Two fills on one tile run one after the other, two on two tiles side by side.
  ComputeSet one = graph.addComputeSet("one"), two = graph.addComputeSet("two");
  popops::fill(graph, a, 5, one, 1.0f);
  popops::fill(graph, b, 5, one, 1.0f);
  popops::fill(graph, a, 5, two, 1.0f);
  popops::fill(graph, c, 6, two, 1.0f);

  Engine engine(graph, {copy, program::Execute(one), program::Execute(two)});
  engine.printProfileSummary(std::cout, {{"showExecutionSteps", "true"}});
}
