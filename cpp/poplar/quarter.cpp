#include <poplar/Quarter.hpp>
#include <poplar/QuarterFloat.hpp>
#include <poplar/TypeConversion.hpp>
#include <poplar/exceptions.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>
#include <string>

namespace poplar {
namespace {

constexpr int kLeastScale = -32, kGreatestScale = 31;

int mantissaBits(QuarterMetadata::Format fmt) {
  return fmt == QuarterMetadata::Format::F143 ? 3 : 2;
}

}  // namespace

QuarterMetadata::QuarterMetadata(Format fmt, int scale) : format_(fmt), scale_(scale) {
  if (scale < kLeastScale || scale > kGreatestScale)
    throw poplar_error("QuarterMetadata: scale " + std::to_string(scale) + "; expected from " +
                       std::to_string(kLeastScale) + " to " + std::to_string(kGreatestScale));
}
QuarterMetadata::QuarterMetadata(std::uint8_t binary)
    : format_(binary & 0x80 ? Format::F143 : Format::F152),
      scale_((binary & 0x3f) - (binary & 0x20 ? 64 : 0)) {}

std::uint8_t QuarterMetadata::getBinary() const {
  return static_cast<std::uint8_t>((scale_ & 0x3f) | (format_ == Format::F143 ? 0x80 : 0));
}

const char* toString(QuarterMetadata::Format fmt) {
  return fmt == QuarterMetadata::Format::F143 ? "F143" : "F152";
}
std::ostream& operator<<(std::ostream& os, const QuarterMetadata& metadata) {
  return os << toString(metadata.getFormat()) << ", scale " << metadata.getScale();
}

std::uint8_t toQuarter(double value, const QuarterMetadata& metadata, bool nanOnOverflow) {
  return popir::quarterCode(value, mantissaBits(metadata.getFormat()), metadata.getScale(),
                            nanOnOverflow);
}

double fromQuarter(std::uint8_t code, const QuarterMetadata& metadata) {
  return popir::quarterValue(code, mantissaBits(metadata.getFormat()), metadata.getScale());
}

void requireQuarter(const char* who, const Type& type) {
  if (type != QUARTER)
    throw type_error(std::string(who) + ": " + type.toString() +
                     " with metadata; only quarter has it");
}

void conversion::refuse(const char* who, const Type& type) {
  throw type_error(std::string(who) + ": " + type.toString() +
                   (type == QUARTER ? " without metadata" : ", which the host has no type for"));
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
