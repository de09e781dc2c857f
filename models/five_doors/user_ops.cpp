// Two operators as one writes them for TensorFlow on the IPU, at API level 2, with gradients.
#include <cmath>
#include <cstdint>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <popops/ElementWise.hpp>
#include <string>
#include <vector>

using poplar::Graph;
using poplar::Tensor;
using poplar::program::Program;
using poplar::program::Sequence;
using Tensors = std::vector<Tensor>;

extern "C" {
int32_t custom_op_api_level = 2;
}

// Scale: y = factor x, on the device. The attributes are the factor.

namespace {

Tensor scaled(Graph& graph, const Tensor& x, const std::string& factor, Sequence& prog,
              const std::string& name) {
  namespace pe = popops::expr;
  return popops::map(graph, pe::Mul(pe::_1, pe::Const(std::stof(factor))), {x}, prog, name);
}

}  // namespace

extern "C" void Scale_metadata(std::vector<std::int64_t>&, std::uint32_t&, bool& elementwise,
                               bool& stateless, std::uint32_t) {
  elementwise = true;
  stateless = true;
}

extern "C" Program Scale(Graph& graph, const Tensors& inputs, Tensors& outputs,
                         const std::string& attributes, const std::string& name) {
  Sequence prog;
  outputs.push_back(scaled(graph, inputs[0], attributes, prog, name));
  return prog;
}

extern "C" Program Scale_grad(Graph& graph, int, const Tensors& gradients, const Tensors&,
                              const Tensors&, Tensors& outputs, const std::string& attributes,
                              const std::string& name) {
  Sequence prog;
  outputs.push_back(scaled(graph, gradients[0], attributes, prog, name));
  return prog;
}

// Sine: y = sin x, on the host.

extern "C" void Sine(const std::vector<void*>& data, const std::vector<std::uint32_t>& counts,
                     std::vector<void*>& outputs, const std::string&, const std::string&) {
  const auto* x = static_cast<const float*>(data[0]);
  for (std::uint32_t i = 0; i < counts[0]; ++i) static_cast<float*>(outputs[0])[i] = std::sin(x[i]);
}

// The data are the gradients, the outputs and the inputs, one of each.
extern "C" void Sine_grad(const std::vector<void*>& data, const std::vector<std::uint32_t>& counts,
                          std::vector<void*>& outputs, const std::string&, const std::string&) {
  const auto *g = static_cast<const float*>(data[0]), *x = static_cast<const float*>(data[2]);
  for (std::uint32_t i = 0; i < counts[2]; ++i)
    static_cast<float*>(outputs[0])[i] = g[i] * std::cos(x[i]);
}
