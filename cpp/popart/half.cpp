#include <popart/half.hpp>

#include <cstring>

#include "kernels/half.hpp"

namespace popart {

uint16_t floatToHalf(float f) {
  half h;
  popir::fromFloats(&f, &h, 1, popir::Rounding(), 0);
  uint16_t bits;
  std::memcpy(&bits, &h, sizeof bits);
  return bits;
}

float halfToFloat(uint16_t f16) {
  half h;
  std::memcpy(&h, &f16, sizeof h);
  float f;
  popir::toFloats(&h, &f, 1);
  return f;
}

template <>
DataType getDataType<Half>() {
  return DataType::FLOAT16;
}

}  // namespace popart
