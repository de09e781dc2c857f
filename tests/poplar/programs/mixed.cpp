// A codelet's vertices and a library's operation in one compute set; races between them; an
// estimator of a vertex type.
#ifdef __POPC__

#include <poplar/Vertex.hpp>

class Twice : public poplar::Vertex {
 public:
  poplar::Input<poplar::Vector<float>> in;
  poplar::Output<poplar::Vector<float>> out;
  const unsigned weight;
  void compute() {
    if (in->size() != out->size()) return;
    for (unsigned i = 0; i < in.size(); ++i) out[i] = in[i] * 2;
  }
};

#else

#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/VertexIntrospector.hpp>
#include <popops/Cast.hpp>
#include <pva/pva.hpp>

using namespace poplar;
using namespace poplar::program;

struct Set {
  Set() : graph(IPUModel().createDevice()) {
    graph.addCodelets(__FILE__);
    cs = graph.addComputeSet("both");
    const float values[] = {1, 2, 3, 4};
    x = graph.addVariable(FLOAT, {4}, VariableMappingMethod::LINEAR, "x");
    graph.setInitialValue(x, ArrayRef<float>(values, 4));
    y = graph.addVariable(FLOAT, {4}, VariableMappingMethod::LINEAR, "y");
    z = graph.addVariable(INT, {4}, VariableMappingMethod::LINEAR, "z");
    graph.createHostRead("y", y);
    graph.createHostRead("z", z);
    v = graph.addVertex(cs, "Twice", {{"in", x}, {"out", y}, {"weight", 25u}});
    graph.setTileMapping(v, 0);
  }
  Graph graph;
  ComputeSet cs;
  VertexRef v;
  Tensor x, y, z;
};

void attempt(Set& s) {
  try {
    Engine engine(s.graph, Execute(s.cs));
  } catch (const graph_program_compilation_error& e) {
    std::cout << e.what() << "\n";
  }
}

std::uint64_t cycles(Set& s) {
  Engine engine(s.graph, Execute(s.cs), {{"profiler.programs.filter", "both"}});
  engine.run();
  const auto block = engine.getReport().execution().blocks(0).at(0);
  return block.cyclesTo() - block.cyclesFrom();
}

int main() {
  Set s;
  popops::cast(s.graph, s.x, s.z, s.cs);
  Engine engine(s.graph, Execute(s.cs));
  engine.run();
  std::vector<float> y(4);
  std::vector<int> z(4);
  engine.readTensor("y", y);
  engine.readTensor("z", z);
  for (float f : y) std::cout << f << " ";
  std::cout << "|";
  for (int i : z) std::cout << " " << i;
  std::cout << "\n";

  Set reads;
  popops::cast(reads.graph, reads.y.slice(2, 4), reads.z.slice(0, 2), reads.cs);
  attempt(reads);
  Set writes;
  Tensor ints = writes.graph.addConstant<int>(INT, {4}, {1, 2, 3, 4});
  writes.graph.setTileMapping(ints, 0);
  popops::cast(writes.graph, ints, writes.x, writes.cs);
  attempt(writes);

  Set none, given, registered;
  given.graph.setPerfEstimate(given.v, 600, 4);
  registered.graph.registerPerfEstimator(
      "Twice", [](const VertexIntrospector& vertex, const Target& target) {
        const auto out = vertex.getFieldInfo("out");
        const auto weight = vertex.getFieldInfo("weight").getInitialValue<unsigned>(target);
        return VertexPerfEstimate(out.size() * weight * target.getNumWorkerContexts(), 4);
      });
  std::cout << cycles(registered) << " " << cycles(given) << " " << (cycles(none) == 4000) << "\n";
}

#endif
