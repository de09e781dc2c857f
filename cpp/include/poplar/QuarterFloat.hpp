// Numbers of 8 bits in codelets: their type, metadata and conversions. poplar/Quarter.hpp says what
// the formats are. After poplar/QuarterFloat.hpp and ipudef.h of the Poplar SDK 3.
#ifndef poplar_QuarterFloat_hpp
#define poplar_QuarterFloat_hpp

#include <poplar/HalfFloat.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

/// The bits of a number. Without metadata they have no value.
typedef struct quarter {
  unsigned char value;
} quarter;

typedef struct quarter_metadata {
  enum format { f152, f143 } fmt;
  signed char scale;
} quarter_metadata;

/// The byte of QuarterMetadata::getBinary(), as a field's getMetadata() points to it.
using MetadataType = unsigned char;

namespace popir {

/// The number of `code` in a format of `bits` bits of mantissa, times 2^scale.
inline double quarterValue(unsigned code, int bits, int scale) {
  if (code == 0x80) return std::numeric_limits<double>::quiet_NaN();
  const int bias = bits == 3 ? 8 : 16, one = 1 << bits;
  const int exponent = static_cast<int>(code & 0x7f) >> bits;
  const int mantissa =
      static_cast<int>(code & static_cast<unsigned>(one - 1)) + (exponent > 0 ? one : 0);
  const int place = (exponent > 1 ? exponent : 1) - bias - bits;
  return std::ldexp(code & 0x80 ? -mantissa : mantissa, place + scale);
}

/// The code of the nearest number, ties to even. Beyond the largest one: NaN, or the largest.
inline std::uint8_t quarterCode(double value, int bits, int scale, bool nanOnOverflow) {
  const unsigned nan = 0x80, largest = 0x7f;
  const unsigned beyond = nanOnOverflow ? nan : largest;
  if (std::isnan(value)) return nan;
  const unsigned sign = std::signbit(value) ? 0x80 : 0;
  if (std::isinf(value)) return static_cast<std::uint8_t>(beyond | sign);
  const int bias = bits == 3 ? 8 : 16;
  const double size = std::ldexp(std::fabs(value), -scale);
  int exponent = 0;
  std::frexp(size, &exponent);
  exponent = exponent - 1 > 1 - bias ? exponent - 1 : 1 - bias;
  // Units of the last place; a carry into the next exponent comes out right.
  const double units = std::nearbyint(std::ldexp(size, bits - exponent));
  const double one = std::ldexp(1, bits);
  const double code = units < one ? units : std::ldexp(exponent + bias, bits) + units - one;
  if (code > largest) return static_cast<std::uint8_t>(beyond | sign);
  return static_cast<std::uint8_t>(code == 0 ? 0 : static_cast<unsigned>(code) | sign);
}

inline int mantissaBits(const quarter_metadata& metadata) {
  return metadata.fmt == quarter_metadata::f143 ? 3 : 2;
}

template <class T>
struct IsQuarter : std::is_same<typename std::remove_cv<T>::type, quarter> {};

}  // namespace popir

namespace poplar {

using ::MetadataType;
using ::quarter;
using ::quarter_metadata;

/// A template, so that a source's own function of this name comes first.
template <class Byte>
quarter_metadata unpackMetadata(const Byte* metadata) {
  const int scale = *metadata & 0x3f;
  return {*metadata & 0x80 ? quarter_metadata::f143 : quarter_metadata::f152,
          static_cast<signed char>(scale & 0x20 ? scale - 64 : scale)};
}
inline float toFloat(quarter value, quarter_metadata metadata) {
  return static_cast<float>(
      popir::quarterValue(value.value, popir::mantissaBits(metadata), metadata.scale));
}
inline half toHalf(quarter value, quarter_metadata metadata) {
  return static_cast<half>(toFloat(value, metadata));
}
/// `nanoo`: what overflows becomes NaN, else the largest number.
inline quarter toQuarter(float value, quarter_metadata metadata, bool nanoo = true) {
  return {popir::quarterCode(value, popir::mantissaBits(metadata), metadata.scale, nanoo)};
}

}  // namespace poplar

inline half quarterToHalf(quarter* input, quarter_metadata md) {
  return poplar::toHalf(*input, md);
}
inline quarter halfToQuarter(half* input, quarter_metadata md) {
  return poplar::toQuarter(static_cast<float>(*input), md);
}
inline quarter quarterToQuarter(quarter* input, quarter_metadata md_from, quarter_metadata md_to) {
  return poplar::toQuarter(poplar::toFloat(*input, md_from), md_to);
}
/// Refused when it is compiled: it is for the instructions behind it, in assembly of a tile.
template <class Metadata = quarter_metadata>
inline void setQuarterConfig(Metadata) {
  static_assert(!std::is_same<Metadata, quarter_metadata>::value,
                "setQuarterConfig sets registers of a tile, which the host does not have: give the "
                "vertex the same with poplar::toQuarter and toFloat, under #ifndef __IPU__");
}

#endif
