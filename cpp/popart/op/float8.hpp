// Products and convolutions of 8 bits, with the logarithm of a scale as a third input.
#ifndef popir_popart_op_float8_hpp
#define popir_popart_op_float8_hpp

#include <popart/op.hpp>

namespace popart {

inline bool isFloat8(DataType type) {
  return type == DataType::FLOAT8_143 || type == DataType::FLOAT8_152;
}

/// Whether both operands have 8 bits and the scale is a scalar of INT32.
inline bool isPow2Scaled(const Op& op, InIndex a, InIndex b, InIndex scale) {
  return op.hasInput(scale) && isFloat8(op.inInfo(a).dataType()) &&
         isFloat8(op.inInfo(b).dataType()) && op.inInfo(scale).dataType() == DataType::INT32 &&
         op.inInfo(scale).rank() == 0;
}

/// Whether an operand has 8 bits.
/// \throws error if it does, and the others do not fit; if none does, and there is a scale
inline bool checkFloat8(const Op& op, InIndex a, InIndex b, InIndex scale) {
  const DataType first = op.inInfo(a).dataType(), second = op.inInfo(b).dataType();
  const bool is8 = isFloat8(first) || isFloat8(second);
  if (is8 && !isPow2Scaled(op, a, b, scale))
    throw error(
        "{}: operands of {} and {}; where one has 8 bits both have, and a scalar of INT32, the "
        "logarithm of their scale, is input {}",
        op.debugName(), first, second, scale);
  if (!is8 && op.hasInput(scale) && op.inInfo(scale).dataType() == DataType::INT32)
    throw error("{}: input {} is INT32, the logarithm of a scale, which operands of {} and {} lack",
                op.debugName(), scale, first, second);
  return is8;
}

}  // namespace popart

#endif
