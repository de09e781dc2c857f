#include <popart/op/matmul.hpp>
#include <popart/opserialiser.hpp>

#include "popart/op/copy_of.hpp"

namespace popart {

MatMulBaseOp::~MatMulBaseOp() = default;
MatMulOp::~MatMulOp() = default;
MatMulBaseGradOp::~MatMulBaseGradOp() = default;
MatMulLhsGradOp::~MatMulLhsGradOp() = default;
MatMulRhsGradOp::~MatMulRhsGradOp() = default;

std::unique_ptr<Op> MatMulOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> MatMulLhsGradOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> MatMulRhsGradOp::clone() const { return copyOf(*this); }

std::string toString(const MatMulPartialsType& type) {
  return type == MatMulPartialsType::HALF ? "HALF" : "FLOAT";
}

std::ostream& operator<<(std::ostream& os, const MatMulPartialsType& type) {
  return os << toString(type);
}

void MatMulBaseOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("phase", static_cast<int>(phase));
  os.appendAttribute("enableFullyConnectedPass", enableFullyConnectedPass);
  os.appendAttribute("serialization_mode", static_cast<int>(serialization.mode));
  os.appendAttribute("serialization_factor", serialization.factor);
  os.appendAttribute("partialsType", toString(partialsType));
}

}  // namespace popart
