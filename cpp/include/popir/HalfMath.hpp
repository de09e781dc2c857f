// The functions of <cmath> for half, as on a tile: a half is taken as a float, and so is the result.
// A host's compiler knows several types that a half may become, and would choose none. popir's own.
#ifndef popir_HalfMath_hpp
#define popir_HalfMath_hpp

#include <math.h>

#include <poplar/HalfFloat.hpp>

#include <cmath>
#include <cstdlib>

namespace std {
#define POPIR_HALF_FUNCTION(NAME) \
  inline float NAME(half x) { return NAME(static_cast<float>(x)); }
#define POPIR_HALF_PAIR(NAME)                                                                      \
  inline float NAME(half x, half y) { return NAME(static_cast<float>(x), static_cast<float>(y)); } \
  inline float NAME(half x, int y) { return NAME(static_cast<float>(x), static_cast<float>(y)); }
#define POPIR_HALF_CLASS(NAME) \
  inline bool NAME(half x) { return NAME(static_cast<float>(x)); }
#define POPIR_HALF_FUNCTIONS(ONE, TWO, CLASS) \
  ONE(abs)                                    \
  ONE(fabs)                                   \
  ONE(sqrt)                                   \
  ONE(cbrt)                                   \
  ONE(exp)                                    \
  ONE(exp2)                                   \
  ONE(expm1)                                  \
  ONE(log)                                    \
  ONE(log2)                                   \
  ONE(log10)                                  \
  ONE(log1p)                                  \
  ONE(sin)                                    \
  ONE(cos)                                    \
  ONE(tan)                                    \
  ONE(asin)                                   \
  ONE(acos)                                   \
  ONE(atan)                                   \
  ONE(sinh)                                   \
  ONE(cosh)                                   \
  ONE(tanh)                                   \
  ONE(asinh)                                  \
  ONE(acosh)                                  \
  ONE(atanh)                                  \
  ONE(erf)                                    \
  ONE(erfc)                                   \
  ONE(tgamma)                                 \
  ONE(lgamma)                                 \
  ONE(ceil)                                   \
  ONE(floor)                                  \
  ONE(trunc)                                  \
  ONE(round)                                  \
  ONE(rint)                                   \
  ONE(nearbyint)                              \
  TWO(pow)                                    \
  TWO(fmod)                                   \
  TWO(remainder)                              \
  TWO(atan2)                                  \
  TWO(hypot)                                  \
  TWO(fmin)                                   \
  TWO(fmax)                                   \
  TWO(fdim)                                   \
  TWO(copysign)                               \
  CLASS(isnan)                                \
  CLASS(isinf)                                \
  CLASS(isfinite)                             \
  CLASS(isnormal)                             \
  CLASS(signbit)
POPIR_HALF_FUNCTIONS(POPIR_HALF_FUNCTION, POPIR_HALF_PAIR, POPIR_HALF_CLASS)
#undef POPIR_HALF_CLASS
#undef POPIR_HALF_PAIR
#undef POPIR_HALF_FUNCTION
}  // namespace std

#define POPIR_HALF_NAME(NAME) using std::NAME;
POPIR_HALF_FUNCTIONS(POPIR_HALF_NAME, POPIR_HALF_NAME, POPIR_HALF_NAME)
#undef POPIR_HALF_NAME
#undef POPIR_HALF_FUNCTIONS

#endif
