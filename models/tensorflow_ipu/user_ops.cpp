// Four operators as one writes them for TensorFlow on the IPU, at API level 2.
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplin/MatMul.hpp>
#include <popops/ElementWise.hpp>
#include <popops/ScaledAdd.hpp>
#include <poputil/Util.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

#include <cstdint>
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

// Accumulate: adds the second input to the first, in place.

extern "C" void Accumulate_metadata(std::vector<std::int64_t>&, std::uint32_t& inPlace,
                                    bool& elementwise, bool& stateless, std::uint32_t) {
  inPlace = 1;
  elementwise = true;
  stateless = true;
}

extern "C" Program Accumulate(Graph& graph, const Tensors& inputs, Tensors& outputs,
                              const std::string&, const std::string& name) {
  if (inputs.size() != 2) throw poputil::poplibs_error("Accumulate takes a sum and an addend");
  Sequence prog;
  popops::scaledAddTo(graph, inputs[0], inputs[1], 1.0f, prog, name);
  outputs.push_back(inputs[0]);
  return prog;
}

// MatMulInParts: a product of matrices, summed over parts of the inner dimension one after another,
// so that less memory is live. The attributes are the number of parts.

extern "C" void MatMulInParts_metadata(std::vector<std::int64_t>& allocating, std::uint32_t&, bool&,
                                       bool& stateless, std::uint32_t) {
  allocating = {0};
  stateless = true;
}

extern "C" Tensor MatMulInParts_allocator(Graph& graph, std::uint32_t,
                                          const std::vector<std::size_t>& shape, poplar::Type type,
                                          const std::string& attributes, const std::string& name) {
  const std::size_t parts = std::stoul(attributes), width = shape[1] / parts;
  Tensors made;
  for (std::size_t i = 0; i < parts; ++i)
    made.push_back(poplin::createMatMulInputLHS(graph, type, {shape[0], width}, {width, shape[0]},
                                                name + "/" + std::to_string(i)));
  return poplar::concat(made, 1);
}

extern "C" Program MatMulInParts(Graph& graph, const Tensors& inputs, Tensors& outputs,
                                 const std::string& attributes, const std::string& name) {
  const std::size_t parts = std::stoul(attributes);
  if (parts == 0 || inputs[0].dim(1) % parts != 0)
    throw poputil::poplibs_error("MatMulInParts: " + attributes + " parts do not divide " +
                                 std::to_string(inputs[0].dim(1)));
  const auto width = inputs[0].dim(1) / parts;
  Sequence prog;
  Tensor sum;
  for (std::size_t i = 0; i < parts; ++i) {
    const auto product = poplin::matMul(graph, inputs[0].slice(i * width, (i + 1) * width, 1),
                                        inputs[1].slice(i * width, (i + 1) * width, 0), prog, name);
    if (i == 0)
      sum = product;
    else
      popops::addInPlace(graph, sum, product, prog, name);
  }
  outputs.push_back(sum);
  return prog;
}

// Turn: points (x, y), each turned around the origin by its angle, by the vertices of turn.cpp. The
// gradient turns back.

namespace {

Tensors turned(Graph& graph, const Tensor& x, const Tensor& y, const Tensor& angle, float sign,
               Sequence& prog, const std::string& name) {
  const auto cs = graph.addComputeSet(name);
  const Tensors out = {graph.clone(x, name + "/x"), graph.clone(y, name + "/y")};
  const auto& tiles = graph.getTileMapping(x);
  const auto width = graph.getTarget().getVectorWidth(x.elementType());
  for (unsigned tile = 0; tile < tiles.size(); ++tile) {
    if (tiles[tile].empty()) continue;
    for (const auto& part :
         poputil::splitRegionsBetweenWorkers(graph.getTarget(), tiles[tile], width)) {
      const auto of = [&](const Tensor& t) { return poplar::concat(t.flatten().slices(part)); };
      const auto v = graph.addVertex(cs, poputil::templateVertex("Turn", x.elementType()),
                                     {{"x", of(x)},
                                      {"y", of(y)},
                                      {"angle", of(angle)},
                                      {"xTurned", of(out[0])},
                                      {"yTurned", of(out[1])}});
      graph.setInitialValue(v["sign"], sign);
      graph.setTileMapping(v, tile);
    }
  }
  prog.add(poplar::program::Execute(cs));
  return out;
}

}  // namespace

extern "C" void Turn_metadata(std::vector<std::int64_t>&, std::uint32_t&, bool& elementwise,
                              bool& stateless, std::uint32_t) {
  elementwise = true;
  stateless = true;
}

extern "C" Program Turn(Graph& graph, const Tensors& inputs, Tensors& outputs, const std::string&,
                        const std::string& name) {
  Sequence prog;
  outputs = turned(graph, inputs[0], inputs[1], inputs[2], 1, prog, name);
  return prog;
}

extern "C" Program Turn_grad(Graph& graph, int, const Tensors& gradients, const Tensors& inputs,
                             const Tensors&, Tensors& outputs, const std::string&,
                             const std::string& name) {
  Sequence prog;
  outputs = turned(graph, gradients[0], gradients[1], inputs[2], -1, prog, name);
  return prog;
}

// Quantize: on the host; the gradient passes through where nothing was clipped.

extern "C" void Quantize(const std::vector<void*>& data, const std::vector<std::uint32_t>& counts,
                         std::vector<void*>& outputs, const std::string& attributes,
                         const std::string&) {
  const float steps = std::stof(attributes);
  const auto* x = static_cast<const float*>(data[0]);
  auto* y = static_cast<float*>(outputs[0]);
  for (std::uint32_t i = 0; i < counts[0]; ++i) {
    const float clipped = x[i] < -1 ? -1 : x[i] > 1 ? 1 : x[i];
    y[i] = static_cast<float>(static_cast<int>(clipped * steps)) / steps;
  }
}

extern "C" void Quantize_grad(const std::vector<void*>& data,
                              const std::vector<std::uint32_t>& counts, std::vector<void*>& outputs,
                              const std::string&, const std::string&) {
  const auto *g = static_cast<const float*>(data[0]), *x = static_cast<const float*>(data[2]);
  auto* dx = static_cast<float*>(outputs[0]);
  for (std::uint32_t i = 0; i < counts[2]; ++i) dx[i] = x[i] < -1 || x[i] > 1 ? 0 : g[i];
}
