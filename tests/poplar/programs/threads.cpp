// Threads that share one engine, while others make, run and drop engines of their own. Prints how
// many results were wrong, and fails if any was or if no kernel ran on several threads.
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/MatMul.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>

#include <dirent.h>
#include <atomic>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

using namespace poplar;
using namespace poplar::program;

namespace pe = popops::expr;

namespace {

const std::size_t kSize = 256;  // so much work that two threads share it
const OptionFlags kTwoThreads{{"host.numThreads", "2"}};

// total = sum((x W + 1)^2), by rows; and how often that was computed.
Executable build(const Device& device) {
  Graph graph(device);
  const auto linear = VariableMappingMethod::LINEAR;
  Tensor x = graph.addVariable(FLOAT, {kSize, kSize}, linear, "x");
  Tensor w = graph.addVariable(FLOAT, {kSize, kSize}, linear, "w");
  Tensor calls = graph.addVariable(FLOAT, {1}, linear, "calls");
  graph.setInitialValue(x, std::vector<float>(kSize * kSize, 2.0f));
  graph.setInitialValue(w, std::vector<float>(kSize * kSize, 0.5f));
  graph.setInitialValue(calls, std::vector<float>{0.0f});
  Sequence prog;
  Tensor product = poplin::matMul(graph, x, w, prog, "product");
  Tensor square = popops::map(graph, pe::Square(pe::Add(pe::_1, pe::Const(1.0f))), {product}, prog);
  Tensor total = popops::reduce(graph, square, {1}, {popops::Operation::ADD}, prog);
  popops::mapInPlace(graph, pe::Add(pe::_1, pe::Const(1.0f)), {calls}, prog);
  graph.createHostRead("total", total);
  graph.createHostRead("calls", calls);
  return compileGraph(graph, {prog}, kTwoThreads);
}

int wrong(Engine& engine) {
  std::vector<float> total(kSize);
  engine.readTensor("total", total.data(), total.data() + total.size());
  int found = 0;
  for (float v : total) found += v != (kSize + 1.0f) * (kSize + 1.0f) * kSize;
  return found;
}

}  // namespace

int main() {
  Device device = IPUModel().createDevice();
  Engine shared(build(device), kTwoThreads);
  shared.load(device);
  std::atomic<int> faults(0);
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        shared.run(0);
        faults += wrong(shared);
      }
    });
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 3; ++i) {
        Engine own(build(device), kTwoThreads);
        own.load(device);
        own.run(0);
        faults += wrong(own);
      }
    });
  for (auto& t : threads) t.join();
  float calls = 0;
  shared.readTensor("calls", &calls, &calls + 1);
  int workers = 0;
  DIR* const tasks = opendir("/proc/self/task");
  while (const dirent* task = readdir(tasks)) {
    std::ifstream file(std::string("/proc/self/task/") + task->d_name + "/comm");
    std::string name;
    std::getline(file, name);
    workers += name == "popir worker";
  }
  closedir(tasks);
  std::cout << faults << " wrong, " << calls << " runs\n";
  return faults > 0 || workers == 0;
}
