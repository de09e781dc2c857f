// A half by its bits, for the host and for codelets without a half of their own.
// After poplar/IeeeHalf.hpp of the Poplar SDK 3.
#ifndef poplar_IeeeHalf_hpp
#define poplar_IeeeHalf_hpp

#include <popir/Half.hpp>

#include <cstdint>
#include <cstring>

namespace poplar {

class IeeeHalf {
 public:
  IeeeHalf() = default;
  /// The nearest half, ties to even; infinity beyond the largest.
  IeeeHalf(float value) {
    const popir::Half rounded = static_cast<popir::Half>(value);
    std::memcpy(&bits_, &rounded, sizeof bits_);
  }
  static IeeeHalf fromBits(std::uint16_t bits) {
    IeeeHalf made;
    made.bits_ = bits;
    return made;
  }

  operator float() const {
    popir::Half value;
    std::memcpy(&value, &bits_, sizeof bits_);
    return static_cast<float>(value);
  }
  std::uint16_t bit16() const { return bits_; }

 private:
  std::uint16_t bits_ = 0;
};

}  // namespace poplar

#endif
