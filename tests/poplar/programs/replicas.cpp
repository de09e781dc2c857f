// A graph of four replicas, run by one Engine, with an argument by one of its saved executable:
// streams, callbacks, handles, remote buffers, collectives, threads, and what is refused.
#include <gcl/Collectives.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <popops/ElementWise.hpp>
#include <popops/codelets.hpp>

#include <algorithm>
#include <iostream>
#include <sstream>
#include <thread>
#include <vector>

using namespace poplar;
using namespace poplar::program;

namespace {

constexpr unsigned kReplicas = 4;

template <class T>
void show(const char* name, const std::vector<T>& values) {
  std::cout << name << ":";
  for (const T& v : values) std::cout << " " << v;
  std::cout << "\n";
}

template <class Do>
void fails(Do act) {
  try {
    act();
    std::cout << "no error\n";
  } catch (const std::exception& e) {
    std::cout << e.what() << "\n";
  }
}

}  // namespace

int main(int argc, char**) {
  const bool isSaved = argc > 1;
  IPUModel model("ipu2");
  model.tilesPerIPU = 4;
  Device device = model.createDevice();
  Graph graph(device, replication_factor(kReplicas));
  popops::addCodelets(graph);
  const auto variable = [&](const char* name) {
    return graph.addVariable(FLOAT, {2}, VariableMappingMethod::LINEAR, name);
  };
  Tensor own = variable("own"), shared = variable("shared"), called = variable("called"),
         told = variable("told"), kept = variable("kept");
  Tensor row = graph.addConstant<unsigned>(UNSIGNED_INT, {1}, 1u);
  graph.setTileMapping(row, 0);
  RemoteBuffer remote = graph.addRemoteBuffer("remote", FLOAT, 2, 2);
  DataStream ownIn = graph.addHostToDeviceFIFO("own", FLOAT, 2);
  DataStream sharedIn =
      graph.addHostToDeviceFIFO("shared", FLOAT, 2, ReplicatedStreamMode::BROADCAST);
  DataStream calledIn = graph.addHostToDeviceFIFO("called", FLOAT, 2);
  DataStream toldIn = graph.addHostToDeviceFIFO("told", FLOAT, 2, ReplicatedStreamMode::BROADCAST);
  DataStream sumOut = graph.addDeviceToHostFIFO("sum", FLOAT, 2);
  graph.createHostWrite("kept", kept);
  graph.createHostRead("kept", kept);

  Sequence prog;
  prog.add(Copy(ownIn, own));
  prog.add(Copy(sharedIn, shared));
  prog.add(Copy(calledIn, called));
  prog.add(Copy(toldIn, told));
  Tensor all = popops::add(graph, own, shared, prog);
  popops::addInPlace(graph, all, called, prog);
  popops::addInPlace(graph, all, told, prog);
  Tensor sum = gcl::allReduceCrossReplica(graph, all, gcl::CollectiveOperator::ADD, prog);
  prog.add(Copy(sum, sumOut));
  popops::addInPlace(graph, kept, own, prog);
  prog.add(Copy(remote, kept, row));
  popops::addInPlace(graph, kept, own, prog);
  prog.add(Copy(kept, remote, row));
  prog.add(PrintTensor("own", own));

  std::stringstream saved;
  compileGraph(graph, {prog}).serialize(saved);
  Engine engine = isSaved ? Engine(Executable::deserialize(saved)) : Engine(graph, prog);
  engine.load(device);
  std::ostringstream printed;
  engine.setPrintStream(printed);
  // Two runs: [run, replica, 2].
  std::vector<float> owns(2 * kReplicas * 2), shareds{100, 200, 300, 400}, sums(2 * kReplicas * 2);
  for (unsigned i = 0; i < owns.size(); ++i) owns[i] = static_cast<float>(i);
  engine.connectStream("own", owns.data(), owns.data() + owns.size());
  engine.connectStream("shared", shareds.data(), shareds.data() + shareds.size());
  engine.connectStream("sum", sums.data(), sums.data() + sums.size());
  for (unsigned r = 0; r < kReplicas; ++r)
    engine.connectStreamToCallback("called", r, [r](void* to) {
      std::fill_n(static_cast<float*>(to), 2, 1000.0f * static_cast<float>(r));
    });
  int calls = 0;
  engine.connectStreamToCallback("told", [&calls](void* to) {
    std::fill_n(static_cast<float*>(to), 2, 1e4f * static_cast<float>(++calls));
  });
  std::vector<float> keeps(kReplicas * 2, -1);
  engine.writeTensor("kept", keeps.data(), keeps.data() + keeps.size());
  for (unsigned r = 0; r < kReplicas; ++r) {
    const std::vector<float> rows(2, 50.0f * static_cast<float>(r));
    engine.copyToRemoteBuffer(rows.data(), "remote", 1, r);
  }
  engine.run();
  engine.run();
  show("sums", sums);
  std::cout << "calls: " << calls << "\n";
  engine.readTensor("kept", keeps.data(), keeps.data() + keeps.size());
  show("kept", keeps);
  std::vector<float> rows(2);
  engine.copyFromRemoteBuffer("remote", rows.data(), 1, 3);
  show("row of 3", rows);
  const std::string text = printed.str();
  std::cout << "printed: " << std::count(text.begin(), text.end(), '[') << "\n";

  fails([&] { engine.readTensor("kept", keeps.data(), keeps.data() + 2); });
  fails([&] { engine.connectStream("own", owns.data(), owns.data() + 6); });
  fails([&] { engine.connectStreamToCallback("called", 4, [](void*) {}); });
  fails([&] { engine.connectStreamToCallback("told", 1, [](void*) {}); });
  fails([&] { engine.copyFromRemoteBuffer("remote", rows.data(), 1, 9); });

  // A callback may not use the engine whose run it is of, whichever replica calls it.
  engine.connectStream("own", owns.data(), owns.data() + owns.size());
  engine.connectStreamToCallback("called", 2, [&](void* to) {
    std::fill_n(static_cast<float*>(to), 2, 0.0f);
    fails([&] { engine.run(); });
    fails([&] { engine.readTensor("kept", keeps.data(), keeps.data() + keeps.size()); });
    fails([&] { engine.copyFromRemoteBuffer("remote", rows.data(), 1, 0); });
    fails(
        [&] { engine.connectHostFunction("f", 1, [](ArrayRef<const void*>, ArrayRef<void*>) {}); });
  });
  engine.run();
  // Threads that run it do so one after the other.
  engine.connectStreamToCallback("called", 2,
                                 [](void* to) { std::fill_n(static_cast<float*>(to), 2, 0.0f); });
  engine.connectStreamToCallback("told", [&calls](void* to) {
    ++calls;
    std::fill_n(static_cast<float*>(to), 2, 0.0f);
  });
  calls = 0;
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i)
    callers.emplace_back([&engine] {
      for (int k = 0; k < 25; ++k) engine.run();
    });
  for (auto& caller : callers) caller.join();
  std::cout << "calls: " << calls << "\n";

  Graph single(device);
  DataStream in = single.addHostToDeviceFIFO("in", FLOAT, 2);
  Tensor t = single.addVariable(FLOAT, {2}, VariableMappingMethod::LINEAR, "t");
  Engine alone(single, Copy(in, t));
  fails([&] { alone.connectStreamToCallback("in", 1, [](void*) {}); });
}
