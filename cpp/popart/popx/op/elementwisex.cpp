#include <popart/popx/op/elementwisex.hpp>
#include <popops/ElementWise.hpp>

#include "popart/popx/op/regionsx.hpp"

namespace popart {
namespace popx {

EwuComputex::~EwuComputex() = default;
EwbComputex::~EwbComputex() = default;
ElementWiseOpx::~ElementWiseOpx() = default;
ElementWiseUnaryOpx::~ElementWiseUnaryOpx() = default;
ElementWiseUnaryInplaceOpx::~ElementWiseUnaryInplaceOpx() = default;
ElementWiseUnaryOutplaceOpx::~ElementWiseUnaryOutplaceOpx() = default;
ElementWiseBinaryOpx::~ElementWiseBinaryOpx() = default;
ElementWiseBinaryOutplaceOpx::~ElementWiseBinaryOutplaceOpx() = default;
ElementWiseBinaryInplaceOpx::~ElementWiseBinaryInplaceOpx() = default;
BinaryComparisonOpx::~BinaryComparisonOpx() = default;

namespace {

/// Sizes {product of the dimensions before `axis`, product of the others}.
std::vector<std::size_t> split(const std::vector<std::size_t>& shape, int64_t axis) {
  std::vector<std::size_t> products = {1, 1};
  for (std::size_t d = 0; d < shape.size(); ++d)
    products[d < static_cast<std::size_t>(axis) ? 0 : 1] *= shape[d];
  return products;
}

}  // namespace

// ---- Unary ----

// A class may override either form. The functions for Poplar's tensors call those for snap's by
// default. snap's outplace() by default calls Poplar's inplace() on a copy.

void EwuComputex::inplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                          const poplar::Tensor& tensor, const poplar::DebugNameAndId& dnai,
                          const std::string& name) const {
  snap::program::Sequence sequence(prog);
  snap::Graph thin(graph);
  inplace(sequence, thin, snap::Tensor(tensor, thin), dnai, name);
}

void EwuComputex::inplace(snap::program::Sequence&, snap::Graph&, const snap::Tensor&,
                          const poplar::DebugNameAndId& dnai, const std::string&) const {
  throw error("{}: the class of its EwuComputex has no inplace()", dnai.getPathName());
}

poplar::Tensor EwuComputex::outplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                                     const poplar::Tensor& tensor,
                                     const poplar::DebugNameAndId& dnai,
                                     const std::string& name) const {
  snap::program::Sequence sequence(prog);
  snap::Graph thin(graph);
  return outplace(sequence, thin, snap::Tensor(tensor, thin), dnai, name).getPoplarTensor();
}

snap::Tensor EwuComputex::outplace(snap::program::Sequence& prog, snap::Graph& graph,
                                   const snap::Tensor& tensor, const poplar::DebugNameAndId& dnai,
                                   const std::string& name) const {
  const snap::Tensor out = cloneNcopy(prog, graph, tensor, dnai);
  inplace(prog.getPoplarSequence(), graph.getPoplarGraph(), out.getPoplarTensor(), dnai, name);
  return out;
}

poplar::Tensor EwuComputex::reshape(const poplar::Tensor& tensor) const {
  return reshape(snap::Tensor(tensor)).getPoplarTensor();
}

snap::Tensor EwuComputex::reshape(const snap::Tensor& tensor) const { return tensor; }

poplar::Tensor EwuComputex::cloneNcopy(poplar::program::Sequence& prog, poplar::Graph& graph,
                                       const poplar::Tensor& tensor,
                                       const poplar::DebugNameAndId& dnai) const {
  const poplar::Tensor copy = graph.clone(tensor, dnai);
  prog.add(poplar::program::Copy(tensor, copy, false, dnai));
  return copy;
}

snap::Tensor EwuComputex::cloneNcopy(snap::program::Sequence& prog, snap::Graph& graph,
                                     const snap::Tensor& tensor,
                                     const poplar::DebugNameAndId& dnai) const {
  return {
      cloneNcopy(prog.getPoplarSequence(), graph.getPoplarGraph(), tensor.getPoplarTensor(), dnai),
      graph};
}

poplar::Tensor EwuComputex::coerceTo2D(const poplar::Tensor& tensor, int64_t axis) {
  return tensor.reshape(split(tensor.shape(), axis));
}

snap::Tensor EwuComputex::coerceTo2D(const snap::Tensor& tensor, int64_t axis) {
  return tensor.reshape(split(tensor.shape(), axis));
}

snap::Tensor ElementWiseOpx::unwindTensorLayout(snap::Tensor tensor, InIndex, OutIndex) const {
  return tensor;
}

InputCreatorType ElementWiseUnaryOpx::getInputCreatorType(InIndex) const {
  return InputCreatorType::CanUnwind;
}

view::RegMap ElementWiseUnaryOpx::unwindRegion(InIndex, OutIndex) const { return oneToOne(); }

ElementWiseUnaryInplaceOpx::ElementWiseUnaryInplaceOpx(Op* op, Devicex* devicex,
                                                       std::unique_ptr<EwuComputex> cx)
    : ElementWiseUnaryOpx(op, devicex), cx_(std::move(cx)) {}

void ElementWiseUnaryInplaceOpx::grow(poplar::program::Sequence& prog) const {
  poplar::Tensor tensor = getInTensor(0);
  if (tensor.isParallelWriteable())
    cx_->inplace(prog, graph(), tensor, getDebugNameAndId(), outId(0));
  else
    tensor = cx_->outplace(prog, graph(), tensor, getDebugNameAndId(), outId(0));
  setOutTensor(0, cx_->reshape(tensor));
}

