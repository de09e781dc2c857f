// Loops with a counter on the device, and options from JSON.
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <popnn/Rnn.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Loop.hpp>
#include <poputil/exceptions.hpp>

#include <iostream>
#include <sstream>

using namespace poplar;
using namespace poplar::program;

template <class Error, class Call>
void refused(const Call& call) {
  try {
    call();
    std::cout << "not refused\n";
  } catch (const Error& e) {
    std::cout << e.what() << "\n";
  }
}

int main() {
  Graph graph(Target::createCPUTarget());
  const auto sums = graph.addVariable(UNSIGNED_INT, {3}, VariableMappingMethod::LINEAR, "sums");
  const auto limit = graph.addVariable(INT, {1}, VariableMappingMethod::LINEAR, "limit");
  const auto seen = graph.addVariable(INT, {1}, VariableMappingMethod::LINEAR, "seen");
  graph.setInitialValue(sums, ArrayRef<unsigned>({0, 0, 0}));
  graph.setInitialValue(limit, ArrayRef<int>({-9}));
  graph.setInitialValue(seen, ArrayRef<int>({0}));
  Sequence all = {};
  const auto adding = [&](unsigned i) {
    return [&graph, sums, i](const Tensor& count) {
      Sequence body;
      popops::addInPlace(graph, sums.slice(i, i + 1), count, body);
      return body;
    };
  };
  all.add(popops::countedLoop(graph, 5, adding(0)));         // 0 + 1 + 2 + 3 + 4
  all.add(popops::countedLoop(graph, 3, 12, 4, adding(1)));  // 3 + 7 + 11
  all.add(popops::countedLoop(graph, 7, 7, 1, adding(2)));   // nothing
  const auto count = graph.addVariable(INT, {1}, VariableMappingMethod::LINEAR, "count");
  Sequence down;
  popops::addInPlace(graph, seen, count, down);
  all.add(popops::countedForLoop(graph, count, 0, limit, -3, down));  // 0 - 3 - 6
  Sequence once;
  popops::addInPlace(graph, seen, seen, once);
  all.add(popops::countedForLoop(graph, -8, limit, -1, once));  // once
  graph.createHostRead("sums", sums);
  graph.createHostRead("seen", seen);
  Engine engine(graph, all);
  engine.load(Device::createCPUDevice());
  engine.run(0);
  unsigned found[5] = {0, 0, 0, 1, 1};  // larger than the tensor
  int last;
  engine.readTensor("sums", found, found + 5);
  engine.readTensor("seen", &last, &last + 1);
  std::cout << found[0] << " " << found[1] << " " << found[2] << " " << found[3] << " " << last
            << "\n";
  refused<tensor_io_state_error>([&] { engine.readTensor("sums", found, found + 2); });
  refused<poputil::poplibs_error>([&] { popops::countedLoop(graph, 0, 1, 0, adding(0)); });
  refused<poputil::poplibs_error>([&] { popops::countedForLoop(graph, 0, sums, 1, Sequence()); });

  OptionFlags options{{"kept", "yes"}};
  readJSON("{\"text\": \"a \\\"b\\\"\", \"number\": 0.5, \"flag\": true}", options);
  std::istringstream stream("{\"kept\": \"no\"}");
  readJSON(stream, options);
  for (const auto& each : options) std::cout << each.first << "=" << each.second << " ";
  std::cout << "\n";
  refused<invalid_option>([&] { readJSON("{\"text\": [1]}", options); });

  const popnn::rnn::RnnParams params(FLOAT, 2, 3, {4, 5});
  std::cout << params.maxTimeSteps << params.variableTimeSteps() << params.layerSizes[1] << "\n";
}
