// The two formats of QUARTER, numbers of 8 bits, and what a tensor of them is multiplied by.
// After poplar/Quarter.hpp of the Poplar SDK 3.
//
// A number is a sign, an exponent and a mantissa: F143 has 4 and 3 bits and reaches 240, F152 5 and
// 2 bits and reaches 57344. The least exponent has denormals. There is one zero, no infinity, and
// one NaN, 0x80. A tensor of QUARTER has metadata: the format, and a scale s; an element is its
// number times 2^s.
#ifndef poplar_Quarter_hpp
#define poplar_Quarter_hpp

#include <cstdint>
#include <iosfwd>

#pragma GCC visibility push(default)
namespace poplar {

class QuarterMetadata {
 public:
  enum class Format : std::uint8_t { F143, F152 };

  QuarterMetadata() = default;
  /// \throws poplar_error for a scale outside of [-32, 31]
  QuarterMetadata(Format fmt, int scale);
  /// The metadata that a byte holds on the device: the scale in 6 bits, and 0x80 for F143.
  explicit QuarterMetadata(std::uint8_t binary);

  Format getFormat() const { return format_; }
  int getScale() const { return scale_; }
  std::uint8_t getBinary() const;
  bool operator==(const QuarterMetadata& o) const {
    return format_ == o.format_ && scale_ == o.scale_;
  }
  bool operator!=(const QuarterMetadata& o) const { return !(*this == o); }

 private:
  Format format_ = Format::F143;
  int scale_ = 0;
};

const char* toString(QuarterMetadata::Format fmt);
std::ostream& operator<<(std::ostream& os, const QuarterMetadata& metadata);

}  // namespace poplar
#pragma GCC visibility pop

#endif
