// Conversions between float and half. After popart/half.hpp of PopART 3.
#ifndef popart_half_hpp
#define popart_half_hpp

#include <cstdint>

#pragma GCC visibility push(default)

namespace popart {

/// Rounds to the nearest half, ties to even.
uint16_t floatToHalf(float f);
float halfToFloat(uint16_t f16);

}  // namespace popart

#pragma GCC visibility pop

#endif
