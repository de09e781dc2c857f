// Functions of the SDK beside the usual ones: programs that end a run, tensors by their variables, tiles of
// virtual graphs, estimates, clones beside each other, orders in memory, values of profiles, errors by name.
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>
#include <poplar/VertexIntrospector.hpp>
#include <poplar/exceptions.hpp>

#include <cassert>
#include <iostream>
#include <sstream>

using namespace poplar;
using namespace poplar::program;

namespace {

template <class Error, class F>
void expect(const char* what, F f) {
  try {
    f();
    std::cout << what << ": no error\n";
  } catch (const Error& e) {
    std::cout << what << ": " << e.what() << "\n";
  }
}

const char* const source =
    "#include <poplar/Vertex.hpp>\n"
    "struct Rows : poplar::Vertex {\n"
    "  poplar::Vector<poplar::Input<poplar::Vector<float>>> in;\n"
    "  poplar::Output<float> out;\n"
    "  poplar::Vector<half> factors;\n"
    "  unsigned short times;\n"
    "  void compute() {\n"
    "    *out = 0;\n"
    "    for (unsigned i = 0; i < in.size(); ++i)\n"
    "      for (unsigned k = 0; k < in[i].size(); ++k) *out = *out + in[i][k] * float(factors[i]) "
    "* times;\n"
    "  }\n"
    "};\n";

void programs(const Device& device) {
  Graph graph(device);
  Tensor control = graph.addVariable(INT, {}, VariableMappingMethod::LINEAR, "control");
  Tensor stop = graph.addVariable(BOOL, {}, VariableMappingMethod::LINEAR, "stop");
  Tensor value = graph.addVariable(INT, {}, VariableMappingMethod::LINEAR, "value");
  graph.createHostWrite("control", control);
  graph.createHostWrite("stop", stop);
  graph.createHostRead("value", value);
  const auto set = [&](int number) {
    Tensor constant = graph.addConstant(INT, {}, number);
    graph.setTileMapping(constant, 0);
    return Copy(constant, value);
  };
  const std::vector<std::pair<std::int32_t, Program>> cases = {{1, set(10)}, {2, set(20)}};
  Switch other(control, set(-1), "other");
  other.add(7, set(70));
  const std::vector<Program> all = {
      Block(other, "block"), Switch::switchWithBoundsChecking(control, cases, {"checked"}),
      Sequence(set(3), Abort("enough"), set(4)), Abort(DebugContext("named")),
      Sequence(set(5), AbortOnCondition(stop, "stopped"), set(6))};
  std::stringstream saved;
  compileGraph(graph, all).serialize(saved);
  Engine engine(Executable::deserialize(saved), {{"debug.verifyPlan", "true"}});
  engine.load(device);
  const auto run = [&](unsigned number, int given, bool stops) {
    engine.writeTensor("control", &given, &given + 1);
    engine.writeTensor("stop", &stops, &stops + 1);
    std::string error;
    try {
      engine.run(number);
    } catch (const application_runtime_error& e) {
      error = std::string(" ") + e.what();
    }
    int read = 0;
    engine.readTensor("value", &read, &read + 1);
    std::cout << read << error << "\n";
  };
  run(0, 7, false);
  run(0, 1, false);
  run(1, 2, false);
  run(1, 3, false);
  run(2, 0, false);
  run(3, 0, false);
  run(4, 0, false);
  run(4, 0, true);
  std::cout << engine.getEngineOptions().at("debug.verifyPlan") << "\n";
}

void tensors(Graph& graph) {
  Tensor a = graph.addVariable(FLOAT, {2, 3}, "a");
  graph.setTileMapping(a[0], 1);
  Tensor c = graph.addConstant(FLOAT, {3}, 2.0f, "c");
  graph.setTileMapping(c, 3);
  bool complete = true;
  const auto part = graph.getTileMapping(a, &complete);
  std::cout << complete << part[1].size();
  graph.setTileMapping(a[1], 2);
  graph.getTileMapping(a, &complete);
  const Tensor both = concat(a[1], c);
  std::cout << complete << graph.getTileMapping(both, true, false)[3].size()
            << graph.getVariableTileMapping(both)[3].size()
            << graph.getVariableTileMapping(both)[2].size() << "\n";
  const auto regions = both.getVarRegions();
  assert(graph.getVariable(regions[0].var).shape() == a.shape());
  std::cout << graph.isConstant(regions[0].var) << graph.isConstant(regions[1].var) << " "
            << both.getVarStr() << "\n";
  both.dumpRegions();
  std::cout << a.hasMetadata() << "\n";
  expect<type_error>("metadata", [&] { a.getMetadata(); });

  const Tensor spread = a.slice(0, 1).broadcast(4, 0).expand({2}).broadcast(5, 2);
  std::cout << graph.findUnbroadcastTensor(spread).shapeToString()
            << graph.findUnbroadcastTensor(a).shapeToString()
            << graph.findUnbroadcastTensor(concat(a, a, 1)).shapeToString() << "\n";

  const Tensor mixed = a.transpose();
  const auto order = graph.getSimplifyingRearranger(mixed);
  const Tensor simple = order.rearrange(mixed);
  std::cout << order.valid() << TensorRearranger().valid() << simple.isContiguous()
            << (order.undoRearrangement(simple).getVarRegions() == mixed.flatten().getVarRegions());
  for (const auto& each : order.rearrange({{1, 2}, {0, 1}, {4, 6}}))
    std::cout << " " << each.begin() << "-" << each.end();
  std::cout << " |";
  for (const auto& each : order.undoRearrangement({{3, 4}, {0, 2}, {5, 6}}))
    std::cout << " " << each.begin() << "-" << each.end();
  std::cout << "\n";
  expect<index_error>("order", [&] { order.rearrange(a.flatten().slice(0, 5)); });
  expect<index_error>("order", [&] { order.rearrange({{3, 7}}); });

  const Tensor clones =
      graph.cloneN(a, 2, {}, TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES,
                   TensorCloneDuplicationMethod::DUPLICATE_BY_TILE_CONTIGUOUS_REGION);
  std::cout << clones.shapeToString() << clones.getVarRegions().size()
            << (graph.getTileMapping(clones[1]) == graph.getTileMapping(a))
            << clones.isParallelWriteable() << concat(clones[0][0], clones[1][0]).isContiguous()
            << "\n";
  expect<index_error>("clones", [&] { graph.cloneN(a, 0); });
}

void vertices(Graph& graph) {
  std::stringstream text(source);
  graph.addCodelets(text);
  std::cout << graph.hasCodelet("Rows") << graph.hasCodelet("Columns") << " "
            << graph.getMaxVertexFieldValueAs<int>("Rows", "times") << "\n";
  Tensor in = graph.addVariable(FLOAT, {2, 2}, "in"), out = graph.addVariable(FLOAT, {}, "out");
  graph.setTileMapping(in, 0);
  graph.setTileMapping(out, 0);
  graph.setInitialValue(in, ArrayRef<float>({1, 2, 3, 4}));
  Tensor halves = graph.addVariable(HALF, {2}, "halves");
  graph.setTileMapping(halves, 0);
  graph.setInitialValueHalf(halves, 0x3c00);
  graph.setInitialValueHalf(halves.slice(1, 2), ArrayRef<std::uint16_t>({0x4000}));
  ComputeSet cs = graph.addComputeSet("cs");
  const auto before = graph.getNumVertices();
  const std::vector<Graph::ConnectionDesc> connections = {{"in", in}, {"out", out}, {"times", 3}};
  VertexRef v = graph.addVertex(cs, "Rows", ArrayRef<Graph::ConnectionDesc>(connections));
  graph.setInitialValueHalf(v["factors"], ArrayRef<std::uint16_t>({0x3c00, 0xc000}));  // 1, -2
  graph.setTileMapping(v, 0);
  std::cout << graph.getNumVertices() - before << "\n";
  expect<missing_perf_estimate>("estimate", [&] { graph.getPerfEstimate(v); });
  graph.registerPerfEstimator("Rows", [](const VertexIntrospector& vertex, const Target&) {
    return VertexPerfEstimate(100 * vertex.getFieldInfo("in").size(), 7);
  });
  std::cout << graph.getPerfEstimate(v).cycles << " ";
  graph.setPerfEstimate(v, VertexPerfEstimate(5, 6));
  std::cout << graph.getPerfEstimate(v).cycles << " " << graph.getPerfEstimate(v).flops << "\n";
  expect<unknown_vertex_type>("type", [&] { graph.addVertex(cs, "Columns"); });
  expect<unknown_field>("field", [&] { graph.connect(v["inn"], in); });
  graph.createHostRead("out", out);
  graph.createHostRead("halves", halves);
  Engine engine(graph, Execute(cs));
  engine.run(0);
  std::vector<float> found(1), numbers(2);
  std::vector<std::uint16_t> bits(2);
  engine.readTensor("out", ArrayRef<float>(found));
  engine.readTensor("halves", ArrayRef<std::uint16_t>(bits));
  copyDeviceHalfToFloat(graph.getTarget(), bits.data(), numbers.data(), 2);
  std::cout << found[0] << " " << numbers[0] << " " << numbers[1] << "\n";
}

void tiles(const Device& device) {
  Graph graph(device);
  Graph half = graph.createVirtualGraph({1, 3});  // of each of two IPUs
  std::cout << half.convertTileToTopLevelGraphTile(2) << half.convertTopLevelGraphTileToTile(7)
            << graph.convertVirtualTileToPhysicalTile(5)
            << graph.convertPhysicalTileToVirtualTile(6)
            << graph.convertPhysicalTileToVirtualTile(1, 2) << "\n";
  expect<invalid_tile_mapping>("tile", [&] { half.convertTopLevelGraphTileToTile(2); });
  expect<invalid_tile_mapping>("tile", [&] { half.convertTileToTopLevelGraphTile(4); });
  expect<invalid_tile_mapping>("tile", [&] { graph.convertPhysicalTileToVirtualTile(0, 4); });
  expect<graph_replication_error>("replicas", [&] { Graph(device, replication_factor(0)); });
}

void others(const Target& target) {
  std::cout << target.getFloatVectorWidth() << target.getHalfVectorWidth() << " "
            << target.getFp16ConvUnitInputLoadElemsPerCycle() << " "
            << target.getTypeLimitsMaxAs<int>(SHORT) << " "
            << target.getTypeLimitsLowestAs<float>(HALF) << " "
            << target.getTypeLimitsMaxAs<std::uint64_t>(UNSIGNED_LONGLONG) << " "
            << target.createVirtualTarget(1, 3).getNumTiles() << "\n";
  expect<type_error>("limits", [&] { target.getTypeLimitsMaxAs<float>(QUARTER); });
  expect<invalid_machine_model>("target", [&] { target.createVirtualTarget(0, 3); });
  const ProfileValue rows(
      ProfileValue::Vector{ProfileValue::Vector{1, 2}, ProfileValue::Vector{3}});
  const ProfileValue map(ProfileValue::Map{{"rows", rows}});
  std::cout << map.size() << rows.size() << (map.getOrNull("columns") == nullptr) << " "
            << map.getOrNull("rows")->sum2DUint() << " " << rows.asVector()[0].sumInt() << " "
            << rows.asVector()[0].toUintVector().size() << " "
            << getAsProfileValue({{"a", "b"}}).getOrNull("a")->asString() << "\n";
  std::cout << (getCodeletFileType("x/y.S") == CodeletFileType::AsmSource)
            << (getCodeletFileType("y.gp") == CodeletFileType::Object)
            << (getCodeletFileType("y") == CodeletFileType::Auto) << " "
            << getExtensionFromFileType(CodeletFileType::CppSource) << " "
            << getLanguageOption(CodeletFileType::CppSource) << "\n";
}

}  // namespace

int main() {
  IPUModel model;
  model.numIPUs = 2;
  model.tilesPerIPU = 4;
  const Device device = model.createDevice();
  programs(device);
  Graph graph(device);
  tensors(graph);
  vertices(graph);
  tiles(device);
  others(device.getTarget());
}