ElementWiseUnaryOutplaceOpx::ElementWiseUnaryOutplaceOpx(Op* op, Devicex* devicex,
                                                         std::unique_ptr<EwuComputex> cx)
    : ElementWiseUnaryOpx(op, devicex), cx_(std::move(cx)) {}

void ElementWiseUnaryOutplaceOpx::grow(poplar::program::Sequence& prog) const {
  const poplar::Tensor out =
      cx_->outplace(prog, graph(), getInTensor(0), getDebugNameAndId(), outId(0));
  setOutTensor(0, cx_->reshape(out));
}

// ---- Binary ----

poplar::Tensor EwbComputex::outplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                                     const poplar::Tensor& a, const poplar::Tensor& b,
                                     const poplar::DebugNameAndId& dnai,
                                     const std::string& name) const {
  snap::program::Sequence sequence(prog);
  snap::Graph thin(graph);
  return outplace(sequence, thin, snap::Tensor(a, thin), snap::Tensor(b, thin), dnai, name)
      .getPoplarTensor();
}

snap::Tensor EwbComputex::outplace(snap::program::Sequence&, snap::Graph&, const snap::Tensor&,
                                   const snap::Tensor&, const poplar::DebugNameAndId& dnai,
                                   const std::string&) const {
  throw error("{}: the class of its EwbComputex has no outplace()", dnai.getPathName());
}

poplar::Tensor EwbComputex::maybeInplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                                         poplar::Tensor& tInOut, poplar::Tensor& tIn,
                                         const poplar::DebugNameAndId& dnai,
                                         const std::string& name) const {
  snap::program::Sequence sequence(prog);
  snap::Graph thin(graph);
  return maybeInplace(sequence, thin, snap::Tensor(tInOut, thin), snap::Tensor(tIn, thin), dnai,
                      name)
      .getPoplarTensor();
}

snap::Tensor EwbComputex::maybeInplace(snap::program::Sequence&, snap::Graph&, const snap::Tensor&,
                                       const snap::Tensor&, const poplar::DebugNameAndId& dnai,
                                       const std::string&) const {
  throw error("{}: the class of its EwbComputex has no maybeInplace()", dnai.getPathName());
}

poplar::Tensor EwbComputex::mapMaybeInPlace(poplar::Graph& graph, popops::expr::BinaryOpType op,
                                            poplar::Tensor& tInOut, poplar::Tensor& tIn,
                                            poplar::program::Sequence& prog,
                                            const poplar::DebugContext& debugContext,
                                            const poplar::OptionFlags& options,
                                            const std::string&) const {
  if (!tInOut.isParallelWriteable())
    return popops::map(graph, op, tInOut, tIn, prog, debugContext, options);
  popops::mapInPlace(graph, op, tInOut, tIn, prog, debugContext, options);
  return tInOut;
}

InIndex EwbComputex::getInplaceArgInIndex() const {
  if (policy_ == InplacePolicy::NEVER)
    throw error("An EwbComputex that never works in place writes no input");
  return policy_ == InplacePolicy::LHS ? 0 : 1;
}

InIndex EwbComputex::getOutplaceArgInIndex() const { return 1 - getInplaceArgInIndex(); }

InputCreatorType ElementWiseBinaryOpx::getInputCreatorType(InIndex index) const {
  return inShape(index) == outShape(0) ? InputCreatorType::CanUnwind : InputCreatorType::Deadend;
}

std::set<TensorId> ElementWiseBinaryOpx::mustExistBeforeCreate(InIndex index) const {
  return {inId(1 - index)};
}

poplar::Tensor ElementWiseBinaryOpx::createInput(InIndex index,
                                                 const poplar::DebugNameAndId& dnai) const {
  return graph().clone(getInTensor(1 - index), dnai);
}

view::RegMap ElementWiseBinaryOpx::unwindRegion(InIndex, OutIndex) const { return oneToOne(); }

ElementWiseBinaryOutplaceOpx::ElementWiseBinaryOutplaceOpx(Op* op, Devicex* devicex,
                                                           std::unique_ptr<EwbComputex> cx)
    : ElementWiseBinaryOpx(op, devicex), cx_(std::move(cx)) {}

void ElementWiseBinaryOutplaceOpx::grow(poplar::program::Sequence& prog) const {
  setOutTensor(0, cx_->outplace(prog, graph(), getInTensor(0), getInTensor(1), getDebugNameAndId(),
                                outId(0)));
}

ElementWiseBinaryInplaceOpx::ElementWiseBinaryInplaceOpx(Op* op, Devicex* devicex,
                                                         std::unique_ptr<EwbComputex> cx)
    : ElementWiseBinaryOpx(op, devicex), cx_(std::move(cx)) {
  if (!cx_->inplaceSupported())
    throw error("{}: its Opx works in place, its EwbComputex never does", op->debugName());
}

void ElementWiseBinaryInplaceOpx::grow(poplar::program::Sequence& prog) const {
  poplar::Tensor written = getInTensor(cx_->getInplaceArgInIndex());
  poplar::Tensor read = getInTensor(cx_->getOutplaceArgInIndex());
  setOutTensor(0, cx_->maybeInplace(prog, graph(), written, read, getDebugNameAndId(), outId(0)));
}

}  // namespace popx
}  // namespace popart
