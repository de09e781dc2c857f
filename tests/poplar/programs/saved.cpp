// A program that builds, saves and runs ("save FILE"), or only loads and runs ("load FILE"):
// codelets with state, library functions, a loop, a function, streams, handles, a host function.
#ifdef __POPC__

#include <poplar/Vertex.hpp>

class Count : public poplar::Vertex {
 public:
  poplar::InOut<poplar::Vector<float>> x;
  unsigned calls;
  void compute() {
    ++calls;
    for (float& v : x) v += static_cast<float>(calls);
  }
};

#else

#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/MatMul.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Rearrange.hpp>
#include <popops/Reduce.hpp>
#include <poputil/TileMapping.hpp>

#include <fstream>

using namespace poplar;
using namespace poplar::program;

namespace pe = popops::expr;

Executable build(const Device& device) {
  Graph graph(device);
  graph.addCodelets(__FILE__);
  Tensor x = graph.addVariable(FLOAT, {3, 4}, VariableMappingMethod::LINEAR, "x");
  Tensor weights = graph.addConstant<float>(FLOAT, {4, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  graph.setTileMapping(weights, 1);
  ComputeSet cs = graph.addComputeSet("count");
  VertexRef v = graph.addVertex(cs, "Count", {{"x", x.transpose().flatten()}, {"calls", 0}});
  graph.setTileMapping(v, 2);

  Sequence twice;
  twice.add(Execute(cs));
  popops::mapInPlace(graph, pe::Mul(pe::_1, pe::Const(2.0f)), {x}, twice);
  Function f = graph.addFunction(twice);

  Sequence prog;
  prog.add(Copy(graph.addHostToDeviceFIFO("in", FLOAT, 12), x));
  prog.add(Repeat(2, Call(f)));
  Tensor product = poplin::matMul(graph, x, weights, prog, "product");
  ComputeSet turn = graph.addComputeSet("turn");
  Tensor turned = popops::rearrange::partialTranspose(graph, product, turn);
  prog.add(Execute(turn));
  Tensor sums = popops::reduce(graph, turned, {1}, {popops::Operation::ADD}, prog);
  HostFunction host = graph.addHostFunction("negate", {{FLOAT, 2}}, {{FLOAT, 2}});
  Tensor negative = graph.addVariable(FLOAT, {2}, VariableMappingMethod::LINEAR, "negative");
  prog.add(Call(host, {sums}, {negative}));
  prog.add(PrintTensor("negative", negative));
  graph.createHostRead("sums", sums);
  return compileGraph(graph, {prog, Copy(x, graph.addDeviceToHostFIFO("out", FLOAT, 12))});
}

int main(int, char** argv) {
  Device device = IPUModel().createDevice();
  Executable executable;
  try {
    Engine nothing((Executable()));
    return 1;
  } catch (const poplar_error& e) {
    if (e.what() != std::string("Executable: it holds nothing; compileGraph and deserialize make "
                                "others"))
      return 1;
  }
  if (argv[1] == std::string("load")) {
    std::ifstream file(argv[2], std::ios::binary);
    executable = Executable::deserialize(file);
  } else {
    executable = build(device);
    std::ofstream file(argv[2], std::ios::binary);
    executable.serialize(file);
  }
  Engine engine(std::move(executable), {{"host.numThreads", "1"}});
  engine.load(device);
  engine.setPrintStream(std::cout);
  std::vector<float> in(12, 1.0f), out(12), sums(2);
  engine.connectStream("in", in.data());
  engine.connectStream("out", out.data());
  engine.connectHostFunction(
      "negate", 0, [](ArrayRef<const void*> inputs, ArrayRef<void*> outputs) {
        for (int i = 0; i < 2; ++i)
          static_cast<float*>(outputs[0])[i] = -static_cast<const float*>(inputs[0])[i];
      });
  for (int i = 0; i < 2; ++i) {
    engine.run(0);
    engine.run(1);
    engine.readTensor("sums", sums);
    std::cout << out[0] << " " << out[11] << " " << sums[0] << " " << sums[1] << std::endl;
  }
}

#endif
