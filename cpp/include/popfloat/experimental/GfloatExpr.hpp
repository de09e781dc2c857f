// The choices of casts to small floats. After popfloat/experimental/GfloatExpr.hpp of PopLibs 3.
#ifndef popfloat_experimental_GfloatExpr_hpp
#define popfloat_experimental_GfloatExpr_hpp

namespace popfloat {
namespace experimental {

enum class RoundType {
  INV,  ///< none: invalid
  RZ,   ///< to zero
  RN,   ///< to nearest, ties to even
  RA,   ///< to nearest, ties away from zero
  RU,   ///< up
  RD,   ///< down
  SR,   ///< stochastic, with all bits
  SX    ///< stochastic, with numSRBits bits
};

enum class FormatType {
  INVALID_FORMAT,
  IEEE_FP16,
  QUANTISED_FP32,      ///< kept as FLOAT
  QUANTISED_FP16,      ///< kept as HALF
  MIN_NORM_ALIGN_GF8,  ///< 8 bits with less than 5 of exponent
  ONE_FIVE_TWO_GF8,    ///< 5 bits of exponent, with infinity and NaN
  MAX_NORM_ALIGN_GF8,  ///< 5 bits of exponent, without
  BFLOAT16,
  NO_DENORM_GF16,
  ENABLE_DENORM_GF16
};

/// The density of the noise of stochastic rounding.
enum class SRDensityType {
  INVALID,
  UNIFORM,
  NORMAL,
  TRUNCATED_NORMAL,
  BERNOULLI,
  LOGISTIC,
  TRUNCATED_LOGISTIC,
  LAPLACE,
  TRUNCATED_LAPLACE,
  LOGIT_NORMAL,
  TRUNCATED_LOGIT_NORMAL
};

/// How a cast's result is kept; AUTO is the smallest type that holds it.
enum class SpecType { FP32, BF16, FP16, INT8, INT16, INT32, AUTO };

}  // namespace experimental
}  // namespace popfloat

#endif
