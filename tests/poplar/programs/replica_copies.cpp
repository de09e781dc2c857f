// Copies between the replicas of a graph (CrossReplicaCopy), with an argument by a saved executable,
// and what is refused.
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>

#include <iostream>
#include <map>
#include <sstream>
#include <vector>

using namespace poplar;
using namespace poplar::program;

namespace {

template <class Do>
void fails(Do act) {
  try {
    act();
    std::cout << "no error\n";
  } catch (const std::exception& e) {
    std::cout << e.what() << "\n";
  }
}

Device device() {
  IPUModel model("ipu2");
  model.tilesPerIPU = 4;
  return model.createDevice();
}

Graph replicated(unsigned replicas) { return Graph(device(), replication_factor(replicas)); }

/// Gives each replica three numbers of its own, passes them on `rounds` times by `map`, and prints
/// what each has then.
void pass(unsigned replicas, const std::map<unsigned, unsigned>& map, unsigned rounds,
          bool isSaved) {
  Graph graph = replicated(replicas);
  const auto variable = [&](const char* name) {
    return graph.addVariable(INT, {3}, VariableMappingMethod::LINEAR, name);
  };
  Tensor here = variable("here"), there = variable("there");
  graph.createHostWrite("here", here);
  graph.createHostRead("there", there);
  Sequence round({CrossReplicaCopy(here, there, map, "pass"), Copy(there, here)});
  Sequence prog({Repeat(rounds, round)});
  std::stringstream saved;
  compileGraph(graph, {prog}).serialize(saved);
  Engine engine = isSaved ? Engine(Executable::deserialize(saved)) : Engine(graph, prog);
  engine.load(device());
  std::vector<int> values(replicas * 3);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int>(i);
  engine.writeTensor("here", values.data(), values.data() + values.size());
  engine.run();
  engine.readTensor("there", values.data(), values.data() + values.size());
  for (const int v : values) std::cout << v << " ";
  std::cout << "\n";
}

}  // namespace

int main(int argc, char**) {
  const bool isSaved = argc > 1;
  pass(4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}, 1, isSaved);
  pass(4, {{0, 3}, {1, 1}, {2, 0}, {3, 2}}, 2, isSaved);
  pass(1, {{0, 0}}, 3, isSaved);

  Graph graph = replicated(2);
  Tensor a = graph.addVariable(INT, {3}, VariableMappingMethod::LINEAR, "a");
  Tensor b = graph.addVariable(INT, {3}, VariableMappingMethod::LINEAR, "b");
  Tensor f = graph.addVariable(FLOAT, {3}, VariableMappingMethod::LINEAR, "f");
  fails([&] { CrossReplicaCopy(a, b, {{0, 1}}); });
  fails([&] { CrossReplicaCopy(a, b, {{0, 1}, {1, 1}}); });
  fails([&] { CrossReplicaCopy(a, b, {{0, 1}, {2, 0}}); });
  fails([&] { CrossReplicaCopy(a, a, {{0, 1}, {1, 0}}); });
  fails([&] { CrossReplicaCopy(a, f, {{0, 1}, {1, 0}}); });
  fails([&] { CrossReplicaCopy(Tensor(), b, {{0, 1}, {1, 0}}); });
  fails([&] { CrossReplicaCopy(a, b, {}); });
  fails([&] { CrossReplicaCopy(a, b, {{0, 2}, {1, 0}}); });
  fails([&] { CrossReplicaCopy(a, b.slice(0, 2), {{0, 1}, {1, 0}}); });
  fails([&] { CrossReplicaCopy(a, concat(b.slice(0, 2), b.slice(0, 1)), {{0, 1}, {1, 0}}); });
  fails([&] { CrossReplicaCopy(a, graph.addConstant(INT, {3}, 7), {{0, 1}, {1, 0}}); });
  Graph single = replicated(1);
  Tensor c = single.addVariable(INT, {3}, VariableMappingMethod::LINEAR, "c");
  Tensor d = single.addVariable(INT, {3}, VariableMappingMethod::LINEAR, "d");
  fails([&] { CrossReplicaCopy(c, d, {{0, 1}, {1, 0}}); });
  fails([&] { CrossReplicaCopy(c, d, {}); });
  fails([&] { CrossReplicaCopy(a, d, {{0, 0}}); });
}
