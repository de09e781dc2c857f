#include <popart/popx/opxbase.hpp>

namespace popart {
namespace popx {

OpxBase::~OpxBase() = default;

InputCreatorType OpxBase::getInputCreatorType(InIndex) const { return InputCreatorType::Deadend; }

bool OpxBase::canUnwind(InIndex in, OutIndex) const {
  const InputCreatorType says = getInputCreatorType(in);
  return says == InputCreatorType::CanUnwind || says == InputCreatorType::CanCreateOrUnwind ||
         says == InputCreatorType::CanDelegateOrUnwind;
}

std::set<TensorId> OpxBase::mustExistBeforeCreate(int) const { return {}; }

DnfTensorIds OpxBase::mustExistBeforeCreateDNF(int index) const {
  return {mustExistBeforeCreate(index)};
}

view::RegMap OpxBase::unwindRegion(InIndex in, OutIndex out) const {
  throw error("{}: its Opx cannot unwind a region of output {} to input {}", op_p->debugName(), out,
              in);
}

bool OpxBase::outputCreatedExternally(OutIndex) const { return false; }

void OpxBase::makeOutputs() const {
  for (const auto& out : op_p->output->tensorMap()) {
    if (!outputCreatedExternally(out.first)) continue;
    const TensorInfo& info = out.second->info;
    dv_p->insert(outId(out.first), dv_p->graph().addVariable(popType(info), info.shape_szt(),
                                                             poplar::VariableMappingMethod::LINEAR,
                                                             debugContext("out")));
  }
}

void OpxBase::refuse(const Op* op, const std::vector<OperatorIdentifier>& valid) const {
  throw error("{}: its Opx is for {} only", op->debugName(), valid);
}

const TensorInfo& OpxBase::inInfo(InIndex index) const {
  return static_cast<const Op*>(op_p)->inInfo(index);
}
const TensorInfo& OpxBase::outInfo(OutIndex index) const {
  return static_cast<const Op*>(op_p)->outInfo(index);
}

poplar::DebugNameAndId OpxBase::getDebugNameAndId(const std::string& name,
                                                  poplar::SourceLocation) const {
  const std::string& own = op_p->name().empty() ? op_p->opid.type : op_p->name();
  return poplar::DebugNameAndId(name.empty() ? own : own + "/" + name, op_p->settings.debugInfoId);
}

poplar::DebugContext OpxBase::debugContext(const std::string& name,
                                           poplar::SourceLocation loc) const {
  return poplar::DebugContext(getDebugNameAndId(name, loc), "", loc);
}

}  // namespace popx
}  // namespace popart
