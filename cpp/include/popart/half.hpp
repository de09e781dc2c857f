// Conversions between float and half. After popart/half.hpp of PopART 3.
#ifndef popart_half_hpp
#define popart_half_hpp

#include <popart/datatype.hpp>

#include <cstdint>
#include <ostream>

#pragma GCC visibility push(default)

namespace popart {

/// Rounds to the nearest half, ties to even.
uint16_t floatToHalf(float f);
float halfToFloat(uint16_t f16);

/// A half on the host: two bytes, which convert from and to float.
class Half {
 public:
  Half() = default;
  Half(float value) : bits_(floatToHalf(value)) {}
  operator float() const { return halfToFloat(bits_); }
  Half& operator+=(float value) { return *this = *this + value; }
  Half& operator-=(float value) { return *this = *this - value; }
  Half& operator*=(float value) { return *this = *this * value; }
  Half& operator/=(float value) { return *this = *this / value; }

 private:
  uint16_t bits_ = 0;
};
using float16_t = Half;

inline std::ostream& operator<<(std::ostream& os, const Half& value) {
  return os << static_cast<float>(value);
}

template <typename T>
DataType getDataType();
template <>
DataType getDataType<Half>();

}  // namespace popart

#pragma GCC visibility pop

#endif
