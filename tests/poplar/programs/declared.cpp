// Declarations of Poplar's headers that few programs use: errors that runs are made to end with, loops
// that are stopped, code in buffers, floating-point behaviour that is read and set back, constants and
// clones of quarter, callbacks that wait, modules, and what a simulated machine refuses.
#include <poplar/CSRFunctions.hpp>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/MetadataCreation.hpp>
#include <poplar/Program.hpp>
#include <poplar/exceptions.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>

#include <chrono>
#include <iostream>
#include <sstream>
#include <string>
#include <thread>

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

Tensor variable(Graph& graph, const Type& type, std::size_t size, const char* name) {
  Tensor t = graph.addVariable(type, {size}, VariableMappingMethod::LINEAR, name);
  graph.createHostRead(name, t);
  graph.createHostWrite(std::string(name) + "In", t);
  return t;
}

void errors(const Device& device) {
  Graph graph(device);
  Tensor t = variable(graph, FLOAT, 4, "t");
  ComputeSet set = graph.addComputeSet("squares");
  std::stringstream source(
      "#include <poplar/Vertex.hpp>\nstruct Squares : poplar::Vertex {\n"
      "  poplar::InOut<poplar::Vector<float>> x;\n"
      "  void compute() { for (auto& each : x) each *= each; }\n};\n");
  graph.addCodelets(source);
  graph.setTileMapping(graph.addVertex(set, "Squares", {{"x", t}}), 3);
  Engine engine(graph, Execute(ComputeSet(set.getId())));
  engine.load(device);
  const std::vector<float> start = {1, 2, 3, 4};
  engine.writeTensor("tIn", start);
  const ErrorCode codes[] = {ErrorCode::FLOATING_POINT_OVERFLOW, ErrorCode::MEMORY_ERROR,
                             ErrorCode::LINK_DOWN, ErrorCode::IPU_MEMORY_FAILURE,
                             ErrorCode::HOST_SYNC_TIMEOUT};
  for (ErrorCode code : codes) {
    engine.insertSimulatedError(code, ErrorLocation(3));
    try {
      engine.run();
      std::cout << "no error\n";
    } catch (const recoverable_runtime_error& e) {
      std::cout << e.type << " " << e.getRecoveryAction() << " " << e.errors().size() << "\n";
    } catch (const runtime_error& e) {
      std::cout << e.type << " " << errorCodeToString(e.errors().at(0).code) << " "
                << e.errors().at(0).location.getTile() << "\n";
    }
  }
  std::cout << engine.getSimulatedErrorLocations("squares").at(0).getTile() << " "
            << engine.getSimulatedErrorLocations("Squares", 1).size() << " "
            << engine.getSimulatedErrorLocations(7).at(0).getTile() << "\n";
  engine.eraseSimulatedError(ErrorLocation(3));
  engine.run();
  std::vector<float> values(4);
  engine.readTensor("t", values);
  std::cout << values[1] << " " << values[3] << "\n";
  expect<poplar_error>("erase", [&] { engine.eraseSimulatedError(ErrorLocation(3)); });
  expect<poplar_error>("none",
                       [&] { engine.insertSimulatedError(ErrorCode::NONE, ErrorLocation(0)); });
  expect<poplar_error>("tile",
                       [&] { engine.insertSimulatedError(ErrorCode::TRAP, ErrorLocation(99999)); });
  expect<poplar_error>("name", [&] { engine.getSimulatedErrorLocations("none such"); });
  expect<poplar_error>("code", [&] { errorCodeFromString("NO_CODE"); });
  std::cout << (errorCodeFromString("TRAP") == ErrorCode::TRAP) << "\n";
  engine.insertSimulatedError(ErrorCode::TRAP, ErrorLocation(0));
  engine.clearSimulatedErrors();
  device.reset();
  expect<application_runtime_error>("reset", [&] { engine.run(); });
  engine.load(device);
  engine.run();
  index_error named("a list", 7);
  named.attachSourceLocation(DebugContext("made", SourceLocation("f", "file.cpp", 12)));
  std::cout << named.what() << "\n";
}

