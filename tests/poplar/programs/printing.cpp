// What PrintTensor writes of tensors of all kinds, and in formats of the user's own.
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>

#include <cmath>

using namespace poplar;
using namespace poplar::program;

int main() {
  Device device = Device::createCPUDevice();
  Graph graph(device);
  Sequence prog;
  const auto print = [&](const char* title, Tensor t, const PrintTensorFmt& format) {
    graph.setTileMapping(t, 0);
    prog.add(PrintTensor(title, t, format));
  };
  const PrintTensorFmt standard;
  print("scalar", graph.addConstant(FLOAT, {}, 0.5f), standard);
  print("bool", graph.addConstant<bool>(BOOL, {2}, {true, false}), standard);
  print("ints", graph.addConstant<int>(INT, {2, 3}, {1, -2, 3, 40, 50, 60}), standard);
  print("half", graph.addConstant<float>(HALF, {2}, {1.0f, 1024.0f}), standard);
  print("large", graph.addConstant<float>(FLOAT, {3}, {1e10f, -1.0f, INFINITY}), standard);
  print("small", graph.addConstant<float>(FLOAT, {2}, {1e-6f, std::nanf("")}), standard);
  print("cube", graph.addConstant<int>(INT, {2, 1, 2}, {1, 2, 3, 4}), standard);
  print("empty", graph.addVariable(FLOAT, {0}), standard);
  std::vector<int> many(30);
  for (int i = 0; i < 30; ++i) many[i] = i;
  print("long", graph.addConstant<int>(INT, {30}, ArrayRef<int>(many)), PrintTensorFmt(20, 2));
  print("wide", graph.addConstant<int>(INT, {12}, ArrayRef<int>(many.data(), 12)),
        PrintTensorFmt(1000, 3, 12));
  print("own", graph.addConstant<float>(FLOAT, {2}, {1.5f, 2.0f}),
        PrintTensorFmt(1000, 3, 75, 3, PrintTensorFmt::FloatFormat::Scientific, ',', '{', '}'));
  print("plain", graph.addConstant<float>(FLOAT, {2}, {1.5f, 2.0f}),
        PrintTensorFmt(1000, 3, 75, 3, PrintTensorFmt::FloatFormat::None));
  Engine engine(graph, prog);
  engine.setPrintTensorStream(std::cout);
  engine.load(device);
  engine.run();
}
