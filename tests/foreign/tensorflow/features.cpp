// Operators for TensorFlow on the IPU, of the API level LEVEL: what works.
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Expr.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/Util.hpp>

#include <cstdint>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#if LEVEL == 1
#define TEXT
#define TEXT_IS(name) const std::string name = "";
#else
#define TEXT const std::string &attributes,
#define TEXT_IS(name) const std::string &name = attributes;
#endif

#if LEVEL < 4
#define METADATA(NAME, IN_PLACE, ELEMENTWISE, STATELESS, ...)                         \
  extern "C" void NAME(std::vector<std::int64_t> &allocating, std::uint32_t &inPlace, \
                       bool &elementwise, bool &stateless, std::uint32_t) {           \
    allocating = std::vector<std::int64_t>{__VA_ARGS__};                              \
    inPlace = IN_PLACE;                                                               \
    elementwise = ELEMENTWISE;                                                        \
    stateless = STATELESS;                                                            \
  }
#elif LEVEL == 4
#define METADATA(NAME, IN_PLACE, ELEMENTWISE, STATELESS, ...)                             \
  extern "C" void NAME(std::vector<std::int64_t> &allocating,                             \
                       std::map<std::int64_t, std::int64_t> &aliasing, bool &elementwise, \
                       bool &stateless, bool &hashable, std::uint32_t) {                  \
    allocating = std::vector<std::int64_t>{__VA_ARGS__};                                  \
    for (std::int64_t i = 0; i < IN_PLACE; ++i) aliasing[i] = i;                          \
    elementwise = ELEMENTWISE;                                                            \
    stateless = STATELESS;                                                                \
    hashable = true;                                                                      \
  }
#else
#define METADATA(NAME, IN_PLACE, ELEMENTWISE, STATELESS, ...)                             \
  extern "C" void NAME(std::vector<std::int64_t> &allocating,                             \
                       std::vector<std::int64_t> &replicaIdentical,                       \
                       std::map<std::int64_t, std::int64_t> &aliasing, bool &elementwise, \
                       bool &stateless, bool &hashable, std::uint32_t) {                  \
    allocating = std::vector<std::int64_t>{__VA_ARGS__};                                  \
    replicaIdentical = {0};                                                               \
    for (std::int64_t i = 0; i < IN_PLACE; ++i) aliasing[i] = i;                          \
    elementwise = ELEMENTWISE;                                                            \
    stateless = STATELESS;                                                                \
    hashable = true;                                                                      \
  }
#endif

#define BUILD(NAME)                                                                      \
  extern "C" Program NAME(poplar::Graph &graph, const Tensors &inputs, Tensors &outputs, \
                          TEXT const std::string &debug)
#define GRADIENT(NAME)                                                                        \
  extern "C" Program NAME(poplar::Graph &graph, std::int64_t index, const Tensors &gradients, \
                          const Tensors &inputs, const Tensors &forward, Tensors &outputs,    \
                          TEXT const std::string &debug)

namespace {

using poplar::Tensor;
using poplar::program::Program;
using poplar::program::Sequence;
using Tensors = std::vector<Tensor>;
namespace pe = popops::expr;

float numberIn(const std::string &text) { return text.empty() ? 1.0f : std::stof(text); }

Tensor product(poplar::Graph &graph, const Tensor &a, const Tensor &b, Sequence &prog,
               const std::string &debug) {
  return popops::mul(graph, a, b, prog, debug);
}

}  // namespace

extern "C" {
std::int32_t custom_op_api_level = LEVEL;
}

// The product of two tensors, its gradient in one function, and the gradient of that.
METADATA(Build_metadata, 0, true, true)
BUILD(Build) {
  TEXT_IS(text)
  Sequence prog;
  const auto scaled = popops::map(graph, pe::_1 * pe::_2 * pe::Const(numberIn(text)),
                                  {inputs[0], inputs[1]}, prog, debug);
  outputs.push_back(scaled);
  return prog;
}
GRADIENT(Build_grad) {
  TEXT_IS(text)
  Sequence prog;
  for (const unsigned other : {1u, 0u})
    outputs.push_back(popops::map(graph, pe::_1 * pe::_2 * pe::Const(numberIn(text)),
                                  {gradients[0], inputs[other]}, prog, debug));
  return prog;
}
GRADIENT(Build_grad_grad) {
  // Its inputs are the gradient g, the output, and the inputs a and b; its outputs g b and g a.
  Sequence prog;
  const Tensor &g = inputs[0], &a = inputs[2], &b = inputs[3];
  outputs.push_back(popops::map(graph, pe::_1 * pe::_3 + pe::_2 * pe::_4,
                                {gradients[0], gradients[1], b, a}, prog, debug));
  outputs.push_back(popops::map(graph, pe::_1 * pe::Const(0.0f), {g}, prog, debug));
  outputs.push_back(product(graph, gradients[1], g, prog, debug));
  outputs.push_back(product(graph, gradients[0], g, prog, debug));
  return prog;
}

