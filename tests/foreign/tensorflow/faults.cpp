// Operators for TensorFlow on the IPU, of API level LEVEL, each wrong in its way.
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <popops/ElementWise.hpp>
#include <poputil/exceptions.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using poplar::Tensor;
using poplar::program::Program;
using poplar::program::Sequence;
using Tensors = std::vector<Tensor>;
using Text = const std::string &;
using Aliasing = std::map<std::int64_t, std::int64_t>;

extern "C" {
std::int32_t custom_op_api_level = LEVEL;
}

#define BUILD(NAME) \
  extern "C" Program NAME(poplar::Graph &graph, Tensors &inputs, Tensors &outputs, Text, Text debug)

namespace {
Tensor made(poplar::Graph &graph, poplar::Type type, const std::vector<std::size_t> &shape) {
  const auto t = graph.addVariable(type, shape);
  graph.setTileMapping(t, 0);
  return t;
}
}  // namespace

int quotient(int a, int b) {
  const volatile int divisor = b;
  return a / divisor;
}
BUILD(Divides) { return quotient(1, 0) ? Sequence() : Sequence(); }
BUILD(DividesByCodelet) {
  auto y = graph.clone(inputs[0]);
  const auto set = graph.addComputeSet(debug);
  const auto vertex = graph.addVertex(set, "Divides", {{"x", inputs[0]}, {"y", y}});
  graph.setTileMapping(vertex, 0);
  outputs.push_back(y);
  return poplar::program::Execute(set);
}
BUILD(Throws) { throw poputil::poplibs_error("five is not " + std::to_string(inputs.size())); }
BUILD(ThrowsInt) { throw 5; }
BUILD(ThrowsOwn) { throw std::logic_error("own words"); }
BUILD(TooFew) {
  outputs.push_back(inputs[0]);
  return Sequence();
}
BUILD(Null) {
  outputs.push_back(Tensor());
  return Sequence();
}
BUILD(WrongShape) {
  outputs.push_back(made(graph, poplar::FLOAT, {7}));
  return Sequence();
}
BUILD(WrongType) {
  outputs.push_back(made(graph, poplar::INT, inputs[0].shape()));
  return Sequence();
}
BUILD(OtherGraph) {
  static poplar::Graph other(graph.getTarget());
  outputs.push_back(made(other, poplar::FLOAT, inputs[0].shape()));
  return Sequence();
}
BUILD(NoVertex) {
  graph.addVertex(graph.addComputeSet(debug), "Nowhere");
  return Sequence();
}
BUILD(Fine) {
  outputs.push_back(inputs[0]);
  return Sequence();
}
#define FINE(NAME) \
  BUILD(NAME) { return Fine(graph, inputs, outputs, "", debug); }

FINE(BadAllocator)
FINE(WrongAllocator)
FINE(ThrowsAllocator)
FINE(DividesAllocator)
FINE(DividesMetadata)
FINE(ConstantAllocator)
FINE(RepeatsAllocator)
FINE(ManyInPlace)
FINE(FarIndex)
FINE(FarOutput)
FINE(ThrowsMetadata)
FINE(OtherLevel)
FINE(ThrowsGrad)
FINE(FewGrad)

#if LEVEL == 2
#define METADATA(NAME)                                                                        \
  extern "C" void NAME(std::vector<std::int64_t> &allocating, std::uint32_t &inPlace, bool &, \
                       bool &, std::uint32_t)
METADATA(ManyInPlace_metadata) {
  allocating = {};
  inPlace = 99;
}
METADATA(FarIndex_metadata) {
  allocating = {0, -3};
  inPlace = 0;
}
METADATA(ThrowsMetadata_metadata) {
  allocating = {};
  inPlace = 0;
  throw std::runtime_error("no metadata today");
}
METADATA(BadAllocator_metadata) {
  allocating = {0};
  inPlace = 0;
}
METADATA(WrongAllocator_metadata) {
  allocating = {0};
  inPlace = 0;
}
METADATA(DividesMetadata_metadata) {
  allocating = {};
  inPlace = static_cast<std::uint32_t>(quotient(1, 0));
}
METADATA(DividesAllocator_metadata) {
  allocating = {0};
  inPlace = 0;
}
METADATA(ConstantAllocator_metadata) {
  allocating = {0};
  inPlace = 0;
}
METADATA(RepeatsAllocator_metadata) {
  allocating = {0};
  inPlace = 0;
}
METADATA(ThrowsAllocator_metadata) {
  allocating = {0};
  inPlace = 0;
}
// For level 5.
extern "C" void OtherLevel_metadata(std::vector<std::int64_t> &, std::vector<std::int64_t> &other,
                                    Aliasing &, bool &, bool &, bool &, std::uint32_t) {}
#elif LEVEL == 5
extern "C" void FarOutput_metadata(std::vector<std::int64_t> &, std::vector<std::int64_t> &,
                                   Aliasing &aliasing, bool &, bool &, bool &, std::uint32_t) {
  aliasing = {{0, 4}};
}
// For level 4: what it takes for a map is a vector here.
extern "C" void OtherLevel_metadata(std::vector<std::int64_t> &, Aliasing &aliasing, bool &, bool &,
                                    bool &, std::uint32_t) {
  aliasing[0] = 0;
}
#endif

#define ALLOCATOR(NAME)                                       \
  extern "C" Tensor NAME(poplar::Graph &graph, std::uint32_t, \
                         const std::vector<std::size_t> &shape, poplar::Type type, Text, Text)
ALLOCATOR(BadAllocator_allocator) { return Tensor(); }
ALLOCATOR(WrongAllocator_allocator) { return made(graph, poplar::HALF, shape); }
ALLOCATOR(ThrowsAllocator_allocator) { throw std::runtime_error("no room"); }
ALLOCATOR(ConstantAllocator_allocator) { return graph.addConstant(type, shape, 1.0f); }
ALLOCATOR(RepeatsAllocator_allocator) { return made(graph, type, {1}).broadcast(shape[0], 0); }
ALLOCATOR(DividesAllocator_allocator) { return made(graph, type, {std::size_t(quotient(1, 0))}); }

#define GRADIENT(NAME)                                                                     \
  extern "C" Program NAME(poplar::Graph &, std::int64_t, const Tensors &, const Tensors &, \
                          const Tensors &, Tensors &, Text, Text)
GRADIENT(ThrowsGrad_grad) { throw std::runtime_error("no way back"); }
GRADIENT(FewGrad_grad) { return Sequence(); }

#define CALLBACK(NAME)                                                                            \
  extern "C" void NAME(const std::vector<void *> &data, const std::vector<std::uint32_t> &counts, \
                       std::vector<void *> &outputs, Text, Text)
CALLBACK(CallbackThrows) {
  throw std::runtime_error("out of cheese after " + std::to_string(counts[0]));
}
CALLBACK(CallbackThrowsInt) { throw 17; }
CALLBACK(CallbackDivides) { static_cast<float *>(outputs[0])[0] = quotient(INT32_MIN, -1); }
CALLBACK(CallbackReplaces) { outputs[0] = nullptr; }
CALLBACK(CallbackWritesInput) {
  static_cast<float *>(data[0])[0] = -1;
  static_cast<float *>(outputs[0])[0] = static_cast<float *>(data[0])[counts[0] - 1];
}
CALLBACK(Sleeps) {
  const float seconds = static_cast<float *>(data[0])[0];
  std::this_thread::sleep_for(std::chrono::duration<float>(seconds));
  static_cast<float *>(outputs[0])[0] = 1;
}
