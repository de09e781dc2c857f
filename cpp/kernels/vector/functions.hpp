// Table of floating-point functions. Each row generates the vector loop (ops.inc), the element
// function (elements.inc) and the cost estimate that decides on the number of threads.
#ifndef popir_kernels_vector_functions_hpp
#define popir_kernels_vector_functions_hpp

/// X(operator in popops/ExprOp.hpp, float function in math.inc, expression in a double x, of
///   math_double.inc or libm, cost per float as a multiple of the cost of an addition)
#define POPIR_FLOAT_FUNCTIONS(X)                                                        \
  X(Asin, asinF, __builtin_asin(x), 30)                                                 \
  X(Cbrt, cbrtF, __builtin_cbrt(x), 30)                                                 \
  X(Cos, cosF, __builtin_cos(x), 30)                                                    \
  X(Erf, erfF, __builtin_erf(x), 10)                                                    \
  X(Exp, expF, expD(x), 10)                                                             \
  X(Exp2, exp2F, __builtin_exp2(x), 10)                                                 \
  X(Expm1, expm1F, __builtin_expm1(x), 10)                                              \
  X(GeluErf, geluErfF, 0.5 * x * (1.0 + __builtin_erf(x * 0.70710678118654752440)), 10) \
  X(Log, logF, __builtin_log(x), 10)                                                    \
  X(Log1p, log1pF, __builtin_log1p(x), 30)                                              \
  X(Sin, sinF, __builtin_sin(x), 30)                                                    \
  X(Tan, tanF, __builtin_tan(x), 30)                                                    \
  X(Tanh, tanhF, tanhD(x), 10)

/// The same for two operands: X(operator, float function, double function, cost)
#define POPIR_FLOAT_FUNCTIONS2(X)       \
  X(Atan2, atan2F, __builtin_atan2, 30) \
  X(Pow, powF, __builtin_pow, 30)       \
  X(Rem, __builtin_fmodf, __builtin_fmod, 30)

#endif
