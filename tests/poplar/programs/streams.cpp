// An ordinary Poplar program: streams, handles, a loop, a callback, errors; no Python anywhere.
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>

using namespace poplar;
using namespace poplar::program;

int main() {
  IPUModel model("ipu2");
  Device device = model.createDevice();
  Graph graph(device.getTarget());

  Tensor a = graph.addVariable(FLOAT, {4}, "a");
  Tensor b = graph.addVariable(FLOAT, {2, 4}, VariableMappingMethod::LINEAR, "b");
  for (unsigned i = 0; i < 4; ++i) graph.setTileMapping(a[i], i);
  Tensor c = graph.addConstant<float>(FLOAT, {4}, {1.0f, 1.5f, 2.0f, 2.5f});
  graph.setTileMapping(c, 0);

  auto in = graph.addHostToDeviceFIFO("in", FLOAT, 4);
  auto out = graph.addDeviceToHostFIFO("out", FLOAT, 8);
  graph.createHostRead("a-read", a);

  Sequence body({Copy(in, a), Copy(a, b[0]), Copy(c.reverse(0), b[1]), Copy(b, out)});
  Sequence prog;
  prog.add(Repeat(2, body));
  prog.add(PrintTensor("a", a));

  Engine engine(graph, prog);
  engine.load(device);
  std::vector<float> results(16);
  engine.connectStream("out", results.data(), results.data() + results.size());
  float next = 0;
  engine.connectStreamToCallback("in", [&](void* p) {
    auto* values = static_cast<float*>(p);
    for (int i = 0; i < 4; ++i) values[i] = next++;
  });
  engine.run(0);

  for (float v : results) std::cout << v << " ";
  std::vector<float> last(4);
  engine.readTensor("a-read", last);
  for (float v : last) std::cout << v << " ";
  try {
    graph.setTileMapping(a, 5000);
  } catch (const poplar_error& e) {
    std::cout << "| " << e.what();
  }
  std::cout << std::endl;
}
