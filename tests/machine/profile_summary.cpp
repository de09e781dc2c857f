// A program that prints what it would cost.
#include <iostream>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>

int main() {
  poplar::Graph graph(poplar::IPUModel().createDevice());
  auto a = graph.addVariable(poplar::FLOAT, {800}, "a");
  auto b = graph.addVariable(poplar::FLOAT, {800}, "b");
  graph.setTileMapping(a, 5);
  graph.setTileMapping(b, 5);
  poplar::Engine engine(graph, poplar::program::Copy(a, b));
  engine.printProfileSummary(std::cout, {{"showExecutionSteps", "true"}});
}
