// Collectives under their names in popops, over four replicas and over the rows of IPUs, and how
// large fields of vertices may be.
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <popops/Collectives.hpp>
#include <popops/codelets.hpp>

#include <iostream>
#include <sstream>
#include <vector>

using namespace poplar;
using namespace poplar::program;

namespace {

constexpr unsigned kReplicas = 4;

template <class Do>
void fails(Do act) {
  try {
    act();
    std::cout << "no error\n";
  } catch (const std::exception& e) {
    std::cout << e.what() << "\n";
  }
}

struct Made {
  explicit Made(unsigned replicas, unsigned numIPUs = 1)
      : ipus(numIPUs), graph(device(), replication_factor(replicas)) {
    popops::addCodelets(graph);
  }
  Device device() const {
    IPUModel model("ipu2");
    model.numIPUs = ipus;
    model.tilesPerIPU = 4;
    return model.createDevice();
  }
  /// A variable with 0, 1, ... for the first replica, and so on.
  Tensor numbered(const std::string& name, const std::vector<std::size_t>& shape) {
    const Tensor t = graph.addVariable(FLOAT, shape, VariableMappingMethod::LINEAR, name);
    prog.add(Copy(graph.addHostToDeviceFIFO(name, FLOAT, t.numElements()), t));
    ins.push_back({name, t.numElements()});
    return t;
  }
  void out(const std::string& name, const Tensor& t) {
    prog.add(Copy(t, graph.addDeviceToHostFIFO(name, FLOAT, t.numElements())));
    outs.push_back({name, t.numElements()});
  }
  void run(unsigned replicas) {
    Engine engine(graph, prog);
    engine.load(device());
    std::vector<std::vector<float>> data;
    data.reserve(ins.size() + outs.size());
    for (const auto& in : ins) {
      data.emplace_back(in.second * replicas);
      for (std::size_t i = 0; i < data.back().size(); ++i) data.back()[i] = static_cast<float>(i);
      engine.connectStream(in.first, data.back().data(), data.back().data() + data.back().size());
    }
    for (const auto& out : outs) {
      data.emplace_back(out.second * replicas);
      engine.connectStream(out.first, data.back().data(), data.back().data() + data.back().size());
    }
    engine.run();
    for (std::size_t i = 0; i < outs.size(); ++i) {
      std::cout << outs[i].first << ":";
      for (float v : data[ins.size() + i]) std::cout << " " << v;
      std::cout << "\n";
    }
  }
  unsigned ipus;
  Graph graph;
  Sequence prog;
  std::vector<std::pair<std::string, std::size_t>> ins, outs;
};

void overReplicas() {
  using popops::Operation;
  Made made(kReplicas);
  const Tensor x = made.numbered("x", {2}), rows = made.numbered("rows", {4, 1});
  Graph& g = made.graph;
  made.out("sum", popops::replicatedAllReduce(g, x, Operation::ADD, made.prog));
  made.out("max", popops::replicatedAllReduce(g, g, x, Operation::MAX, made.prog));
  Tensor written = g.addVariable(FLOAT, {2}, VariableMappingMethod::LINEAR, "written");
  popops::replicatedAllReduceWithOutput(g, x, written, Operation::MIN, made.prog, "min",
                                        {{"useReplicatedImplementation", "true"}});
  made.out("min", written);
  made.out("part", popops::replicatedReduceScatter(g, rows.flatten(), Operation::ADD, made.prog));
  made.out("all", popops::replicatedAllGather(g, x, made.prog));
  made.out("exchanged", popops::allToAllPersonalizedExchange(g, rows, made.prog));
  Tensor changed = x;
  popops::replicatedAllReduceInPlace(g, changed, Operation::ADD, made.prog);
  made.out("changed", x);
  made.run(kReplicas);
}

/// Replicas of two IPUs, with three elements on the one and two on the other.
void overReplicasOfIpus() {
  Made made(kReplicas, 2 * kReplicas);
  Graph& g = made.graph;
  const Tensor x = made.numbered("x", {5});
  g.setTileMapping(x, 1);
  g.setTileMapping(x.slice(1, 3), 6);
  made.out("parts", popops::replicatedReduceScatter(g, x, popops::Operation::ADD, made.prog));
  made.run(kReplicas);
  fails([&] {
    popops::replicatedReduceScatter(g, x.expand({0}), popops::Operation::ADD, made.prog);
  });
}

void overIpus() {
  using popops::Operation;
  Made made(1);
  const Tensor x = made.numbered("x", {2, 3});
  Graph& g = made.graph;
  made.out("reduced", popops::allReduce(g, x, Operation::ADD, made.prog));
  const popops::Chunks chunks = popops::reduceScatter(g, x, Operation::ADD, made.prog);
  for (const popops::Chunk& c : chunks.chunks)
    made.out("chunk" + std::to_string(c.index), c.tensor);
  made.out("gathered", popops::allGather(g, chunks, made.prog));
  made.run(1);
  fails([&] { popops::reduceScatter(g, x, popops::CollectiveOperator::MEAN, made.prog); });
  fails([&] { popops::reduceScatter(g, x[0][0], Operation::ADD, made.prog); });
  popops::Chunks broken = chunks;
  broken.chunks[1].index = 0;
  fails([&] { popops::allGather(g, broken, made.prog); });
  broken = chunks;
  broken.chunks[1].tensor = broken.chunks[0].tensor;
  fails([&] { popops::allGather(g, broken, made.prog); });
  fails([&] { popops::allGather(g, chunks, made.prog, {}, {{"no", "1"}}); });
}

void fields() {
  Graph graph(Target::createCPUTarget());
  std::stringstream source(
      "#include <poplar/Vertex.hpp>\n"
      "class Fields : public poplar::Vertex {\n"
      " public:\n"
      "  poplar::Input<poplar::Vector<float>> x;\n"
      "  poplar::Vector<poplar::Output<poplar::Vector<float>>> rows;\n"
      "  poplar::Output<float> y;\n"
      "  unsigned short n;\n"
      "  int m;\n"
      "  float f;\n"
      "  bool compute() { *y = x[0] + n + m + f + rows.size(); return true; }\n"
      "};\n");
  graph.addCodelets(source);
  std::cout << graph.getMaxVertexFieldValue("Fields", "n") << " "
            << graph.getMaxVertexFieldValue("Fields", "m") << " "
            << graph.getMaxFieldDim("Fields", "x", 0) << " "
            << graph.getMaxFieldDim("Fields", "rows", 1) << "\n";
  fails([&] { graph.getMaxVertexFieldValue("Fields", "f"); });
  fails([&] { graph.getMaxVertexFieldValue("Fields", "x"); });
  fails([&] { graph.getMaxVertexFieldValue("Fields", "z"); });
  fails([&] { graph.getMaxFieldDim("Fields", "y", 0); });
  fails([&] { graph.getMaxFieldDim("Fields", "x", 1); });
}

}  // namespace

int main() {
  overReplicasOfIpus();
  overReplicas();
  overIpus();
  fields();
}
