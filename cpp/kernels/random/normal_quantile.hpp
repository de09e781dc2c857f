// The quantile function (inverse CDF) of the normal distribution.
#ifndef popir_kernels_random_normal_quantile_hpp
#define popir_kernels_random_normal_quantile_hpp

#include <cstdint>

namespace popir {

/// Replaces x[i] by the standard normal quantile of 1/2 + x[i], |x[i]| < 1/2. Accurate to 16
/// digits. M. J. Wichura, "Algorithm AS 241: The percentage points of the normal distribution",
/// Applied Statistics 37 (1988).
void normalQuantiles(double* x, std::int64_t n);

}  // namespace popir

#endif
