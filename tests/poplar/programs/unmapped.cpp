// A program for a CPU that maps nothing to tiles, of libraries and of a codelet; the same on an IPU
// is refused.
#include <iostream>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/MatMul.hpp>
#include <popops/ElementWise.hpp>
#include <pva/pva.hpp>

using namespace poplar;
using namespace poplar::program;

namespace {

const char* const kSource = R"(
#include <poplar/Vertex.hpp>
class Dot : public poplar::Vertex {
 public:
  poplar::Input<poplar::Vector<float>> a, b;
  poplar::Output<float> out;
  bool compute() {
    float sum = 0;
    for (unsigned i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    *out = sum;
    return true;
  }
};
)";

void multiply(const Device& device) {
  Graph graph(device.getTarget());
  std::stringstream source(kSource);
  graph.addCodelets(source);
  const Tensor matrix = graph.addVariable(FLOAT, {3, 4}, "matrix");
  const Tensor vector = graph.addConstant<float>(FLOAT, {4}, {1, 2, 3, 4});
  const Tensor out = graph.addVariable(FLOAT, {3}, "out");
  const ComputeSet set = graph.addComputeSet("products");
  for (unsigned row = 0; row < 3; ++row)
    graph.addVertex(set, "Dot", {{"a", matrix[row]}, {"b", vector}, {"out", out[row]}});
  Sequence prog({Execute(set)});
  const Tensor twice = popops::add(graph, out, out, prog, "twice");
  const Tensor whole = poplin::matMul(graph, matrix, vector.reshape({4, 1}), prog, "whole");
  graph.createHostWrite("matrix", matrix);
  graph.createHostRead("twice", twice);
  graph.createHostRead("whole", whole);
  Engine engine(graph, prog);
  engine.load(device);
  std::vector<float> values(12), result(3), again(3);
  for (unsigned i = 0; i < 12; ++i) values[i] = static_cast<float>(i);
  engine.writeTensor("matrix", values.data(), values.data() + 12);
  engine.run(0);
  engine.readTensor("twice", result.data(), result.data() + 3);
  engine.readTensor("whole", again.data(), again.data() + 3);
  for (const float x : result) std::cout << x << " ";
  for (const float x : again) std::cout << x << " ";
  std::cout << graph.getTileMapping(matrix)[0].size() << "\n";
}

}  // namespace

int main() {
  multiply(Device::createCPUDevice());
  IPUModel model("ipu2");
  model.tilesPerIPU = 4;
  const Device device = model.createDevice();
  try {
    multiply(device);
  } catch (const poplar_error& error) {
    std::cout << error.what() << "\n";
  }
  std::cout << device.getTarget().getTargetSystemString().str() << " "
            << Target::createIPUTarget(4, "IPU-POD16").getTargetSystemString().str() << "\n";

  Graph graph(device);
  const Tensor t = graph.addVariable(FLOAT, {1000}, "t");
  graph.setTileMapping(t, 2);
  Sequence prog;
  popops::addInPlace(graph, t, t, prog, "twice");
  Engine engine(graph, prog);
  const auto tiles = engine.getReport().compilation().tiles();
  for (const unsigned tile : {2u, 3u}) {
    const auto memory = tiles[tile].memory();
    const auto by = memory.category();
    std::cout << by.variable().nonInterleaved().nonOverlapped() << " "
              << (by.vertexCode().total() > 0) << (by.vertexInstanceState().total() > 0)
              << (by.variable().total() + by.vertexCode().total() <= memory.total().includingGaps())
              << "\n";
  }
}