/// Lets a run of an endless loop end: by its own callback, or by another thread.
void loops(const Device& device) {
  Graph graph(device);
  Tensor t = variable(graph, INT, 1, "t");
  const Tensor one = graph.addConstant(INT, {1}, 1);
  graph.setTileMapping(one, 0);
  Sequence body;
  popops::addInPlace(graph, t, one, body);
  const HostFunction seen = graph.addHostFunction("seen", {{INT, 1}}, {});
  Sequence counted = body;
  counted.add(Call(seen, {t}, {}));
  Engine engine(graph, {Loop(counted), Loop(body), body});
  engine.load(device);
  engine.connectHostFunction("seen", 0, [&](ArrayRef<const void*> in, ArrayRef<void*>) {
    if (*static_cast<const int*>(in[0]) == 5) engine.stop();
  });
  engine.run(0);
  std::vector<int> value(1);
  engine.readTensor("t", value);
  std::cout << value[0] << "\n";
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    engine.stop();
  });
  engine.run(1);
  other.join();
  engine.readTensor("t", value);
  std::cout << (value[0] > 6) << "\n";
  const std::vector<int> zero = {0};
  engine.writeTensor("tIn", zero);
  engine.stop();  // nothing runs
  engine.run(2, "", RuntimeOptions({{"target.syncMethod", "polling"}}));
  engine.readTensor("t", value);
  std::cout << value[0] << "\n";
  expect<invalid_option>("runtime", [&] { RuntimeOptions({{"opt.enableInlining", "true"}}); });
  expect<control_program_error>("execute", [&] { Execute(graph.addComputeSet(), t); });
}

void functions(const Device& device) {
  Graph graph(device);
  Tensor t = variable(graph, INT, 1, "t");
  const Tensor one = graph.addConstant(INT, {1}, 1);
  graph.setTileMapping(one, 0);
  Sequence body;
  popops::addInPlace(graph, t, one, body);
  const Function f = graph.addFunction(body), g = graph.addFunction(Sequence());
  const FunctionBuffer buffer = graph.addFunctionBuffer(f, FunctionBufferMappingType::REMOTE);
  Engine engine(graph, Sequence({Copy(buffer, f), Call(f), Call(Function(f.getId()))}));
  engine.load(device);
  engine.run();
  std::vector<int> value(1);
  engine.readTensor("t", value);
  std::cout << value[0] << " " << (buffer == FunctionBuffer(f.getId())) << "\n";
  expect<control_program_error>("copy", [&] { Copy(buffer, g); });
  expect<control_program_error>(
      "buffer", [&] { graph.addFunctionBuffer(Function(17), FunctionBufferMappingType::REMOTE); });
  expect<control_program_error>("number", [&] { Call(HostFunction(3), {}, {}); });
  const Module module = compileModule(graph, body);
  std::stringstream file;
  module.serialize(file);
  Engine again(Executable::deserialize(file));
  again.load(device);
  again.run(0);
  again.readTensor("t", value);
  std::cout << value[0] << "\n";
  expect<poplar_error>("segments", [&] {
    module.forEachLoadableSegment([](std::size_t, std::size_t, std::size_t, const char*) {});
  });
  const Executable loose = compileGraph(graph, {body}, false, {{"no.suchOption", "1"}});
  std::cout << loose.bytes().empty() << "\n";
  expect<invalid_option>("options", [&] {
    compileGraph(graph, {body}, Preallocations(), true, {{"no.suchOption", "1"}});
  });
  graph.addDeviceToHostFIFO("s", INT, 1);
  expect<control_program_error>("module", [&] { compileModule(graph, body, Preallocations()); });
}

