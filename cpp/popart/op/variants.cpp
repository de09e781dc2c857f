// Which operators have a variant in place, for Ir::applyInplacePattern.
#include <popart/graphcoreoperators.hpp>
#include <popart/op/dynamic/dynamicadd.hpp>
#include <popart/op/dynamic/dynamicslice.hpp>
#include <popart/op/dynamic/dynamicupdate.hpp>
#include <popart/op/dynamic/dynamiczero.hpp>
#include <popart/op/relu.hpp>
#include <popart/op/scale.hpp>

namespace popart {
namespace {

/// As much as PopART gives most variants.
constexpr float priority = 10.0f;

/// Of DynamicSlice, which writes to memory that it may be given.
bool hasRoom(const Op&) { return true; }
bool hasRoom(const DynamicSliceOp& op) { return op.hasInput(DynamicSliceOp::getSliceInIndex()); }

}  // namespace

#define POPIR_VARIANT(OP, VARIANT, ID)                                                    \
  std::vector<std::tuple<OperatorIdentifier, float>> OP::inplacePriorityDefault() const { \
    if (!hasRoom(*this) || dynamic_cast<const VARIANT*>(this) != nullptr) return {};      \
    return {{Onnx::CustomOperators::ID, priority}};                                       \
  }                                                                                       \
  std::unique_ptr<Op> OP::getInplaceVariant(const OperatorIdentifier& id) const {         \
    if (id == Onnx::CustomOperators::ID) return std::make_unique<VARIANT>(*this);         \
    return Op::getInplaceVariant(id);                                                     \
  }
POPIR_VARIANT(ReluOp, ReluInplaceOp, ReluInplace)
POPIR_VARIANT(ScaleOp, ScaleInplaceOp, ScaleInplace)
POPIR_VARIANT(DynamicAddOp, DynamicAddInplaceOp, DynamicAddInplace)
POPIR_VARIANT(DynamicSliceOp, DynamicSliceInplaceOp, DynamicSliceInplace_1)
POPIR_VARIANT(DynamicUpdateOp, DynamicUpdateInplaceOp, DynamicUpdateInplace)
POPIR_VARIANT(DynamicZeroOp, DynamicZeroInplaceOp, DynamicZeroInplace)
#undef POPIR_VARIANT

}  // namespace popart
