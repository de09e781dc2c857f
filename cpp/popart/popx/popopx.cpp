#include <popart/popx/opx.hpp>
#include <popart/popx/snapopx.hpp>

namespace popart {
namespace popx {

PopOpx::PopOpx(Op* op, Devicex* devicex)
    : OpxBase(op, devicex), opx_(new Opx(op, devicex)), graph_(devicex->graph()) {}

PopOpx::~PopOpx() = default;

void PopOpx::grow(snap::program::Sequence& prog) const { opx_->grow(prog.getPoplarSequence()); }

snap::Tensor PopOpx::createInputTensor(InIndex index, const poplar::DebugNameAndId& dnai) const {
  return wrapped(opx_->createInputTensor(index, dnai));
}

snap::Tensor PopOpx::unwindTensorLayout(snap::Tensor tensor, InIndex in, OutIndex out) const {
  return wrapped(opx_->unwindTensorLayout(tensor.getPoplarTensor(), in, out));
}

const snap::Tensor& PopOpx::get(TensorId id) const { return tensors_[id] = wrapped(dv_p->get(id)); }

void PopOpx::insert(TensorId id, const snap::Tensor& tensor) const {
  dv_p->insert(id, tensor.getPoplarTensor());
}

void PopOpx::setOutViewChangers(OutIndex index, const ViewChangers& changers) const {
  opx_->setOutViewChangers(index, changers);
}

snap::Tensor PopOpx::cloneNcopy(snap::program::Sequence& prog, const snap::Tensor& tensor,
                                const std::string& name) const {
  return wrapped(opx_->cloneNcopy(prog.getPoplarSequence(), tensor.getPoplarTensor(), name));
}

snap::Tensor PopOpx::cloneNcopy(snap::program::Sequence& prog, TensorId id) const {
  return wrapped(opx_->cloneNcopy(prog.getPoplarSequence(), id));
}

snap::Tensor PopOpx::getConst(const poplar::Type& type, const std::vector<std::size_t>& shape,
                              double value, const std::string& name) const {
  return wrapped(opx_->getConst(type, shape, value, name));
}

snap::Tensor PopOpx::getScalarVariable(const poplar::Type& type, const std::string& name) const {
  return wrapped(opx_->getScalarVariable(type, name));
}

snap::Tensor PopOpx::getZerosTensor(std::vector<std::size_t> shape, poplar::Type type,
                                    std::string name) const {
  return wrapped(opx_->getZerosTensor(std::move(shape), type, std::move(name)));
}

void PopOpx::growProgram(poplar::program::Sequence& prog) const {
  snap::program::Sequence sequence(prog);
  grow(sequence);
}

poplar::Tensor PopOpx::makeInput(InIndex index, const poplar::DebugNameAndId& dnai) const {
  const poplar::Tensor made = createInputTensor(index, dnai).getPoplarTensor();
  return hasCreatorViewChangers(index) ? getCreatorViewChangers(index).apply(made) : made;
}

poplar::Tensor PopOpx::makeUnwound(const poplar::Tensor& tensor, InIndex in, OutIndex out) const {
  return unwindTensorLayout(wrapped(tensor), in, out).getPoplarTensor();
}

}  // namespace popx
}  // namespace popart
