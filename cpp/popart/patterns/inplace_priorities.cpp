// Which addend a sum overwrites.
#include <popart/op/add.hpp>
#include <popart/op/conv.hpp>
#include <popart/op/dropout.hpp>
#include <popart/op/groupnorm.hpp>
#include <popart/op/identity.hpp>
#include <popart/op/matmul.hpp>
#include <popart/op/reshape.hpp>
#include <popart/patterns/patterns.hpp>
#include <popart/patterns/updateinplaceprioritiesforipu.hpp>
#include <popart/tensor.hpp>

namespace popart {
namespace {

const AddPatternName<UpdateInplacePrioritiesForIpu> name("UpdateInplacePrioritiesForIpu");

bool passesOn(const Op& op) {
  return op.isConvertibleTo<DropoutBaseOp>() || op.isConvertibleTo<GroupNormOp>() ||
         op.isConvertibleTo<IdentityOp>() || op.isConvertibleTo<ReshapeBaseOp>();
}

/// Whether a product or a convolution computes the tensor, or one that it is made of.
bool isOfProduct(const Tensor& tensor) {
  const Op* op = tensor.getProducerUnsafe();
  if (op == nullptr) return false;
  if (op->isConvertibleTo<MatMulBaseOp>() || op->isConvertibleTo<ConvOp>()) return true;
  if (!passesOn(*op)) return false;
  for (const auto& in : op->input->tensorMap())
    if (isOfProduct(*in.second)) return true;
  return false;
}

}  // namespace

UpdateInplacePrioritiesForIpu::~UpdateInplacePrioritiesForIpu() = default;

void UpdateInplacePrioritiesForIpu::apply(Op* op) const {
  auto* sum = dynamic_cast<AddOp*>(op);
  if (sum == nullptr) return;
  for (const auto& [variant, priority] : sum->inplacePriorityDefault()) {
    const InIndex in = variant == Onnx::CustomOperators::AddLhsInplace ? AddOp::getArg0InIndex()
                                                                       : AddOp::getArg1InIndex();
    sum->setInplacePriority(variant, priority + (isOfProduct(*sum->inTensor(in)) ? 10.0f : 0.0f));
  }
}

}  // namespace popart
