// Functions that are written as operators of the builder.
#ifndef XLA_HLO_BUILDER_LIB_MATH_H_
#define XLA_HLO_BUILDER_LIB_MATH_H_

#include "xla/hlo/builder/lib/constants.h"

namespace xla {

inline XlaOp Square(XlaOp operand) { return Mul(operand, operand); }
inline XlaOp Reciprocal(XlaOp operand) { return Div(ScalarLike(operand, 1), operand); }
inline XlaOp Sigmoid(XlaOp operand) { return Logistic(operand); }

}  // namespace xla

#endif  // XLA_HLO_BUILDER_LIB_MATH_H_
