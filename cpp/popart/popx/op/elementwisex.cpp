#include <popart/popx/op/elementwisex.hpp>

namespace popart {
namespace popx {

EwuComputex::~EwuComputex() = default;
EwbComputex::~EwbComputex() = default;
ElementWiseUnaryOpx::~ElementWiseUnaryOpx() = default;
ElementWiseUnaryInplaceOpx::~ElementWiseUnaryInplaceOpx() = default;
ElementWiseUnaryOutplaceOpx::~ElementWiseUnaryOutplaceOpx() = default;
ElementWiseBinaryOpx::~ElementWiseBinaryOpx() = default;
ElementWiseBinaryOutplaceOpx::~ElementWiseBinaryOutplaceOpx() = default;
ElementWiseBinaryInplaceOpx::~ElementWiseBinaryInplaceOpx() = default;
BinaryComparisonOpx::~BinaryComparisonOpx() = default;

namespace {

view::RegMap oneToOne() {
  return [](const view::Region& region) { return view::Regions{region}; };
}

}  // namespace

// One input.

poplar::Tensor EwuComputex::outplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                                     const poplar::Tensor& tensor,
                                     const poplar::DebugNameAndId& dnai,
                                     const std::string& name) const {
  const poplar::Tensor out = cloneNcopy(prog, graph, tensor, dnai);
  inplace(prog, graph, out, dnai, name);
  return out;
}

poplar::Tensor EwuComputex::reshape(poplar::program::Sequence&, poplar::Graph&,
                                    const poplar::Tensor& tensor,
                                    const poplar::DebugNameAndId&) const {
  return tensor;
}

poplar::Tensor EwuComputex::cloneNcopy(poplar::program::Sequence& prog, poplar::Graph& graph,
                                       const poplar::Tensor& tensor,
                                       const poplar::DebugNameAndId& dnai) const {
  const poplar::Tensor copy = graph.clone(tensor, dnai);
  prog.add(poplar::program::Copy(tensor, copy, false, dnai));
  return copy;
}

InputCreatorType ElementWiseUnaryOpx::getInputCreatorType(InIndex) const {
  return InputCreatorType::CanUnwind;
}

poplar::Tensor ElementWiseUnaryOpx::unwindTensorLayout(poplar::Tensor tensor, InIndex,
                                                       OutIndex) const {
  return tensor;
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
  setOutTensor(0, cx_->reshape(prog, graph(), tensor, getDebugNameAndId()));
}

ElementWiseUnaryOutplaceOpx::ElementWiseUnaryOutplaceOpx(Op* op, Devicex* devicex,
                                                         std::unique_ptr<EwuComputex> cx)
    : ElementWiseUnaryOpx(op, devicex), cx_(std::move(cx)) {}

void ElementWiseUnaryOutplaceOpx::grow(poplar::program::Sequence& prog) const {
  const poplar::Tensor out =
      cx_->outplace(prog, graph(), getInTensor(0), getDebugNameAndId(), outId(0));
  setOutTensor(0, cx_->reshape(prog, graph(), out, getDebugNameAndId()));
}

// Two inputs.

InIndex EwbComputex::getInplaceArgInIndex() const {
  if (policy_ == InplacePolicy::NEVER)
    throw error("An EwbComputex that never works in place writes no input");
  return policy_ == InplacePolicy::LHS ? 0 : 1;
}

InIndex EwbComputex::getOutplaceArgInIndex() const { return 1 - getInplaceArgInIndex(); }

InputCreatorType ElementWiseBinaryOpx::getInputCreatorType(InIndex index) const {
  return inShape(index) == outShape(0) ? InputCreatorType::CanUnwind : InputCreatorType::Deadend;
}

poplar::Tensor ElementWiseBinaryOpx::unwindTensorLayout(poplar::Tensor tensor, InIndex,
                                                        OutIndex) const {
  return tensor;
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
  const poplar::Tensor& written = getInTensor(cx_->getInplaceArgInIndex());
  const poplar::Tensor& read = getInTensor(cx_->getOutplaceArgInIndex());
  setOutTensor(0, cx_->maybeInplace(prog, graph(), written, read, getDebugNameAndId(), outId(0)));
}

}  // namespace popx
}  // namespace popart
