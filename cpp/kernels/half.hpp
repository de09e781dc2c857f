// Arrays of half as arrays of float, and back.
#ifndef popir_kernels_half_hpp
#define popir_kernels_half_hpp

#include <cstdint>
#include <poplar/HalfFloat.hpp>

namespace popir {

/// Exact, but that NaN becomes quiet.
void halfToFloat(const half* in, float* out, std::int64_t n);
/// Nearest, ties to even; beyond the largest half, infinity.
void floatToHalf(const float* in, half* out, std::int64_t n);

}  // namespace popir

#endif