void floatingPoint(const Device& device) {
  Graph graph(device);
  Sequence program;
  setStochasticRounding(graph, program, true);
  const FloatingPointBehaviour none(false, false, false, false, false);
  const FloatingPointBehaviour rounding(false, false, false, true, false);
  const Tensor before = getAndModifyFloatingPointBehaviour(graph, program, rounding, none);
  const Tensor between = getAndModifyFloatingPointBehaviour(graph, program, none, none);
  setFloatingPointBehaviour(graph, program, before);
  const Tensor after = getAndModifyFloatingPointBehaviour(graph, program, none, none);
  setStochasticRounding(graph, program, false);
  const char* const names[] = {"before", "between", "after"};
  const Tensor all[] = {before, between, after};
  for (int i = 0; i < 3; ++i) graph.createHostRead(names[i], all[i]);
  Engine engine(graph, program);
  engine.load(device);
  engine.run();
  std::vector<unsigned> values(device.getTarget().getNumTiles());
  for (const char* name : names) {
    engine.readTensor(name, values);
    std::cout << values.front() << values.back() << " ";
  }
  std::cout << Target::makeFpIctlValue(false, false, false, true, false) << "\n";
  Sequence other;
  setFloatingPointBehaviour(graph, other, before);
  expect<control_program_error>("other", [&] { Engine(graph, other); });
  Sequence cleared;
  setFloatingPointBehaviour(graph, cleared,
                            FloatingPointBehaviour(true, false, false, false, false));
  getAndModifyFloatingPointBehaviour(
      graph, cleared, FloatingPointBehaviour(true, false, false, false, false), none);
  expect<control_program_error>("cleared", [&] { Engine(graph, cleared); });
}

void quarters(const Device& device) {
  Graph graph(device);
  Sequence program;
  const Tensor metadata = createConstantMetadataTensor(graph, QuarterMetadata::Format::F143, 0);
  const float given[] = {0.5f, -1.25f, 3.0f};
  const Tensor a = graph.addConstant(QUARTER, metadata, {3}, ArrayRef<float>(given, 3));
  const Tensor b = graph.addConstant(QUARTER, metadata, {2}, 1.5f);
  const Tensor c =
      graph.addConstant(QUARTER, metadata, {3}, given, TypeTraits::make<float>(), false);
  for (const Tensor& t : {a, b, c}) graph.setTileMapping(t, 0);
  const Tensor clones = graph.cloneN(metadata, a, 2);
  program.add(Copy(a, clones[0]));
  program.add(Copy(c, clones[1]));
  const Tensor shown = concat({popops::cast(graph, clones[0], HALF, program),
                               popops::cast(graph, clones[1], HALF, program),
                               popops::cast(graph, b, HALF, program)});
  graph.createHostRead("shown", shown);
  Engine engine(graph, program);
  engine.load(device);
  engine.run();
  std::vector<std::uint16_t> bits(8);
  engine.readTensor("shown", bits);
  std::vector<float> values(8);
  copyDeviceHalfToFloat(device.getTarget(), bits.data(), values.data(), 8);
  for (float each : values) std::cout << each << " ";
  std::cout << "\n";
  // Clones, constants and variables of one metadata are joined; those of several are not.
  const Tensor more = graph.cloneN(QUARTER, metadata, a, 2),
               variable = graph.addVariable(QUARTER, metadata, {2, 3}, "variable");
  for (const Tensor& t :
       {concat(clones, more), concat(variable, more), concat(clones[1], a), concat(a, c)})
    if (!t.hasMetadata()) std::cout << "no metadata of " << t << "\n";
  const Tensor other = createConstantMetadataTensor(graph, QuarterMetadata::Format::F152, 1);
  for (auto how : {TensorCloneDuplicationMethod::DUPLICATE_BY_OUTER_DIMENSION,
                   TensorCloneDuplicationMethod::DUPLICATE_BY_TILE_CONTIGUOUS_REGION}) {
    const Tensor two = graph.cloneN(QUARTER, concat(metadata.reshape({1}), other.reshape({1})), a,
                                    2, {}, TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES, how);
    for (std::size_t i : {0, 1})
      if (!two[i].getMetadata().intersectsWith(i == 0 ? metadata : other))
        std::cout << "other metadata of clone " << i << "\n";
    if (two.hasMetadata()) std::cout << "clones of two metadata have one\n";
  }
  expect<tensor_metadata_error>(
      "joined", [&] { concat(a, graph.cloneN(QUARTER, other, a, 1)[0]).getMetadata(); });
  expect<type_error>("metadata", [&] { graph.addConstant(FLOAT, metadata, {2}, 1.5f); });
}

