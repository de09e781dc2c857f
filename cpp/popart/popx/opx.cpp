#include <popart/popx/opx.hpp>

#include <algorithm>

#include "poplar/tile_mapping.hpp"
#include "poplar/virtual_tiles.hpp"

namespace popart {
namespace popx {

OpxGraph::OpxGraph(poplar::Graph& graph)
    : poplar::Graph(graph.virtualTiles() == nullptr
                        ? graph.getTopLevelGraph()
                        : graph.createVirtualGraph(0, graph.getTarget().getNumTiles())),
      snap_(*this) {}

Opx::~Opx() = default;

OpxGraph& Opx::graph() const {
  if (graph_ == nullptr) graph_ = std::make_unique<OpxGraph>(dv_p->graph());
  return *graph_;
}

void Opx::grow(poplar::program::Sequence&) const {
  throw error("{}: the class of its Opx has no grow()", op_p->debugName());
}

poplar::Tensor Opx::createInput(InIndex index, const poplar::DebugNameAndId&) const {
  throw error("{}: its Opx cannot create input {}", op_p->debugName(), index);
}

poplar::Tensor Opx::createInputTensor(InIndex index, const poplar::DebugNameAndId& dnai) const {
  return createInput(index, dnai);
}

poplar::Tensor Opx::unwindTensorLayout(poplar::Tensor, InIndex in, OutIndex out) const {
  throw error("{}: its Opx cannot unwind the layout of output {} to input {}", op_p->debugName(),
              out, in);
}

bool Opx::createsEquiv(int index0, const Opx*, int) const {
  throw error("{}: its Opx does not say what creates an input as it does input {}",
              op_p->debugName(), index0);
}

poplar::Tensor Opx::cloneNcopy(poplar::program::Sequence& prog, const poplar::Tensor& tensor,
                               const std::string& name) const {
  const poplar::DebugContext context = debugContext(name);
  const poplar::Tensor copy = graph().clone(tensor, context);
  prog.add(poplar::program::Copy(tensor, copy, false, context));
  return copy;
}

poplar::Tensor Opx::cloneNcopy(poplar::program::Sequence& prog, TensorId id) const {
  return cloneNcopy(prog, get(id), id);
}

poplar::Tensor Opx::broadcast(const std::vector<int64_t>& shape, poplar::Tensor tensor) const {
  std::vector<std::size_t> padded(shape.size(), 1);
  const std::vector<std::size_t> own = tensor.shape();
  if (own.size() > shape.size())
    throw error("{}: a tensor of shape {} does not broadcast to {}", op_p->debugName(), own, shape);
  std::copy(own.rbegin(), own.rend(), padded.rbegin());
  tensor = tensor.reshape(padded);
  for (unsigned d = 0; d < shape.size(); ++d) {
    const std::size_t wanted = static_cast<std::size_t>(shape[d]);
    if (padded[d] == wanted) continue;
    if (padded[d] != 1)
      throw error("{}: a tensor of shape {} does not broadcast to {}", op_p->debugName(), own,
                  shape);
    tensor = tensor.broadcast(static_cast<unsigned>(wanted), d);
  }
  return tensor;
}

poplar::Tensor Opx::broadcast(const std::vector<int64_t>& shape, TensorId id) const {
  return broadcast(shape, get(id));
}

poplar::Tensor Opx::getConst(const poplar::Type& type, const std::vector<std::size_t>& shape,
                             double value, const std::string& name) const {
  const poplar::Tensor constant = graph().addConstant(type, shape, value, debugContext(name));
  graph().setTileMapping(constant, 0);
  return constant;
}

poplar::Tensor Opx::getScalarVariable(const poplar::Type& type, const std::string& name) const {
  const poplar::Tensor scalar = graph().addVariable(type, {}, debugContext(name));
  graph().setTileMapping(scalar, 0);
  return scalar;
}

poplar::Tensor Opx::getZerosTensor(std::vector<std::size_t> shape, poplar::Type type,
                                   std::string name) const {
  return broadcast(std::vector<int64_t>(shape.begin(), shape.end()), getConst(type, {}, 0.0, name));
}

void Opx::setOutViewChangers(OutIndex index, const ViewChangers& changers) const {
  if (!changers.empty())
    throw error(
        "{}: output {} is to have a view of its tensor; set the tensor in the shape that the "
        "model has",
        op_p->debugName(), index);
}

void LinearMapper::mapTensor(poplar::Graph& graph, const poplar::Tensor& tensor) {
  const auto* part = graph.virtualTiles().get();
  const auto& target = graph.getTarget();
  const auto tiles = target.getNumTiles(), ofIPU = target.getTilesPerIPU();
  const auto shares =
      popir::linearShares(target, tensor.numElements(), tensor.elementType().sizeInBytes());
  if (shares.count > ofIPU) return popir::mapLinearly(graph, tensor, shares);
  auto first = graph.createVirtualGraph(0, ofIPU);
  auto& next = next_[{part ? part->tiles.front() : 0, tiles}];
  popir::mapLinearly(first, tensor, shares, next);
  next = static_cast<unsigned>((next + shares.count) % ofIPU);
}

}  // namespace popx
}  // namespace popart
