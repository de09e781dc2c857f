// The inverse of the normal distribution function.
#ifndef popir_kernels_normal_quantile_hpp
#define popir_kernels_normal_quantile_hpp

#include <cstdint>

namespace popir {

/// x[i] becomes the number below which a standard normal number is with probability 1/2 + x[i];
/// |x[i]| < 1/2. To 16 digits; M. J. Wichura, "Algorithm AS 241: The percentage points of the
/// normal distribution", Applied Statistics 37 (1988).
void normalQuantiles(double* x, std::int64_t n);

}  // namespace popir

#endif
