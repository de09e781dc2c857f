// The operators of expressions. After popops/ExprOp.hpp of PopLibs 3.
//
// One row per operator generates the enumerations below, the node classes of Expr.hpp, the
// functions of ElementWise.hpp, the names in messages and the Python bindings:
//   X(node class, enumerator, function)
//
// Results where mathematics leaves a choice:
// - Comparisons, LOGICAL_* and IS_* return BOOL. All others return the type of their operands.
// - HALF and BFLOAT16 are computed in float. A value is rounded when it is stored, by a Cast, or as
//   a constant; so usually once per expression.
// - ROUND rounds to nearest, ties away from zero. NEARBY_INT rounds to nearest, ties to even.
//   SIGNUM of NaN is 0. RELU, CLAMP, MAXIMUM and MINIMUM propagate NaN. A bound of CLAMP that is
//   NaN is ignored.
// - Integers wrap. Division and remainder by zero give 0. REMAINDER has the sign of its left
//   operand, like C's % and fmod. Integer POWER with a negative exponent gives 0, but 1 or -1 of
//   the bases 1 and -1.
// - SHIFT_RIGHT shifts in zeros, SHIFT_RIGHT_SIGN_EXTEND copies of the sign bit. Shifting by the
//   width of the type or more, or by a negative amount, shifts all bits out.
// - Cast from floating point to integer truncates, clamps to the range of the target, and turns NaN
//   into 0. Cast to BOOL gives x != 0. Cast between integers wraps.
// - On BOOL, ADD and MAXIMUM are "or", MULTIPLY and MINIMUM "and", SUBTRACT "exclusive or".
#ifndef popops_ExprOp_hpp
#define popops_ExprOp_hpp

#define POPOPS_EXPR_UNARY_OPS(X)                               \
  X(Abs, ABSOLUTE, abs)                                        \
  X(Asin, ASIN, asin)                                          \
  X(BitwiseNot, BITWISE_NOT, bitwiseNot)                       \
  X(Cbrt, CBRT, cbrt)                                          \
  X(Ceil, CEIL, ceil)                                          \
  X(Cos, COS, cos)                                             \
  X(CountLeadingZeros, COUNT_LEADING_ZEROS, countLeadingZeros) \
  X(Erf, ERF, erf)                                             \
  X(Exp, EXPONENT, exp)                                        \
  X(Exp2, EXPONENT2, exp2)                                     \
  X(Expm1, EXPONENT_MINUS_ONE, expm1)                          \
  X(Floor, FLOOR, floor)                                       \
  X(GeluErf, GELU_ERF, geluErf)                                \
  X(Inv, INVERSE, inv)                                         \
  X(IsFinite, IS_FINITE, isFinite)                             \
  X(IsInf, IS_INF, isInf)                                      \
  X(IsNaN, IS_NAN, isNaN)                                      \
  X(Log, LOGARITHM, log)                                       \
  X(Log1p, LOGARITHM_ONE_PLUS, log1p)                          \
  X(NearbyInt, NEARBY_INT, nearbyint)                          \
  X(Neg, NEGATE, neg)                                          \
  X(Not, LOGICAL_NOT, logicalNot)                              \
  X(Popcount, POPCOUNT, popcount)                              \
  X(Relu, RELU, relu)                                          \
  X(Round, ROUND, round)                                       \
  X(Rsqrt, RSQRT, rsqrt)                                       \
  X(Sigmoid, SIGMOID, sigmoid)                                 \
  X(Signum, SIGNUM, signum)                                    \
  X(Sin, SIN, sin)                                             \
  X(Sqrt, SQRT, sqrt)                                          \
  X(Square, SQUARE, square)                                    \
  X(Tan, TAN, tan)                                             \
  X(Tanh, TANH, tanh)                                          \
  X(Trunc, TRUNC, trunc)

#define POPOPS_EXPR_BINARY_OPS(X)                                      \
  X(Add, ADD, add)                                                     \
  X(And, LOGICAL_AND, logicalAnd)                                      \
  X(Atan2, ATAN2, atan2)                                               \
  X(BitwiseAnd, BITWISE_AND, bitwiseAnd)                               \
  X(BitwiseOr, BITWISE_OR, bitwiseOr)                                  \
  X(BitwiseXnor, BITWISE_XNOR, bitwiseXnor)                            \
  X(BitwiseXor, BITWISE_XOR, bitwiseXor)                               \
  X(Divide, DIVIDE, div)                                               \
  X(Equal, EQUAL, eq)                                                  \
  X(Gt, GREATER_THAN, gt)                                              \
  X(Gte, GREATER_THAN_EQUAL, gteq)                                     \
  X(InvStdDevToVariance, INV_STD_DEV_TO_VARIANCE, invStdDevToVariance) \
  X(Lt, LESS_THAN, lt)                                                 \
  X(Lte, LESS_THAN_EQUAL, lteq)                                        \
  X(Max, MAXIMUM, max)                                                 \
  X(Min, MINIMUM, min)                                                 \
  X(Mul, MULTIPLY, mul)                                                \
  X(NotEqual, NOT_EQUAL, neq)                                          \
  X(Or, LOGICAL_OR, logicalOr)                                         \
  X(Pow, POWER, pow)                                                   \
  X(Rem, REMAINDER, rem)                                               \
  X(Shl, SHIFT_LEFT, shiftLeft)                                        \
  X(Shr, SHIFT_RIGHT, shiftRight)                                      \
  X(ShrSE, SHIFT_RIGHT_SIGN_EXTEND, shiftRightSignExtend)              \
  X(Sub, SUBTRACT, sub)                                                \
  X(VarianceToInvStdDev, VARIANCE_TO_INV_STD_DEV, varianceToInvStdDev)

/// Clamp(value, lower, upper); Select(whenTrue, whenFalse, condition).
#define POPOPS_EXPR_TERNARY_OPS(X) \
  X(Clamp, CLAMP, clamp)           \
  X(Select, SELECT, select)

namespace popops {
namespace expr {

#define POPOPS_ENUMERATOR(NODE, OP, FUNCTION) OP,
enum class UnaryOpType { POPOPS_EXPR_UNARY_OPS(POPOPS_ENUMERATOR) };
enum class BinaryOpType { POPOPS_EXPR_BINARY_OPS(POPOPS_ENUMERATOR) };
enum class TernaryOpType { POPOPS_EXPR_TERNARY_OPS(POPOPS_ENUMERATOR) };
#undef POPOPS_ENUMERATOR
/// What PopLibs' vertices that combine a tensor with a scalar or a vector do, as
/// PopLibs had it until 1.2.
enum class BroadcastOpType {
  ADD,
  INV_STD_DEV_TO_VARIANCE,
  MULTIPLY,
  SUBTRACT,
  VARIANCE_TO_INV_STD_DEV,
  SCALED_ADD
};

}  // namespace expr
}  // namespace popops

#endif
