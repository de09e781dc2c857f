#include <poplar/Quarter.hpp>
#include <poplar/TypeConversion.hpp>
#include <poplar/exceptions.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>
#include <string>

namespace poplar {
namespace {

constexpr std::uint8_t kNaN = 0x80, kLargest = 0x7f, kSign = 0x80;
constexpr int kLeastScale = -32, kGreatestScale = 31;

int mantissaBits(QuarterMetadata::Format fmt) {
  return fmt == QuarterMetadata::Format::F143 ? 3 : 2;
}
int bias(QuarterMetadata::Format fmt) { return fmt == QuarterMetadata::Format::F143 ? 8 : 16; }

}  // namespace

QuarterMetadata::QuarterMetadata(Format fmt, int scale) : format_(fmt), scale_(scale) {
  if (scale < kLeastScale || scale > kGreatestScale)
    throw poplar_error("QuarterMetadata: scale " + std::to_string(scale) + "; expected from " +
                       std::to_string(kLeastScale) + " to " + std::to_string(kGreatestScale));
}
QuarterMetadata::QuarterMetadata(std::uint8_t binary)
    : format_(binary & 0x40 ? Format::F152 : Format::F143),
      scale_((binary & 0x3f) - (binary & 0x20 ? 64 : 0)) {}

std::uint8_t QuarterMetadata::getBinary() const {
  return static_cast<std::uint8_t>((scale_ & 0x3f) | (format_ == Format::F152 ? 0x40 : 0));
}

const char* toString(QuarterMetadata::Format fmt) {
  return fmt == QuarterMetadata::Format::F143 ? "F143" : "F152";
}
std::ostream& operator<<(std::ostream& os, const QuarterMetadata& metadata) {
  return os << toString(metadata.getFormat()) << ", scale " << metadata.getScale();
}

std::uint8_t toQuarter(double value, const QuarterMetadata& metadata, bool nanOnOverflow) {
  const int bits = mantissaBits(metadata.getFormat()), most = bias(metadata.getFormat());
  const std::uint8_t beyond = nanOnOverflow ? kNaN : kLargest;
  if (std::isnan(value)) return kNaN;
  const std::uint8_t sign = std::signbit(value) ? kSign : 0;
  if (std::isinf(value)) return beyond | sign;
  const double size = std::ldexp(std::fabs(value), -metadata.getScale());
  int exponent = 0;
  std::frexp(size, &exponent);
  exponent = std::max(exponent - 1, 1 - most);
  // Units of the last place; a carry into the next exponent comes out right.
  const double units = std::nearbyint(std::ldexp(size, bits - exponent));
  const double one = std::ldexp(1, bits);
  const double code = units < one ? units : std::ldexp(exponent + most, bits) + units - one;
  if (code > kLargest) return beyond | sign;
  return code == 0 ? 0 : static_cast<std::uint8_t>(code) | sign;
}

double fromQuarter(std::uint8_t code, const QuarterMetadata& metadata) {
  if (code == kNaN) return std::numeric_limits<double>::quiet_NaN();
  const int bits = mantissaBits(metadata.getFormat());
  const int exponent = (code & kLargest) >> bits, one = 1 << bits;
  const int mantissa = (code & (one - 1)) + (exponent > 0 ? one : 0);
  const int place = std::max(exponent, 1) - bias(metadata.getFormat()) - bits;
  return std::ldexp(code & kSign ? -mantissa : mantissa, place + metadata.getScale());
}

void requireQuarter(const char* who, const Type& type) {
  if (type != QUARTER)
    throw type_error(std::string(who) + ": " + type.toString() +
                     " with metadata; only quarter has it");
}

QuarterMetadata bestMetadata(const Type& type, const double* values, std::size_t count,
                             QuarterMetadata::Format fmt) {
  requireQuarter("calculateMetadataForConversion", type);
  QuarterMetadata best(fmt, 0);
  double least = std::numeric_limits<double>::infinity();
  for (int scale = kLeastScale; scale <= kGreatestScale; ++scale) {
    const QuarterMetadata metadata(fmt, scale);
    double error = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const double apart = fromQuarter(toQuarter(values[i], metadata, false), metadata) - values[i];
      if (!std::isnan(apart)) error += apart * apart;
    }
    if (error < least || (error == least && std::abs(scale) < std::abs(best.getScale()))) {
      least = error;
      best = metadata;
    }
  }
  return best;
}

}  // namespace poplar