struct Waits : ResumableStreamCallback {
  Result prefetch(void*) override { return Result::NotAvailable; }
  void fetch(void* p) override {
    wait();
    *static_cast<float*>(p) = 6;
  }
  void complete() override {}
};
struct Marked : StreamCallbackWithMetadata {
  Marked() : StreamCallbackWithMetadata(QuarterMetadata(QuarterMetadata::Format::F152, 3)) {}
  Result prefetch(void*) override { return Result::NotAvailable; }
  void fetch(void*) override {}
  void complete() override {}
};

void streams(const Device& device) {
  Graph graph(device, replication_factor(1));
  Tensor t = variable(graph, FLOAT, 1, "t");
  const DataStream in = graph.addHostToDeviceFIFO("in", FLOAT, 1, ReplicatedStreamMode::BROADCAST);
  const RemoteBuffer rows = graph.addRemoteBuffer("rows", FLOAT, 1, 3, true, false);
  Engine engine(graph, Copy(in, t));
  engine.load(device);
  auto* waits = new Waits;
  engine.connectStreamToCallback("in", std::unique_ptr<StreamCallback>(waits));
  std::thread other([&] {
    while (!waits->isAwaiting()) std::this_thread::yield();
    waits->notify();
  });
  engine.run();
  other.join();
  std::vector<float> value(1);
  engine.readTensor("t", value);
  std::cout << value[0] << " " << engine.listStreams().at(0) << " " << in.replicationFactor()
            << (in.replicatedMode() == ReplicatedStreamMode::BROADCAST) << "\n";
  std::cout << Marked().getMetadata() << "\n";
  expect<stream_connection_error>("marked", [&] {
    engine.connectStreamToCallback("in", std::unique_ptr<StreamCallback>(new Marked));
  });
  const DataStream way = rows.getHostToIpuStream();
  std::cout << (way.type() == DataStreamType::RemoteBuffer) << way.handle()
            << rows.isRearrangeOnHost() << rows.isOptimisedForMemory()
            << (rows.getIpuToHostStream().direction() == DataStream::Direction::DeviceToHost)
            << "\n";
  expect<stream_connection_error>("way", [&] { Copy(way, t); });
}

void refusals(const Device& device) {
  Graph graph(device);
  const Target& target = device.getTarget();
  const Tensor t = graph.addVariable(FLOAT, {2});
  expect<poplar_error>("block", [&] { target.getTileHostExchangeXB(0); });
  expect<poplar_error>("register", [&] { target.getFpIctlRegIndex(); });
  expect<poplar_error>("external", [&] { graph.addExternalVariable(FLOAT, {2}, "ddr"); });
  expect<poplar_error>("vertex", [&] {
    graph.addExternalExchangeVertex(graph.addComputeSet(), "V", 0, false, false);
  });
  expect<poplar_error>("map", [&] {
    graph.setInitialValue(t, std::map<unsigned, unsigned>{{0, 1}});
  });
  expect<poplar_error>("driver", [&] {
    unsigned a, b, c;
    device.getDriverVersion(a, b, c);
  });
  const DeviceManager manager = DeviceManager::createDeviceManager();
  std::cout << manager.getChildDeviceIds(0).size() << device.getNumaTopology().at(0)
            << target.getInstanceSize() << target.getGatewayMode() << " "
            << Target::createIPUTarget("IPU-POD16").getNumIPUs() << " "
            << Target::createIPUTarget("ipu2").getNumIPUs() << "\n";
  expect<poplar_error>("child", [&] { manager.getChildDeviceIds(4); });
  std::cout << layout::to_string(layout::Vector::ScaledPtr64) << " "
            << layout::to_string(layout::VectorList::DeltaNElements) << " "
            << TypeTraits::make<float>().isSimpleType() << TypeTraits::requiresMetadata<float>()
            << "\n";
  popops::checkTypes(HALF, 1.0f);
  expect<std::runtime_error>("types", [&] { popops::checkTypes(INT, 1.0f); });
  const ProfileValue text("x"), yes(true);
  std::cout << text.storage().string << (yes.type() == ProfileValue::Type::BOOL_)
            << yes.storage().number << "\n";
}

}  // namespace

int main() {
  const Device device = IPUModel().createDevice();
  errors(device);
  loops(device);
  functions(device);
  floatingPoint(device);
  quarters(device);
  streams(device);
  refusals(device);
}
