// Weighted sums, and the gradient of Nesterov's momentum.
#include <popart/op/scaledadd.hpp>
#include <popart/op/sgd1nesterov.hpp>
#include <popart/operators.hpp>
#include <popart/opserialiser.hpp>

#include "popart/op/copy_of.hpp"

namespace popart {

ScaledAddOp::~ScaledAddOp() = default;
ScaledAddLhsInplaceOp::~ScaledAddLhsInplaceOp() = default;
ScaledAddRhsInplaceOp::~ScaledAddRhsInplaceOp() = default;
SGD1NesterovOp::~SGD1NesterovOp() = default;

std::unique_ptr<Op> ScaledAddOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> ScaledAddLhsInplaceOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> ScaledAddRhsInplaceOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> SGD1NesterovOp::clone() const { return copyOf(*this); }

std::vector<std::tuple<OperatorIdentifier, float>> ScaledAddOp::inplacePriorityDefault() const {
  return {{Onnx::CustomOperators::ScaledAddLhsInplace, 10.0f},
          {Onnx::CustomOperators::ScaledAddRhsInplace, 10.0f}};
}

std::unique_ptr<Op> ScaledAddOp::getInplaceVariant(const OperatorIdentifier& id) const {
  if (id == Onnx::CustomOperators::ScaledAddLhsInplace)
    return std::make_unique<ScaledAddLhsInplaceOp>(*this);
  if (id == Onnx::CustomOperators::ScaledAddRhsInplace)
    return std::make_unique<ScaledAddRhsInplaceOp>(*this);
  return Op::getInplaceVariant(id);
}

void ScaledAddOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("scale0", scale0_);
  os.appendAttribute("scale1", scale1_);
}

ScaledAddLhsInplaceOp::ScaledAddLhsInplaceOp(float scale0, float scale1,
                                             const Op::Settings& settings)
    : ScaledAddOp(Onnx::CustomOperators::ScaledAddLhsInplace, scale0, scale1, settings) {}
ScaledAddLhsInplaceOp::ScaledAddLhsInplaceOp(const ScaledAddOp& op)
    : ScaledAddLhsInplaceOp(op.getScale0(), op.getScale1(), op.settings) {}
ScaledAddRhsInplaceOp::ScaledAddRhsInplaceOp(const ScaledAddOp& op)
    : ScaledAddOp(Onnx::CustomOperators::ScaledAddRhsInplace, op.getScale0(), op.getScale1(),
                  op.settings) {}

view::Regions ScaledAddLhsInplaceOp::aliases(InIndex in, OutIndex) const {
  return in == getArg0InIndex() ? uses(in) : view::Regions{};
}
view::Regions ScaledAddRhsInplaceOp::aliases(InIndex in, OutIndex) const {
  return in == getArg1InIndex() ? uses(in) : view::Regions{};
}

void SGD1NesterovOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("inverse loss scale", inverseLossScale_);
  os.appendAttribute("weight decay", wd_);
  os.appendAttribute("Nesterov gradient scale factor", ngsf_);
  os.appendAttribute("momentum", mm_);
}

}  // namespace popart