// The same with a function call for each input.
BUILD(Separate) {
  Sequence prog;
  outputs.push_back(product(graph, inputs[0], inputs[1], prog, debug));
  return prog;
}
GRADIENT(Separate_grad) {
  Sequence prog;
  outputs.push_back(product(graph, gradients[0], inputs[index == 0 ? 1 : 0], prog, debug));
  return prog;
}

// Three outputs; the gradient reads the outputs too.
BUILD(Several) {
  Sequence prog;
  for (unsigned i = 0; i < inputs.size(); ++i)
    outputs.push_back(popops::map(graph, pe::Exp(pe::_1) + pe::Const(i), {inputs[i]}, prog, debug));
  outputs.push_back(inputs[0]);  // One more than is declared.
  return prog;
}
GRADIENT(Several_grad) {
  Sequence prog;
  for (unsigned i = 0; i < inputs.size(); ++i)
    outputs.push_back(popops::map(graph, pe::_1 * (pe::_2 - pe::Const(i)),
                                  {gradients[i], forward[i]}, prog, debug));
  return prog;
}

// x * scale, where scale is an integer; the gradient leaves that of the scale out.
BUILD(Scaled) {
  Sequence prog;
  const auto scale = popops::cast(graph, inputs[1], inputs[0].elementType(), prog, debug);
  outputs.push_back(product(graph, inputs[0], scale, prog, debug));
  return prog;
}
GRADIENT(Scaled_grad) {
  Sequence prog;
  const auto scale = popops::cast(graph, inputs[1], inputs[0].elementType(), prog, debug);
  outputs.push_back(product(graph, gradients[0], scale, prog, debug));
  outputs.push_back(Tensor());
  return prog;
}

// Writes its first input.
METADATA(InPlace_metadata, 1, true, false)
BUILD(InPlace) {
  Sequence prog;
  popops::addInPlace(graph, inputs[0], inputs[1], prog, debug);
  outputs.push_back(inputs[0]);
  return prog;
}
// The same without saying so.
BUILD(Secretly) {
  Sequence prog;
  popops::addInPlace(graph, inputs[0], inputs[1], prog, debug);
  outputs.push_back(inputs[0]);
  return prog;
}

// Adds its second input to the first, and multiplies by it.
METADATA(Reads_metadata, 1, false, true)
BUILD(Reads) {
  Sequence prog;
  popops::addInPlace(graph, inputs[0], inputs[1], prog, debug);
  popops::mulInPlace(graph, inputs[0], inputs[1], prog, debug);
  outputs.push_back(inputs[0]);
  return prog;
}
// The same without saying so.
BUILD(ReadsSecretly) {
  Sequence prog;
  popops::addInPlace(graph, inputs[0], inputs[1], prog, debug);
  popops::mulInPlace(graph, inputs[0], inputs[1], prog, debug);
  outputs.push_back(inputs[0]);
  return prog;
}
// Writes both inputs: the sum, and the sum multiplied by the second.
METADATA(Both_metadata, 2, false, true)
BUILD(Both) {
  Sequence prog;
  popops::addInPlace(graph, inputs[0], inputs[1], prog, debug);
  popops::mulInPlace(graph, inputs[1], inputs[0], prog, debug);
  outputs = {inputs[0], inputs[1]};
  return prog;
}

// Chooses the layout of its first input: all of it on tile 3.
METADATA(Allocates_metadata, 0, false, true, 0)
extern "C" Tensor Allocates_allocator(poplar::Graph &graph, std::uint32_t operand,
                                      const std::vector<std::size_t> &shape, poplar::Type type,
                                      TEXT const std::string &debug) {
  const auto made = graph.addVariable(type, shape, debug);
  graph.setTileMapping(made, operand + 3);
  return made;
}
BUILD(Allocates) {
  Sequence prog;
  const auto &tiles = graph.getTileMapping(inputs[0]);
  const float on = tiles.size() > 3 && !tiles[3].empty() ? 1.0f : 0.0f;
  outputs.push_back(popops::map(graph, pe::_1 + pe::Const(on), {inputs[0]}, prog, debug));
  return prog;
}
// Lists an input, and has no allocator.
METADATA(Unallocated_metadata, 0, false, true, 0)
BUILD(Unallocated) {
  Sequence prog;
  outputs.push_back(poputil::duplicate(graph, inputs[0], prog, debug));
  return prog;
}

