#include <popart/popx/opx.hpp>

#include <algorithm>

namespace popart {
namespace popx {

Opx::Opx(Op* op, Devicex* devicex) : op_p(op), dv_p(devicex) {}

Opx::~Opx() = default;

void Opx::grow(poplar::program::Sequence&) const {
  throw error("{}: the class of its Opx has no grow()", op_p->debugName());
}

InputCreatorType Opx::getInputCreatorType(InIndex) const { return InputCreatorType::Deadend; }

poplar::Tensor Opx::createInput(InIndex index, const poplar::DebugNameAndId&) const {
  throw error("{}: its Opx cannot create input {}", op_p->debugName(), index);
}

poplar::Tensor Opx::createInputTensor(InIndex index, const poplar::DebugNameAndId& dnai) const {
  return createInput(index, dnai);
}

std::set<TensorId> Opx::mustExistBeforeCreate(int) const { return {}; }

poplar::Tensor Opx::unwindTensorLayout(poplar::Tensor, InIndex in, OutIndex out) const {
  throw error("{}: its Opx cannot unwind the layout of output {} to input {}", op_p->debugName(),
              out, in);
}

view::RegMap Opx::unwindRegion(InIndex in, OutIndex out) const {
  throw error("{}: its Opx cannot unwind a region of output {} to input {}", op_p->debugName(), out,
              in);
}

bool Opx::outputCreatedExternally(OutIndex) const { return false; }

void Opx::makeOutputs() const {
  for (const auto& out : op_p->output->tensorMap()) {
    if (!outputCreatedExternally(out.first)) continue;
    const TensorInfo& info = out.second->info;
    insert(outId(out.first),
           graph().addVariable(popType(info), info.shape_szt(),
                               poplar::VariableMappingMethod::LINEAR, debugContext("out")));
  }
}

void Opx::refuse(const Op* op, const std::vector<OperatorIdentifier>& valid) const {
  throw error("{}: its Opx is for {} only", op->debugName(), valid);
}

const TensorInfo& Opx::inInfo(InIndex index) const {
  return static_cast<const Op*>(op_p)->inInfo(index);
}
const TensorInfo& Opx::outInfo(OutIndex index) const {
  return static_cast<const Op*>(op_p)->outInfo(index);
}

const poplar::Tensor& Opx::getInTensor(InIndex index) const { return dv_p->get(inId(index)); }
const poplar::Tensor& Opx::getOutTensor(OutIndex index) const { return dv_p->get(outId(index)); }

void Opx::setOutTensor(OutIndex index, const poplar::Tensor& tensor) const {
  dv_p->insert(outId(index), tensor);
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

poplar::DebugNameAndId Opx::getDebugNameAndId(const std::string& name,
                                              poplar::SourceLocation) const {
  const std::string& own = op_p->name().empty() ? op_p->opid.type : op_p->name();
  return poplar::DebugNameAndId(name.empty() ? own : own + "/" + name, op_p->settings.debugInfoId);
}

poplar::DebugContext Opx::debugContext(const std::string& name, poplar::SourceLocation loc) const {
  return poplar::DebugContext(getDebugNameAndId(name, loc), "", loc);
}

}  // namespace popx
}  // namespace popart
