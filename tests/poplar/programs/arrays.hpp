// A program, on the CPU device unless another is given, whose inputs and outputs are files of raw
// numbers, NAME.bin.
#ifndef tests_poplar_programs_arrays_hpp
#define tests_poplar_programs_arrays_hpp

#include <poplar/Device.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

class Arrays {
 public:
  explicit Arrays(poplar::Device of = poplar::Device::createCPUDevice())
      : device(std::move(of)), graph(device.getTarget()) {}

  /// A variable with the contents of a file.
  poplar::Tensor input(const std::string& name, const poplar::Type& type,
                       const std::vector<std::size_t>& shape) {
    const auto t = graph.addVariable(type, shape, poplar::VariableMappingMethod::LINEAR, name);
    return given(name, t);
  }
  /// Fills a tensor with the contents of a file.
  poplar::Tensor given(const std::string& name, const poplar::Tensor& t) {
    std::ifstream file(name + ".bin", std::ios::binary);
    buffers[name].assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    const auto stream = graph.addHostToDeviceFIFO(name, t.elementType(), t.numElements());
    prog.add(poplar::program::Copy(stream, t));
    return t;
  }
  void output(const std::string& name, const poplar::Tensor& t) { outputs.push_back({name, t}); }
  void run() {
    for (const auto& each : outputs) {
      const auto& t = each.second;
      const auto stream = graph.addDeviceToHostFIFO(each.first, t.elementType(), t.numElements());
      prog.add(poplar::program::Copy(t, stream));
      buffers[each.first].resize(t.numElements() * graph.getTarget().getTypeSize(t.elementType()));
    }
    // With SAVED in the environment, what comes back from a file runs.
    std::stringstream file;
    auto made = poplar::compileGraph(graph, {prog});
    if (std::getenv("SAVED") != nullptr) {
      made.serialize(file);
      made = poplar::Executable::deserialize(file);
    }
    poplar::Engine engine(std::move(made));
    engine.load(device);
    for (auto& each : buffers)
      engine.connectStream(each.first, each.second.data(), each.second.data() + each.second.size());
    engine.run();
    for (const auto& each : outputs) {
      std::ofstream file(each.first + ".bin", std::ios::binary);
      file.write(buffers[each.first].data(),
                 static_cast<std::streamsize>(buffers[each.first].size()));
    }
  }

  poplar::Device device;
  poplar::Graph graph;
  poplar::program::Sequence prog;

 private:
  std::map<std::string, std::vector<char>> buffers;
  std::vector<std::pair<std::string, poplar::Tensor>> outputs;
};

#endif