// Stateless and stateful, and what they are called in a file.
METADATA(Stateless_metadata, 0, false, true)
BUILD(Stateless) {
  TEXT_IS(text)
  std::ofstream(text, std::ios::app) << "Stateless " << debug << "\n";
  Sequence prog;
  outputs.push_back(poputil::duplicate(graph, inputs[0], prog, debug));
  return prog;
}
BUILD(Stateful) {
  TEXT_IS(text)
  std::ofstream(text, std::ios::app) << "Stateful " << debug << "\n";
  Sequence prog;
  outputs.push_back(poputil::duplicate(graph, inputs[0], prog, debug));
  return prog;
}
// Its metadata do not look at the number of inputs.
METADATA(Constant_metadata, 1, false, true)
BUILD(Constant) {
  auto made = graph.addConstant<float>(poplar::FLOAT, {3}, 2.5f, debug);
  graph.setTileMapping(made, 0);
  outputs.push_back(made);
  return Sequence();
}
BUILD(Nothing) {
  TEXT_IS(text)
  std::ofstream(text, std::ios::app) << "Nothing " << debug << "\n";
  return Sequence();
}

// The sum of its inputs, by the vertex of a file of codelets.
BUILD(ByCodelet) {
  const auto cs = graph.addComputeSet(debug);
  const auto out = graph.clone(inputs[0], debug);
  const auto v = graph.addVertex(cs, "Twice<" + inputs[0].elementType().toString() + ">",
                                 {{"in", inputs[0].flatten()}, {"out", out.flatten()}});
  graph.setTileMapping(v, 0);
  outputs.push_back(out);
  return poplar::program::Execute(cs);
}

// Gives nothing for inputs without elements.
BUILD(SkipsEmpty) {
  Sequence prog;
  if (inputs[0].numElements() > 0)
    outputs.push_back(poputil::duplicate(graph, inputs[0], prog, debug));
  return prog;
}

// On the host.
#if LEVEL == 5
using Pointers = const std::vector<const void *>;
#else
using Pointers = const std::vector<void *>;
#endif
extern "C" void Callback(Pointers &data, const std::vector<std::uint32_t> &counts,
                         std::vector<void *> &outputs,
#if LEVEL > 1
                         const std::string &attributes,
#endif
                         const std::string &name) {
  TEXT_IS(text)
  const auto *x = static_cast<const float *>(data[0]);
  auto *y = static_cast<float *>(outputs[0]);
  for (std::uint32_t i = 0; i < counts[0]; ++i) y[i] = x[i] * x[i] * numberIn(text);
  if (name.empty()) y[0] = -1;
}
extern "C" void Callback_grad(Pointers &data, const std::vector<std::uint32_t> &counts,
                              std::vector<void *> &outputs,
#if LEVEL > 1
                              const std::string &attributes,
#endif
                              const std::string &) {
  TEXT_IS(text)
  const auto *g = static_cast<const float *>(data[0]), *x = static_cast<const float *>(data[2]);
  auto *dx = static_cast<float *>(outputs[0]);
  for (std::uint32_t i = 0; i < counts[2]; ++i) dx[i] = 2 * g[i] * x[i] * numberIn(text);
}
// Where each input lies within a page.
extern "C" void Places(Pointers &data, const std::vector<std::uint32_t> &,
                       std::vector<void *> &outputs) {
  for (std::size_t i = 0; i < data.size(); ++i)
    static_cast<float *>(outputs[0])[i] =
        static_cast<float>(reinterpret_cast<std::uintptr_t>(data[i]) % 4096);
}
// As the documents say: without `attributes`.
extern "C" void Documented(Pointers &data, const std::vector<std::uint32_t> &counts,
                           std::vector<void *> &outputs, const std::string &name) {
  const auto *x = static_cast<const float *>(data[0]);
  auto *y = static_cast<float *>(outputs[0]);
  for (std::uint32_t i = 0; i < counts[0]; ++i) y[i] = x[i] + (name.empty() ? 0.0f : 1.0f);
}
